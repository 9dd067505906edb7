// RUN: headrace-opt %s --hr-fuse-epilogue -verify-diagnostics | FileCheck %s

// What does not fit the order act, gating, residual, or follows a product with other readers, stays.
// CHECK-NOT: model.fused

// CHECK-LABEL: func.func @other_reader
func.func @other_reader(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = model.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  // CHECK: model.activation
  // expected-remark @+1 {{activation stays apart: it does not follow a linear op that has room for it}}
  %1 = model.activation relu %0 : tensor<?x8xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x8xf32>
}

// CHECK-LABEL: func.func @activation_of_activation
func.func @activation_of_activation(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %0 = model.linear %x, %w act relu : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  // CHECK: model.activation
  // expected-remark @+1 {{activation stays apart}}
  %1 = model.activation relu %0 : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @activation_of_residual
func.func @activation_of_residual(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %0 = model.linear %x, %w residual %x : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK: model.activation
  // expected-remark @+1 {{activation stays apart}}
  %1 = model.activation relu %0 : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @no_product
func.func @no_product(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK: model.add
  // expected-remark @+1 {{sum stays apart: it does not follow a linear op that has room for it}}
  %0 = model.add %x, %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @cap_of_residual
func.func @cap_of_residual(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %0 = model.linear %x, %w residual %x : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK: model.softcap
  // expected-remark @+1 {{softcap stays apart: it does not follow a linear op that has room for it}}
  %1 = model.softcap %0 {cap = 30.0 : f32} : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @activation_of_cap
func.func @activation_of_cap(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> tensor<?x8xf32> {
  %0 = model.linear %x, %w {softcap = 30.0 : f32} : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  // CHECK: model.activation
  // expected-remark @+1 {{activation stays apart}}
  %1 = model.activation relu %0 : tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
