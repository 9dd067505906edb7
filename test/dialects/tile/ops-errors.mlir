// RUN: headrace-opt %s --split-input-file --verify-diagnostics

func.func @embed_c1(%t: tensor<64x32xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{parameter 'enc': expected one of f32|f16|w8|w4|w4a|w4z, found "w3"}}
  %x = tile.embed %t, %i {enc = "w3"} : (tensor<64x32xf32>, tensor<8xi32>) -> tensor<8x32xf32>
  return
}

// -----

func.func @embed_c1_group(%t: tensor<64x32xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{parameter 'group': expected 32, 64 or 128, found 0}}
  %x = tile.embed %t, %i {enc = "w4"} : (tensor<64x32xf32>, tensor<8xi32>) -> tensor<8x32xf32>
  return
}

// -----

func.func @embed_c2(%t: tensor<64x32xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{(C2) expected a result of shape [8, 32], found 'tensor<8x64xf32>'}}
  %x = tile.embed %t, %i {enc = "f32"} : (tensor<64x32xf32>, tensor<8xi32>) -> tensor<8x64xf32>
  return
}

// -----

func.func @norm_c1(%x: tensor<8x32xf32>, %w: tensor<32xf32>) {
  // expected-error @+1 {{parameter 'group': expected 0 for a float encoding, found 64}}
  %y = tile.norm %x, %w {eps = 1.0e-5 : f32, group = 64 : i64} : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  return
}

// -----

func.func @norm_c2(%x: tensor<8x32xf32>, %w: tensor<64xf32>) {
  // expected-error @+1 {{(C2) expected a weight of shape [32], found 'tensor<64xf32>'}}
  %y = tile.norm %x, %w {eps = 1.0e-5 : f32} : (tensor<8x32xf32>, tensor<64xf32>) -> tensor<8x32xf32>
  return
}

// -----

