// RUN: headrace-opt %s --hr-fuse-epilogue | FileCheck %s

// CHECK: module attributes {model.fused = {activation = 2 : i64, residual = 6 : i64, softcap = 2 : i64}}
module {
  // CHECK-LABEL: func.func @activation_then_residual
  func.func @activation_then_residual(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %r: tensor<?x8xf32>) -> tensor<?x8xf32> {
    // CHECK-NEXT: %[[Y:.*]] = model.linear %arg0, %arg1 bias %arg2 residual %arg3 act relu
    // CHECK-NEXT: return %[[Y]]
    %0 = model.linear %x, %w bias %b : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    %1 = model.activation relu %0 : tensor<?x8xf32>
    %2 = model.add %r, %1 : tensor<?x8xf32>
    return %2 : tensor<?x8xf32>
  }

  // The sum's other operand is made after the product: the product moves down.
  // CHECK-LABEL: func.func @residual_made_later
  func.func @residual_made_later(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
    // CHECK-NEXT: %[[M:.*]] = model.mul
    // CHECK-NEXT: %[[Y:.*]] = model.linear %arg0, %arg1 residual %[[M]]
    // CHECK-NEXT: return %[[Y]]
    %0 = model.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    %1 = model.mul %x, %x : tensor<?x8xf32>
    %2 = model.add %0, %1 : tensor<?x8xf32>
    return %2 : tensor<?x8xf32>
  }

  // Of two products the later takes the sum.
  // CHECK-LABEL: func.func @two_products
  func.func @two_products(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
    // CHECK-NEXT: %[[A:.*]] = model.linear %arg0, %arg1 act silu :
    // CHECK-NEXT: %[[Y:.*]] = model.linear %arg0, %arg1 residual %[[A]] :
    // CHECK-NEXT: return %[[Y]]
    %0 = model.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    %1 = model.activation silu %0 : tensor<?x8xf32>
    %2 = model.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    %3 = model.add %1, %2 : tensor<?x8xf32>
    return %3 : tensor<?x8xf32>
  }

  // A gated product still has room for a residual.
  // CHECK-LABEL: func.func @gated
  func.func @gated(%x: tensor<?x8xf32>, %w: tensor<64x8xf32>) -> tensor<?x8xf32> {
    // CHECK-NEXT: model.linear %arg0, %arg1 residual %arg0 act silu gated
    %0 = model.linear %x, %w act silu gated : (tensor<?x8xf32>, tensor<64x8xf32>) -> tensor<?x8xf32>
    %1 = model.add %x, %0 : tensor<?x8xf32>
    return %1 : tensor<?x8xf32>
  }

  // A share comes before the residual and after everything else.
  // CHECK-LABEL: func.func @weighted
  func.func @weighted(%x: tensor<?x8xf32>, %w: tensor<64x8xf32>, %r: tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    // CHECK-NEXT: model.linear %arg0, %arg1 residual %arg0 route %arg2 {slot = 1 : i64, weighted} :
    // CHECK-NEXT: model.linear %arg0, %arg1 route %arg2 {weighted} :
    // CHECK-NEXT: model.activation
    %0 = model.linear %x, %w route %r {slot = 1 : i64, weighted} : (tensor<?x8xf32>, tensor<64x8xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
    %1 = model.add %x, %0 : tensor<?x8xf32>
    %2 = model.linear %x, %w route %r {weighted} : (tensor<?x8xf32>, tensor<64x8xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
    %3 = model.activation relu %2 : tensor<?x8xf32>
    return %1, %3 : tensor<?x8xf32>, tensor<?x8xf32>
  }

  // A cap comes before the residual.
  // CHECK-LABEL: func.func @capped
  func.func @capped(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    // CHECK-NEXT: model.linear %arg0, %arg1 {softcap = 3.000000e+01 : f32} :
    // CHECK-NEXT: model.linear %arg0, %arg1 residual %arg0 {softcap = 3.000000e+01 : f32} :
    %0 = model.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    %1 = model.softcap %0 {cap = 30.0 : f32} : tensor<?x8xf32>
    %2 = model.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
    %3 = model.softcap %2 {cap = 30.0 : f32} : tensor<?x8xf32>
    %4 = model.add %x, %3 : tensor<?x8xf32>
    return %1, %4 : tensor<?x8xf32>, tensor<?x8xf32>
  }
}
