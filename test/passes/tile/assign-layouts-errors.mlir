// RUN: headrace-opt %s --split-input-file --verify-diagnostics --hr-assign-layouts

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu]} {
// expected-error @+1 {{weight 'w': expected an encoding}}
model.weight @w : tensor<64x64xf32> {
  %0 = recipe.range "w" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu]} {
// expected-error @+1 {{weight 'w': expected a device of 0 .. 0, found 3}}
model.weight @w : tensor<64x64xf32> attributes {enc = #enc.f32, device = 3 : i32} {
  %0 = recipe.range "w" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu]} {
model.weight @positions : tensor<8x64xf32> attributes {enc = #enc.w4<group = 64, sym>} {
  %0 = recipe.range "positions" in "f" offset 0 bytes 2048 : tensor<8x64xf32>
  recipe.yield %0 : tensor<8x64xf32>
}
func.func @f(%tokens: tensor<?xi32>, %t: tensor<64x64xf32>, %pos: i32) {
  %p = model.param @positions : tensor<8x64xf32>
  // expected-error @+1 {{positions: expected a weight in #enc.f32}}
  %x = model.embed %tokens, %t positions %p : tensor<8x64xf32> at %pos : tensor<?xi32>, tensor<64x64xf32> -> tensor<?x64xf32>
  return
}
}