func.func @norm_c3(%x: tensor<8x32xf32>, %w: tensor<32xf32>) {
  // expected-error @+1 {{(C3) expected a sum beside the result, found 1 results}}
  %y = tile.norm %x, %w residual %x {eps = 1.0e-5 : f32} : (tensor<8x32xf32>, tensor<32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return
}

// -----

func.func @quantize_c1(%x: tensor<8x32xf32>) {
  // expected-error @+1 {{parameter 'group': expected 32, 64 or 128, found 48}}
  %y = tile.quantize %x {group = 48 : i64} : (tensor<8x32xf32>) -> tensor<8x32x!enc.a8<64>>
  return
}

// -----

func.func @quantize_c2(%x: tensor<8x32xf32>) {
  // expected-error @+1 {{(C2) expected a result of shape [8, 32], found 'tensor<1x32x!enc.a8<32>>'}}
  %y = tile.quantize %x {group = 32 : i64} : (tensor<8x32xf32>) -> tensor<1x32x!enc.a8<32>>
  return
}

// -----

func.func @matmul_c1(%w: tensor<64x32xf32>, %x: tensor<1x32xf32>) {
  // expected-error @+1 {{parameter 'act': expected one of none|silu|relu|tanh|gelu|gelu_tanh, found "swish"}}
  %y = tile.gemv %w, %x {enc = "f32", act = "swish"} : (tensor<64x32xf32>, tensor<1x32xf32>) -> tensor<1x64xf32>
  return
}

// -----

func.func @matmul_c2(%w: tensor<64x32xf32>, %x: tensor<1x32xf32>) {
  // expected-error @+1 {{(C2) expected a weight of shape [128, 32], found 'tensor<64x32xf32>'}}
  %y = tile.gemv %w, %x {enc = "f32", gated} : (tensor<64x32xf32>, tensor<1x32xf32>) -> tensor<1x64xf32>
  return
}

// -----

func.func @matmul_c3(%w: tensor<64x32xf32>, %x: tensor<8x32xf32>, %r: tensor<8x32xf32>) {
  // expected-error @+1 {{(C3) expected a residual of type 'tensor<8x64xf32>', found 'tensor<8x32xf32>'}}
  %y = tile.gemm %w, %x residual %r {enc = "f32"} : (tensor<64x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
  return
}

// -----

func.func @gemv_c4(%w: tensor<64x32xf32>, %x: tensor<8x32xf32>) {
  // expected-error @+1 {{(C4) expected one row, found 8}}
  %y = tile.gemv %w, %x {enc = "f32"} : (tensor<64x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
  return
}

// -----

func.func @rope_c1(%qkv: tensor<8x320xf32>, %table: tensor<64x2x16xf32>, %pos: i32) {
  // expected-error @+1 {{parameter 'kv_heads': expected a divisor of heads = 6, found 4}}
  %q = tile.rope_append %qkv, %table at %pos cache @kv {heads = 6 : i64, kv_heads = 4 : i64, head_dim = 32 : i64, rotary = 32 : i64,
       context = 64 : i64, k_type = "f16", v_type = "f32"} : (tensor<8x320xf32>, tensor<64x2x16xf32>, i32) -> tensor<8x320xf32>
  return
}

// -----

func.func @rope_c2(%qkv: tensor<8x192xf32>, %table: tensor<64x2x16xf32>, %pos: i32) {
  // expected-error @+1 {{(C2) expected qkv of shape [8, 320], found 'tensor<8x192xf32>'}}
  %q = tile.rope_append %qkv, %table at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 32 : i64,
       context = 64 : i64, k_type = "f16", v_type = "f32"} : (tensor<8x192xf32>, tensor<64x2x16xf32>, i32) -> tensor<8x192xf32>
  return
}

// -----

func.func @rope_c3(%qkv: tensor<8x320xf32>, %table: tensor<64x2x8xf32>, %pos: i32) {
  // expected-error @+1 {{(C3) expected a table of shape [64, 2, 16], found 'tensor<64x2x8xf32>'}}
  %q = tile.rope_append %qkv, %table at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 32 : i64,
       context = 64 : i64, k_type = "f16", v_type = "f32"} : (tensor<8x320xf32>, tensor<64x2x8xf32>, i32) -> tensor<8x320xf32>
  return
}

// -----

func.func @rope_c4(%qkv: tensor<8x320xf32>, %table: tensor<64x2x16xf32>, %pos: i32) -> tensor<8x320xf32> {
  // expected-error @+1 {{(C4) expected to be the only user of its operand, which it overwrites}}
  %q = tile.rope_append %qkv, %table at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 32 : i64,
       context = 64 : i64, k_type = "f16", v_type = "f32"} : (tensor<8x320xf32>, tensor<64x2x16xf32>, i32) -> tensor<8x320xf32>
  return %qkv : tensor<8x320xf32>
}

// -----

func.func @attend_c1(%qkv: tensor<8x320xf32>, %pos: i32) {
  // expected-error @+1 {{parameter 'k_type': expected one of f32|f16, found "i8"}}
  %a = tile.attend %qkv at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 64 : i64, k_type = "i8",
       v_type = "f32", scale = 1.0 : f32} : (tensor<8x320xf32>, i32) -> tensor<8x192xf32>
  return
}

// -----

func.func @attend_c2(%qkv: tensor<8x320xf32>, %pos: i32) {
  // expected-error @+1 {{(C2) expected a result of shape [8, 192], found 'tensor<8x320xf32>'}}
  %a = tile.attend %qkv at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 64 : i64, k_type = "f16",
       v_type = "f32", scale = 1.0 : f32} : (tensor<8x320xf32>, i32) -> tensor<8x320xf32>
  return
}

// -----

func.func @add_c1(%a: tensor<8x32xf32>, %b: tensor<8x64xf32>) {
  // expected-error @+1 {{(C1) expected 'tensor<8x32xf32>', found 'tensor<8x64xf32>'}}
  %c = tile.add %a, %b : (tensor<8x32xf32>, tensor<8x64xf32>) -> tensor<8x32xf32>
  return
}

// -----

func.func @transfer_c1(%a: tensor<8x32xf32>) {
  // expected-error @+1 {{(C1) expected two devices, found 1 twice}}
  %b = tile.transfer %a from 1 to 1 : tensor<8x32xf32>
  return
}

// -----

func.func @embed_c3(%t: tensor<64x32xf32>, %i: tensor<8xi32>, %p: tensor<16x31xf32>, %pos: i32) {
  // expected-error @+1 {{(C3) expected positions of shape [16, 32], found 'tensor<16x31xf32>'}}
  %x = tile.embed %t, %i positions %p at %pos {enc = "f32"} : (tensor<64x32xf32>, tensor<8xi32>, tensor<16x31xf32>, i32) -> tensor<8x32xf32>
  return
}

