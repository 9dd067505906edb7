// RUN: headrace-opt %s --hr-assign-layouts | FileCheck %s
#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu]} {
// CHECK: model.weight @matrix {{.*}}layout = "t32"
// CHECK: model.weight @vector {{.*}}layout = "vector"
// CHECK: model.weight @table {{.*}}layout = "rows"
// CHECK: model.weight @positions {{.*}}layout = "rows"
model.weight @matrix : tensor<64x64xf32> attributes {enc = #enc.w4<group = 64, sym>} {
  %0 = recipe.range "matrix" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
model.weight @vector : tensor<64xf32> attributes {enc = #enc.f32} {
  %0 = recipe.range "vector" in "f" offset 0 bytes 256 : tensor<64xf32>
  recipe.yield %0 : tensor<64xf32>
}
model.weight @table : tensor<8x2x16xf32> attributes {enc = #enc.f32} {
  %0 = recipe.range "table" in "f" offset 0 bytes 1024 : tensor<8x2x16xf32>
  recipe.yield %0 : tensor<8x2x16xf32>
}
model.weight @positions : tensor<8x64xf32> attributes {enc = #enc.f32} {
  %0 = recipe.range "positions" in "f" offset 0 bytes 2048 : tensor<8x64xf32>
  recipe.yield %0 : tensor<8x64xf32>
}
func.func @f(%tokens: tensor<?xi32>, %pos: i32) {
  %t = model.param @matrix : tensor<64x64xf32>
  %p = model.param @positions : tensor<8x64xf32>
  %x = model.embed %tokens, %t positions %p : tensor<8x64xf32> at %pos : tensor<?xi32>, tensor<64x64xf32> -> tensor<?x64xf32>
  return
}
}
