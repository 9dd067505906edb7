// RUN: headrace-opt %s --split-input-file --verify-diagnostics

// library C1
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
// expected-error @+1 {{'plan.library' op (C1) expected a stride of at least 32, found 16}}
plan.library @m {target = "t", vocab = 64 : i64, hidden = 32 : i64, sites = ["n"],
  context = 1024 : i64, max_positions = 1024 : i64, bos = 0 : i32, eos = array<i32: 0>, devices = ["cpu"], tokens = #plan.slot<@a + 0 stride 1>, hidden_rows = #plan.slot<@a + 512 stride 16>, logits = #plan.slot<@a + 1024 stride 64>}

// -----

// library C1
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
// expected-error @+1 {{'plan.library' op (C1) expected a base, found no symbol @b}}
plan.library @m {target = "t", vocab = 64 : i64, hidden = 32 : i64, sites = ["n"],
  context = 1024 : i64, max_positions = 1024 : i64, bos = 0 : i32, eos = array<i32: 0>, devices = ["cpu"], tokens = #plan.slot<@b + 0 stride 1>, hidden_rows = #plan.slot<@a + 512 stride 32>, logits = #plan.slot<@a + 1024 stride 64>}

// -----

// library C2
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
// expected-error @+1 {{(C2) expected 1 <= max_positions <= context, a multiple of 32; found 64 and 48}}
plan.library @m {target = "t", vocab = 64 : i64, hidden = 32 : i64, sites = ["n"],
  context = 48 : i64, max_positions = 64 : i64, bos = 0 : i32, eos = array<i32: 0>, devices = ["cpu"], tokens = #plan.slot<@a + 0 stride 1>, hidden_rows = #plan.slot<@a + 512 stride 32>, logits = #plan.slot<@a + 1024 stride 64>}

// -----

// library C3
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
// expected-error @+1 {{(C3) expected token ids of 0 .. 63, found 64}}
plan.library @m {target = "t", vocab = 64 : i64, hidden = 32 : i64, sites = ["n"],
  context = 1024 : i64, max_positions = 1024 : i64, bos = 0 : i32, eos = array<i32: 64>, devices = ["cpu"], tokens = #plan.slot<@a + 0 stride 1>, hidden_rows = #plan.slot<@a + 512 stride 32>, logits = #plan.slot<@a + 1024 stride 64>}

// -----

// library C4
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
// expected-error @+1 {{(C4) expected 1 to 8 devices, found 0}}
plan.library @m {target = "t", vocab = 64 : i64, hidden = 32 : i64, sites = ["n"],
  context = 1024 : i64, max_positions = 1024 : i64, bos = 0 : i32, eos = array<i32: 0>, devices = [], tokens = #plan.slot<@a + 0 stride 1>, hidden_rows = #plan.slot<@a + 512 stride 32>, logits = #plan.slot<@a + 1024 stride 64>}

// -----

// base C1
// expected-error @+1 {{(C1) expected kind arena, kv or section, found 'heap'}}
plan.base @a {device = 0 : i32, kind = "heap", bytes = 4096 : i64}

// -----

// base C1
// expected-error @+1 {{(C1) expected a section number for kind section}}
plan.base @a {device = 0 : i32, kind = "section", bytes = 4096 : i64}

// -----

// base C2
// expected-error @+1 {{(C2) expected bytes of at least 0 and an alignment that is a power of two, found 4096 and 48}}
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64, align = 48 : i64}

// -----

// expected-error @+1 {{(C2) expected an alignment of at most 4096 for a section, found 16384}}
plan.base @s {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 4096 : i64, align = 16384 : i64}

// -----

// base C3
// expected-error @+1 {{(C3) expected a device of 0 .. 7, found 8}}
plan.base @a {device = 8 : i32, kind = "arena", bytes = 4096 : i64}

// -----

// buffer C1
// expected-error @+1 {{(C1) expected rows and row_bytes of at least 1, found 0 and 64}}
plan.buffer @a {device = 0 : i32, rows = 0 : i64, row_bytes = 64 : i64}

// -----

// kernel C1
// expected-error @+1 {{(C1) expected a family of embed, norm, quantize, gemv, gemm, rope_append, attend, add, route, found 'conv'}}
plan.kernel @add_c32 {family = "conv", device = 0 : i32, params = {}}

// -----

// kernel C2
// expected-error @+1 {{(C2) expected parameter 'cols' of family add}}
plan.kernel @add_c32 {family = "add", device = 0 : i32, params = {}}

// -----

// kernel C2
// expected-error @+1 {{(C2) family add has no parameter 'rows'}}
plan.kernel @add_c32 {family = "add", device = 0 : i32, params = {cols = 32 : i64, rows = 1 : i64}}

// -----

// kernel C2
// expected-error @+1 {{(C2) parameter 'cols': expected an i64, found 32 : i32}}
plan.kernel @add_c32 {family = "add", device = 0 : i32, params = {cols = 32 : i32}}

// -----

// kernel C3
// expected-error @+1 {{(C3) expected a device of 0 .. 7, found -1}}
plan.kernel @add_c32 {family = "add", device = -1 : i32, params = {cols = 32 : i64}}

// -----

// entry C1
// expected-error @+1 {{(C1) expected kind body or head and rows of at least 1, found 'tail' and 1}}
plan.entry @e kind "tail" rows 1 {
  plan.segment device 0 {
  }
}

// -----

// entry C2
// expected-error @+1 {{(C2) expected a segment, found none}}
plan.entry @e kind "body" rows 1 {
}

// -----

// entry C3
plan.entry @e kind "body" rows 1 {
// expected-error @+1 {{(C3 of plan.entry) expected signal 0, found 1}}
  plan.segment device 0 signal 1 {
  }
}

// -----

// entry C3
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
  }
// expected-error @+1 {{(C3 of plan.entry) expected to wait for an earlier segment with a signal, found 0}}
  plan.segment device 0 wait 0 {
  }
}

// -----

// segment C1
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.entry @e kind "body" rows 1 {
// expected-error @+1 {{(C1) expected either copies only, or launches and barriers; found both}}
  plan.segment device 0 {
    plan.barrier
    plan.copy from [@a + 0] to [@a + 64] bytes 64
  }
}

// -----

// segment C1
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.entry @e kind "body" rows 1 {
// expected-error @+1 {{(C1) expected copies on device 0, found device 1}}
  plan.segment device 1 {
    plan.copy from [@a + 0] to [@a + 64] bytes 64
  }
}

// -----

// segment C2
plan.entry @e kind "body" rows 1 {
// expected-error @+1 {{(C2) expected a device of 0 .. 7, found 9}}
  plan.segment device 9 {
  }
}

// -----

// segment C3
plan.kernel @add_c32 {family = "add", device = 0 : i32, params = {cols = 32 : i64}}
plan.entry @e kind "body" rows 1 {
  plan.segment device 1 {
// expected-error @+1 {{(C3 of plan.segment) expected a kernel of device 1, found 0}}
plan.launch @add_c32([@a + 0], [@a + 128], [@a + 256]) tiles 1 per_row
  }
}
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}

// -----

// launch C1
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
// expected-error @+1 {{(C1) expected a plan.kernel, found no @add_c32}}
plan.launch @add_c32([@a + 0], [@a + 128], [@a + 256]) tiles 1 per_row
  }
}
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}

