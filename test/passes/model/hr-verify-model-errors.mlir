// RUN: headrace-opt %s --split-input-file --hr-verify-model -verify-diagnostics

// expected-error @+1 {{V1: expected module attribute 'model.vocab', found none}}
module attributes {model.hidden = 8 : i32} {
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
    return %x : tensor<?x8xf32>
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

// expected-error @+1 {{V1: expected a context of 1 to 64, found 65}}
module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 65 : i32, model.max_positions = 64 : i32} {
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
    return %x : tensor<?x8xf32>
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
  model.weight @embed : tensor<16x8xf32> {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  // expected-error @+1 {{V2: expected attribute 'model.entry' to be body or head, found none}}
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    return %x : tensor<?x8xf32>
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
  model.weight @embed : tensor<16x8xf32> {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  // expected-error @+1 {{V2: expected attribute 'model.entry' to be body or head, found tail}}
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "tail"} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    return %x : tensor<?x8xf32>
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

module attributes {model.vocab = 16 : i32, model.hidden = 9 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  model.weight @embed : tensor<16x8xf32> {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  // expected-error @+1 {{V2: expected body of type '(tensor<?xi32>, i32) -> tensor<?x9xf32>', found '(tensor<?xi32>, i32) -> tensor<?x8xf32>'}}
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    return %x : tensor<?x8xf32>
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

module attributes {model.vocab = 17 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
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
    return %x : tensor<?x8xf32>
  }
  // expected-error @+1 {{V2: expected head of type '(tensor<?x8xf32>) -> tensor<?x17xf32>', found '(tensor<?x8xf32>) -> tensor<?x16xf32>'}}
  func.func @head(%h: tensor<?x8xf32>) -> tensor<?x16xf32> attributes {model.entry = "head"} {
    %w = model.param @norm : tensor<8xf32>
    %n = model.rms_norm %h, %w {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<8xf32>
    %e = model.param @embed : tensor<16x8xf32>
    %l = model.linear %n, %e : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x16xf32>
    return %l : tensor<?x16xf32>
  }
}

// -----

// expected-error @+1 {{V2: expected one entry head, found 0}}
module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
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
    return %x : tensor<?x8xf32>
  }
}

// -----

module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
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
    // expected-error @+1 {{'model.mul' op V3: expected to be fused into a linear or an attention with a cache, found it apart}}
    %m = model.mul %x, %x : tensor<?x8xf32>
    return %m : tensor<?x8xf32>
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
    // expected-error @+1 {{'model.attention' op V3: expected to be fused}}
    %m = model.attention %x, %x, %x at %pos {heads = 1 : i64, kv_heads = 1 : i64, head_dim = 8 : i64, scale = 1.0 : f32} : tensor<?x8xf32>, tensor<?x8xf32>
    return %m : tensor<?x8xf32>
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
  model.weight @embed : tensor<16x8xf32> {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  // expected-error @+1 {{'model.kv_cache' op V4: expected one attention that uses it, found 0}}
  model.kv_cache @kv kv_heads 1 head_dim 8 context 64
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    return %x : tensor<?x8xf32>
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

module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 32 : i32, model.max_positions = 64 : i32} {
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
  // expected-error @+1 {{'model.kv_cache' op V4: expected the module's context 32, found 64}}
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
  model.weight @embed : tensor<16x8xf32> {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  // expected-error @+1 {{'model.weight' op V5: expected a reader of 'unread', found none}}
  model.weight @unread : tensor<4xf32> {
    %0 = recipe.range "unread" in "f" offset 0 bytes 16 : tensor<4xf32>
    recipe.yield %0 : tensor<4xf32>
  }
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    return %x : tensor<?x8xf32>
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

module attributes {model.kind = "encoder", model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32} {
  // expected-error @+1 {{V2: expected attribute 'model.entry' to be body, found head}}
  func.func @head(%h: tensor<?x8xf32>) -> tensor<?x8xf32> attributes {model.entry = "head"} {
    return %h : tensor<?x8xf32>
  }
}
