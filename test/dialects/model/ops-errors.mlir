// RUN: headrace-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{'model.weight' op C1: expected a recipe of recipe ops, found enc.quantize}}
model.weight @w : tensor<4x8xf32> {
  %0 = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  %1 = enc.quantize %0 : tensor<4x8xf32> -> tensor<4x8x!enc.a8<64>>
  recipe.yield %0 : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{'model.weight' op C1: expected a recipe that ends in recipe.yield, found none}}
model.weight @w : tensor<4x8xf32> {
  %0 = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{'model.weight' op C1: expected a recipe that yields 'tensor<4x9xf32>', found 'tensor<4x8xf32>'}}
model.weight @w : tensor<4x9xf32> {
  %0 = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  recipe.yield %0 : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{'model.weight' op C2: expected a static tensor of f32, found 'tensor<4x8xf16>'}}
model.weight @w : tensor<4x8xf16> {
  %0 = recipe.range "t" in "f" offset 0 bytes 64 : tensor<4x8xf16>
  recipe.yield %0 : tensor<4x8xf16>
}

// -----

// expected-error @+1 {{'model.weight' op C3: expected two dimensions for w8, rank 2, found 'tensor<32xf32>'}}
model.weight @w : tensor<32xf32> attributes {enc = #enc.w8<group = 32>} {
  %0 = recipe.range "t" in "f" offset 0 bytes 128 : tensor<32xf32>
  recipe.yield %0 : tensor<32xf32>
}

// -----

// expected-error @+1 {{'model.weight' op C4: expected device, offset and bytes of at least 0, found a negative one}}
model.weight @w : tensor<4x8xf32> attributes {device = -1 : i32} {
  %0 = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  recipe.yield %0 : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{'model.kv_cache' op C1: expected kv_heads, head_dim and context of at least 1, found 0}}
model.kv_cache @c kv_heads 2 head_dim 0 context 64

// -----

// expected-error @+1 {{'model.kv_cache' op C2: expected both k_type and v_type or neither, found one}}
model.kv_cache @c kv_heads 2 head_dim 8 context 64 attributes {k_type = #enc.f16}

// -----

func.func @f() {
  // expected-error @+1 {{'model.param' op C1: expected a model.weight named @w, found none}}
  %0 = model.param @w : tensor<4x8xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{'model.param' op C1: expected a model.weight named @f, found none}}
  %0 = model.param @f : tensor<4x8xf32>
  return
}

// -----

model.weight @w : tensor<4x8xf32> {
  %0 = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  recipe.yield %0 : tensor<4x8xf32>
}
func.func @f() {
  // expected-error @+1 {{'model.param' op C2: expected the weight's type 'tensor<4x8xf32>', found 'tensor<8x4xf32>'}}
  %0 = model.param @w : tensor<8x4xf32>
  return
}

// -----

