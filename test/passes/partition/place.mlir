// RUN: headrace-opt %s '--hr-place=place=layers.*.mlp=reference' | FileCheck %s
// RUN: headrace-opt %s '--hr-place=place=layers.*.mlp=1' --hr-insert-transfers --hr-verify-placement | FileCheck %s --check-prefix=MOVED
// RUN: headrace-opt %s '--hr-place=place=layers.*.mlp=1' 2>&1 | FileCheck %s --check-prefix=PRICE
// PRICE: remark: weight 'shared' is read on devices 0 and 1 and stored twice, which costs 16384 bytes
// RUN: headrace-opt %s --hr-place --hr-insert-transfers --hr-verify-placement | FileCheck %s --check-prefix=ONE

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
#ref = #target.device<name = "reference", kind = "reference", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>

module attributes {target.devices = [#cpu, #ref]} {
// The norm of both devices: one copy each. The gate is read on the second only.
// CHECK: model.weight @shared {{.*}}device = 0
// CHECK: model.weight @shared.device1 {{.*}}device = 1
// CHECK: model.weight @gate {{.*}}device = 1
model.weight @shared : tensor<64x64xf32> {
  %0 = recipe.range "shared" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
model.weight @gate : tensor<64x64xf32> {
  %0 = recipe.range "gate" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
model.weight @table : tensor<64x64xf32> {
  %0 = recipe.range "table" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}

// CHECK-LABEL: @body
// MOVED-LABEL: @body
// ONE-LABEL: @body
// ONE-NOT: transfer
func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x64xf32> attributes {model.entry = "body"} {
  %t = model.param @table : tensor<64x64xf32>
  // CHECK: model.embed {{.*}}device = 0
  %x = model.embed %tokens, %t : tensor<?xi32>, tensor<64x64xf32> -> tensor<?x64xf32> loc("embed")
  // CHECK-DAG: model.param @shared {device = 0
  // CHECK-DAG: model.param @shared.device1 {device = 1
  %w = model.param @shared : tensor<64x64xf32>
  // MOVED: %[[A:.*]] = model.linear {{.*}}device = 0
  // MOVED: %[[T:.*]] = model.transfer %[[A]] from 0 to 1 {device = 1 : i32}
  %a = model.linear %x, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> loc("layers.0.attn.o")
  // CHECK: model.param @gate {device = 1
  %g = model.param @gate : tensor<64x64xf32>
  // CHECK: model.linear {{.*}}device = 1
  // MOVED: %[[B:.*]] = model.linear %[[T]], {{.*}}device = 1
  %b = model.linear %a, %g : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> loc("layers.0.mlp.gate")
  // MOVED: %[[C:.*]] = model.linear %[[B]], {{.*}}device = 1
  // MOVED: %[[U:.*]] = model.transfer %[[C]] from 1 to 0 {device = 0 : i32}
  %c = model.linear %b, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> loc("layers.0.mlp.down")
  // MOVED: model.add %[[A]], %[[U]] {device = 0
  %d = model.add %a, %c : tensor<?x64xf32> loc("layers.0.residual")
  return %d : tensor<?x64xf32>
}
}
