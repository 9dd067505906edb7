// RUN: headrace-opt %s --split-input-file --hr-merge-qkv | FileCheck %s
// RUN: headrace-opt %s --split-input-file --hr-merge-qkv --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// One weight, one linear, one split; the recipe keeps the order query, key, value, and the location all parts.

// CHECK: module attributes {model.fused = {qkv = 1 : i64}}
// CHECK: model.weight @layers.0.attn.qkv : tensor<32x16xf32> {
// CHECK-NEXT: %[[Q:.*]] = recipe.range "layers.0.attn.q"
// CHECK-NEXT: %[[K:.*]] = recipe.range "layers.0.attn.k"
// CHECK-NEXT: %[[V:.*]] = recipe.range "layers.0.attn.v"
// CHECK-NEXT: %[[C:.*]] = recipe.concat %[[Q]], %[[K]], %[[V]] : tensor<16x16xf32>, tensor<8x16xf32>, tensor<8x16xf32> to tensor<32x16xf32>
// CHECK-NEXT: recipe.yield %[[C]]
// CHECK-NOT: model.weight @layers
// CHECK-LABEL: func.func @f
// CHECK: %[[W:.*]] = model.param @layers.0.attn.qkv
// CHECK: %[[QKV:.*]] = model.linear %{{.*}}, %[[W]] : (tensor<?x16xf32>, tensor<32x16xf32>) -> tensor<?x32xf32>
// CHECK: %[[P:.*]]:3 = model.split %[[QKV]] : tensor<?x32xf32> to tensor<?x16xf32>, tensor<?x8xf32>, tensor<?x8xf32>
// CHECK: model.rope %[[P]]#0
// CHECK: model.rope %[[P]]#1
// CHECK: model.attention %{{.*}}, %{{.*}}, %[[P]]#2
// LOC-DAG: #[[A:loc[0-9]+]] = loc("layers.0.attn.q"(#{{.*}}))
// LOC-DAG: #[[B:loc[0-9]+]] = loc("layers.0.attn.k")
// LOC-DAG: #[[FUSED:loc[0-9]+]] = loc(fused[#[[A]], #[[B]], #{{.*}}])
// LOC-DAG: loc("layers.0.attn.qkv"(#[[FUSED]]))
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
  %q = model.linear %x, %wq : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32> loc("layers.0.attn.q"("model.layers.0.self_attn.q_proj"))
  %k = model.linear %x, %wk : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32> loc("layers.0.attn.k")
  %v = model.linear %x, %wv : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32> loc("layers.0.attn.v")
  %qr = model.rope %q, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x16xf32>, tensor<64x2x4xf32>
  %kr = model.rope %k, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x8xf32>, tensor<64x2x4xf32>
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}

// -----

// Biases are merged like the weights; the value need not be made after query and key, and rotation is not required.

