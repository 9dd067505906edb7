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

func.func @f(%t: tensor<?xi32>, %e: tensor<9x4xf32>, %p: tensor<7x5xf32>, %pos: i32) {
  // expected-error @+1 {{'model.embed' op C3: expected columns of the positions 4, found 5}}
  %0 = model.embed %t, %e positions %p : tensor<7x5xf32> at %pos : tensor<?xi32>, tensor<9x4xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%t: tensor<?xi32>, %e: tensor<9x4xf32>, %p: tensor<7x4xf32>) {
  // expected-error @+1 {{'model.embed' op C3: expected both positions and pos or neither, found one}}
  %0 = "model.embed"(%t, %e, %p) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (tensor<?xi32>, tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%t: tensor<?xi32>, %e: tensor<9x4xf32>) {
  // expected-error @+1 {{'model.embed' op C4: expected a finite scale other than 0, found 0.000000e+00 : f32}}
  %0 = model.embed %t, %e {scale = 0.0 : f32} : tensor<?xi32>, tensor<9x4xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%t: tensor<?xi32>, %e: tensor<9x4xf32>) {
  // expected-error @+1 {{'model.embed' op C4: expected a finite scale other than 0, found 0x7F800000 : f32}}
  %0 = model.embed %t, %e {scale = 0x7F800000 : f32} : tensor<?xi32>, tensor<9x4xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{'model.linear' op C6: expected a finite softcap of at least 0, found -1.000000e+00 : f32}}
  %0 = model.linear %x, %w {softcap = -1.0 : f32} : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{'model.softcap' op C1: expected a finite cap greater than 0, found 0.000000e+00 : f32}}
  %0 = model.softcap %x {cap = 0.0 : f32} : tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{'model.softcap' op C1: expected a finite cap greater than 0, found 0x7F800000 : f32}}
  %0 = model.softcap %x {cap = 0x7F800000 : f32} : tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.layer_norm' op C1: expected weight elements 8, found 9}}
  %0 = model.layer_norm %x, %v {eps = 0.0 : f32} : (tensor<?x8xf32>, tensor<9xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.layer_norm' op C2: expected eps of at least 0, found -1.000000e+00 : f32}}
  %0 = model.layer_norm %x, %w {eps = -1.0 : f32} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.layer_norm' op C3: expected bias elements 8, found 9}}
  %0 = model.layer_norm %x, %w bias %v {eps = 0.0 : f32} : (tensor<?x8xf32>, tensor<8xf32>, tensor<9xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.layer_norm' op C4: expected rows of type 'tensor<?x8xf32>', found 'tensor<?x9xf32>'}}
  %0 = model.layer_norm %x, %w {eps = 0.0 : f32} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x9xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.head_norm' op C1: expected weight elements 8, found 9}}
  %0 = model.head_norm layer %x, %v {eps = 0.0 : f32, span = 4 : i64} : (tensor<?x8xf32>, tensor<9xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.head_norm' op C2: expected eps of at least 0, found -1.000000e+00 : f32}}
  %0 = model.head_norm layer %x, %w {eps = -1.0 : f32, span = 4 : i64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.head_norm' op C3: expected bias elements 8, found 9}}
  %0 = model.head_norm layer %x, %w bias %v {eps = 0.0 : f32, span = 4 : i64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<9xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.head_norm' op C4: expected rows of type 'tensor<?x8xf32>', found 'tensor<?x9xf32>'}}
  %0 = model.head_norm layer %x, %w {eps = 0.0 : f32, span = 4 : i64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x9xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.head_norm' op C5: expected a divisor of the columns 8, found 3}}
  %0 = model.head_norm rms %x, %w {eps = 0.0 : f32, span = 3 : i64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.head_norm' op C5: expected a divisor of the columns 8, found 0}}
  %0 = model.head_norm rms %x, %w {eps = 0.0 : f32, span = 0 : i64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.head_norm' op C6: expected no bias with rms, found one}}
  %0 = model.head_norm rms %x, %w bias %w {eps = 0.0 : f32, span = 4 : i64} : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.add_layer_norm' op C1: expected weight elements 8, found 9}}
  %0, %1 = model.add_layer_norm %x, %x, %v {eps = 0.0 : f32} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<9xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.add_layer_norm' op C2: expected eps of at least 0, found -1.000000e+00 : f32}}
  %0, %1 = model.add_layer_norm %x, %x, %w {eps = -1.0 : f32} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.add_layer_norm' op C3: expected bias elements 8, found 9}}
  %0, %1 = model.add_layer_norm %x, %x, %w bias %v {eps = 0.0 : f32} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<9xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>, %v: tensor<9xf32>) {
  // expected-error @+1 {{'model.add_layer_norm' op C4: expected rows of type 'tensor<?x8xf32>', found 'tensor<3x8xf32>'}}
  %0, %1 = model.add_layer_norm %x, %x, %w {eps = 0.0 : f32} : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>) -> (tensor<3x8xf32>, tensor<?x8xf32>)
  return
}

// -----

func.func @f(%q: tensor<?x64xf32>, %k: tensor<?x32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.attention' op C4: expected a window of at least 0, found -1}}
  %0 = model.attention %q, %k, %k at %pos {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, scale = 1.0 : f32, window = -1 : i64} : tensor<?x64xf32>, tensor<?x32xf32>
  return
}

// -----

func.func @f(%q: tensor<?x64xf32>, %k: tensor<?x32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.attention' op C4: expected a window of 0 unless causal, found 8}}
  %0 = model.attention %q, %k, %k at %pos {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, scale = 1.0 : f32, window = 8 : i64, causal = false} : tensor<?x64xf32>, tensor<?x32xf32>
  return
}

// -----

func.func @f(%q: tensor<?x64xf32>, %k: tensor<?x32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.attention' op C5: expected a finite softcap of at least 0, found 0x7FC00000 : f32}}
  %0 = model.attention %q, %k, %k at %pos {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, scale = 1.0 : f32, softcap = 0x7FC00000 : f32} : tensor<?x64xf32>, tensor<?x32xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C4: expected a table for rotary 16, found none}}
  %0 = model.cached_attention %x at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32} : tensor<?x128xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C4: expected an even rotary of 2 to 16, found 0}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 0 : i64, scale = 1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C6: expected a window of at least 0, found -2}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, window = -2 : i64} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C6: expected a window of 0 unless causal, found 1}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, window = 1 : i64, causal = false} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C7: expected a finite softcap of at least 0, found -1.000000e+00 : f32}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, softcap = -1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C8: expected all of qk_norm, q_norm, k_norm, q_span, k_span and eps or none, found some}}
  %0 = model.cached_attention %x, %t at %pos cache @c {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind rms>, q_span = 16 : i64, k_span = 16 : i64, eps = 0.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C8: expected all of qk_norm, q_norm, k_norm, q_span, k_span and eps or none, found some}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> k_norm %m : tensor<32xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C8: expected all of qk_norm, q_norm, k_norm, q_span, k_span and eps or none, found some}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind rms>, q_span = 16 : i64, k_span = 16 : i64, eps = 0.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C8: expected all of qk_norm, q_norm, k_norm, q_span, k_span and eps or none, found some}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> k_norm %m : tensor<32xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind rms>, k_span = 16 : i64, eps = 0.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C8: expected all of qk_norm, q_norm, k_norm, q_span, k_span and eps or none, found some}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> k_norm %m : tensor<32xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind rms>, q_span = 16 : i64, eps = 0.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C8: expected all of qk_norm, q_norm, k_norm, q_span, k_span and eps or none, found some}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> k_norm %m : tensor<32xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind rms>, q_span = 16 : i64, k_span = 16 : i64} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C8: expected both q_bias and k_bias or neither, found one}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> q_bias %n : tensor<64xf32> k_norm %m : tensor<32xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind layer>, q_span = 16 : i64, k_span = 16 : i64, eps = 0.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C8: expected biases with qk_norm layer only, found rms}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> q_bias %n : tensor<64xf32> k_norm %m : tensor<32xf32> k_bias %m : tensor<32xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind rms>, q_span = 16 : i64, k_span = 16 : i64, eps = 0.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C8: expected biases with qk_norm layer only, found none}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_bias %n : tensor<64xf32> k_bias %m : tensor<32xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C9: expected q_norm elements 64, found 32}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %m : tensor<32xf32> k_norm %m : tensor<32xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind rms>, q_span = 16 : i64, k_span = 16 : i64, eps = 0.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C9: expected k_norm elements 32, found 64}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> k_norm %n : tensor<64xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind rms>, q_span = 16 : i64, k_span = 16 : i64, eps = 0.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C9: expected q_bias elements 64, found 32}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> q_bias %m : tensor<32xf32> k_norm %m : tensor<32xf32> k_bias %m : tensor<32xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind layer>, q_span = 16 : i64, k_span = 16 : i64, eps = 0.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C9: expected k_bias elements 32, found 64}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> q_bias %n : tensor<64xf32> k_norm %m : tensor<32xf32> k_bias %n : tensor<64xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind layer>, q_span = 16 : i64, k_span = 16 : i64, eps = 0.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C9: expected q_span to divide 64, found 48}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> k_norm %m : tensor<32xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind rms>, q_span = 48 : i64, k_span = 16 : i64, eps = 0.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C9: expected k_span to divide 32, found 0}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> k_norm %m : tensor<32xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind rms>, q_span = 16 : i64, k_span = 0 : i64, eps = 0.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
  return
}

