// RUN: headrace-opt %s --split-input-file --verify-diagnostics '--hr-lower-to-plan=taps=layers.*,mlp'
#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>

// A pattern that matches nothing is an error; what rope_append overwrites and what is quantized is counted.
// expected-remark @+2 {{taps: of pattern 'layers.*' 1 values are quantized or overwritten within the step and not kept, such as 'layers.0.norm'}}
// expected-error @+1 {{taps: pattern 'mlp' matches nothing}}
module attributes {target.devices = [#cpu], model.vocab = 64 : i32, model.hidden = 64 : i32, model.context = 32 : i32,
  model.max_positions = 32 : i32, model.bos = -1 : i32, model.eos = array<i32: 2>} {
model.weight @embed : tensor<64x64xf32> attributes {enc = #enc.f32, layout = "t32"} {
  %0 = recipe.range "embed" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
model.weight @norm : tensor<64xf32> attributes {enc = #enc.f32, layout = "vector"} {
  %0 = recipe.range "norm" in "f" offset 0 bytes 256 : tensor<64xf32>
  recipe.yield %0 : tensor<64xf32>
}
model.weight @w : tensor<64x64xf32> attributes {enc = #enc.w8<group = 64>, layout = "t32"} {
  %0 = recipe.range "w" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
func.func @body_1(%tokens: tensor<1xi32>, %pos: i32) -> tensor<1x64xf32> attributes {model.entry = "body", tile.rows = 1 : i64} {
  %e = model.param @embed : tensor<64x64xf32>
  %x = tile.embed %e, %tokens {enc = "f32"} : (tensor<64x64xf32>, tensor<1xi32>) -> tensor<1x64xf32> loc("embed")
  %w = model.param @norm : tensor<64xf32>
  %n = tile.norm %x, %w {eps = 1.0e-5 : f32, out = "a8", group = 64 : i64} : (tensor<1x64xf32>, tensor<64xf32>) -> tensor<1x64x!enc.a8<64>> loc("layers.0.norm")
  %m = model.param @w : tensor<64x64xf32>
  %y = tile.gemv %m, %n {enc = "w8", group = 64 : i64} : (tensor<64x64xf32>, tensor<1x64x!enc.a8<64>>) -> tensor<1x64xf32> loc("layers.0.o")
  return %y : tensor<1x64xf32>
}
}