// CHECK: model.weight @layers.0.attn.qkv.bias : tensor<32xf32> {
// CHECK: recipe.concat %{{.*}}, %{{.*}}, %{{.*}} : tensor<16xf32>, tensor<8xf32>, tensor<8xf32> to tensor<32xf32>
// CHECK-LABEL: func.func @f
// CHECK: %[[B:.*]] = model.param @layers.0.attn.qkv.bias : tensor<32xf32>
// CHECK: model.linear %{{.*}}, %{{.*}} bias %[[B]]
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
model.weight @layers.0.attn.q.bias : tensor<16xf32> {
  %0 = recipe.range "layers.0.attn.q.bias" in "f" offset 0 bytes 64 : tensor<16xf32>
  recipe.yield %0 : tensor<16xf32>
}
model.weight @layers.0.attn.k.bias : tensor<8xf32> {
  %0 = recipe.range "layers.0.attn.k.bias" in "f" offset 0 bytes 32 : tensor<8xf32>
  recipe.yield %0 : tensor<8xf32>
}
model.weight @layers.0.attn.v.bias : tensor<8xf32> {
  %0 = recipe.range "layers.0.attn.v.bias" in "f" offset 0 bytes 32 : tensor<8xf32>
  recipe.yield %0 : tensor<8xf32>
}
func.func @f(%x: tensor<?x16xf32>, %y: tensor<?x16xf32>, %pos: i32) -> tensor<?x16xf32> {
  %wq = model.param @layers.0.attn.q : tensor<16x16xf32>
  %wk = model.param @layers.0.attn.k : tensor<8x16xf32>
  %wv = model.param @layers.0.attn.v : tensor<8x16xf32>
  %t = model.param @rope.table : tensor<64x2x4xf32>
  %bq = model.param @layers.0.attn.q.bias : tensor<16xf32>
  %bk = model.param @layers.0.attn.k.bias : tensor<8xf32>
  %bv = model.param @layers.0.attn.v.bias : tensor<8xf32>
  %v = model.linear %x, %wv bias %bv : (tensor<?x16xf32>, tensor<8x16xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %k = model.linear %x, %wk bias %bk : (tensor<?x16xf32>, tensor<8x16xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %q = model.linear %x, %wq bias %bq : (tensor<?x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %a = model.attention %q, %k, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}

// -----

// A bias that one of them lacks is zeros; norms of the heads may stand between; weights of one encoding keep it.

// CHECK: model.weight @layers.0.attn.qkv : tensor<32x16xf32> attributes {enc = #enc.w8<group = 32>}
// CHECK: model.weight @layers.0.attn.qkv.bias : tensor<32xf32> {
// CHECK: %[[B:.*]] = recipe.range "layers.0.attn.q.bias"
// CHECK: %[[ZK:.*]] = recipe.zeros : tensor<8xf32>
// CHECK: %[[ZV:.*]] = recipe.zeros : tensor<8xf32>
// CHECK: recipe.concat %[[B]], %[[ZK]], %[[ZV]]
// CHECK-LABEL: func.func @f
// CHECK: %[[QKV:.*]] = model.linear {{.*}} bias
// CHECK: %[[P:.*]]:3 = model.split %[[QKV]]
// CHECK: model.head_norm rms %[[P]]#0
// CHECK: model.rope %[[P]]#1
model.weight @layers.0.attn.q : tensor<16x16xf32> attributes {enc = #enc.w8<group = 32>} {
  %0 = recipe.range "layers.0.attn.q" in "f" offset 0 bytes 1024 : tensor<16x16xf32>
  recipe.yield %0 : tensor<16x16xf32>
}
model.weight @layers.0.attn.k : tensor<8x16xf32> attributes {enc = #enc.w8<group = 32>} {
  %0 = recipe.range "layers.0.attn.k" in "f" offset 0 bytes 512 : tensor<8x16xf32>
  recipe.yield %0 : tensor<8x16xf32>
}
model.weight @layers.0.attn.v : tensor<8x16xf32> attributes {enc = #enc.w8<group = 32>} {
  %0 = recipe.range "layers.0.attn.v" in "f" offset 0 bytes 512 : tensor<8x16xf32>
  recipe.yield %0 : tensor<8x16xf32>
}
model.weight @layers.0.attn.q.bias : tensor<16xf32> {
  %0 = recipe.range "layers.0.attn.q.bias" in "f" offset 0 bytes 64 : tensor<16xf32>
  recipe.yield %0 : tensor<16xf32>
}
func.func @f(%x: tensor<?x16xf32>, %n: tensor<16xf32>, %t: tensor<64x2x4xf32>, %pos: i32) -> tensor<?x16xf32> {
  %wq = model.param @layers.0.attn.q : tensor<16x16xf32>
  %bq = model.param @layers.0.attn.q.bias : tensor<16xf32>
  %wk = model.param @layers.0.attn.k : tensor<8x16xf32>
  %wv = model.param @layers.0.attn.v : tensor<8x16xf32>
  %q = model.linear %x, %wq bias %bq : (tensor<?x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %k = model.linear %x, %wk : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %v = model.linear %x, %wv : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %qn = model.head_norm rms %q, %n {span = 8 : i64, eps = 1.0e-6 : f32} : (tensor<?x16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  %qr = model.rope %qn, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x16xf32>, tensor<64x2x4xf32>
  %kr = model.rope %k, %t at %pos {head_dim = 8 : i64, rotary = 8 : i64} : tensor<?x8xf32>, tensor<64x2x4xf32>
  %a = model.attention %qr, %kr, %v at %pos {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 0.5 : f32} : tensor<?x16xf32>, tensor<?x8xf32>
  return %a : tensor<?x16xf32>
}
