// RUN: headrace-opt %s --split-input-file --verify-diagnostics --hr-verify-plan

// expected-error @+1 {{expected a plan.library}}
module {
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    // expected-error @+1 {{operand 'a': expected a value that was written before and is whole, found none at arena0 + 2368}}
    plan.launch @add_c64([@arena0 + 2368], [@arena0 + 2368], [@arena0 + 64]) tiles 1 per_row
  }
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368]) tiles 1 per_row
    // expected-error @+1 {{operand 'x': expected a barrier after the launch that writes it}}
    plan.launch @gemm_f32_n64_k64([@section0 + 0], [@arena0 + 2368], [@arena0 + 64]) tiles 2
  }
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368]) tiles 1 per_row
    plan.barrier
    plan.launch @gemm_f32_n64_k64([@section0 + 0], [@arena0 + 2368], [@arena0 + 64]) tiles 2
    // expected-error @+1 {{operand 'out': expected a barrier after a launch that still reads these bytes}}
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368]) tiles 1 per_row
  }
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368]) tiles 1 per_row
    plan.launch @add_c64([@arena0 + 2368], [@arena0 + 2368], [@arena0 + 64]) tiles 1 per_row
    plan.barrier
    plan.launch @gemm_f32_n64_k64([@section0 + 0], [@arena0 + 2368], [@arena0 + 4416]) tiles 2
    // expected-error @+1 {{operand 'out': expected a barrier after a launch that writes the same bytes}}
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 4416]) tiles 1 per_row
  }
}

// -----

// A later value lies over half of the first.
plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368]) tiles 1 per_row
    plan.barrier
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 3392]) tiles 1 per_row
    // expected-error @+1 {{operand 'a': expected a value that was written before and is whole, found none at arena0 + 2368}}
    plan.launch @add_c64([@arena0 + 2368], [@arena0 + 2368], [@arena0 + 64]) tiles 1 per_row
  }
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    // expected-error @+1 {{operand 'out': expected a 64-byte aligned address, found 2400}}
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2400]) tiles 1 per_row
  }
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    // expected-error @+1 {{operand 'out': expected bytes within the 8512 of 'arena0', found an end of 9216}}
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 7168]) tiles 1 per_row
  }
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368]) tiles 1 per_row
    // expected-error @+1 {{operands 'a' and 'out' overlap}}
    plan.launch @add_c64([@arena0 + 2368], [@arena0 + 2368], [@arena0 + 2368]) tiles 1 per_row
  }
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    // expected-error @+1 {{operands 'table' and 'out' overlap}}
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@section0 + 0]) tiles 1 per_row
  }
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
// expected-error @+1 {{entry 'body_8': expected its result in arena0 + 64, found nothing written}}
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368]) tiles 1 per_row
  }
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368]) tiles 1 per_row
    plan.launch @add_c64([@arena0 + 2368], [@arena0 + 2368], [@arena0 + 64]) tiles 1 per_row
    plan.barrier
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 3392]) tiles 1 per_row
  }
  // expected-error @+1 {{tap 'x': expected its value to last until the end of the step}}
  plan.tap "x" at [@arena0 + 2368] cols 64 stride 64
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368]) tiles 1 per_row
    plan.launch @add_c64([@arena0 + 2368], [@arena0 + 2368], [@arena0 + 64]) tiles 1 per_row
  }
  plan.tap "x" at [@arena0 + 2368] cols 64 stride 64
}
plan.entry @head_1 kind "head" rows 1 {
  plan.segment device 0 {
    // expected-error @+1 {{operand 'out' overwrites tap 'x' of 'body_8'}}
    plan.launch @gemm_f32_n64_k64([@section0 + 0], [@arena0 + 64 row0 256], [@arena0 + 4352]) tiles 2
    plan.barrier
    plan.launch @gemm_f32_n64_k64([@section0 + 0], [@arena0 + 4352], [@arena0 + 2112]) tiles 2
  }
}

// -----

