// RUN: headrace-opt %s --hr-schedule-threads --hr-verify-plan | FileCheck %s
// Barriers that are there already are thought over again.
// RUN: headrace-opt %s --hr-schedule-threads --hr-schedule-threads | FileCheck %s

plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 64 stride 64>,
  logits = #plan.slot<@arena0 + 2112 stride 64>}
plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 8512 : i64}
plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 16384 : i64}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
// Row r of both is on the same thread: no barrier between embed and add; the product reads all rows.
// CHECK-LABEL: plan.entry @body_8
// CHECK: plan.launch @embed
// CHECK-NEXT: plan.launch @add
// CHECK-NEXT: plan.barrier
// CHECK-NEXT: plan.launch @gemm_f32_n64_k64([@section0 + 0], [@arena0 + 4416], [@arena0 + 64])
// Nothing in common with the product: no barrier.
// CHECK-NEXT: plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 6464])
// Reads what the product wrote.
// CHECK-NEXT: plan.barrier
// CHECK-NEXT: plan.launch @gemm_f32_n64_k64([@section0 + 0], [@arena0 + 64], [@arena0 + 2368])
// Writes what the product reads.
// CHECK-NEXT: plan.barrier
// CHECK-NEXT: plan.launch @gemm_f32_n64_k64([@section0 + 0], [@arena0 + 6464], [@arena0 + 64])
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368]) tiles 1 per_row
    plan.launch @add_c64([@arena0 + 2368], [@arena0 + 2368], [@arena0 + 4416]) tiles 1 per_row
    plan.launch @gemm_f32_n64_k64([@section0 + 0], [@arena0 + 4416], [@arena0 + 64]) tiles 2
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 6464]) tiles 1 per_row
    plan.launch @gemm_f32_n64_k64([@section0 + 0], [@arena0 + 64], [@arena0 + 2368]) tiles 2
    plan.launch @gemm_f32_n64_k64([@section0 + 0], [@arena0 + 6464], [@arena0 + 64]) tiles 2
  }
}
// With one row, launches of one tile are all on the last thread.
// CHECK-LABEL: plan.entry @body_1
// CHECK: plan.launch @embed
// CHECK-NEXT: plan.launch @add
// CHECK-NEXT: plan.launch @add
plan.entry @body_1 kind "body" rows 1 {
  plan.segment device 0 {
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368]) tiles 1 per_row
    plan.launch @add_c64([@arena0 + 2368], [@arena0 + 2368], [@arena0 + 2624]) tiles 1 per_row
    plan.launch @add_c64([@arena0 + 2624], [@arena0 + 2368], [@arena0 + 64]) tiles 1 per_row
  }
}
// Different places for the same rows may be on different threads.
// CHECK-LABEL: plan.entry @body_4
// CHECK: plan.launch @embed
// CHECK-NEXT: plan.launch @add
// CHECK-NEXT: plan.barrier
// CHECK-NEXT: plan.launch @embed
plan.entry @body_4 kind "body" rows 4 {
  plan.segment device 0 {
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368]) tiles 1 per_row
    plan.launch @add_c64([@arena0 + 2368], [@arena0 + 2368], [@arena0 + 64]) tiles 1 per_row
    plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2624]) tiles 1 per_row
  }
}
