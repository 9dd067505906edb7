// RUN: headrace-opt %s --split-input-file --verify-diagnostics --hr-verify-placement

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
#ref = #target.device<name = "reference", kind = "reference", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu, #ref]} {
func.func @body(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @+1 {{expected a device}}
  %a = model.add %x, %x : tensor<?x64xf32>
  return %a : tensor<?x64xf32>
}
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
#ref = #target.device<name = "reference", kind = "reference", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu, #ref]} {
func.func @body(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @+1 {{expected a device of 0 .. 1, found 2}}
  %a = model.add %x, %x {device = 2 : i32} : tensor<?x64xf32>
  return %a : tensor<?x64xf32>
}
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
#ref = #target.device<name = "reference", kind = "reference", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu, #ref]} {
func.func @body(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @+1 {{expected operand 0 on device 1, found device 0}}
  %a = model.add %x, %x {device = 1 : i32} : tensor<?x64xf32>
  return %a : tensor<?x64xf32>
}
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
#ref = #target.device<name = "reference", kind = "reference", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu, #ref]} {
model.weight @w : tensor<64x64xf32> attributes {device = 1 : i32} {
  %0 = recipe.range "w" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
func.func @body(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @+1 {{expected 'w' on device 0, found device 1}}
  %w = model.param @w {device = 0 : i32} : tensor<64x64xf32>
  return %x : tensor<?x64xf32>
}
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
#ref = #target.device<name = "reference", kind = "reference", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu, #ref]} {
// expected-error @+1 {{weight 'w': device reference has no kernels for w4}}
model.weight @w : tensor<64x64xf32> attributes {device = 1 : i32, enc = #enc.w4<group = 64, sym>} {
  %0 = recipe.range "w" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
}

// -----

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
#ref = #target.device<name = "reference", kind = "reference", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu, #ref]} {
// expected-error @+1 {{cache 'kv': device reference has no kernels for f16}}
model.kv_cache @kv kv_heads 2 head_dim 32 context 64 attributes {device = 1 : i32, k_type = #enc.f16, v_type = #enc.f32}
}
