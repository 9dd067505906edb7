// RUN: headrace-opt %s | headrace-opt | FileCheck %s
// RUN: headrace-opt %s --mlir-print-op-generic | headrace-opt | FileCheck %s

module attributes {model.context = 64 : i32} {
  // CHECK: model.weight @w : tensor<64x192xf32> attributes {bytes = 6528 : i64, device = 0 : i32, enc = #enc.w4<group = 64, sym>, layout = "t32", offset = 128 : i64} {
  model.weight @w : tensor<64x192xf32> attributes {enc = #enc.w4<group = 64, sym>, layout = "t32", device = 0 : i32, offset = 128 : i64, bytes = 6528 : i64} {
    %0 = recipe.range "w" in "f" offset 0 bytes 49152 : tensor<64x192xf32>
    recipe.yield %0 : tensor<64x192xf32>
  }
  model.weight @table : tensor<64x2x16xf32> {
    %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x16xf32>
    recipe.yield %0 : tensor<64x2x16xf32>
  }
  // CHECK: model.kv_cache @kv kv_heads 2 head_dim 32 context 64{{$}}
  model.kv_cache @kv kv_heads 2 head_dim 32 context 64
  // CHECK: model.kv_cache @kv2 kv_heads 2 head_dim 32 context 64 attributes {device = 0 : i32, k_offset = 0 : i64, k_type = #enc.f16, v_offset = 8192 : i64, v_type = #enc.f32}
  model.kv_cache @kv2 kv_heads 2 head_dim 32 context 64 attributes {k_type = #enc.f16, v_type = #enc.f32, device = 0 : i32, k_offset = 0 : i64, v_offset = 8192 : i64}

  // CHECK-LABEL: func.func @rows
  func.func @rows(%tokens: tensor<?xi32>, %e: tensor<512x192xf32>, %n: tensor<192xf32>, %b: tensor<64xf32>) {
    // CHECK: model.param @w : tensor<64x192xf32>
    %w = model.param @w : tensor<64x192xf32>
    // CHECK: model.embed %{{.*}}, %{{.*}} : tensor<?xi32>, tensor<512x192xf32> -> tensor<?x192xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<512x192xf32> -> tensor<?x192xf32>
    // CHECK: model.rms_norm %{{.*}}, %{{.*}} {eps = 9.99999974E-6 : f32} : tensor<?x192xf32>, tensor<192xf32>
    %y = model.rms_norm %x, %n {eps = 1.0e-5 : f32} : tensor<?x192xf32>, tensor<192xf32>
    // CHECK: %{{.*}}, %{{.*}} = model.add_rms_norm %{{.*}}, %{{.*}}, %{{.*}} {eps = 0.000000e+00 : f32} : tensor<?x192xf32>, tensor<192xf32>
    %s, %z = model.add_rms_norm %x, %y, %n {eps = 0.0 : f32} : tensor<?x192xf32>, tensor<192xf32>
    // CHECK: model.linear %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}} : (tensor<?x192xf32>, tensor<64x192xf32>) -> tensor<?x64xf32>
    %a = model.linear %y, %w : (tensor<?x192xf32>, tensor<64x192xf32>) -> tensor<?x64xf32>
    // CHECK: model.linear %{{.*}}, %{{.*}} bias %{{.*}} residual %{{.*}} act relu : (tensor<?x192xf32>, tensor<64x192xf32>, tensor<64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
    %c = model.linear %y, %w bias %b residual %a act relu
      : (tensor<?x192xf32>, tensor<64x192xf32>, tensor<64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
    %q = enc.quantize %y : tensor<?x192xf32> -> tensor<?x192x!enc.a8<64>>
    // CHECK: model.linear %{{.*}}, %{{.*}} act silu gated : (tensor<?x192x!enc.a8<64>>, tensor<64x192xf32>) -> tensor<?x20xf32>
    %g = model.linear %q, %w act silu gated : (tensor<?x192x!enc.a8<64>>, tensor<64x192xf32>) -> tensor<?x20xf32>
    // CHECK: %[[R:.*]] = model.route %{{.*}} {normalise, top = 2 : i64} : tensor<?x64xf32> to tensor<?x4xf32>
    %route = model.route %a {top = 2 : i64, normalise} : tensor<?x64xf32> to tensor<?x4xf32>
    // CHECK: model.linear %{{.*}}, %{{.*}} residual %{{.*}} route %[[R]] {slot = 1 : i64, weighted} : (tensor<?x192xf32>, tensor<64x192xf32>, tensor<?x20xf32>, tensor<?x4xf32>) -> tensor<?x20xf32>
    %expert = model.linear %y, %w residual %g route %route {slot = 1 : i64, weighted}
      : (tensor<?x192xf32>, tensor<64x192xf32>, tensor<?x20xf32>, tensor<?x4xf32>) -> tensor<?x20xf32>
    // CHECK: model.add %{{.*}}, %{{.*}} : tensor<?x64xf32>
    %h = model.add %a, %c : tensor<?x64xf32>
    // CHECK: model.mul %{{.*}}, %{{.*}} : tensor<?x64xf32>
    %i = model.mul %h, %c : tensor<?x64xf32>
    // CHECK: model.activation gelu_tanh %{{.*}} : tensor<?x64xf32>
    %j = model.activation gelu_tanh %i : tensor<?x64xf32>
    // CHECK: model.split %{{.*}} : tensor<?x64xf32> to tensor<?x32xf32>, tensor<?x31xf32>, tensor<?x1xf32>
    %k:3 = model.split %j : tensor<?x64xf32> to tensor<?x32xf32>, tensor<?x31xf32>, tensor<?x1xf32>
    // CHECK: model.transfer %{{.*}} from 0 to 1 : tensor<?x64xf32>
    %l = model.transfer %j from 0 to 1 : tensor<?x64xf32>
    // CHECK: model.transfer %{{.*}} from 1 to 0 : tensor<?x192x!enc.a8<64>>
    %m = model.transfer %q from 1 to 0 : tensor<?x192x!enc.a8<64>>
    return
  }

  // CHECK-LABEL: func.func @families
  func.func @families(%tokens: tensor<?xi32>, %e: tensor<512x192xf32>, %p: tensor<64x192xf32>, %n: tensor<192xf32>, %w: tensor<64x192xf32>, %pos: i32) {
    // CHECK: model.embed %{{.*}}, %{{.*}} positions %{{.*}} : tensor<64x192xf32> at %{{.*}} {scale = 2.000000e+00 : f32} : tensor<?xi32>, tensor<512x192xf32> -> tensor<?x192xf32>
    %x = model.embed %tokens, %e positions %p : tensor<64x192xf32> at %pos {scale = 2.0 : f32} : tensor<?xi32>, tensor<512x192xf32> -> tensor<?x192xf32>
    // CHECK: model.layer_norm %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}} {eps = 9.99999974E-6 : f32} : (tensor<?x192xf32>, tensor<192xf32>) -> tensor<?x192xf32>
    %y = model.layer_norm %x, %n {eps = 1.0e-5 : f32} : (tensor<?x192xf32>, tensor<192xf32>) -> tensor<?x192xf32>
    // CHECK: %{{.*}}, %{{.*}} = model.add_layer_norm %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} {eps = 9.99999974E-6 : f32} : (tensor<?x192xf32>, tensor<?x192xf32>, tensor<192xf32>, tensor<192xf32>) -> (tensor<?x192xf32>, tensor<?x192xf32>)
    %s, %z = model.add_layer_norm %x, %y, %n bias %n {eps = 1.0e-5 : f32} : (tensor<?x192xf32>, tensor<?x192xf32>, tensor<192xf32>, tensor<192xf32>) -> (tensor<?x192xf32>, tensor<?x192xf32>)
    // CHECK: model.head_norm rms %{{.*}}, %{{.*}} {eps = 0.000000e+00 : f32, span = 32 : i64} : (tensor<?x192xf32>, tensor<192xf32>) -> tensor<?x192xf32>
    %h = model.head_norm rms %z, %n {span = 32 : i64, eps = 0.0 : f32} : (tensor<?x192xf32>, tensor<192xf32>) -> tensor<?x192xf32>
    // CHECK: model.head_norm layer %{{.*}}, %{{.*}} bias %{{.*}} {eps = 0.000000e+00 : f32, span = 192 : i64} : (tensor<?x192xf32>, tensor<192xf32>, tensor<192xf32>) -> tensor<?x192xf32>
    %i = model.head_norm layer %z, %n bias %n {span = 192 : i64, eps = 0.0 : f32} : (tensor<?x192xf32>, tensor<192xf32>, tensor<192xf32>) -> tensor<?x192xf32>
    // CHECK: model.softcap %{{.*}} {cap = 3.000000e+01 : f32} : tensor<?x192xf32>
    %c = model.softcap %i {cap = 30.0 : f32} : tensor<?x192xf32>
    // CHECK: model.linear %{{.*}}, %{{.*}} {softcap = 3.000000e+01 : f32} : (tensor<?x192xf32>, tensor<64x192xf32>) -> tensor<?x64xf32>
    %l = model.linear %h, %w {softcap = 30.0 : f32} : (tensor<?x192xf32>, tensor<64x192xf32>) -> tensor<?x64xf32>
    return
  }

  // CHECK-LABEL: func.func @attention
  func.func @attention(%q: tensor<?x192xf32>, %k: tensor<?x64xf32>, %qkv: tensor<8x320xf32>, %pos: i32) {
    %t = model.param @table : tensor<64x2x16xf32>
    // CHECK: model.rope %{{.*}}, %{{.*}} at %{{.*}} {head_dim = 48 : i64, rotary = 32 : i64} : tensor<?x192xf32>, tensor<64x2x16xf32>
    %r = model.rope %q, %t at %pos {head_dim = 48 : i64, rotary = 32 : i64} : tensor<?x192xf32>, tensor<64x2x16xf32>
    // CHECK: model.attention %{{.*}}, %{{.*}}, %{{.*}} at %{{.*}} {head_dim = 32 : i64, heads = 6 : i64, kv_heads = 2 : i64, scale = 2.500000e-01 : f32} : tensor<?x192xf32>, tensor<?x64xf32>
    %a = model.attention %r, %k, %k at %pos {head_dim = 32 : i64, heads = 6 : i64, kv_heads = 2 : i64, scale = 0.25 : f32}
      : tensor<?x192xf32>, tensor<?x64xf32>
    // CHECK: model.cached_attention %{{.*}}, %{{.*}} at %{{.*}} cache @kv {head_dim = 32 : i64, heads = 6 : i64, kv_heads = 2 : i64, rotary = 32 : i64, scale = 2.500000e-01 : f32} : tensor<8x320xf32>, tensor<64x2x16xf32> -> tensor<8x192xf32>
    %c = model.cached_attention %qkv, %t at %pos cache @kv
      {head_dim = 32 : i64, heads = 6 : i64, kv_heads = 2 : i64, rotary = 32 : i64, scale = 0.25 : f32}
      : tensor<8x320xf32>, tensor<64x2x16xf32> -> tensor<8x192xf32>
    // CHECK: model.attention %{{.*}} {causal = false, head_dim = 32 : i64, heads = 6 : i64, kv_heads = 2 : i64, scale = 2.500000e-01 : f32, softcap = 5.000000e+01 : f32} :
    %d = model.attention %r, %k, %k at %pos {head_dim = 32 : i64, heads = 6 : i64, kv_heads = 2 : i64, scale = 0.25 : f32, softcap = 50.0 : f32, causal = false}
      : tensor<?x192xf32>, tensor<?x64xf32>
    // CHECK: model.attention %{{.*}} {head_dim = 32 : i64, heads = 6 : i64, kv_heads = 2 : i64, scale = 2.500000e-01 : f32, window = 33 : i64} :
    %e = model.attention %r, %k, %k at %pos {head_dim = 32 : i64, heads = 6 : i64, kv_heads = 2 : i64, scale = 0.25 : f32, window = 33 : i64}
      : tensor<?x192xf32>, tensor<?x64xf32>
    return
  }

  // CHECK-LABEL: func.func @cached_attention
  func.func @cached_attention(%qkv: tensor<8x320xf32>, %n: tensor<192xf32>, %m: tensor<64xf32>, %pos: i32) {
    %t = model.param @table : tensor<64x2x16xf32>
    // CHECK: model.cached_attention %{{[a-z0-9_]*}} at %{{.*}} cache @kv {causal = false, head_dim = 32 : i64, heads = 6 : i64, kv_heads = 2 : i64, rotary = 0 : i64, scale = 2.500000e-01 : f32} : tensor<8x320xf32> -> tensor<8x192xf32>
    %a = model.cached_attention %qkv at %pos cache @kv
      {head_dim = 32 : i64, heads = 6 : i64, kv_heads = 2 : i64, rotary = 0 : i64, scale = 0.25 : f32, causal = false}
      : tensor<8x320xf32> -> tensor<8x192xf32>
    // CHECK: model.cached_attention %{{.*}}, %{{.*}} at %{{.*}} cache @kv q_norm %{{.*}} : tensor<192xf32> k_norm %{{.*}} : tensor<64xf32> {eps = 0.000000e+00 : f32, head_dim = 32 : i64, heads = 6 : i64, k_span = 32 : i64, kv_heads = 2 : i64, q_span = 32 : i64, qk_norm = #model<norm_kind rms>, rotary = 32 : i64, scale = 2.500000e-01 : f32, softcap = 5.000000e+01 : f32, window = 16 : i64} : tensor<8x320xf32>, tensor<64x2x16xf32> -> tensor<8x192xf32>
    %b = model.cached_attention %qkv, %t at %pos cache @kv q_norm %n : tensor<192xf32> k_norm %m : tensor<64xf32>
      {head_dim = 32 : i64, heads = 6 : i64, kv_heads = 2 : i64, rotary = 32 : i64, scale = 0.25 : f32, window = 16 : i64, softcap = 50.0 : f32,
       qk_norm = #model<norm_kind rms>, q_span = 32 : i64, k_span = 32 : i64, eps = 0.0 : f32}
      : tensor<8x320xf32>, tensor<64x2x16xf32> -> tensor<8x192xf32>
    // CHECK: model.cached_attention {{.*}} q_norm %{{.*}} : tensor<192xf32> q_bias %{{.*}} : tensor<192xf32> k_norm %{{.*}} : tensor<64xf32> k_bias %{{.*}} : tensor<64xf32> {{.*}} k_span = 64 : i64, {{.*}} q_span = 192 : i64, qk_norm = #model<norm_kind layer>
    %c = model.cached_attention %qkv, %t at %pos cache @kv q_norm %n : tensor<192xf32> q_bias %n : tensor<192xf32> k_norm %m : tensor<64xf32> k_bias %m : tensor<64xf32>
      {head_dim = 32 : i64, heads = 6 : i64, kv_heads = 2 : i64, rotary = 32 : i64, scale = 0.25 : f32,
       qk_norm = #model<norm_kind layer>, q_span = 192 : i64, k_span = 64 : i64, eps = 0.0 : f32}
      : tensor<8x320xf32>, tensor<64x2x16xf32> -> tensor<8x192xf32>
    return
  }
}
