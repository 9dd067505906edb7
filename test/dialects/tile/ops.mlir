// RUN: headrace-opt %s | headrace-opt | FileCheck %s
// RUN: headrace-opt %s --mlir-print-op-generic | headrace-opt | FileCheck %s

// CHECK-LABEL: @rows
func.func @rows(%tokens: tensor<8xi32>, %table: tensor<2048x192xf32>, %w: tensor<192xf32>) {
  // CHECK: tile.embed %{{.*}}, %{{.*}} {enc = "w4", group = 64 : i64} : (tensor<2048x192xf32>, tensor<8xi32>) -> tensor<8x192xf32>
  %x = tile.embed %table, %tokens {enc = "w4", group = 64 : i64} : (tensor<2048x192xf32>, tensor<8xi32>) -> tensor<8x192xf32>
  // CHECK: tile.norm %{{.*}}, %{{.*}} {eps = {{.*}} : f32} : (tensor<8x192xf32>, tensor<192xf32>) -> tensor<8x192xf32>
  %n = tile.norm %x, %w {eps = 1.0e-5 : f32} : (tensor<8x192xf32>, tensor<192xf32>) -> tensor<8x192xf32>
  // CHECK: %{{.*}}, %{{.*}} = tile.norm %{{.*}}, %{{.*}} residual %{{.*}} {eps = {{.*}} : f32, group = 64 : i64, out = "a8"}
  %sum, %y = tile.norm %x, %w residual %n {eps = 1.0e-5 : f32, out = "a8", group = 64 : i64}
           : (tensor<8x192xf32>, tensor<192xf32>, tensor<8x192xf32>) -> (tensor<8x192xf32>, tensor<8x192x!enc.a8<64>>)
  // CHECK: tile.quantize %{{.*}} {group = 32 : i64} : (tensor<8x192xf32>) -> tensor<8x192x!enc.a8<32>>
  %q = tile.quantize %sum {group = 32 : i64} : (tensor<8x192xf32>) -> tensor<8x192x!enc.a8<32>>
  // CHECK: tile.add %{{.*}}, %{{.*}} {device = 1 : i32, schedule = #tile.shared}
  %a = tile.add %x, %n {device = 1 : i32, schedule = #tile.shared} : (tensor<8x192xf32>, tensor<8x192xf32>) -> tensor<8x192xf32>
  // CHECK: tile.transfer %{{.*}} from 1 to 0 : tensor<8x192xf32>
  %t = tile.transfer %a from 1 to 0 : tensor<8x192xf32>
  return
}

// CHECK-LABEL: @matmuls
func.func @matmuls(%w: tensor<320x192xf32>, %x: tensor<1x192x!enc.a8<64>>, %b: tensor<320xf32>, %r: tensor<1x320xf32>,
                   %gate_up: tensor<1024x192xf32>, %rows: tensor<8x192xf32>) {
  // CHECK: tile.gemv %{{.*}}, %{{.*}} bias %{{.*}} residual %{{.*}} {act = "silu", enc = "w4", group = 64 : i64}
  %y = tile.gemv %w, %x bias %b residual %r {enc = "w4", group = 64 : i64, act = "silu"}
     : (tensor<320x192xf32>, tensor<1x192x!enc.a8<64>>, tensor<320xf32>, tensor<1x320xf32>) -> tensor<1x320xf32>
  // CHECK: tile.gemm %{{.*}}, %{{.*}} {act = "silu", enc = "f32", gated}
  %z = tile.gemm %gate_up, %rows {enc = "f32", act = "silu", gated} : (tensor<1024x192xf32>, tensor<8x192xf32>) -> tensor<8x512xf32>
  // CHECK: tile.gemm %{{.*}}, %{{.*}} {enc = "w4a", group = 32 : i64} : (tensor<320x192xf32>, tensor<8x192xf32>)
  %v = tile.gemm %w, %rows {enc = "w4a", group = 32 : i64} : (tensor<320x192xf32>, tensor<8x192xf32>) -> tensor<8x320xf32>
  // CHECK: tile.gemm %{{.*}}, %{{.*}} {enc = "w4z", group = 32 : i64} : (tensor<320x192xf32>, tensor<8x192xf32>)
  %u = tile.gemm %w, %rows {enc = "w4z", group = 32 : i64} : (tensor<320x192xf32>, tensor<8x192xf32>) -> tensor<8x320xf32>
  // CHECK: %[[R:.*]] = tile.route %{{.*}} {normalise, top = 2 : i64} : (tensor<8x320xf32>) -> tensor<8x4xf32>
  %route = tile.route %u {top = 2 : i64, normalise} : (tensor<8x320xf32>) -> tensor<8x4xf32>
  // CHECK: tile.gemm %{{.*}}, %{{.*}} route %[[R]] residual %{{.*}} {enc = "f32", slot = 1 : i64, weighted}
  %e = tile.gemm %w, %rows route %route residual %route {enc = "f32", slot = 1 : i64, weighted}
     : (tensor<320x192xf32>, tensor<8x192xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// CHECK-LABEL: @attention
func.func @attention(%qkv: tensor<8x320xf32>, %table: tensor<1024x2x16xf32>, %pos: i32) {
  // CHECK: tile.rope_append %{{.*}}, %{{.*}} at %{{.*}} cache @kv
  %q = tile.rope_append %qkv, %table at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 32 : i64,
       context = 1024 : i64, k_type = "f16", v_type = "f32"} : (tensor<8x320xf32>, tensor<1024x2x16xf32>, i32) -> tensor<8x320xf32>
  // CHECK: tile.attend %{{.*}} at %{{.*}} cache @kv
  %a = tile.attend %q at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 1024 : i64, k_type = "f16",
       v_type = "f32", scale = 0.176776692 : f32} : (tensor<8x320xf32>, i32) -> tensor<8x192xf32>
  return
}

// CHECK-LABEL: @families
func.func @families(%tokens: tensor<8xi32>, %table: tensor<2048x192xf32>, %positions: tensor<64x192xf32>, %w: tensor<192xf32>, %pos: i32) {
  // CHECK: tile.embed %{{.*}}, %{{.*}} positions %{{.*}} at %{{.*}} {enc = "f32", scale = 2.000000e+00 : f32} : (tensor<2048x192xf32>, tensor<8xi32>, tensor<64x192xf32>, i32) -> tensor<8x192xf32>
  %x = tile.embed %table, %tokens positions %positions at %pos {enc = "f32", scale = 2.0 : f32}
     : (tensor<2048x192xf32>, tensor<8xi32>, tensor<64x192xf32>, i32) -> tensor<8x192xf32>
  // CHECK: tile.norm %{{.*}}, %{{.*}} bias %{{.*}} {eps = {{.*}} : f32, kind = "layer"} : (tensor<8x192xf32>, tensor<192xf32>, tensor<192xf32>) -> tensor<8x192xf32>
  %n = tile.norm %x, %w bias %w {eps = 1.0e-5 : f32, kind = "layer"} : (tensor<8x192xf32>, tensor<192xf32>, tensor<192xf32>) -> tensor<8x192xf32>
  // CHECK: tile.norm %{{.*}}, %{{.*}} bias %{{.*}} residual %{{.*}} {eps = {{.*}} : f32, kind = "layer"}
  %s, %y = tile.norm %x, %w bias %w residual %n {eps = 1.0e-5 : f32, kind = "layer"}
         : (tensor<8x192xf32>, tensor<192xf32>, tensor<192xf32>, tensor<8x192xf32>) -> (tensor<8x192xf32>, tensor<8x192xf32>)
  // CHECK: tile.gemm %{{.*}}, %{{.*}} {enc = "f32", softcap = 3.000000e+01 : f32}
  %z = tile.gemm %table, %y {enc = "f32", softcap = 30.0 : f32} : (tensor<2048x192xf32>, tensor<8x192xf32>) -> tensor<8x2048xf32>
  return
}

// CHECK-LABEL: @families_of_attention
func.func @families_of_attention(%qkv: tensor<8x320xf32>, %table: tensor<1024x2x16xf32>, %q: tensor<192xf32>, %k: tensor<64xf32>, %pos: i32) {
  // CHECK: tile.rope_append %{{[a-z0-9]*}}, %{{[a-z0-9]*}}, %{{[a-z0-9]*}}, %{{[a-z0-9]*}} at %{{.*}} cache @kv {{.*}}k_span = 32 : i64{{.*}}q_span = 192 : i64, qk_norm = "rms"
  %a = tile.rope_append %qkv, %table, %q, %k at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 32 : i64,
       context = 1024 : i64, k_type = "f16", v_type = "f32", qk_norm = "rms", q_span = 192 : i64, k_span = 32 : i64, eps = 1.0e-6 : f32}
     : (tensor<8x320xf32>, tensor<1024x2x16xf32>, tensor<192xf32>, tensor<64xf32>, i32) -> tensor<8x320xf32>
  // CHECK: tile.rope_append %{{[a-z0-9]*}}, %{{[a-z0-9]*}}, %{{[a-z0-9]*}}, %{{[a-z0-9]*}}, %{{[a-z0-9]*}} at %{{.*}} cache @kv {{.*}}qk_bias = true, qk_norm = "layer", rotary = 0 : i64
  %b = tile.rope_append %a, %q, %q, %k, %k at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 0 : i64,
       context = 1024 : i64, k_type = "f16", v_type = "f32", qk_norm = "layer", qk_bias = true, q_span = 32 : i64, k_span = 32 : i64}
     : (tensor<8x320xf32>, tensor<192xf32>, tensor<192xf32>, tensor<64xf32>, tensor<64xf32>, i32) -> tensor<8x320xf32>
  // CHECK: tile.rope_append %{{[a-z0-9]*}} at %{{.*}} cache @kv {{.*}}rotary = 0 : i64
  %c = tile.rope_append %b at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 0 : i64,
       context = 1024 : i64, k_type = "f16", v_type = "f32"} : (tensor<8x320xf32>, i32) -> tensor<8x320xf32>
  // CHECK: tile.attend %{{.*}} at %{{.*}} cache @kv {{.*}}softcap = 5.000000e+01 : f32, v_type = "f32", window = 512 : i64
  %d = tile.attend %c at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 1024 : i64, k_type = "f16",
       v_type = "f32", scale = 0.25 : f32, window = 512 : i64, softcap = 50.0 : f32} : (tensor<8x320xf32>, i32) -> tensor<8x192xf32>
  // CHECK: tile.attend %{{.*}} at %{{.*}} cache @kv {causal = false
  %e = tile.attend %c at %pos cache @kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 1024 : i64, k_type = "f16",
       v_type = "f32", scale = 0.25 : f32, causal = false} : (tensor<8x320xf32>, i32) -> tensor<8x192xf32>
  return
}
