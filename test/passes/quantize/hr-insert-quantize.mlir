// RUN: headrace-opt %s --hr-insert-quantize | FileCheck %s
// RUN: headrace-opt %s --hr-insert-quantize --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC
// RUN: headrace-opt %s --hr-insert-quantize=act=f32 | FileCheck %s --check-prefix=FLOAT --implicit-check-not=enc.quantize
// RUN: headrace-opt %s --hr-assign-encodings=quant=f32 --hr-insert-quantize=act=f32 --hr-verify-encodings=act=f32 | FileCheck %s --check-prefix=FLOAT
// RUN: not headrace-opt %s --hr-assign-encodings=quant=f32 --hr-insert-quantize=act=f32 --hr-verify-encodings 2>&1 | FileCheck %s --check-prefix=GATE
// RUN: not headrace-opt %s --hr-insert-quantize=act=a4 2>&1 | FileCheck %s --check-prefix=A4

// FLOAT: %[[X:.*]] = model.embed
// FLOAT: model.linear %[[X]], %{{.*}} : (tensor<?x8xf32>, tensor<24x8xf32>)
// FLOAT: model.linear %[[X]], %{{.*}} residual
// GATE: error: 'model.linear' op E3: expected activations in '!enc.a8<64>' for #enc.w4<group = 64, sym>, found 'f32'
// A4: error: option 'act': expected a8 or f32, found 'a4'

// One rounding per activation, right behind it; float weights keep float inputs.

// CHECK-LABEL: func.func @body
// CHECK: %[[X:.*]] = model.embed
// CHECK-NEXT: %[[Q:.*]] = enc.quantize %[[X]] : tensor<?x8xf32> -> tensor<?x8x!enc.a8<64>>
// CHECK: model.linear %[[Q]], %{{.*}} : (tensor<?x8x!enc.a8<64>>, tensor<24x8xf32>)
// CHECK-NOT: enc.quantize
// CHECK: model.linear %[[Q]], %{{.*}} residual
// CHECK-LABEL: func.func @head
// CHECK-NOT: enc.quantize
// LOC: loc("embed.a8"(#{{.*}}))
module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  model.weight @embed : tensor<16x8xf32> attributes {enc = #enc.f16} {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> attributes {enc = #enc.f32} {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  model.weight @qkv : tensor<24x8xf32> attributes {enc = #enc.w4<group = 64, sym>} {
    %0 = recipe.range "qkv" in "f" offset 0 bytes 768 : tensor<24x8xf32>
    recipe.yield %0 : tensor<24x8xf32>
  }
  model.weight @up : tensor<8x8xf32> attributes {enc = #enc.w4<group = 64, sym>} {
    %0 = recipe.range "up" in "f" offset 0 bytes 256 : tensor<8x8xf32>
    recipe.yield %0 : tensor<8x8xf32>
  }
  model.weight @t : tensor<64x2x4xf32> attributes {enc = #enc.f32} {
    %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
    recipe.yield %0 : tensor<64x2x4xf32>
  }
  model.kv_cache @kv kv_heads 1 head_dim 8 context 64
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32> loc("embed")
    %w = model.param @qkv : tensor<24x8xf32>
    %q = model.linear %x, %w : (tensor<?x8xf32>, tensor<24x8xf32>) -> tensor<?x24xf32>
    %t = model.param @t : tensor<64x2x4xf32>
    %a = model.cached_attention %q, %t at %pos cache @kv {heads = 1 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, rotary = 8 : i64, scale = 1.0 : f32} : tensor<?x24xf32>, tensor<64x2x4xf32> -> tensor<?x8xf32>
    %u = model.param @up : tensor<8x8xf32>
    %y = model.linear %x, %u residual %a : (tensor<?x8xf32>, tensor<8x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    return %y : tensor<?x8xf32>
  }
  func.func @head(%h: tensor<?x8xf32>) -> tensor<?x16xf32> attributes {model.entry = "head"} {
    %w = model.param @norm : tensor<8xf32>
    %n = model.rms_norm %h, %w {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<8xf32>
    %e = model.param @embed : tensor<16x8xf32>
    %l = model.linear %n, %e : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x16xf32>
    return %l : tensor<?x16xf32>
  }
}
