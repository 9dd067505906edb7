// RUN: headrace-opt %s --split-input-file --hr-merge-qkv -verify-diagnostics | FileCheck %s

// What cannot be merged stays as it is.
// CHECK-NOT: model.fused
// CHECK-NOT: model.split
// CHECK-NOT: qkv

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
  %k = model.linear %y, %wk : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %v = model.linear %x, %wv : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %qr = model.rope %q, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x16xf32>, tensor<64x2x4xf32>
  %kr = model.rope %k, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x8xf32>, tensor<64x2x4xf32>
  // expected-remark @+1 {{query, key and value stay apart: their inputs differ}}
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}

// -----

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
  %q = model.linear %x, %wq act relu : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  %k = model.linear %x, %wk : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %v = model.linear %x, %wv : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %qr = model.rope %q, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x16xf32>, tensor<64x2x4xf32>
  %kr = model.rope %k, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x8xf32>, tensor<64x2x4xf32>
  // expected-remark @+1 {{query, key and value stay apart: one has an epilogue}}
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}

// -----

model.weight @layers.0.attn.q : tensor<16x16xf32> {
  %0 = recipe.range "layers.0.attn.q" in "f" offset 0 bytes 1024 : tensor<16x16xf32>
  recipe.yield %0 : tensor<16x16xf32>
}
model.weight @layers.0.attn.k : tensor<8x16xf32> {
  %0 = recipe.range "layers.0.attn.k" in "f" offset 0 bytes 512 : tensor<8x16xf32>
  recipe.yield %0 : tensor<8x16xf32>
}
model.weight @layers.0.attn.v : tensor<8x16xf32> attributes {enc = #enc.w8<group = 32>} {
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
  // expected-remark @+1 {{query, key and value stay apart: their encodings differ}}
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}

// -----

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
  // expected-remark @+1 {{query, key and value stay apart: a result is used elsewhere}}
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  %z = model.add %a, %q : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}

// -----

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
  // expected-remark @+1 {{query, key and value stay apart: a normalised or rotated result is used elsewhere}}
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  %z = model.add %a, %qr : tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}

// -----

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
  // expected-remark @+1 {{query, key and value stay apart: weight 'layers.0.attn.q' is read elsewhere}}
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  %z = model.linear %a, %wq : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  return %z : tensor<?x16xf32>
}

// -----

func.func @arguments(%q: tensor<?x16xf32>, %k: tensor<?x8xf32>, %pos: i32) -> tensor<?x16xf32> {
  // expected-remark @+1 {{query, key and value stay apart: one is not the result of a linear op}}
  %a = model.attention %q, %k, %k at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}

// -----

func.func @no_symbol(%x: tensor<?x16xf32>, %wq: tensor<16x16xf32>, %wk: tensor<8x16xf32>, %wv: tensor<8x16xf32>, %pos: i32) -> tensor<?x16xf32> {
  %q = model.linear %x, %wq : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  %k = model.linear %x, %wk : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %v = model.linear %x, %wv : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  // expected-remark @+1 {{query, key and value stay apart: a weight is not a model.param}}
  %a = model.attention %q, %k, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}
