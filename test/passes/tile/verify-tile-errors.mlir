// RUN: headrace-opt %s --split-input-file --verify-diagnostics --hr-verify-tile

// expected-error @+1 {{expected 'tile.rows' on entry 'f'}}
func.func @f(%x: tensor<8x64xf32>, %q: tensor<8x64x!enc.a8<64>>, %pos: i32) {
  return
}

// -----

func.func @f(%x: tensor<8x64xf32>, %q: tensor<8x64x!enc.a8<64>>, %pos: i32) attributes {tile.rows = 8 : i64} {
  // expected-error @+1 {{expected a tile operation, found 'model.mul'}}
  %y = model.mul %x, %x : tensor<8x64xf32>
  return
}

// -----

func.func @f(%z: tensor<4x64xf32>) attributes {tile.rows = 8 : i64} {
  // expected-error @+1 {{expected values of 8 rows, found 'tensor<4x64xf32>'}}
  %y = tile.add %z, %z : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
  return
}

// -----

model.weight @w : tensor<64x64xf32> attributes {enc = #enc.f32} {
  %0 = recipe.range "w" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
func.func @f(%x: tensor<8x64xf32>, %q: tensor<8x64x!enc.a8<64>>, %pos: i32) attributes {tile.rows = 8 : i64} {
  %w = model.param @w : tensor<64x64xf32>
  // expected-error @+1 {{weight 'w': expected an encoding and a layout}}
  %y = tile.gemm %w, %x {enc = "f32"} : (tensor<64x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

model.weight @w : tensor<64x64xf32> attributes {enc = #enc.f32, layout = "t32"} {
  %0 = recipe.range "w" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
func.func @f(%x: tensor<8x64xf32>, %q: tensor<8x64x!enc.a8<64>>, %pos: i32) attributes {tile.rows = 8 : i64} {
  %w = model.param @w : tensor<64x64xf32>
  // expected-error @+1 {{weight 'w': expected encoding f32 in groups of 0, found another on the operation}}
  %y = tile.gemm %w, %q {enc = "w8", group = 64 : i64} : (tensor<64x64xf32>, tensor<8x64x!enc.a8<64>>) -> tensor<8x64xf32>
  return
}

// -----

func.func @f(%w: tensor<64x64xf32>, %q: tensor<8x64x!enc.a8<64>>) attributes {tile.rows = 8 : i64} {
  // expected-error @+1 {{expected x in A8 groups of 0 (0: float), found 64}}
  %y = tile.gemm %w, %q {enc = "f32"} : (tensor<64x64xf32>, tensor<8x64x!enc.a8<64>>) -> tensor<8x64xf32>
  return
}

// -----

func.func @f(%w: tensor<64x64xf32>, %q: tensor<8x64x!enc.a8<64>>) attributes {tile.rows = 8 : i64} {
  // expected-error @+1 {{expected x in A8 groups of 32 (0: float), found 64}}
  %y = tile.gemm %w, %q {enc = "w4", group = 32 : i64} : (tensor<64x64xf32>, tensor<8x64x!enc.a8<64>>) -> tensor<8x64xf32>
  return
}

// -----

func.func @f(%x: tensor<8x64xf32>, %q: tensor<8x64x!enc.a8<64>>, %pos: i32) attributes {tile.rows = 8 : i64} {
  // expected-error @+1 {{expected a result in A8 groups of 32, found 'tensor<8x64x!enc.a8<64>>'}}
  %y = tile.quantize %x {group = 32 : i64} : (tensor<8x64xf32>) -> tensor<8x64x!enc.a8<64>>
  return
}

// -----

func.func @f(%x: tensor<8x64xf32>, %w: tensor<64xf32>) attributes {tile.rows = 8 : i64} {
  // expected-error @+1 {{expected a result in A8 groups of 0, found 'tensor<8x64x!enc.a8<64>>'}}
  %y = tile.norm %x, %w {eps = 1.0e-5 : f32} : (tensor<8x64xf32>, tensor<64xf32>) -> tensor<8x64x!enc.a8<64>>
  return
}

// -----

model.kv_cache @kv kv_heads 1 head_dim 32 context 64 attributes {k_type = #enc.f16, v_type = #enc.f32}
func.func @f(%x: tensor<8x96xf32>, %pos: i32) attributes {tile.rows = 8 : i64} {
  // expected-error @+1 {{expected the parameters of cache 'kv', found others}}
  %a = tile.attend %x at %pos cache @kv {heads = 1 : i64, kv_heads = 1 : i64, head_dim = 32 : i64, context = 64 : i64, k_type = "f32", v_type = "f32", scale = 1.0 : f32} : (tensor<8x96xf32>, i32) -> tensor<8x32xf32>
  return
}

// -----

model.weight @w : tensor<64x64xf32> attributes {enc = #enc.f32, layout = "rows"} {
  %0 = recipe.range "w" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
func.func @f(%x: tensor<8x64xf32>) attributes {tile.rows = 8 : i64} {
  %w = model.param @w : tensor<64x64xf32>
  // expected-error @+1 {{weight 'w': expected the layout of a matrix, found rows}}
  %y = tile.gemm %w, %x {enc = "f32"} : (tensor<64x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  return
}

// -----

model.weight @t : tensor<64x64xf32> attributes {enc = #enc.f32, layout = "t32"} {
  %0 = recipe.range "w" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
func.func @f(%tokens: tensor<8xi32>, %pos: i32) attributes {tile.rows = 8 : i64} {
  %t = model.param @t : tensor<64x64xf32>
  // A parameter of its own, else the table could not be told from the positions.
  %p = model.param @t : tensor<64x64xf32>
  // expected-error @+1 {{positions 't': expected layout rows, found t32}}
  %x = tile.embed %t, %tokens positions %p at %pos {enc = "f32"} : (tensor<64x64xf32>, tensor<8xi32>, tensor<64x64xf32>, i32) -> tensor<8x64xf32>
  return
}
