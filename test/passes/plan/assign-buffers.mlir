// RUN: headrace-opt %s --hr-assign-buffers | FileCheck %s

// 40 floats are padded to 64, so that the next weight begins at a multiple of 128.
// CHECK: model.weight @table {{.*}}bytes = 16384 : i64{{.*}}offset = 0 : i64
// CHECK: model.weight @n {{.*}}bytes = 256 : i64{{.*}}offset = 16384 : i64
// CHECK: model.weight @w8 {{.*}}bytes = 4352 : i64{{.*}}offset = 16640 : i64
// CHECK: model.kv_cache @kv {{.*}}k_offset = 0 : i64, k_type = #enc.f16, v_offset = 4096 : i64
model.weight @table : tensor<64x64xf32> attributes {enc = #enc.f32, layout = "t32"} {
  %0 = recipe.range "table" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
model.weight @n : tensor<40xf32> attributes {enc = #enc.f32, layout = "vector"} {
  %0 = recipe.range "n" in "f" offset 0 bytes 160 : tensor<40xf32>
  recipe.yield %0 : tensor<40xf32>
}
model.weight @w8 : tensor<64x64xf32> attributes {enc = #enc.w8<group = 64>, layout = "t32"} {
  %0 = recipe.range "w8" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
model.kv_cache @kv kv_heads 1 head_dim 32 context 64 attributes {k_type = #enc.f16, v_type = #enc.f32}
plan.buffer @kv.k {device = 0 : i32, rows = 1 : i64, row_bytes = 4096 : i64, kv}
plan.buffer @kv.v {device = 0 : i32, rows = 1 : i64, row_bytes = 8192 : i64, kv}
// CHECK: plan.library @m {{.*}}hidden_rows = #plan.slot<@arena0 + 64 stride 64>, logits = #plan.slot<@arena0 + 2112 stride 64>
// CHECK: plan.base @arena0 {bytes = 8768 : i64, device = 0 : i32, kind = "arena"}
// CHECK: plan.base @kv0 {align = 128 : i64, bytes = 12288 : i64, device = 0 : i32, kind = "kv"}
// CHECK: plan.base @section0 {align = 128 : i64
plan.library @m {target = "t", devices = ["cpu"], vocab = 64 : i64, hidden = 64 : i64, context = 64 : i64, max_positions = 64 : i64, bos = 0 : i32,
  eos = array<i32: 0>, sites = ["n"], tokens = #plan.slot<@tokens + 0 stride 1>, hidden_rows = #plan.slot<@hidden + 0 stride 64>,
  logits = #plan.slot<@logits + 0 stride 64>}
plan.buffer @tokens {device = 0 : i32, rows = 8 : i64, row_bytes = 4 : i64, keep}
plan.buffer @hidden {device = 0 : i32, rows = 8 : i64, row_bytes = 256 : i64, keep}
plan.buffer @logits {device = 0 : i32, rows = 1 : i64, row_bytes = 256 : i64, keep}
plan.kernel @embed_f32_n64_k64 {family = "embed", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64}}
plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}
plan.kernel @gemm_f32_n64_k64 {family = "gemm", device = 0 : i32, params = {enc = "f32", group = 0 : i64, n = 64 : i64, k = 64 : i64, bias = false, act = "none",
  gated = false, residual = false}}
plan.buffer @x {device = 0 : i32, rows = 8 : i64, row_bytes = 256 : i64}
plan.buffer @y {device = 0 : i32, rows = 8 : i64, row_bytes = 256 : i64}
plan.buffer @z {device = 0 : i32, rows = 8 : i64, row_bytes = 256 : i64}
// CHECK-NOT: plan.buffer
// @x is dead when @z is born, and they share their bytes.
plan.entry @body_8 kind "body" rows 8 {
  plan.segment device 0 {
    // CHECK: plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + 2368])
    plan.launch @embed_f32_n64_k64([@table + 0], [@tokens + 0], [@x + 0]) tiles 1 per_row
    // CHECK: plan.launch @add_c64([@arena0 + 2368], [@arena0 + 2368], [@arena0 + 4416])
    plan.launch @add_c64([@x + 0], [@x + 0], [@y + 0]) tiles 1 per_row
    // CHECK: plan.launch @add_c64([@arena0 + 4416], [@arena0 + 4416], [@arena0 + 2368])
    plan.launch @add_c64([@y + 0], [@y + 0], [@z + 0]) tiles 1 per_row
    // CHECK: plan.launch @add_c64([@arena0 + 2368], [@arena0 + 2368], [@arena0 + 64])
    plan.launch @add_c64([@z + 0], [@z + 0], [@hidden + 0]) tiles 1 per_row
  }
}
// A tapped value keeps its bytes to the end.
plan.buffer @tx {device = 0 : i32, rows = 8 : i64, row_bytes = 256 : i64, tapped}
plan.buffer @ty {device = 0 : i32, rows = 8 : i64, row_bytes = 256 : i64}
plan.buffer @tz {device = 0 : i32, rows = 8 : i64, row_bytes = 256 : i64}
plan.entry @body_9 kind "body" rows 8 {
  plan.segment device 0 {
    // CHECK: plan.launch @embed_f32_n64_k64([@section0 + 0], [@arena0 + 0], [@arena0 + [[TX:[0-9]+]]])
    plan.launch @embed_f32_n64_k64([@table + 0], [@tokens + 0], [@tx + 0]) tiles 1 per_row
    plan.launch @add_c64([@tx + 0], [@tx + 0], [@ty + 0]) tiles 1 per_row
    // CHECK: plan.launch @add_c64({{.*}}, {{.*}}, [@arena0 + 6464])
    plan.launch @add_c64([@ty + 0], [@ty + 0], [@tz + 0]) tiles 1 per_row
    plan.launch @add_c64([@tz + 0], [@tz + 0], [@hidden + 0]) tiles 1 per_row
  }
  // CHECK: plan.tap "x" at [@arena0 + [[TX]]] cols 64 stride 64
  plan.tap "x" at [@tx + 0] cols 64 stride 64
}
// Nor does a head use the bytes of a body's taps.
plan.buffer @hx {device = 0 : i32, rows = 1 : i64, row_bytes = 256 : i64}
plan.entry @head_1 kind "head" rows 1 {
  plan.segment device 0 {
    // CHECK: plan.launch @add_c64([@arena0 + 64 row0 256], [@arena0 + 64 row0 256], [@arena0 + 8512])
    plan.launch @add_c64([@hidden + 0 row0 256], [@hidden + 0 row0 256], [@hx + 0]) tiles 1 per_row
    plan.launch @add_c64([@hx + 0], [@hx + 0], [@logits + 0]) tiles 1 per_row
  }
}
