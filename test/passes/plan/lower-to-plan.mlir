// RUN: headrace-opt %s '--hr-lower-to-plan=taps=layers.*.attn name=brook' | FileCheck %s
#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu], model.vocab = 256 : i32, model.hidden = 64 : i32, model.context = 50 : i32,
  model.max_positions = 1024 : i32, model.bos = -1 : i32, model.eos = array<i32: 2>} {
model.weight @embed : tensor<256x64xf32> attributes {enc = #enc.f32, layout = "t32"} {
  %0 = recipe.range "embed" in "f" offset 0 bytes 65536 : tensor<256x64xf32>
  recipe.yield %0 : tensor<256x64xf32>
}
model.weight @norm : tensor<64xf32> attributes {enc = #enc.f32, layout = "vector"} {
  %0 = recipe.range "norm" in "f" offset 0 bytes 256 : tensor<64xf32>
  recipe.yield %0 : tensor<64xf32>
}
model.weight @qkv : tensor<96x64xf32> attributes {enc = #enc.f32, layout = "t32"} {
  %0 = recipe.range "qkv" in "f" offset 0 bytes 24576 : tensor<96x64xf32>
  recipe.yield %0 : tensor<96x64xf32>
}
model.weight @o : tensor<64x32xf32> attributes {enc = #enc.f32, layout = "t32"} {
  %0 = recipe.range "o" in "f" offset 0 bytes 8192 : tensor<64x32xf32>
  recipe.yield %0 : tensor<64x32xf32>
}
model.weight @rope : tensor<64x2x16xf32> attributes {enc = #enc.f32, layout = "rows"} {
  %0 = recipe.range "rope" in "f" offset 0 bytes 8192 : tensor<64x2x16xf32>
  recipe.yield %0 : tensor<64x2x16xf32>
}
model.kv_cache @kv kv_heads 1 head_dim 32 context 50 attributes {k_type = #enc.f16, v_type = #enc.f32}

// CHECK-DAG: plan.buffer @tokens {device = 0 : i32, keep, row_bytes = 4 : i64, rows = 8 : i64}
// CHECK-DAG: plan.buffer @hidden {device = 0 : i32, keep, row_bytes = 256 : i64, rows = 8 : i64, tapped}
// CHECK-DAG: plan.buffer @logits {device = 0 : i32, keep, row_bytes = 1024 : i64, rows = 1 : i64}
// CHECK-DAG: plan.buffer @kv.k {device = 0 : i32, kv, row_bytes = 4096 : i64, rows = 1 : i64}
// CHECK-DAG: plan.buffer @kv.v {device = 0 : i32, kv, row_bytes = 8192 : i64, rows = 1 : i64}
// CHECK-DAG: plan.buffer @body_8.layers.0.attn.qkv {device = 0 : i32, row_bytes = 384 : i64, rows = 8 : i64, tapped}
// CHECK: plan.library @brook {bos = -1 : i32, context = 64 : i64, devices = ["cpu"], eos = array<i32: 2>, hidden = 64 : i64
// CHECK-SAME: hidden_rows = #plan.slot<@hidden + 0 stride 64>, logits = #plan.slot<@logits + 0 stride 256>, max_positions = 50 : i64
// CHECK-SAME: sites = ["layers.0.attn.norm"], target = "x86-64-v3", tokens = #plan.slot<@tokens + 0 stride 1>, vocab = 256 : i64
// CHECK: plan.kernel @gemv_f32_n64_k32_res {device = 0 : i32, family = "gemv", params = {act = "none", bias = false, enc = "f32", gated = false
// CHECK: plan.entry @body_1 kind "body" rows 1 {
// CHECK-NEXT: plan.segment device 0 {
// CHECK-NEXT: plan.launch @embed_f32_n256_k64([@embed + 0], [@tokens + 0], [@body_1.embed + 0]) tiles 1 per_row
// CHECK-NEXT: plan.launch @norm_c64_f32([@body_1.embed + 0], [@norm + 0], [@body_1.layers.0.attn.norm + 0]) tiles 1 per_row site 0
// CHECK-NEXT: plan.launch @gemv_f32_n96_k64([@qkv + 0], [@body_1.layers.0.attn.norm + 0], [@body_1.layers.0.attn.qkv + 0]) tiles 3
// CHECK-NEXT: plan.launch @rope_append_h1_kv1_d32_r32_c64_f16_f32([@body_1.layers.0.attn.qkv + 0], [@rope + 0], [@kv.k + 0], [@kv.v + 0])
// CHECK-NEXT: plan.launch @attend_h1_kv1_d32_c64_f16_f32([@body_1.layers.0.attn.qkv + 0], [@kv.k + 0], [@kv.v + 0], [@body_1.layers.0.attn + 0])
// CHECK-NEXT: plan.launch @gemv_f32_n64_k32_res([@o + 0], [@body_1.layers.0.attn + 0], [@body_1.embed + 0], [@hidden + 0]) tiles 2
// CHECK-NEXT: }
// What rope_append overwrites is not tapped; its result is.
// CHECK-NEXT: plan.tap "layers.0.attn.norm" at [@body_1.layers.0.attn.norm + 0] cols 64 stride 64
// CHECK-NEXT: plan.tap "layers.0.attn.rope" at [@body_1.layers.0.attn.qkv + 0] cols 96 stride 96
// CHECK-NEXT: plan.tap "layers.0.attn" at
// CHECK-NEXT: plan.tap "layers.0.attn.o" at [@hidden + 0] cols 64 stride 64
// CHECK: plan.entry @body_8 kind "body" rows 8 {
// CHECK: plan.entry @head_1 kind "head" rows 1 {
// CHECK: plan.launch @gemv_f32_n256_k64([@embed + 0], [@hidden + 0 row0 256], [@logits + 0]) tiles 8
// CHECK-NOT: func.func
func.func @body_1(%tokens: tensor<1xi32>, %pos: i32, %n_valid: i32) -> tensor<1x64xf32> attributes {model.entry = "body", tile.rows = 1 : i64} {
  %e = model.param @embed : tensor<256x64xf32>
  %x = tile.embed %e, %tokens {enc = "f32"} : (tensor<256x64xf32>, tensor<1xi32>) -> tensor<1x64xf32> loc("embed")
  %w = model.param @norm : tensor<64xf32>
  %n = tile.norm %x, %w {eps = 1.0e-5 : f32} : (tensor<1x64xf32>, tensor<64xf32>) -> tensor<1x64xf32> loc("layers.0.attn.norm")
  %wqkv = model.param @qkv : tensor<96x64xf32>
  %qkv = tile.gemv %wqkv, %n {enc = "f32"} : (tensor<96x64xf32>, tensor<1x64xf32>) -> tensor<1x96xf32> loc("layers.0.attn.qkv")
  %t = model.param @rope : tensor<64x2x16xf32>
  %r = tile.rope_append %qkv, %t at %pos cache @kv {heads = 1 : i64, kv_heads = 1 : i64, head_dim = 32 : i64, rotary = 32 : i64, context = 64 : i64,
       k_type = "f16", v_type = "f32"} : (tensor<1x96xf32>, tensor<64x2x16xf32>, i32) -> tensor<1x96xf32> loc("layers.0.attn.rope")
  %a = tile.attend %r at %pos cache @kv {heads = 1 : i64, kv_heads = 1 : i64, head_dim = 32 : i64, context = 64 : i64, k_type = "f16", v_type = "f32",
       scale = 0.25 : f32} : (tensor<1x96xf32>, i32) -> tensor<1x32xf32> loc("layers.0.attn")
  %wo = model.param @o : tensor<64x32xf32>
  %o = tile.gemv %wo, %a residual %x {enc = "f32"} : (tensor<64x32xf32>, tensor<1x32xf32>, tensor<1x64xf32>) -> tensor<1x64xf32> loc("layers.0.attn.o")
  return %o : tensor<1x64xf32>
}
func.func @body_8(%tokens: tensor<8xi32>, %pos: i32, %n_valid: i32) -> tensor<8x64xf32> attributes {model.entry = "body", tile.rows = 8 : i64} {
  %e = model.param @embed : tensor<256x64xf32>
  %x = tile.embed %e, %tokens {enc = "f32"} : (tensor<256x64xf32>, tensor<8xi32>) -> tensor<8x64xf32> loc("embed")
  %w = model.param @norm : tensor<64xf32>
  %n = tile.norm %x, %w {eps = 1.0e-5 : f32} : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64xf32> loc("layers.0.attn.norm")
  %wqkv = model.param @qkv : tensor<96x64xf32>
  %qkv = tile.gemm %wqkv, %n {enc = "f32"} : (tensor<96x64xf32>, tensor<8x64xf32>) -> tensor<8x96xf32> loc("layers.0.attn.qkv")
  %t = model.param @rope : tensor<64x2x16xf32>
  %r = tile.rope_append %qkv, %t at %pos cache @kv {heads = 1 : i64, kv_heads = 1 : i64, head_dim = 32 : i64, rotary = 32 : i64, context = 64 : i64,
       k_type = "f16", v_type = "f32"} : (tensor<8x96xf32>, tensor<64x2x16xf32>, i32) -> tensor<8x96xf32> loc("layers.0.attn.rope")
  %a = tile.attend %r at %pos cache @kv {heads = 1 : i64, kv_heads = 1 : i64, head_dim = 32 : i64, context = 64 : i64, k_type = "f16", v_type = "f32",
       scale = 0.25 : f32} : (tensor<8x96xf32>, i32) -> tensor<8x32xf32> loc("layers.0.attn")
  %wo = model.param @o : tensor<64x32xf32>
  %o = tile.gemm %wo, %a residual %x {enc = "f32"} : (tensor<64x32xf32>, tensor<8x32xf32>, tensor<8x64xf32>) -> tensor<8x64xf32> loc("layers.0.attn.o")
  return %o : tensor<8x64xf32>
}
func.func @head_1(%hidden: tensor<1x64xf32>, %n_valid: i32) -> tensor<1x256xf32> attributes {model.entry = "head", tile.rows = 1 : i64} {
  %e = model.param @embed : tensor<256x64xf32>
  %l = tile.gemv %e, %hidden {enc = "f32"} : (tensor<256x64xf32>, tensor<1x64xf32>) -> tensor<1x256xf32> loc("head")
  return %l : tensor<1x256xf32>
}
}