// -----

// launch C2
plan.kernel @add_c32 {family = "add", device = 0 : i32, params = {cols = 32 : i64}}
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
// expected-error @+1 {{(C2) expected 3 operands, found 2}}
plan.launch @add_c32([@a + 0], [@a + 128]) tiles 1 per_row
  }
}

// -----

// launch C3
plan.kernel @add_c32 {family = "add", device = 0 : i32, params = {cols = 32 : i64}}
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
// expected-error @+1 {{(C3) expected tiles 1 per_row, found 2 per_row}}
plan.launch @add_c32([@a + 0], [@a + 128], [@a + 256]) tiles 2 per_row
  }
}

// -----

// launch C4
plan.kernel @add_c32 {family = "add", device = 0 : i32, params = {cols = 32 : i64}}
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
// expected-error @+1 {{(C4) expected no site}}
plan.launch @add_c32([@a + 0], [@a + 128], [@a + 256]) tiles 1 per_row site 0
  }
}

// -----

// launch C4
plan.kernel @norm_c32_f32 {family = "norm", device = 0 : i32, params = {cols = 32 : i64, eps = 1.0 : f32, residual = false, out = "f32", group = 0 : i64}}
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
// expected-error @+1 {{(C4) expected a site}}
plan.launch @norm_c32_f32([@a + 0], [@a + 128], [@a + 256]) tiles 1 per_row
  }
}