// -----

func.func @embed_c3_pos(%t: tensor<64x32xf32>, %i: tensor<8xi32>, %p: tensor<16x31xf32>, %pos: i32) {
  // expected-error @+1 {{(C3) expected positions and pos together, found one}}
  %x = tile.embed %t, %i at %pos {enc = "f32"} : (tensor<64x32xf32>, tensor<8xi32>, i32) -> tensor<8x32xf32>
  return
}

// -----

func.func @norm_c2_bias(%x: tensor<8x32xf32>, %w: tensor<32xf32>, %b: tensor<64xf32>) {
  // expected-error @+1 {{(C2) expected a bias of shape [32], found 'tensor<64xf32>'}}
  %y = tile.norm %x, %w bias %b {eps = 1.0e-5 : f32, kind = "layer"} : (tensor<8x32xf32>, tensor<32xf32>, tensor<64xf32>) -> tensor<8x32xf32>
  return
}

// -----

func.func @norm_c1_kind(%x: tensor<8x32xf32>, %w: tensor<32xf32>) {
  // expected-error @+1 {{parameter 'kind': expected one of rms|layer, found "mean"}}
  %y = tile.norm %x, %w {eps = 1.0e-5 : f32, kind = "mean"} : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  return
}

// -----

func.func @rope_c5(%qkv: tensor<8x320xf32>, %table: tensor<64x2x16xf32>, %q: tensor<192xf32>, %k: tensor<64xf32>, %pos: i32) {
  // expected-error @+1 {{(C5) expected 1 operands between qkv and pos, found 0}}
  %a = tile.rope_append %qkv at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 32 : i64,
       context = 64 : i64, k_type = "f16", v_type = "f32"} : (tensor<8x320xf32>, i32) -> tensor<8x320xf32>
  return
}

// -----

func.func @rope_c5_table(%qkv: tensor<8x320xf32>, %table: tensor<64x2x16xf32>, %q: tensor<192xf32>, %k: tensor<64xf32>, %pos: i32) {
  // expected-error @+1 {{(C5) expected 0 operands between qkv and pos, found 1}}
  %a = tile.rope_append %qkv, %table at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 0 : i64,
       context = 64 : i64, k_type = "f16", v_type = "f32"} : (tensor<8x320xf32>, tensor<64x2x16xf32>, i32) -> tensor<8x320xf32>
  return
}

// -----

func.func @rope_c5_norms(%qkv: tensor<8x320xf32>, %table: tensor<64x2x16xf32>, %q: tensor<192xf32>, %k: tensor<64xf32>, %pos: i32) {
  // expected-error @+1 {{(C5) expected 3 operands between qkv and pos, found 1}}
  %a = tile.rope_append %qkv, %table at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 32 : i64,
       context = 64 : i64, k_type = "f16", v_type = "f32", qk_norm = "rms", q_span = 32 : i64, k_span = 32 : i64} : (tensor<8x320xf32>, tensor<64x2x16xf32>, i32) -> tensor<8x320xf32>
  return
}

// -----

func.func @rope_c5_q(%qkv: tensor<8x320xf32>, %table: tensor<64x2x16xf32>, %q: tensor<192xf32>, %k: tensor<64xf32>, %pos: i32) {
  // expected-error @+1 {{(C5) expected a vector for q of shape [192], found 'tensor<64xf32>'}}
  %a = tile.rope_append %qkv, %table, %k, %q at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 32 : i64,
       context = 64 : i64, k_type = "f16", v_type = "f32", qk_norm = "rms", q_span = 32 : i64, k_span = 32 : i64} : (tensor<8x320xf32>, tensor<64x2x16xf32>, tensor<64xf32>, tensor<192xf32>, i32) -> tensor<8x320xf32>
  return
}

// -----

