// RUN: headrace-opt %s --split-input-file --hr-form-attention -verify-diagnostics

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
  %kr = model.rope %k, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x8xf32>, tensor<64x2x4xf32>
  // expected-remark @+1 {{attention gets no cache: one of query and key is rotated and the other is not}}
  %a = model.attention %q, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}
}

// -----

module attributes {model.context = 64 : i32} {
model.weight @layers.0.attn.q : tensor<16x16xf32> {
  %0 = recipe.range "layers.0.attn.q" in "f" offset 0 bytes 1024 : tensor<16x16xf32>
  recipe.yield %0 : tensor<16x16xf32>
}
model.weight @layers.0.attn.k : tensor<8x16xf32> {
  %0 = recipe.range "layers.0.attn.k" in "f" offset 0 bytes 512 : tensor<8x16xf32>
  recipe.yield %0 : tensor<8x16xf32>
}
model.weight @layers.0.attn.v : tensor<8x16xf32> {
  %0 = recipe.range "layers.0.attn.v" in "f" offset 0 bytes 512 : tensor<8x16xf32>
  recipe.yield %0 : tensor<8x16xf32>
}
model.weight @rope.table : tensor<64x2x4xf32> {
  %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
  recipe.yield %0 : tensor<64x2x4xf32>
}
func.func @f(%x: tensor<?x16xf32>, %y: tensor<?x16xf32>, %pos: i32) -> tensor<?x16xf32> {
  %wq = model.param @layers.0.attn.q : tensor<16x16xf32>
  %wk = model.param @layers.0.attn.k : tensor<8x16xf32>
  %wv = model.param @layers.0.attn.v : tensor<8x16xf32>
  %t = model.param @rope.table : tensor<64x2x4xf32>
  %q = model.linear %x, %wq : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  %k = model.linear %x, %wk : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %v = model.linear %x, %wv : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %qr = model.rope %q, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x16xf32>, tensor<64x2x4xf32>
  %kr = model.rope %k, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x8xf32>, tensor<64x2x4xf32>
  // expected-remark @+1 {{attention gets no cache: query, key and value are not the parts of one merged projection}}
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}
}

// -----

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
  %kr = model.rope %k, %t at %pos2 {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x8xf32>, tensor<64x2x4xf32>
  // expected-remark @+1 {{attention gets no cache: query and key are rotated differently}}
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}
}

// -----

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
  // expected-remark @+1 {{attention gets no cache: a part of the projection is used elsewhere}}
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  %z = model.add %a, %qr : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}
}

// -----

// expected-error @+1 {{expected module attribute 'model.context', found none}}
module {
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

module attributes {model.context = 64 : i32} {
func.func @f(%qkv: tensor<?x32xf32>, %t: tensor<64x2x4xf32>, %nq: tensor<16xf32>, %nk: tensor<8xf32>, %pos: i32) -> tensor<?x16xf32> {
  %q, %k, %v = model.split %qkv : tensor<?x32xf32> to tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>
  %qn = model.head_norm rms %q, %nq {span = 8 : i64, eps = 1.0e-6 : f32} : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  // expected-remark @+1 {{attention gets no cache: one of query and key is normalised and the other is not}}
  %a = model.attention %qn, %k, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}
}

// -----

module attributes {model.context = 64 : i32} {
func.func @f(%qkv: tensor<?x32xf32>, %t: tensor<64x2x4xf32>, %nq: tensor<16xf32>, %nk: tensor<8xf32>, %pos: i32) -> tensor<?x16xf32> {
  %q, %k, %v = model.split %qkv : tensor<?x32xf32> to tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>
  %qn = model.head_norm rms %q, %nq {span = 8 : i64, eps = 1.0e-6 : f32} : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %kn = model.head_norm layer %k, %nk {span = 8 : i64, eps = 1.0e-6 : f32} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  // expected-remark @+1 {{attention gets no cache: query and key are normalised differently}}
  %a = model.attention %qn, %kn, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}
}

// -----

module attributes {model.context = 64 : i32} {
func.func @f(%qkv: tensor<?x32xf32>, %t: tensor<64x2x4xf32>, %nq: tensor<16xf32>, %nk: tensor<8xf32>, %pos: i32) -> tensor<?x16xf32> {
  %q, %k, %v = model.split %qkv : tensor<?x32xf32> to tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>
  %qn = model.head_norm rms %q, %nq {span = 8 : i64, eps = 1.0e-6 : f32} : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %kn = model.head_norm rms %k, %nk {span = 8 : i64, eps = 1.0e-5 : f32} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  // expected-remark @+1 {{attention gets no cache: query and key are normalised differently}}
  %a = model.attention %qn, %kn, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}
}