// -----

// launch C4
plan.kernel @norm_c32_f32 {family = "norm", device = 0 : i32, params = {cols = 32 : i64, eps = 1.0 : f32, residual = false, out = "f32", group = 0 : i64}}
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.library @m {target = "t", vocab = 64 : i64, hidden = 32 : i64, sites = ["n"],
  context = 1024 : i64, max_positions = 1024 : i64, bos = 0 : i32, eos = array<i32: 0>, devices = ["cpu"], tokens = #plan.slot<@a + 0 stride 1>, hidden_rows = #plan.slot<@a + 512 stride 32>, logits = #plan.slot<@a + 1024 stride 64>}
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
// expected-error @+1 {{(C4) expected a site below 1, found 1}}
plan.launch @norm_c32_f32([@a + 0], [@a + 128], [@a + 256]) tiles 1 per_row site 1
  }
}

// -----

// launch C5
plan.kernel @add_c32 {family = "add", device = 0 : i32, params = {cols = 32 : i64}}
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
// expected-error @+1 {{(C5) expected a base, found no symbol @b}}
plan.launch @add_c32([@b + 0], [@a + 128], [@a + 256]) tiles 1 per_row
  }
}

// -----

// launch C5
plan.kernel @add_c32 {family = "add", device = 0 : i32, params = {cols = 32 : i64}}
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.base @b {device = 1 : i32, kind = "arena", bytes = 4096 : i64}
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
// expected-error @+1 {{(C5) expected memory of device 0, found @b of device 1}}
plan.launch @add_c32([@b + 0], [@a + 128], [@a + 256]) tiles 1 per_row
  }
}

// -----

// launch C6
plan.kernel @add_c32 {family = "add", device = 0 : i32, params = {cols = 32 : i64}}
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
// expected-error @+1 {{(C6) expected row0 in head entries only}}
plan.launch @add_c32([@a + 0 row0 128], [@a + 128], [@a + 256]) tiles 1 per_row
  }
}

// -----

// copy C1
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
// expected-error @+1 {{(C1) expected a base, found no symbol @b}}
plan.copy from [@b + 0] to [@a + 64] bytes 64
  }
}

// -----

// copy C2
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
// expected-error @+1 {{(C2) expected at least 1 byte, found 0}}
plan.copy from [@a + 0] to [@a + 64] bytes 0
  }
}

// -----

// tap C1
plan.kernel @add_c32 {family = "add", device = 0 : i32, params = {cols = 32 : i64}}
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
  }
// expected-error @+1 {{(C1) expected a base, found 'plan.kernel' @add_c32}}
  plan.tap "x" at [@add_c32 + 0] cols 1 stride 1
}

// -----

// tap C2
plan.base @a {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
plan.entry @e kind "body" rows 1 {
  plan.segment device 0 {
  }
// expected-error @+1 {{(C2) expected 1 <= cols <= stride, found 33 and 32}}
  plan.tap "x" at [@a + 0] cols 33 stride 32
}
