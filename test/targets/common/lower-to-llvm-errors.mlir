// RUN: headrace-opt %s --split-input-file --verify-diagnostics --hr-lower-to-llvm

func.func @fast(%x: f32) -> f32 {
  // expected-error @+1 {{expected no fast-math flags, found #arith.fastmath<contract>}}
  %y = arith.addf %x, %x fastmath<contract> : f32
  return %y : f32
}

// -----

// expected-error @+1 {{failed to legalize operation 'func.func'}}
func.func @tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