func.func @f(%t: tensor<8xi32>, %e: tensor<9x4xf32>) {
  // expected-error @+1 {{'model.embed' op C1: expected the rows of 'tensor<8xi32>', found 'tensor<?x4xf32>'}}
  %0 = model.embed %t, %e : tensor<8xi32>, tensor<9x4xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%t: tensor<?xi32>, %e: tensor<9x4xf32>) {
  // expected-error @+1 {{'model.embed' op C2: expected columns 4, found 5}}
  %0 = model.embed %t, %e : tensor<?xi32>, tensor<9x4xf32> -> tensor<?x5xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{'model.linear' op C1: expected the rows of 'tensor<?x8xf32>', found 'tensor<8x4xf32>'}}
  %0 = model.linear %x, %w : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<4x9xf32>) {
  // expected-error @+1 {{'model.linear' op C2: expected weight columns 8, found 9}}
  %0 = model.linear %x, %w : (tensor<?x8xf32>, tensor<4x9xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{'model.linear' op C3: expected weight rows 5, found 4}}
  %0 = model.linear %x, %w : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x5xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<64x8xf32>) {
  // expected-error @+1 {{'model.linear' op C3: expected gated weight rows 128, found 64}}
  %0 = model.linear %x, %w gated : (tensor<?x8xf32>, tensor<64x8xf32>) -> tensor<?x33xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<64x8xf32>, %b: tensor<32xf32>) {
  // expected-error @+1 {{'model.linear' op C4: expected bias elements 64, found 32}}
  %0 = model.linear %x, %w bias %b gated : (tensor<?x8xf32>, tensor<64x8xf32>, tensor<32xf32>) -> tensor<?x32xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>, %r: tensor<?x5xf32>) {
  // expected-error @+1 {{'model.linear' op C5: expected a residual of type 'tensor<?x4xf32>', found 'tensor<?x5xf32>'}}
  %0 = model.linear %x, %w residual %r : (tensor<?x8xf32>, tensor<4x8xf32>, tensor<?x5xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf16>, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{'model.linear' op operand #0 must be 2D tensor of 32-bit float or 8-bit activation values, but got 'tensor<?x8xf16>'}}
  %0 = model.linear %x, %w : (tensor<?x8xf16>, tensor<4x8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<9xf32>) {
  // expected-error @+1 {{'model.rms_norm' op C1: expected weight elements 8, found 9}}
  %0 = model.rms_norm %x, %w {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<9xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'model.rms_norm' op C2: expected eps of at least 0, found -1.000000e+00 : f32}}
  %0 = model.rms_norm %x, %w {eps = -1.0 : f32} : tensor<?x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<9xf32>) {
  // expected-error @+1 {{'model.add_rms_norm' op C1: expected weight elements 8, found 9}}
  %0, %1 = model.add_rms_norm %x, %x, %w {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<9xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'model.add_rms_norm' op C2: expected eps of at least 0, found 0x7FC00000 : f32}}
  %0, %1 = model.add_rms_norm %x, %x, %w {eps = 0x7FC00000 : f32} : tensor<?x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x9xf32>) {
  // expected-error @+1 {{'model.add' op requires the same type for all operands and results}}
  %0 = "model.add"(%x, %y) : (tensor<?x8xf32>, tensor<?x9xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %y: tensor<?x9xf32>) {
  // expected-error @+1 {{'model.mul' op requires the same type for all operands and results}}
  %0 = "model.mul"(%x, %y) : (tensor<?x8xf32>, tensor<?x9xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{'model.split' op C1: expected the rows of 'tensor<?x8xf32>', found 'tensor<3x8xf32>'}}
  %0 = model.split %x : tensor<?x8xf32> to tensor<3x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{'model.split' op C2: expected columns of the results together 8, found 7}}
  %0, %1 = model.split %x : tensor<?x8xf32> to tensor<?x4xf32>, tensor<?x3xf32>
  return
}

// -----

func.func @f(%x: tensor<?x64xf32>, %t: tensor<64x2x16xf32>, %pos: i32) {
  // expected-error @+1 {{'model.rope' op C1: expected a divisor of the columns 64, found 48}}
  %0 = model.rope %x, %t at %pos {head_dim = 48 : i64, rotary = 32 : i64} : tensor<?x64xf32>, tensor<64x2x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x64xf32>, %t: tensor<64x2x16xf32>, %pos: i32) {
  // expected-error @+1 {{'model.rope' op C2: expected an even rotary of 2 to 32, found 34}}
  %0 = model.rope %x, %t at %pos {head_dim = 32 : i64, rotary = 34 : i64} : tensor<?x64xf32>, tensor<64x2x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x64xf32>, %t: tensor<64x2x16xf32>, %pos: i32) {
  // expected-error @+1 {{'model.rope' op C2: expected an even rotary of 2 to 32, found 31}}
  %0 = model.rope %x, %t at %pos {head_dim = 32 : i64, rotary = 31 : i64} : tensor<?x64xf32>, tensor<64x2x16xf32>
  return
}

// -----

func.func @f(%x: tensor<?x64xf32>, %t: tensor<64x2x16xf32>, %pos: i32) {
  // expected-error @+1 {{'model.rope' op C3: expected a table of type 'tensor<64x2x8xf32>', found 'tensor<64x2x16xf32>'}}
  %0 = model.rope %x, %t at %pos {head_dim = 32 : i64, rotary = 16 : i64} : tensor<?x64xf32>, tensor<64x2x16xf32>
  return
}

// -----

func.func @f(%q: tensor<?x64xf32>, %k: tensor<?x32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.attention' op C1: expected kv_heads to divide heads 3, found 2}}
  %0 = model.attention %q, %k, %k at %pos {heads = 3 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, scale = 1.0 : f32} : tensor<?x64xf32>, tensor<?x32xf32>
  return
}

// -----

func.func @f(%q: tensor<?x64xf32>, %k: tensor<?x32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.attention' op C2: expected columns of q 80, found 64}}
  %0 = model.attention %q, %k, %k at %pos {heads = 5 : i64, kv_heads = 1 : i64, head_dim = 16 : i64, scale = 1.0 : f32} : tensor<?x64xf32>, tensor<?x32xf32>
  return
}

// -----

func.func @f(%q: tensor<?x64xf32>, %k: tensor<?x32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.attention' op C2: expected columns of k and v 16, found 32}}
  %0 = model.attention %q, %k, %k at %pos {heads = 4 : i64, kv_heads = 1 : i64, head_dim = 16 : i64, scale = 1.0 : f32} : tensor<?x64xf32>, tensor<?x32xf32>
  return
}

// -----

func.func @f(%q: tensor<8x64xf32>, %k: tensor<?x32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.attention' op C3: expected the rows of 'tensor<8x64xf32>', found 'tensor<?x32xf32>'}}
  %0 = model.attention %q, %k, %k at %pos {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, scale = 1.0 : f32} : tensor<8x64xf32>, tensor<?x32xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C1: expected kv_heads to divide heads 3, found 2}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 3 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x127xf32>, %t: tensor<64x2x8xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C2: expected input columns 128, found 127}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32} : tensor<?x127xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C2: expected result columns 64, found 63}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x63xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C3: expected the rows of 'tensor<?x128xf32>', found 'tensor<8x64xf32>'}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<8x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C4: expected an even rotary of 2 to 16, found 18}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 18 : i64, scale = 1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C4: expected a table of type 'tensor<64x2x4xf32>', found 'tensor<64x2x8xf32>'}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 8 : i64, scale = 1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C5: expected a model.kv_cache named @d, found none}}
  %0 = model.cached_attention %x, %t at %pos cache @d {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 1 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C5: expected kv_heads of the cache 2, found 1}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 8 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C5: expected head_dim of the cache 16, found 8}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 65
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C5: expected a table of at least the context's positions 65, found 64}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{'model.transfer' op C1: expected two different devices, found 1 and 1}}
  %0 = model.transfer %x from 1 to 1 : tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{'model.transfer' op C1: expected two different devices, found -1 and 0}}
  %0 = model.transfer %x from -1 to 0 : tensor<?x8xf32>
  return
}
