// RUN: headrace-opt %s --split-input-file --verify-diagnostics --hr-assign-buffers

// expected-error @+1 {{expected a plan.library}}
module {
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@tokens + 0 stride 1>, hidden_rows = #plan.slot<@hidden + 0 stride 64>,
  logits = #plan.slot<@logits + 0 stride 64>}
plan.buffer @tokens {device = 0 : i32, rows = 8 : i64, row_bytes = 4 : i64, keep}
plan.buffer @hidden {device = 0 : i32, rows = 8 : i64, row_bytes = 256 : i64, keep}
plan.buffer @logits {device = 0 : i32, rows = 1 : i64, row_bytes = 256 : i64, keep}
// expected-error @+1 {{weight 'w': expected layout vector, rows or t32, found 'fm'}}
model.weight @w : tensor<64x64xf32> attributes {enc = #enc.f32, layout = "fm"} {
  %0 = recipe.range "w" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
