// RUN: headrace-opt %s --split-input-file --hr-specialise | FileCheck %s
#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu]} {

// CHECK-NOT: func.func @body(
// CHECK: func.func @body_1(%{{.*}}: tensor<1xi32>, %{{.*}}: i32, %{{.*}}: i32) -> tensor<1x64xf32> attributes {model.entry = "body", tile.rows = 1 : i64}
// CHECK: model.embed {{.*}} -> tensor<1x64xf32>
// CHECK: func.func @body_8(%{{.*}}: tensor<8xi32>, %{{.*}}: i32, %{{.*}}: i32) -> tensor<8x64xf32> attributes {model.entry = "body", tile.rows = 8 : i64}
// CHECK: return %{{.*}} : tensor<8x64xf32>
// CHECK: func.func @head_1(%{{.*}}: tensor<1x64xf32>, %{{.*}}: i32) -> tensor<1x64xf32>
// CHECK: func.func @head_4(
model.weight @embed : tensor<256x64xf32> attributes {enc = #enc.f32} {
  %0 = recipe.range "embed" in "f" offset 0 bytes 65536 : tensor<256x64xf32>
  recipe.yield %0 : tensor<256x64xf32>
}
func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x64xf32> attributes {model.entry = "body"} {
  %e = model.param @embed : tensor<256x64xf32>
  %x = model.embed %tokens, %e : tensor<?xi32>, tensor<256x64xf32> -> tensor<?x64xf32>
  return %x : tensor<?x64xf32>
}
func.func @head(%hidden: tensor<?x64xf32>) -> tensor<?x64xf32> attributes {model.entry = "head"} {
  return %hidden : tensor<?x64xf32>
}
}

// -----

// The rows of an encoder all see one another: one entry holds the context.

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu], model.kind = "encoder", model.context = 48 : i32} {
// CHECK: func.func @body_48(
// CHECK-NOT: func.func @body
model.weight @embed : tensor<256x64xf32> attributes {enc = #enc.f32} {
  %0 = recipe.range "embed" in "f" offset 0 bytes 65536 : tensor<256x64xf32>
  recipe.yield %0 : tensor<256x64xf32>
}
func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x64xf32> attributes {model.entry = "body"} {
  %e = model.param @embed : tensor<256x64xf32>
  %x = model.embed %tokens, %e : tensor<?xi32>, tensor<256x64xf32> -> tensor<?x64xf32>
  return %x : tensor<?x64xf32>
}
}
