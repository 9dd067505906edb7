// RUN: headrace-opt %s --hr-fuse-residual-norm | FileCheck %s
// RUN: headrace-opt %s --hr-fuse-residual-norm --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// CHECK: module attributes {model.fused = {residual_norm = 3 : i64}}
module {
  model.weight @n : tensor<8xf32> {
    %0 = recipe.range "n" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }

  // CHECK-LABEL: func.func @f
  func.func @f(%x: tensor<?x8xf32>, %r: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
    // The fused op stands where the sum stood: its result may be read before the norm was made.
    // CHECK: %[[W:.*]] = model.param @n
    // CHECK-NEXT: %[[S:.*]], %[[Y:.*]] = model.add_rms_norm %arg0, %arg1, %[[W]] {eps = 9.99999974E-6 : f32}
    // CHECK-NEXT: %[[A:.*]] = model.activation silu %[[S]]
    // CHECK-NEXT: return %[[S]], %[[Y]], %[[A]]
    // LOC: model.add_rms_norm {{.*}} loc(#[[L:.*]])
    %s = model.add %x, %r : tensor<?x8xf32> loc("layers.0.attn.out")
    %a = model.activation silu %s : tensor<?x8xf32>
    %w = model.param @n : tensor<8xf32>
    %y = model.rms_norm %s, %w {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<8xf32> loc("layers.0.mlp.norm")
    return %s, %y, %a : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
  }
  // LOC-DAG: #[[L]] = loc("layers.0.mlp.norm"(#[[F:.*]]))
  // LOC-DAG: #[[F]] = loc(fused[#[[S:.*]], #[[N:.*]]])
  // LOC-DAG: #[[S]] = loc("layers.0.attn.out")
  // LOC-DAG: #[[N]] = loc("layers.0.mlp.norm")

  // Of two norms of one sum the first is taken; the other reads the sum.
  // CHECK-LABEL: func.func @two
  func.func @two(%x: tensor<?x8xf32>, %r: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    // CHECK: %[[S:.*]], %[[Y:.*]] = model.add_rms_norm
    // CHECK: %[[Z:.*]] = model.rms_norm %[[S]], %{{.*}} {eps = 0.000000e+00 : f32}
    // CHECK: return %[[Y]], %[[Z]]
    %w = model.param @n : tensor<8xf32>
    %s = model.add %x, %r : tensor<?x8xf32>
    %y = model.rms_norm %s, %w {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<8xf32>
    %z = model.rms_norm %s, %w {eps = 0.0 : f32} : tensor<?x8xf32>, tensor<8xf32>
    return %y, %z : tensor<?x8xf32>, tensor<?x8xf32>
  }

  // A layer norm in the same way, with its bias.
  // CHECK-LABEL: func.func @layer
  func.func @layer(%x: tensor<?x8xf32>, %r: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    // CHECK: %[[S:.*]], %[[Y:.*]] = model.add_layer_norm %arg0, %arg1, %{{.*}} bias %{{.*}} {eps = 9.99999974E-6 : f32}
    // CHECK-NEXT: return %[[S]], %[[Y]]
    %s = model.add %x, %r : tensor<?x8xf32>
    %w = model.param @n : tensor<8xf32>
    %b = model.param @n : tensor<8xf32>
    %y = model.layer_norm %s, %w bias %b {eps = 1.0e-5 : f32} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    return %s, %y : tensor<?x8xf32>, tensor<?x8xf32>
  }
}
