// RUN: headrace-opt %s --split-input-file --hr-verify-encodings -verify-diagnostics

module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  model.weight @embed : tensor<16x8xf32> attributes {enc = #enc.f16} {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
// expected-error @+1 {{'model.weight' op E1: expected an encoding on 'norm', found none}}
  model.weight @norm : tensor<8xf32> {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  model.weight @qkv : tensor<24x8xf32> attributes {enc = #enc.f32} {
    %0 = recipe.range "qkv" in "f" offset 0 bytes 768 : tensor<24x8xf32>
    recipe.yield %0 : tensor<24x8xf32>
  }
  model.weight @t : tensor<64x2x4xf32> attributes {enc = #enc.f32} {
    %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
    recipe.yield %0 : tensor<64x2x4xf32>
  }
  model.kv_cache @kv kv_heads 1 head_dim 8 context 64 attributes {k_type = #enc.f16, v_type = #enc.f16}
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

module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  model.weight @embed : tensor<16x8xf32> attributes {enc = #enc.f16} {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> attributes {enc = #enc.f32} {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  model.weight @qkv : tensor<24x8xf32> attributes {enc = #enc.f32} {
    %0 = recipe.range "qkv" in "f" offset 0 bytes 768 : tensor<24x8xf32>
    recipe.yield %0 : tensor<24x8xf32>
  }
  model.weight @t : tensor<64x2x4xf32> attributes {enc = #enc.f32} {
    %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
    recipe.yield %0 : tensor<64x2x4xf32>
  }
// expected-error @+1 {{'model.kv_cache' op E1: expected encodings on 'kv', found none}}
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

module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  model.weight @embed : tensor<16x8xf32> attributes {enc = #enc.f16} {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> attributes {enc = #enc.f16} {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  model.weight @qkv : tensor<24x8xf32> attributes {enc = #enc.f32} {
    %0 = recipe.range "qkv" in "f" offset 0 bytes 768 : tensor<24x8xf32>
    recipe.yield %0 : tensor<24x8xf32>
  }
  model.weight @t : tensor<64x2x4xf32> attributes {enc = #enc.f32} {
    %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
    recipe.yield %0 : tensor<64x2x4xf32>
  }
  model.kv_cache @kv kv_heads 1 head_dim 8 context 64 attributes {k_type = #enc.f16, v_type = #enc.f16}
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
// expected-error @+1 {{'model.rms_norm' op E2: expected weight 'norm' in #enc.f32, found #enc.f16}}
    %n = model.rms_norm %h, %w {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<8xf32>
    %e = model.param @embed : tensor<16x8xf32>
    %l = model.linear %n, %e : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x16xf32>
    return %l : tensor<?x16xf32>
  }
}

// -----

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
  model.weight @t : tensor<64x2x4xf32> attributes {enc = #enc.f32} {
    %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
    recipe.yield %0 : tensor<64x2x4xf32>
  }
  model.kv_cache @kv kv_heads 1 head_dim 8 context 64 attributes {k_type = #enc.f16, v_type = #enc.f16}
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    %w = model.param @qkv : tensor<24x8xf32>
// expected-error @+1 {{'model.linear' op E3: expected activations in '!enc.a8<64>' for #enc.w4<group = 64, sym>, found 'f32'}}
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
  model.weight @t : tensor<64x2x4xf32> attributes {enc = #enc.f32} {
    %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
    recipe.yield %0 : tensor<64x2x4xf32>
  }
  model.kv_cache @kv kv_heads 1 head_dim 8 context 64 attributes {k_type = #enc.f16, v_type = #enc.f16}
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    %w = model.param @qkv : tensor<24x8xf32>
    %xq = enc.quantize %x : tensor<?x8xf32> -> tensor<?x8x!enc.a8<32>>
// expected-error @+1 {{'model.linear' op E3: expected activations in '!enc.a8<64>' for #enc.w4<group = 64, sym>, found '!enc.a8<32>'}}
    %q = model.linear %xq, %w : (tensor<?x8x!enc.a8<32>>, tensor<24x8xf32>) -> tensor<?x24xf32>
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

module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  model.weight @embed : tensor<16x8xf32> attributes {enc = #enc.f16} {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> attributes {enc = #enc.f32} {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  model.weight @qkv : tensor<24x8xf32> attributes {enc = #enc.f32} {
    %0 = recipe.range "qkv" in "f" offset 0 bytes 768 : tensor<24x8xf32>
    recipe.yield %0 : tensor<24x8xf32>
  }
  model.weight @t : tensor<64x2x4xf32> attributes {enc = #enc.f32} {
    %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
    recipe.yield %0 : tensor<64x2x4xf32>
  }
  model.kv_cache @kv kv_heads 1 head_dim 8 context 64 attributes {k_type = #enc.f16, v_type = #enc.f16}
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    %w = model.param @qkv : tensor<24x8xf32>
    %xq = enc.quantize %x : tensor<?x8xf32> -> tensor<?x8x!enc.a8<32>>
// expected-error @+1 {{'model.linear' op E3: expected activations in 'f32' for #enc.f32, found '!enc.a8<32>'}}
    %q = model.linear %xq, %w : (tensor<?x8x!enc.a8<32>>, tensor<24x8xf32>) -> tensor<?x24xf32>
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

module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  model.weight @embed : tensor<16x8xf32> attributes {enc = #enc.f16} {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> attributes {enc = #enc.f32} {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  model.weight @qkv : tensor<24x8xf32> attributes {enc = #enc.w8<group = 32>} {
    %0 = recipe.range "qkv" in "f" offset 0 bytes 768 : tensor<24x8xf32>
    recipe.yield %0 : tensor<24x8xf32>
  }
  model.weight @t : tensor<64x2x4xf32> attributes {enc = #enc.f32} {
    %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
    recipe.yield %0 : tensor<64x2x4xf32>
  }
  model.kv_cache @kv kv_heads 1 head_dim 8 context 64 attributes {k_type = #enc.f16, v_type = #enc.f16}
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    %w = model.param @qkv : tensor<24x8xf32>
// expected-error @+1 {{'enc.quantize' op E4: expected one quantization of its input, found another to 'tensor<?x8x!enc.a8<64>>'}}
    %xq = enc.quantize %x : tensor<?x8xf32> -> tensor<?x8x!enc.a8<32>>
    %xr = enc.quantize %x : tensor<?x8xf32> -> tensor<?x8x!enc.a8<64>>
    %q = model.linear %xq, %w : (tensor<?x8x!enc.a8<32>>, tensor<24x8xf32>) -> tensor<?x24xf32>
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

module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  model.weight @embed : tensor<16x8xf32> attributes {enc = #enc.f16} {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> attributes {enc = #enc.f32} {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  model.weight @qkv : tensor<24x8xf32> attributes {enc = #enc.f32} {
    %0 = recipe.range "qkv" in "f" offset 0 bytes 768 : tensor<24x8xf32>
    recipe.yield %0 : tensor<24x8xf32>
  }
  model.weight @t : tensor<64x2x4xf32> attributes {enc = #enc.f32} {
    %0 = recipe.rope_table theta 1.0e4 : tensor<64x2x4xf32>
    recipe.yield %0 : tensor<64x2x4xf32>
  }
// expected-error @+1 {{'model.kv_cache' op E5: expected float encodings, found #enc.f16 and #enc.w8<group = 32>}}
  model.kv_cache @kv kv_heads 1 head_dim 8 context 64 attributes {k_type = #enc.f16, v_type = #enc.w8<group = 32>}
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

module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  model.weight @embed : tensor<16x8xf32> attributes {enc = #enc.f16} {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @positions : tensor<64x8xf32> attributes {enc = #enc.f16} {
    %0 = recipe.range "positions" in "f" offset 0 bytes 2048 : tensor<64x8xf32>
    recipe.yield %0 : tensor<64x8xf32>
  }
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %p = model.param @positions : tensor<64x8xf32>
    // expected-error @+1 {{E2: expected weight 'positions' in #enc.f32, found #enc.f16}}
    %x = model.embed %tokens, %e positions %p : tensor<64x8xf32> at %pos : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    return %x : tensor<?x8xf32>
  }
}
