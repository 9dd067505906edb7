// RUN: headrace-opt %s --split-input-file --verify-diagnostics --hr-form-kernels

func.func @f(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @unknown {{'model.mul' at 'layers.0.mlp.mul': no kernel family computes it}}
  %y = model.mul %x, %x : tensor<8x64xf32> loc("layers.0.mlp.mul")
  return %y : tensor<8x64xf32>
}

// -----

model.weight @w : tensor<64x64xf32> {
  %0 = recipe.range "w" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
func.func @f(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %w = model.param @w : tensor<64x64xf32>
  // expected-error @unknown {{at 'layers.0.attn.o': expected a weight with an encoding}}
  %y = model.linear %x, %w : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32> loc("layers.0.attn.o")
  return %y : tensor<8x64xf32>
}
