// RUN: headrace-opt %s --split-input-file --hr-verify-model | FileCheck %s

// A finished module passes unchanged.
// CHECK: model.cached_attention
module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  model.weight @embed : tensor<16x8xf32> {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  model.weight @qkv : tensor<24x8xf32> {
    %0 = recipe.range "qkv" in "f" offset 0 bytes 768 : tensor<24x8xf32>
    recipe.yield %0 : tensor<24x8xf32>
  }
  model.weight @t : tensor<64x2x4xf32> {
    %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
    recipe.yield %0 : tensor<64x2x4xf32>
  }
  model.kv_cache @kv kv_heads 1 head_dim 8 context 64
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    %w = model.param @qkv : tensor<24x8xf32>
    %q = model.linear %x, %w : (tensor<?x8xf32>, tensor<24x8xf32>) -> tensor<?x24xf32>
    %t = model.param @t : tensor<64x2x4xf32>
    %a = model.cached_attention %q, %t at %pos cache @kv {heads = 1 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, rotary = 8 : i64, scale = 1.0 : f32} : tensor<?x24xf32>, tensor<64x2x4xf32> -> tensor<?x8xf32>
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

// -----

// An encoder has a body and no head.
// CHECK: model.layer_norm
module attributes {model.kind = "encoder", model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  model.weight @embed : tensor<16x8xf32> {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    %w = model.param @norm : tensor<8xf32>
    %y = model.layer_norm %x, %w {eps = 1.0e-5 : f32} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    return %y : tensor<?x8xf32>
  }
}
