// RUN: headrace-opt %s --split-input-file --hr-merge-gate-up | FileCheck %s
// RUN: headrace-opt %s --split-input-file --hr-merge-gate-up --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// 20 rows of each become one padded tile of 32; the new op has the anchor of the product.

// CHECK: module attributes {model.fused = {gate_up = 1 : i64}}
// CHECK: model.weight @layers.0.mlp.gate_up : tensor<64x16xf32> {
// CHECK-NEXT: %[[G:.*]] = recipe.range "layers.0.mlp.gate"
// CHECK-NEXT: %[[U:.*]] = recipe.range "layers.0.mlp.up"
// CHECK-NEXT: %[[I:.*]] = recipe.interleave %[[G]], %[[U]] tile 32 : tensor<20x16xf32>, tensor<20x16xf32> to tensor<64x16xf32>
// CHECK-NEXT: recipe.yield %[[I]]
// CHECK-NOT: model.weight
// CHECK-LABEL: func.func @f
// CHECK: %[[W:.*]] = model.param @layers.0.mlp.gate_up
// CHECK: %[[M:.*]] = model.linear %{{.*}}, %[[W]] act silu gated : (tensor<?x16xf32>, tensor<64x16xf32>) -> tensor<?x20xf32>
// CHECK-NEXT: return %[[M]]
// LOC: model.linear {{.*}} loc(#[[L:.*]])
// LOC-DAG: #[[L]] = loc("layers.0.mlp.mul"(#[[F:.*]]))
// LOC-DAG: #[[F]] = loc(fused[#{{.*}}, #[[GATE:.*]], #{{.*}}, #{{.*}}])
// LOC-DAG: #[[GATE]] = loc("layers.0.mlp.gate")
model.weight @layers.0.mlp.gate : tensor<20x16xf32> {
  %0 = recipe.range "layers.0.mlp.gate" in "f" offset 0 bytes 1280 : tensor<20x16xf32>
  recipe.yield %0 : tensor<20x16xf32>
}
model.weight @layers.0.mlp.up : tensor<20x16xf32> {
  %0 = recipe.range "layers.0.mlp.up" in "f" offset 0 bytes 1280 : tensor<20x16xf32>
  recipe.yield %0 : tensor<20x16xf32>
}
func.func @f(%x: tensor<?x16xf32>, %y: tensor<?x16xf32>) -> tensor<?x20xf32> {
  %wg = model.param @layers.0.mlp.gate : tensor<20x16xf32>
  %wu = model.param @layers.0.mlp.up : tensor<20x16xf32>
  %g = model.linear %x, %wg : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32> loc("layers.0.mlp.gate")
  %u = model.linear %x, %wu : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %s = model.activation silu %g : tensor<?x20xf32>
  %m = model.mul %s, %u : tensor<?x20xf32> loc("layers.0.mlp.mul")
  return %m : tensor<?x20xf32>
}

// -----

// Biases follow the weight's interleaving, and the factors may stand in either order.

// CHECK: model.weight @layers.0.mlp.gate_up.bias : tensor<64xf32> {
// CHECK: recipe.interleave %{{.*}}, %{{.*}} tile 32 : tensor<20xf32>, tensor<20xf32> to tensor<64xf32>
// CHECK: model.linear %{{.*}}, %{{.*}} bias %{{.*}} act silu gated
model.weight @layers.0.mlp.gate : tensor<20x16xf32> {
  %0 = recipe.range "layers.0.mlp.gate" in "f" offset 0 bytes 1280 : tensor<20x16xf32>
  recipe.yield %0 : tensor<20x16xf32>
}
model.weight @layers.0.mlp.up : tensor<20x16xf32> {
  %0 = recipe.range "layers.0.mlp.up" in "f" offset 0 bytes 1280 : tensor<20x16xf32>
  recipe.yield %0 : tensor<20x16xf32>
}
model.weight @layers.0.mlp.gate.bias : tensor<20xf32> {
  %0 = recipe.range "layers.0.mlp.gate.bias" in "f" offset 0 bytes 80 : tensor<20xf32>
  recipe.yield %0 : tensor<20xf32>
}
model.weight @layers.0.mlp.up.bias : tensor<20xf32> {
  %0 = recipe.range "layers.0.mlp.up.bias" in "f" offset 0 bytes 80 : tensor<20xf32>
  recipe.yield %0 : tensor<20xf32>
}
func.func @f(%x: tensor<?x16xf32>, %y: tensor<?x16xf32>) -> tensor<?x20xf32> {
  %wg = model.param @layers.0.mlp.gate : tensor<20x16xf32>
  %wu = model.param @layers.0.mlp.up : tensor<20x16xf32>
  %bg = model.param @layers.0.mlp.gate.bias : tensor<20xf32>
  %bu = model.param @layers.0.mlp.up.bias : tensor<20xf32>
  %u = model.linear %x, %wu bias %bu : (tensor<?x16xf32>, tensor<20x16xf32>, tensor<20xf32>) -> tensor<?x20xf32>
  %g = model.linear %x, %wg bias %bg : (tensor<?x16xf32>, tensor<20x16xf32>, tensor<20xf32>) -> tensor<?x20xf32>
  %s = model.activation silu %g : tensor<?x20xf32>
  %m = model.mul %u, %s : tensor<?x20xf32>
  return %m : tensor<?x20xf32>
}

// -----

// Weights whose encoding the checkpoint fixes merge when it is one, and keep it.

