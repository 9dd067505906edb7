// RUN: headrace-opt %s --hr-assign-encodings="quant=w4" | FileCheck %s --check-prefixes=CHECK,W4
// RUN: headrace-opt %s --hr-assign-encodings="quant=w8 group=32 embed=f16 head=f16 kv=f16,f32" | FileCheck %s --check-prefixes=CHECK,W8
// RUN: headrace-opt %s --hr-assign-encodings="quant=f32" | FileCheck %s --check-prefixes=CHECK,F32
// RUN: headrace-opt %s --hr-assign-encodings="quant=f16 head=w8 group=128" | FileCheck %s --check-prefixes=CHECK,TIED
// RUN: headrace-opt %s --hr-assign-encodings="quant=w4a group=32" | FileCheck %s --check-prefixes=CHECK,W4A
// RUN: headrace-opt %s --hr-assign-encodings="quant=w4z group=128" | FileCheck %s --check-prefixes=CHECK,W4Z
// RUN: sed 's/@embed : tensor<16x8xf32> {/@embed : tensor<16x8xf32> attributes {enc = #enc.w8<group = 64>, recipe.codes = "codes kept"} {/' %s > %t.mlir
// RUN: headrace-opt %t.mlir --hr-assign-encodings="quant=w4" | FileCheck %s --check-prefixes=CHECK,KEPT
// RUN: headrace-opt %t.mlir --hr-assign-encodings="quant=w4 head=f16" | FileCheck %s --check-prefixes=CHECK,KEPTEMBED
// RUN: headrace-opt %t.mlir --hr-assign-encodings="quant=w4 embed=f16" | FileCheck %s --check-prefixes=CHECK,KEPTHEAD

// The tied table serves as embedding and head; when the two differ it becomes two weights. An encoding that it came with
// stays where no option names another.

// W4: model.weight @embed {{.*}}enc = #enc.w4<group = 64, sym>
// W4A: model.weight @embed {{.*}}enc = #enc.w4<group = 32, minimum>
// W4Z: model.weight @embed {{.*}}enc = #enc.w4<group = 128, zero_point>
// W8: model.weight @embed {{.*}}enc = #enc.f16
// F32: model.weight @embed {{.*}}enc = #enc.f32
// TIED: model.weight @embed {{.*}}enc = #enc.f16
// TIED: model.weight @lm_head {{.*}}enc = #enc.w8<group = 128>
// KEPT: model.weight @embed {{.*}}enc = #enc.w8<group = 64>, recipe.codes = "codes kept"}
// KEPT-NOT: @lm_head
// KEPTEMBED: model.weight @embed {{.*}}enc = #enc.w8<group = 64>, recipe.codes = "codes kept"}
// KEPTEMBED: model.weight @lm_head {{.*}}enc = #enc.f16}
// KEPTHEAD: model.weight @embed {{.*}}enc = #enc.f16}
// KEPTHEAD: model.weight @lm_head {{.*}}enc = #enc.w8<group = 64>, recipe.codes = "codes kept"}
// CHECK: model.weight @positions {{.*}}enc = #enc.f32
// CHECK: model.weight @norm {{.*}}enc = #enc.f32
// W4: model.weight @qkv {{.*}}enc = #enc.w4<group = 64, sym>
// W4A: model.weight @qkv {{.*}}enc = #enc.w4<group = 32, minimum>
// W4Z: model.weight @qkv {{.*}}enc = #enc.w4<group = 128, zero_point>
// W8: model.weight @qkv {{.*}}enc = #enc.w8<group = 32>
// F32: model.weight @qkv {{.*}}enc = #enc.f32
// TIED: model.weight @qkv {{.*}}enc = #enc.f16
// CHECK: model.weight @router {{.*}}enc = #enc.f32
// CHECK: model.weight @qkv.bias {{.*}}enc = #enc.f32
// CHECK: model.weight @t {{.*}}enc = #enc.f32
// W4: model.kv_cache {{.*}}k_type = #enc.f16, v_type = #enc.f16
// W8: model.kv_cache {{.*}}k_type = #enc.f16, v_type = #enc.f32
// F32: model.kv_cache {{.*}}k_type = #enc.f32, v_type = #enc.f32
// TIED: model.kv_cache {{.*}}k_type = #enc.f16, v_type = #enc.f16
// TIED: func.func @body
// TIED: model.param @embed
// TIED: func.func @head
// TIED: %[[E:.*]] = model.param @lm_head
// TIED: model.linear %{{.*}}, %[[E]]
module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  model.weight @embed : tensor<16x8xf32> {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @positions : tensor<64x8xf32> {
    %0 = recipe.range "positions" in "f" offset 0 bytes 2048 : tensor<64x8xf32>
    recipe.yield %0 : tensor<64x8xf32>
  }
  model.weight @norm : tensor<8xf32> {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  model.weight @qkv : tensor<24x8xf32> {
    %0 = recipe.range "qkv" in "f" offset 0 bytes 768 : tensor<24x8xf32>
    recipe.yield %0 : tensor<24x8xf32>
  }
  model.weight @router : tensor<4x8xf32> {
    %0 = recipe.range "router" in "f" offset 0 bytes 128 : tensor<4x8xf32>
    recipe.yield %0 : tensor<4x8xf32>
  }
  model.weight @qkv.bias : tensor<24xf32> {
    %0 = recipe.range "qkv.bias" in "f" offset 0 bytes 96 : tensor<24xf32>
    recipe.yield %0 : tensor<24xf32>
  }
  model.weight @t : tensor<64x2x4xf32> {
    %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
    recipe.yield %0 : tensor<64x2x4xf32>
  }
  model.kv_cache @kv kv_heads 1 head_dim 8 context 64
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %p = model.param @positions : tensor<64x8xf32>
    %x = model.embed %tokens, %e positions %p : tensor<64x8xf32> at %pos : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    %w = model.param @qkv : tensor<24x8xf32>
    %b = model.param @qkv.bias : tensor<24xf32>
    %q = model.linear %x, %w bias %b : (tensor<?x8xf32>, tensor<24x8xf32>, tensor<24xf32>) -> tensor<?x24xf32>
    %t = model.param @t : tensor<64x2x4xf32>
    %a = model.cached_attention %q, %t at %pos cache @kv {heads = 1 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, rotary = 8 : i64, scale = 1.0 : f32} : tensor<?x24xf32>, tensor<64x2x4xf32> -> tensor<?x8xf32>
    %wr = model.param @router : tensor<4x8xf32>
    %s = model.linear %a, %wr : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
    %r = model.route %s {top = 2 : i64} : tensor<?x4xf32> to tensor<?x4xf32>
    return %a : tensor<?x8xf32>
  }
  func.func @head(%h: tensor<?x8xf32>) -> tensor<?x16xf32> attributes {model.entry = "head"} {
    %w = model.param @norm : tensor<8xf32>
    %n = model.rms_norm %h, %w {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<8xf32>
    %e = model.param @embed : tensor<16x8xf32>
    %l = model.linear %n, %e : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x16xf32>
    return %l : tensor<?x16xf32>
  }
}