// -----

model.kv_cache @c kv_heads 2 head_dim 16 context 64
func.func @f(%x: tensor<?x128xf32>, %t: tensor<64x2x8xf32>, %n: tensor<64xf32>, %m: tensor<32xf32>, %pos: i32) {
  // expected-error @+1 {{'model.cached_attention' op C9: expected eps of at least 0, found -1.000000e+00 : f32}}
  %0 = model.cached_attention %x, %t at %pos cache @c q_norm %n : tensor<64xf32> k_norm %m : tensor<32xf32> {heads = 4 : i64, kv_heads = 2 : i64, head_dim = 16 : i64, rotary = 16 : i64, scale = 1.0 : f32, qk_norm = #model<norm_kind rms>, q_span = 16 : i64, k_span = 16 : i64, eps = -1.0 : f32} : tensor<?x128xf32>, tensor<64x2x8xf32> -> tensor<?x64xf32>
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

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<96x8xf32>, %r: tensor<?x4xf32>) {
  // expected-error @+1 {{'model.linear' op C3: expected weight rows in multiples of 64, found 96}}
  %0 = model.linear %x, %w route %r : (tensor<?x8xf32>, tensor<96x8xf32>, tensor<?x4xf32>) -> tensor<?x33xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<64x8xf32>, %r: tensor<8x4xf32>) {
  // expected-error @+1 {{'model.linear' op C7: expected the rows of 'tensor<?x8xf32>', found 'tensor<8x4xf32>'}}
  %0 = model.linear %x, %w route %r : (tensor<?x8xf32>, tensor<64x8xf32>, tensor<8x4xf32>) -> tensor<?x32xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<64x8xf32>, %r: tensor<?x4xf32>) {
  // expected-error @+1 {{'model.linear' op C7: expected two columns a choice, and a slot below 2, found 2}}
  %0 = model.linear %x, %w route %r {slot = 2 : i64} : (tensor<?x8xf32>, tensor<64x8xf32>, tensor<?x4xf32>) -> tensor<?x32xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<64x8xf32>, %b: tensor<64xf32>, %r: tensor<?x4xf32>) {
  // expected-error @+1 {{'model.linear' op C7: expected no bias with a route, found one}}
  %0 = model.linear %x, %w bias %b route %r : (tensor<?x8xf32>, tensor<64x8xf32>, tensor<64xf32>, tensor<?x4xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>, %w: tensor<4x8xf32>) {
  // expected-error @+1 {{'model.linear' op C7: expected neither slot nor weighted without a route, found one}}
  %0 = model.linear %x, %w {weighted} : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{'model.route' op C1: expected the rows of 'tensor<?x8xf32>', found 'tensor<8x4xf32>'}}
  %0 = model.route %x {top = 2 : i64} : tensor<?x8xf32> to tensor<8x4xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{'model.route' op C2: expected a top of 1 to 8, found 9}}
  %0 = model.route %x {top = 9 : i64} : tensor<?x8xf32> to tensor<?x18xf32>
  return
}

// -----

func.func @f(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{'model.route' op C3: expected columns of the result 4, found 2}}
  %0 = model.route %x {top = 2 : i64} : tensor<?x8xf32> to tensor<?x2xf32>
  return
}
