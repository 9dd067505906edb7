// RUN: headrace-opt %s --hr-form-kernels --hr-verify-tile | FileCheck %s
#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu]} {
model.weight @embed : tensor<256x64xf32> attributes {enc = #enc.w4<group = 64, sym>, layout = "t32"} {
  %0 = recipe.range "embed" in "f" offset 0 bytes 65536 : tensor<256x64xf32>
  recipe.yield %0 : tensor<256x64xf32>
}
model.weight @norm0 : tensor<64xf32> attributes {enc = #enc.f32, layout = "vector"} {
  %0 = recipe.range "norm0" in "f" offset 0 bytes 256 : tensor<64xf32>
  recipe.yield %0 : tensor<64xf32>
}
model.weight @norm1 : tensor<64xf32> attributes {enc = #enc.f32, layout = "vector"} {
  %0 = recipe.range "norm1" in "f" offset 0 bytes 256 : tensor<64xf32>
  recipe.yield %0 : tensor<64xf32>
}
model.weight @qkv : tensor<128x64xf32> attributes {enc = #enc.w4<group = 64, sym>, layout = "t32"} {
  %0 = recipe.range "qkv" in "f" offset 0 bytes 32768 : tensor<128x64xf32>
  recipe.yield %0 : tensor<128x64xf32>
}
model.weight @o : tensor<64x64xf32> attributes {enc = #enc.w4<group = 64, sym>, layout = "t32"} {
  %0 = recipe.range "o" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
model.weight @gate_up : tensor<192x64xf32> attributes {enc = #enc.w4<group = 64, sym>, layout = "t32"} {
  %0 = recipe.range "gate_up" in "f" offset 0 bytes 49152 : tensor<192x64xf32>
  recipe.yield %0 : tensor<192x64xf32>
}
model.weight @down : tensor<64x96xf32> attributes {enc = #enc.f32, layout = "t32"} {
  %0 = recipe.range "down" in "f" offset 0 bytes 24576 : tensor<64x96xf32>
  recipe.yield %0 : tensor<64x96xf32>
}
model.weight @rope : tensor<64x2x16xf32> attributes {enc = #enc.f32, layout = "rows"} {
  %0 = recipe.range "rope" in "f" offset 0 bytes 8192 : tensor<64x2x16xf32>
  recipe.yield %0 : tensor<64x2x16xf32>
}
model.kv_cache @kv kv_heads 1 head_dim 32 context 64 attributes {k_type = #enc.f16, v_type = #enc.f32}

// CHECK-LABEL: @body_1
func.func @body_1(%tokens: tensor<1xi32>, %pos: i32, %n_valid: i32) -> tensor<1x64xf32> attributes {model.entry = "body", tile.rows = 1 : i64} {
  %e = model.param @embed : tensor<256x64xf32>
  // CHECK: %[[X:.*]] = tile.embed %{{.*}}, %{{.*}} {enc = "w4", group = 64 : i64}
  %x = model.embed %tokens, %e : tensor<1xi32>, tensor<256x64xf32> -> tensor<1x64xf32> loc("embed")
  %w0 = model.param @norm0 : tensor<64xf32>
  // The quantization is folded into the norm.
  // CHECK: %[[N:.*]] = tile.norm %[[X]], %{{.*}} {eps = {{.*}} : f32, group = 64 : i64, out = "a8"}
  // CHECK-NOT: tile.quantize
  %n = model.rms_norm %x, %w0 {eps = 1.0e-5 : f32} : tensor<1x64xf32>, tensor<64xf32> loc("layers.0.attn.norm")
  %nq = enc.quantize %n : tensor<1x64xf32> -> tensor<1x64x!enc.a8<64>> loc("layers.0.attn.norm")
  %wqkv = model.param @qkv : tensor<128x64xf32>
  // CHECK: %[[QKV:.*]] = tile.gemv %{{.*}}, %[[N]] {enc = "w4", group = 64 : i64}
  %qkv = model.linear %nq, %wqkv : (tensor<1x64x!enc.a8<64>>, tensor<128x64xf32>) -> tensor<1x128xf32> loc("layers.0.attn.qkv")
  %t = model.param @rope : tensor<64x2x16xf32>
  // CHECK: %[[ROPE:.*]] = tile.rope_append %[[QKV]], %{{.*}} at %{{.*}} cache @kv {context = 64 : i64, head_dim = 32 : i64, heads = 2 : i64, k_type = "f16"
  // CHECK: %[[A:.*]] = tile.attend %[[ROPE]] at %{{.*}} cache @kv
  %a = model.cached_attention %qkv, %t at %pos cache @kv {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 32 : i64, rotary = 32 : i64, scale = 0.25 : f32} : tensor<1x128xf32>, tensor<64x2x16xf32> -> tensor<1x64xf32> loc("layers.0.attn")
  // CHECK: %[[AQ:.*]] = tile.quantize %[[A]] {group = 64 : i64}
  %aq = enc.quantize %a : tensor<1x64xf32> -> tensor<1x64x!enc.a8<64>> loc("layers.0.attn.quantize")
  %wo = model.param @o : tensor<64x64xf32>
  // CHECK: %[[O:.*]] = tile.gemv %{{.*}}, %[[AQ]]
  %o = model.linear %aq, %wo : (tensor<1x64x!enc.a8<64>>, tensor<64x64xf32>) -> tensor<1x64xf32> loc("layers.0.attn.o")
  %w1 = model.param @norm1 : tensor<64xf32>
  // CHECK: %[[SUM:.*]], %[[M:.*]] = tile.norm %[[O]], %{{.*}} residual %[[X]]
  %s, %m = model.add_rms_norm %o, %x, %w1 {eps = 1.0e-5 : f32} : tensor<1x64xf32>, tensor<64xf32> loc("layers.0.mlp.norm")
  %mq = enc.quantize %m : tensor<1x64xf32> -> tensor<1x64x!enc.a8<64>> loc("layers.0.mlp.norm")
  %wg = model.param @gate_up : tensor<192x64xf32>
  // CHECK: %[[G:.*]] = tile.gemv %{{.*}}, %[[M]] {act = "silu", enc = "w4", gated, group = 64 : i64}
  %g = model.linear %mq, %wg act silu gated : (tensor<1x64x!enc.a8<64>>, tensor<192x64xf32>) -> tensor<1x96xf32> loc("layers.0.mlp.gate_up")
  %wd = model.param @down : tensor<64x96xf32>
  // CHECK: tile.gemv %{{.*}}, %[[G]] residual %[[SUM]] {enc = "f32"}
  %d = model.linear %g, %wd residual %s : (tensor<1x96xf32>, tensor<64x96xf32>, tensor<1x64xf32>) -> tensor<1x64xf32> loc("layers.0.mlp.down")
  return %d : tensor<1x64xf32>
}

model.weight @experts : tensor<96x64xf32> attributes {enc = #enc.f32, layout = "t32"} {
  %0 = recipe.range "experts" in "f" offset 0 bytes 24576 : tensor<96x64xf32>
  recipe.yield %0 : tensor<96x64xf32>
}

// CHECK-LABEL: @experts_of_rows
func.func @experts_of_rows(%x: tensor<8x64xf32>, %s: tensor<8x3xf32>, %n_valid: i32) -> tensor<8x32xf32> attributes {model.entry = "body", tile.rows = 8 : i64} {
  // CHECK: %[[R:.*]] = tile.route %arg1 {top = 2 : i64} : (tensor<8x3xf32>) -> tensor<8x4xf32>
  %r = model.route %s {top = 2 : i64} : tensor<8x3xf32> to tensor<8x4xf32>
  %w = model.param @experts : tensor<96x64xf32>
  // CHECK: tile.gemm %{{.*}}, %arg0 route %[[R]] {enc = "f32", slot = 1 : i64, weighted} : (tensor<96x64xf32>, tensor<8x64xf32>, tensor<8x4xf32>)
  %y = model.linear %x, %w route %r {slot = 1 : i64, weighted} : (tensor<8x64xf32>, tensor<96x64xf32>, tensor<8x4xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// CHECK-LABEL: @rows
func.func @rows(%x: tensor<8x64xf32>, %n_valid: i32) -> tensor<8x64xf32> attributes {model.entry = "body", tile.rows = 8 : i64} {
  %w0 = model.param @norm0 : tensor<64xf32>
  // A norm whose result is read twice stays float.
  // CHECK: tile.norm {{.*}} {device = 1 : i32, eps = {{.*}} : f32}
  // CHECK: tile.quantize
  %n = model.rms_norm %x, %w0 {eps = 1.0e-5 : f32, device = 1 : i32} : tensor<8x64xf32>, tensor<64xf32>
  %nq = enc.quantize %n : tensor<8x64xf32> -> tensor<8x64x!enc.a8<64>>
  %wo = model.param @o : tensor<64x64xf32>
  // CHECK: tile.gemm
  %o = model.linear %nq, %wo : (tensor<8x64x!enc.a8<64>>, tensor<64x64xf32>) -> tensor<8x64xf32>
  // CHECK: tile.add
  %a = model.add %o, %n : tensor<8x64xf32>
  // CHECK: tile.transfer %{{.*}} from 1 to 0
  %t = model.transfer %a from 1 to 0 : tensor<8x64xf32>
  return %t : tensor<8x64xf32>
}

model.weight @positions : tensor<64x64xf32> attributes {enc = #enc.f32, layout = "rows"} {
  %0 = recipe.range "positions" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
model.weight @norm_k : tensor<32xf32> attributes {enc = #enc.f32, layout = "vector"} {
  %0 = recipe.range "norm_k" in "f" offset 0 bytes 128 : tensor<32xf32>
  recipe.yield %0 : tensor<32xf32>
}
model.kv_cache @kv2 kv_heads 1 head_dim 32 context 64 attributes {k_type = #enc.f16, v_type = #enc.f32}

// What only some families have reaches the kernels; what is neutral is not there (as in @body_1).
// CHECK-LABEL: @families
func.func @families(%tokens: tensor<1xi32>, %pos: i32, %n_valid: i32) -> tensor<1x64xf32> attributes {model.entry = "body", tile.rows = 1 : i64} {
  %e = model.param @embed : tensor<256x64xf32>
  %p = model.param @positions : tensor<64x64xf32>
  // CHECK: %[[X:.*]] = tile.embed %{{.*}}, %{{.*}} positions %{{.*}} at %{{.*}} {enc = "w4", group = 64 : i64, scale = 8.000000e+00 : f32}
  %x = model.embed %tokens, %e positions %p : tensor<64x64xf32> at %pos {scale = 8.0 : f32} : tensor<1xi32>, tensor<256x64xf32> -> tensor<1x64xf32>
  %w0 = model.param @norm0 : tensor<64xf32>
  %w1 = model.param @norm1 : tensor<64xf32>
  // CHECK: %[[N:.*]] = tile.norm %[[X]], %[[W:.*]] bias %{{.*}} {eps = {{.*}} : f32, group = 64 : i64, kind = "layer", out = "a8"}
  %n = model.layer_norm %x, %w0 bias %w1 {eps = 1.0e-5 : f32} : (tensor<1x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x64xf32>
  %nq = enc.quantize %n : tensor<1x64xf32> -> tensor<1x64x!enc.a8<64>>
  %wqkv = model.param @qkv : tensor<128x64xf32>
  // CHECK: %[[QKV:.*]] = tile.gemv %{{.*}}, %[[N]] {enc = "w4", group = 64 : i64, softcap = 3.000000e+01 : f32}
  %qkv = model.linear %nq, %wqkv {softcap = 30.0 : f32} : (tensor<1x64x!enc.a8<64>>, tensor<128x64xf32>) -> tensor<1x128xf32>
  %k = model.param @norm_k : tensor<32xf32>
  // CHECK: %[[ROPE:.*]] = tile.rope_append %[[QKV]], %[[W]], %{{[a-z0-9]*}} at %{{.*}} cache @kv2
  // CHECK-SAME: k_span = 32 : i64
  // CHECK-SAME: q_span = 64 : i64, qk_norm = "rms", rotary = 0 : i64
  // CHECK: %[[A:.*]] = tile.attend %[[ROPE]] at %{{.*}} cache @kv2 {{.*}} softcap = 5.000000e+01 : f32, v_type = "f32", window = 16 : i64
  %a = model.cached_attention %qkv at %pos cache @kv2 q_norm %w0 : tensor<64xf32> k_norm %k : tensor<32xf32> {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 32 : i64, rotary = 0 : i64, scale = 0.25 : f32, window = 16 : i64, softcap = 50.0 : f32, qk_norm = #model<norm_kind rms>, q_span = 64 : i64, k_span = 32 : i64, eps = 1.0e-6 : f32} : tensor<1x128xf32> -> tensor<1x64xf32> loc("layers.0.attn")
  // CHECK: %{{.*}}, %[[M:.*]] = tile.norm %[[A]], %{{.*}} residual %[[X]] {eps = {{.*}} : f32, kind = "layer"}
  %s, %m = model.add_layer_norm %a, %x, %w1 {eps = 1.0e-5 : f32} : (tensor<1x64xf32>, tensor<1x64xf32>, tensor<64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>)
  return %m : tensor<1x64xf32>
}

// CHECK-LABEL: @encoder
func.func @encoder(%qkv: tensor<8x128xf32>, %pos: i32, %n_valid: i32) -> tensor<8x64xf32> attributes {model.entry = "body", tile.rows = 8 : i64} {
  // CHECK: tile.rope_append %{{[a-z0-9]*}} at %{{.*}} cache @kv2
  // CHECK: tile.attend %{{.*}} at %{{.*}} cache @kv2 {causal = false
  %a = model.cached_attention %qkv at %pos cache @kv2 {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 32 : i64, rotary = 0 : i64, scale = 0.25 : f32, causal = false} : tensor<8x128xf32> -> tensor<8x64xf32> loc("layers.0.attn")
  return %a : tensor<8x64xf32>
}
}
