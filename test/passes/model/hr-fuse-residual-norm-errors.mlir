// RUN: headrace-opt %s --hr-fuse-residual-norm -verify-diagnostics | FileCheck %s

// CHECK-NOT: add_rms_norm
func.func @no_symbol(%x: tensor<?x8xf32>, %w: tensor<8xf32>) -> tensor<?x8xf32> {
  %s = model.add %x, %x : tensor<?x8xf32>
  // expected-remark @+1 {{sum and norm stay apart: the weight is not a model.param}}
  %y = model.rms_norm %s, %w {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<8xf32>
  return %y : tensor<?x8xf32>
}

func.func @not_a_sum(%x: tensor<?x8xf32>, %w: tensor<8xf32>) -> tensor<?x8xf32> {
  %y = model.rms_norm %x, %w {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<8xf32>
  return %y : tensor<?x8xf32>
}