// CHECK: model.weight @layers.0.mlp.gate_up : tensor<64x16xf32> attributes {enc = #enc.w4<group = 32, sym>} {
model.weight @layers.0.mlp.gate : tensor<20x16xf32> attributes {enc = #enc.w4<group = 32, sym>} {
  %0 = recipe.range "layers.0.mlp.gate" in "f" offset 0 bytes 1280 : tensor<20x16xf32>
  recipe.yield %0 : tensor<20x16xf32>
}
model.weight @layers.0.mlp.up : tensor<20x16xf32> attributes {enc = #enc.w4<group = 32, sym>} {
  %0 = recipe.range "layers.0.mlp.up" in "f" offset 0 bytes 1280 : tensor<20x16xf32>
  recipe.yield %0 : tensor<20x16xf32>
}
func.func @f(%x: tensor<?x16xf32>) -> tensor<?x20xf32> {
  %wg = model.param @layers.0.mlp.gate : tensor<20x16xf32>
  %wu = model.param @layers.0.mlp.up : tensor<20x16xf32>
  %g = model.linear %x, %wg : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %u = model.linear %x, %wu : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %s = model.activation silu %g : tensor<?x20xf32>
  %m = model.mul %s, %u : tensor<?x20xf32>
  return %m : tensor<?x20xf32>
}

// -----

// CHECK: model.weight @layers.0.mlp.gate : tensor<20x16xf32> attributes {enc = #enc.w4<group = 32, sym>} {
// CHECK: model.weight @layers.0.mlp.up : tensor<20x16xf32> attributes {enc = #enc.w8<group = 32>} {
// CHECK-NOT: gate_up
model.weight @layers.0.mlp.gate : tensor<20x16xf32> attributes {enc = #enc.w4<group = 32, sym>} {
  %0 = recipe.range "layers.0.mlp.gate" in "f" offset 0 bytes 1280 : tensor<20x16xf32>
  recipe.yield %0 : tensor<20x16xf32>
}
model.weight @layers.0.mlp.up : tensor<20x16xf32> attributes {enc = #enc.w8<group = 32>} {
  %0 = recipe.range "layers.0.mlp.up" in "f" offset 0 bytes 1280 : tensor<20x16xf32>
  recipe.yield %0 : tensor<20x16xf32>
}
func.func @f(%x: tensor<?x16xf32>) -> tensor<?x20xf32> {
  %wg = model.param @layers.0.mlp.gate : tensor<20x16xf32>
  %wu = model.param @layers.0.mlp.up : tensor<20x16xf32>
  %g = model.linear %x, %wg : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %u = model.linear %x, %wu : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %s = model.activation silu %g : tensor<?x20xf32>
  %m = model.mul %s, %u : tensor<?x20xf32>
  return %m : tensor<?x20xf32>
}

// -----

// The choices of a mixture of experts read one weight of gate and one of up: these become one, which all choices read.

// CHECK: module attributes {model.fused = {gate_up = 2 : i64}}
// CHECK: model.weight @layers.0.mlp.gate_up : tensor<128x16xf32> {
// CHECK-NOT: model.weight
// CHECK-LABEL: func.func @experts
// CHECK: %[[W:.*]] = model.param @layers.0.mlp.gate_up : tensor<128x16xf32>
// CHECK: model.linear %arg0, %[[W]] route %arg1 act silu gated : (tensor<?x16xf32>, tensor<128x16xf32>, tensor<?x4xf32>) -> tensor<?x20xf32>
// CHECK: model.linear %arg0, %[[W]] route %arg1 act silu gated {slot = 1 : i64} :
// CHECK-NOT: model.linear
model.weight @layers.0.mlp.gate : tensor<64x16xf32> {
  %0 = recipe.range "layers.0.mlp.gate" in "f" offset 0 bytes 4096 : tensor<64x16xf32>
  recipe.yield %0 : tensor<64x16xf32>
}
model.weight @layers.0.mlp.up : tensor<64x16xf32> {
  %0 = recipe.range "layers.0.mlp.up" in "f" offset 0 bytes 4096 : tensor<64x16xf32>
  recipe.yield %0 : tensor<64x16xf32>
}
func.func @experts(%x: tensor<?x16xf32>, %r: tensor<?x4xf32>) -> (tensor<?x20xf32>, tensor<?x20xf32>) {
  %wg = model.param @layers.0.mlp.gate : tensor<64x16xf32>
  %wu = model.param @layers.0.mlp.up : tensor<64x16xf32>
  %g0 = model.linear %x, %wg route %r : (tensor<?x16xf32>, tensor<64x16xf32>, tensor<?x4xf32>) -> tensor<?x20xf32>
  %u0 = model.linear %x, %wu route %r : (tensor<?x16xf32>, tensor<64x16xf32>, tensor<?x4xf32>) -> tensor<?x20xf32>
  %s0 = model.activation silu %g0 : tensor<?x20xf32>
  %m0 = model.mul %s0, %u0 : tensor<?x20xf32> loc("choice0")
  %g1 = model.linear %x, %wg route %r {slot = 1 : i64} : (tensor<?x16xf32>, tensor<64x16xf32>, tensor<?x4xf32>) -> tensor<?x20xf32>
  %u1 = model.linear %x, %wu route %r {slot = 1 : i64} : (tensor<?x16xf32>, tensor<64x16xf32>, tensor<?x4xf32>) -> tensor<?x20xf32>
  %s1 = model.activation silu %g1 : tensor<?x20xf32>
  %m1 = model.mul %s1, %u1 : tensor<?x20xf32> loc("choice1")
  return %m0, %m1 : tensor<?x20xf32>, tensor<?x20xf32>
}
