// RUN: headrace-opt %s --split-input-file --hr-form-attention | FileCheck %s

// CHECK: module attributes {model.context = 64 : i32, model.fused = {attention = 1 : i64}}
// CHECK: model.kv_cache @layers.0.kv kv_heads 1 head_dim 8 context 64
// CHECK-LABEL: func.func @f
// CHECK: %[[QKV:.*]] = model.linear
// CHECK-NEXT: %[[A:.*]] = model.cached_attention %[[QKV]], %{{.*}} at %{{.*}} cache @layers.0.kv {head_dim = 8 : i64, heads = 2 : i64, kv_heads = 1 : i64, rotary = 8 : i64, scale = 5.000000e-01 : f32}
// CHECK-NEXT: return %[[A]]
module attributes {model.context = 64 : i32} {
model.weight @layers.0.attn.qkv : tensor<32x16xf32> {
  %0 = recipe.range "layers.0.attn.qkv" in "f" offset 0 bytes 2048 : tensor<32x16xf32>
  recipe.yield %0 : tensor<32x16xf32>
}
model.weight @rope.table : tensor<64x2x4xf32> {
  %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
  recipe.yield %0 : tensor<64x2x4xf32>
}
func.func @f(%x: tensor<?x16xf32>, %pos: i32, %pos2: i32) -> tensor<?x16xf32> {
  %w = model.param @layers.0.attn.qkv : tensor<32x16xf32>
  %t = model.param @rope.table : tensor<64x2x4xf32>
  %qkv = model.linear %x, %w : (tensor<?x16xf32>, tensor<32x16xf32>) -> tensor<?x32xf32>
  %q, %k, %v = model.split %qkv : tensor<?x32xf32> to tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>
  %qr = model.rope %q, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x16xf32>, tensor<64x2x4xf32>
  %kr = model.rope %k, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x8xf32>, tensor<64x2x4xf32>
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32> loc("layers.0.attn.attend")
  return %a : tensor<?x16xf32>
}
}

// -----

// Without an anchor the cache gets a name all the same, one that is free.

// CHECK: model.kv_cache @kv.2 kv_heads
module attributes {model.context = 64 : i32} {
model.kv_cache @kv kv_heads 1 head_dim 8 context 64
model.weight @layers.0.attn.qkv : tensor<32x16xf32> {
  %0 = recipe.range "layers.0.attn.qkv" in "f" offset 0 bytes 2048 : tensor<32x16xf32>
  recipe.yield %0 : tensor<32x16xf32>
}
model.weight @rope.table : tensor<64x2x4xf32> {
  %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
  recipe.yield %0 : tensor<64x2x4xf32>
}
func.func @f(%x: tensor<?x16xf32>, %pos: i32, %pos2: i32) -> tensor<?x16xf32> {
  %w = model.param @layers.0.attn.qkv : tensor<32x16xf32>
  %t = model.param @rope.table : tensor<64x2x4xf32>
  %qkv = model.linear %x, %w : (tensor<?x16xf32>, tensor<32x16xf32>) -> tensor<?x32xf32>
  %q, %k, %v = model.split %qkv : tensor<?x32xf32> to tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>
  %qr = model.rope %q, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x16xf32>, tensor<64x2x4xf32>
  %kr = model.rope %k, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x8xf32>, tensor<64x2x4xf32>
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}
}

// -----

// Norms of query and key go along; so do window and cap.

// CHECK: model.cached_attention %{{.*}}, %{{.*}} at %{{.*}} cache @layers.0.kv q_norm %{{.*}} : tensor<16xf32> k_norm %{{.*}} : tensor<8xf32> {eps = 9.99999997E-7 : f32,
// CHECK-SAME: k_span = 8 : i64, kv_heads = 1 : i64, q_span = 8 : i64, qk_norm = #model<norm_kind rms>, rotary = 8 : i64, scale = 5.000000e-01 : f32, softcap = 5.000000e+01 : f32, window = 12 : i64}
// CHECK-NOT: model.head_norm
module attributes {model.context = 64 : i32} {
func.func @f(%qkv: tensor<?x32xf32>, %t: tensor<64x2x4xf32>, %nq: tensor<16xf32>, %nk: tensor<8xf32>, %pos: i32) -> tensor<?x16xf32> {
  %q, %k, %v = model.split %qkv : tensor<?x32xf32> to tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>
  %qn = model.head_norm rms %q, %nq {span = 8 : i64, eps = 1.0e-6 : f32} : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %kn = model.head_norm rms %k, %nk {span = 8 : i64, eps = 1.0e-6 : f32} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %qr = model.rope %qn, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x16xf32>, tensor<64x2x4xf32>
  %kr = model.rope %kn, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x8xf32>, tensor<64x2x4xf32>
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32, window = 12 : i64, softcap = 50.0 : f32} : tensor<?x16xf32>, tensor<?x8xf32> loc("layers.0.attn.attend")
  return %a : tensor<?x16xf32>
}
}

// -----

// Without rotation there is no table; the rows of an encoder all see one another.

// CHECK: model.cached_attention %{{.*}} at %{{.*}} cache @layers.0.kv {causal = false, head_dim = 8 : i64, heads = 2 : i64, kv_heads = 1 : i64, rotary = 0 : i64, scale = 5.000000e-01 : f32} : tensor<?x32xf32> -> tensor<?x16xf32>
module attributes {model.context = 64 : i32} {
func.func @f(%qkv: tensor<?x32xf32>, %t: tensor<64x2x4xf32>, %nq: tensor<16xf32>, %nk: tensor<8xf32>, %pos: i32) -> tensor<?x16xf32> {
  %q, %k, %v = model.split %qkv : tensor<?x32xf32> to tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>
  %a = model.attention %q, %k, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32, causal = false} : tensor<?x16xf32>, tensor<?x8xf32> loc("layers.0.attn.attend")
  return %a : tensor<?x16xf32>
}
}