func.func @rope_c5_k(%qkv: tensor<8x320xf32>, %table: tensor<64x2x16xf32>, %q: tensor<192xf32>, %k: tensor<64xf32>, %pos: i32) {
  // expected-error @+1 {{(C5) expected a vector for k of shape [64], found 'tensor<192xf32>'}}
  %a = tile.rope_append %qkv, %q, %q at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 0 : i64,
       context = 64 : i64, k_type = "f16", v_type = "f32", qk_norm = "rms", q_span = 32 : i64, k_span = 32 : i64} : (tensor<8x320xf32>, tensor<192xf32>, tensor<192xf32>, i32) -> tensor<8x320xf32>
  return
}

// -----

func.func @rope_c1_span(%qkv: tensor<8x320xf32>, %table: tensor<64x2x16xf32>, %q: tensor<192xf32>, %k: tensor<64xf32>, %pos: i32) {
  // expected-error @+1 {{parameter 'q_span': expected a divisor of 192, found 40}}
  %a = tile.rope_append %qkv, %q, %k at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 0 : i64,
       context = 64 : i64, k_type = "f16", v_type = "f32", qk_norm = "rms", q_span = 40 : i64, k_span = 32 : i64} : (tensor<8x320xf32>, tensor<192xf32>, tensor<64xf32>, i32) -> tensor<8x320xf32>
  return
}

// -----

func.func @attend_c1_window(%qkv: tensor<8x320xf32>, %pos: i32) {
  // expected-error @+1 {{parameter 'window': expected 0 unless causal, found 8}}
  %a = tile.attend %qkv at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 64 : i64, k_type = "f16",
       v_type = "f32", scale = 1.0 : f32, window = 8 : i64, causal = false} : (tensor<8x320xf32>, i32) -> tensor<8x192xf32>
  return
}

// -----

func.func @experts_c2(%w: tensor<80x32xf32>, %x: tensor<8x32xf32>, %r: tensor<8x4xf32>) {
  // expected-error @+1 {{(C2) expected a weight of shape [64, 32], found 'tensor<80x32xf32>'}}
  %y = tile.gemm %w, %x route %r {enc = "f32"} : (tensor<80x32xf32>, tensor<8x32xf32>, tensor<8x4xf32>) -> tensor<8x20xf32>
  return
}

// -----

func.func @experts_c5(%w: tensor<64x32xf32>, %x: tensor<8x32xf32>, %r: tensor<4x4xf32>) {
  // expected-error @+1 {{(C5) expected a route of shape [8, 4], found 'tensor<4x4xf32>'}}
  %y = tile.gemm %w, %x route %r {enc = "f32"} : (tensor<64x32xf32>, tensor<8x32xf32>, tensor<4x4xf32>) -> tensor<8x20xf32>
  return
}

// -----

func.func @experts_c5_slot(%w: tensor<64x32xf32>, %x: tensor<8x32xf32>, %r: tensor<8x4xf32>) {
  // expected-error @+1 {{(C5) expected two columns a choice and a slot below 2, found 2}}
  %y = tile.gemm %w, %x route %r {enc = "f32", slot = 2 : i64} : (tensor<64x32xf32>, tensor<8x32xf32>, tensor<8x4xf32>) -> tensor<8x20xf32>
  return
}

// -----

func.func @experts_c5_bias(%w: tensor<64x32xf32>, %x: tensor<8x32xf32>, %b: tensor<64xf32>, %r: tensor<8x4xf32>) {
  // expected-error @+1 {{parameter 'bias': expected false with experts, found true}}
  %y = tile.gemm %w, %x bias %b route %r {enc = "f32"} : (tensor<64x32xf32>, tensor<8x32xf32>, tensor<64xf32>, tensor<8x4xf32>) -> tensor<8x20xf32>
  return
}

// -----

func.func @experts_c5_alone(%w: tensor<64x32xf32>, %x: tensor<8x32xf32>) {
  // expected-error @+1 {{parameter 'weighted': expected false without experts, found true}}
  %y = tile.gemm %w, %x {enc = "f32", weighted} : (tensor<64x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
  return
}

// -----

func.func @route_c1(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{parameter 'top': expected 1 to experts = 4, found 5}}
  %y = tile.route %x {top = 5 : i64} : (tensor<8x4xf32>) -> tensor<8x10xf32>
  return
}

// -----

func.func @route_c2(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{(C2) expected a result of shape [8, 4], found 'tensor<8x2xf32>'}}
  %y = tile.route %x {top = 2 : i64} : (tensor<8x4xf32>) -> tensor<8x2xf32>
  return
}
