// RUN: headrace-opt %s | headrace-opt | FileCheck %s
// RUN: headrace-opt %s --mlir-print-op-generic | headrace-opt | FileCheck %s

// CHECK: plan.library @brook {bos = 0 : i32
// CHECK-SAME: hidden_rows = #plan.slot<@arena0 + 512 stride 192>
plan.library @brook {target = "x86-64-v3", devices = ["cpu", "reference"], vocab = 2048 : i64, hidden = 192 : i64, context = 1024 : i64,
  max_positions = 1024 : i64, bos = 0 : i32, eos = array<i32: 0, 5>, sites = ["layers.0.attn.norm"],
  tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 512 stride 192>,
  logits = #plan.slot<@arena0 + 98816 stride 2048>}

// CHECK: plan.base @section0 {align = 128 : i64, bytes = 768 : i64, device = 0 : i32, kind = "section", section = 0 : i32}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 768 : i64, align = 128 : i64}
// CHECK: plan.base @arena0 {bytes = 200000 : i64, device = 0 : i32, kind = "arena"}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 200000 : i64}
plan.base @arena1 {device = 1 : i32, kind = "arena", bytes = 4096 : i64}
// CHECK: plan.buffer @body_1.x {device = 0 : i32, keep, kv, row_bytes = 768 : i64, rows = 8 : i64, tapped}
plan.buffer @body_1.x {device = 0 : i32, rows = 8 : i64, row_bytes = 768 : i64, keep, kv, tapped}

// CHECK: plan.kernel @norm_c192_a8g64 {device = 0 : i32, family = "norm", params = {cols = 192 : i64
plan.kernel @norm_c192_a8g64 {family = "norm", device = 0 : i32,
  params = {cols = 192 : i64, eps = 1.0e-5 : f32, residual = false, out = "a8", group = 64 : i64}}

// CHECK: plan.entry @body_8 kind "body" rows 8 {
plan.entry @body_8 kind "body" rows 8 {
  // CHECK: plan.segment device 0 signal 0 {
  plan.segment device 0 signal 0 {
    // CHECK: plan.launch @norm_c192_a8g64([@arena0 + 512], [@section0 + 0], [@arena0 + 1280]) tiles 1 per_row site 0
    plan.launch @norm_c192_a8g64([@arena0 + 512], [@section0 + 0], [@arena0 + 1280]) tiles 1 per_row site 0
    // CHECK: plan.barrier
    plan.barrier
  }
  // CHECK: plan.segment device 0 wait 0 {
  plan.segment device 0 wait 0 {
    // CHECK: plan.copy from [@arena0 + 0] to [@arena1 + 64] bytes 768 per_row
    plan.copy from [@arena0 + 0] to [@arena1 + 64] bytes 768 per_row
  }
  // CHECK: plan.tap "layers.0.attn.norm" at [@arena0 + 512] cols 192 stride 192
  plan.tap "layers.0.attn.norm" at [@arena0 + 512] cols 192 stride 192
}
// CHECK: plan.entry @head_8 kind "head" rows 8 {
plan.entry @head_8 kind "head" rows 8 {
  plan.segment device 0 {
    // CHECK: plan.launch @norm_c192_a8g64([@arena0 + 512 row0 768], [@section0 + 0], [@arena0 + 1280]) tiles 1 per_row site 0
    plan.launch @norm_c192_a8g64([@arena0 + 512 row0 768], [@section0 + 0], [@arena0 + 1280]) tiles 1 per_row site 0
  }
}
