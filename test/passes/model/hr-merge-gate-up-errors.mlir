// RUN: headrace-opt %s --split-input-file --hr-merge-gate-up -verify-diagnostics | FileCheck %s

// What cannot be merged stays as it is.
// CHECK-NOT: model.fused
// CHECK-NOT: gated

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
  %g = model.linear %x, %wg : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %u = model.linear %y, %wu : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %s = model.activation silu %g : tensor<?x20xf32>
  // expected-remark @+1 {{gate and up stay apart: their inputs differ}}
  %m = model.mul %s, %u : tensor<?x20xf32>
  return %m : tensor<?x20xf32>
}

// -----

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
  %g = model.linear %x, %wg : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %u = model.linear %x, %wu : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %s = model.activation silu %g : tensor<?x20xf32>
  // expected-remark @+1 {{gate and up stay apart: the activation is used elsewhere}}
  %m = model.mul %s, %u : tensor<?x20xf32>
  %z = model.add %m, %s : tensor<?x20xf32>
  return %z : tensor<?x20xf32>
}

// -----

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
  %g = model.linear %x, %wg : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %u = model.linear %x, %wu : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %s = model.activation silu %g : tensor<?x20xf32>
  // expected-remark @+1 {{gate and up stay apart: a result is used elsewhere}}
  %m = model.mul %s, %u : tensor<?x20xf32>
  %z = model.add %m, %u : tensor<?x20xf32>
  return %z : tensor<?x20xf32>
}

// -----

model.weight @layers.0.mlp.gate : tensor<20x16xf32> {
  %0 = recipe.range "layers.0.mlp.gate" in "f" offset 0 bytes 1280 : tensor<20x16xf32>
  recipe.yield %0 : tensor<20x16xf32>
}
model.weight @layers.0.mlp.up : tensor<20x16xf32> attributes {enc = #enc.w8<group = 32>} {
  %0 = recipe.range "layers.0.mlp.up" in "f" offset 0 bytes 1280 : tensor<20x16xf32>
  recipe.yield %0 : tensor<20x16xf32>
}
func.func @f(%x: tensor<?x16xf32>, %y: tensor<?x16xf32>) -> tensor<?x20xf32> {
  %wg = model.param @layers.0.mlp.gate : tensor<20x16xf32>
  %wu = model.param @layers.0.mlp.up : tensor<20x16xf32>
  %g = model.linear %x, %wg : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %u = model.linear %x, %wu : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %s = model.activation silu %g : tensor<?x20xf32>
  // expected-remark @+1 {{gate and up stay apart: their encodings differ}}
  %m = model.mul %s, %u : tensor<?x20xf32>
  return %m : tensor<?x20xf32>
}

// -----

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
  %g = model.linear %x, %wg : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  %u = model.linear %x, %wu : (tensor<?x16xf32>, tensor<20x16xf32>) -> tensor<?x20xf32>
  // expected-remark @+1 {{product stays apart: it is not the activation of one linear op times another}}
  %m = model.mul %g, %u : tensor<?x20xf32>
  return %m : tensor<?x20xf32>
}

// -----

model.weight @layers.0.mlp.gate : tensor<64x16xf32> {
  %0 = recipe.range "layers.0.mlp.gate" in "f" offset 0 bytes 4096 : tensor<64x16xf32>
  recipe.yield %0 : tensor<64x16xf32>
}
model.weight @layers.0.mlp.up : tensor<64x16xf32> {
  %0 = recipe.range "layers.0.mlp.up" in "f" offset 0 bytes 4096 : tensor<64x16xf32>
  recipe.yield %0 : tensor<64x16xf32>
}
func.func @routes(%x: tensor<?x16xf32>, %r: tensor<?x4xf32>) -> tensor<?x20xf32> {
  %wg = model.param @layers.0.mlp.gate : tensor<64x16xf32>
  %wu = model.param @layers.0.mlp.up : tensor<64x16xf32>
  %g = model.linear %x, %wg route %r : (tensor<?x16xf32>, tensor<64x16xf32>, tensor<?x4xf32>) -> tensor<?x20xf32>
  %u = model.linear %x, %wu route %r {slot = 1 : i64} : (tensor<?x16xf32>, tensor<64x16xf32>, tensor<?x4xf32>) -> tensor<?x20xf32>
  %s = model.activation silu %g : tensor<?x20xf32>
  // expected-remark @+1 {{gate and up stay apart: their routes differ}}
  %m = model.mul %s, %u : tensor<?x20xf32>
  return %m : tensor<?x20xf32>
}