// expected-error @+1 {{logits: expected bytes within the 2304 of 'arena0', found an end of 2368}}
plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 2304 : i64}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @kv0 {device = 0 : i32, kind = "kv", bytes = 16384 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 8128 : i64}
plan.kernel @rope_append_h1_kv1_d32_r32_c64_f32_f32 {family = "rope_append", device = 0 : i32, params = {heads = 1 : i64, kv_heads = 1 : i64,
  head_dim = 32 : i64, rotary = 32 : i64, context = 64 : i64, k_type = "f32", v_type = "f32"}}
plan.entry @body_1 kind "body" rows 1 {
  plan.segment device 0 {
    // expected-error @+1 {{operand 'table': expected bytes within the 8128 of 'section0', found an end of 8192}}
    plan.launch @rope_append_h1_kv1_d32_r32_c64_f32_f32([@arena0 + 2368], [@section0 + 0], [@kv0 + 0], [@kv0 + 8192]) tiles 1 per_row
  }
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 32704 : i64}
plan.kernel @embed_f32_n64_k64_pos {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, positions = true}}
plan.entry @body_1 kind "body" rows 1 {
  plan.segment device 0 {
    // expected-error @+1 {{operand 'positions': expected bytes within the 32704 of 'section0', found an end of 32768}}
    plan.launch @embed_f32_n64_k64_pos([@section0 + 0], [@section0 + 16384], [@arena0 + 0], [@arena0 + 64]) tiles 1 per_row
  }
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 32768 : i64}
plan.kernel @gemv_f32_n32_k64 {family = "gemv", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 32 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.kernel @route_e4_top2 {family = "route", device = 0 : i32, params = {experts = 4 : i64, top = 2 : i64, normalise = false}}
plan.kernel @gemv_f32_n32_k64_e4_top2 {family = "gemv", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 32 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false, experts = 4 : i64, top = 2 : i64}}
plan.entry @head_1 kind "head" rows 1 {
  plan.segment device 0 {
    plan.launch @gemv_f32_n32_k64([@section0 + 0], [@arena0 + 64], [@arena0 + 4096]) tiles 1
    plan.launch @route_e4_top2([@arena0 + 4096], [@arena0 + 4224]) tiles 1 per_row
    // The second choice is a float behind the first.
    plan.launch @gemv_f32_n32_k64_e4_top2([@section0 + 0], [@arena0 + 64], [@arena0 + 4228], [@arena0 + 4352]) tiles 1
    // expected-error @+1 {{operand 'route': expected a 4-byte aligned address, found 4226}}
    plan.launch @gemv_f32_n32_k64_e4_top2([@section0 + 0], [@arena0 + 64], [@arena0 + 4226], [@arena0 + 4480]) tiles 1
  }
}

// -----

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 32768 : i64}
plan.kernel @gemv_f32_n32_k64 {family = "gemv", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 32 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.kernel @route_e4_top2 {family = "route", device = 0 : i32, params = {experts = 4 : i64, top = 2 : i64, normalise = false}}
plan.kernel @gemv_f32_n32_k64_e4_top2 {family = "gemv", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 32 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false, experts = 4 : i64, top = 2 : i64}}
plan.entry @head_1 kind "head" rows 1 {
  plan.segment device 0 {
    plan.launch @gemv_f32_n32_k64([@section0 + 0], [@arena0 + 64], [@arena0 + 4096]) tiles 1
    plan.launch @route_e4_top2([@arena0 + 4096], [@arena0 + 4224]) tiles 1 per_row
    // The second choice is a float behind the first.
    plan.launch @gemv_f32_n32_k64_e4_top2([@section0 + 0], [@arena0 + 64], [@arena0 + 4228], [@arena0 + 4352]) tiles 1
    // expected-error @+1 {{operand 'route': expected a value that was written before and is whole, found none at arena0 + 4348}}
    plan.launch @gemv_f32_n32_k64_e4_top2([@section0 + 0], [@arena0 + 64], [@arena0 + 4348], [@arena0 + 4480]) tiles 1
  }
}
