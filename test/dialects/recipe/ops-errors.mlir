// RUN: headrace-opt %s -split-input-file -verify-diagnostics

model.weight @w : tensor<4xf32> {
  // expected-error @+1 {{'recipe.range' op C1: expected an offset of at least 0, found -1}}
  %r = recipe.range "t" in "f" offset -1 bytes 16 : tensor<4xf32>
  recipe.yield %r : tensor<4xf32>
}

// -----

model.weight @w : tensor<4xf32> {
  // expected-error @+1 {{'recipe.range' op C2: expected bytes 8, found 16}}
  %a = recipe.range "t" in "f" offset 0 bytes 16 : tensor<4xf16>
  %r = recipe.convert %a : tensor<4xf16> to tensor<4xf32>
  recipe.yield %r : tensor<4xf32>
}

// -----

model.weight @w : tensor<4xf32> {
  // expected-error @+1 {{'recipe.range' op C3: expected names of a tensor and a file, found '' and 'f'}}
  %r = recipe.range "" in "f" offset 0 bytes 16 : tensor<4xf32>
  recipe.yield %r : tensor<4xf32>
}

// -----

model.weight @w : tensor<4xf32> {
  // expected-error @+1 {{'recipe.range' op result #0 must be statically shaped tensor of 32-bit float or 16-bit float or bfloat16 type values, but got 'tensor<4xi32>'}}
  %a = recipe.range "t" in "f" offset 0 bytes 16 : tensor<4xi32>
  %r = recipe.range "t" in "f" offset 0 bytes 16 : tensor<4xf32>
  recipe.yield %r : tensor<4xf32>
}

// -----

model.weight @w : tensor<5xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 16 : tensor<4xf32>
  // expected-error @+1 {{'recipe.convert' op C1: expected a result of the shape of 'tensor<4xf32>', found 'tensor<5xf32>'}}
  %r = recipe.convert %a : tensor<4xf32> to tensor<5xf32>
  recipe.yield %r : tensor<5xf32>
}

// -----

model.weight @w : tensor<4xf32> {
  // expected-error @+1 {{'recipe.concat' op C1: expected at least one input, found none}}
  %r = "recipe.concat"() : () -> tensor<4xf32>
  recipe.yield %r : tensor<4xf32>
}

// -----

model.weight @w : tensor<8x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  %b = recipe.range "t" in "f" offset 0 bytes 64 : tensor<4x4xf32>
  // expected-error @+1 {{'recipe.concat' op C2: expected an input that differs from 'tensor<8x8xf32>' in its first dimension only, found 'tensor<4x4xf32>'}}
  %r = recipe.concat %a, %b : tensor<4x8xf32>, tensor<4x4xf32> to tensor<8x8xf32>
  recipe.yield %r : tensor<8x8xf32>
}

// -----

model.weight @w : tensor<9x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.concat' op C3: expected a first dimension of 8, found 9}}
  %r = recipe.concat %a, %a : tensor<4x8xf32>, tensor<4x8xf32> to tensor<9x8xf32>
  recipe.yield %r : tensor<9x8xf32>
}

// -----

model.weight @w : tensor<4x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.interleave' op C1: expected an input and a tile of at least 1, found 1 and 0}}
  %r = recipe.interleave %a tile 0 : tensor<4x8xf32> to tensor<4x8xf32>
  recipe.yield %r : tensor<4x8xf32>
}

// -----

model.weight @w : tensor<64x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  %b = recipe.range "t" in "f" offset 0 bytes 64 : tensor<4x4xf32>
  // expected-error @+1 {{'recipe.interleave' op C2: expected an input of type 'tensor<4x8xf32>', found 'tensor<4x4xf32>'}}
  %r = recipe.interleave %a, %b tile 32 : tensor<4x8xf32>, tensor<4x4xf32> to tensor<64x8xf32>
  recipe.yield %r : tensor<64x8xf32>
}

// -----

model.weight @w : tensor<64x4xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.interleave' op C3: expected a result that differs from 'tensor<4x8xf32>' in its first dimension only, found 'tensor<64x4xf32>'}}
  %r = recipe.interleave %a, %a tile 32 : tensor<4x8xf32>, tensor<4x8xf32> to tensor<64x4xf32>
  recipe.yield %r : tensor<64x4xf32>
}

// -----

model.weight @w : tensor<8x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.interleave' op C3: expected a first dimension of 64, found 8}}
  %r = recipe.interleave %a, %a tile 32 : tensor<4x8xf32>, tensor<4x8xf32> to tensor<8x8xf32>
  recipe.yield %r : tensor<8x8xf32>
}

// -----

model.weight @w : tensor<4xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 16 : tensor<4xf32>
  // expected-error @+1 {{'recipe.transpose' op C1: expected two dimensions, found 'tensor<4xf32>' and 'tensor<4xf32>'}}
  %r = recipe.transpose %a : tensor<4xf32> to tensor<4xf32>
  recipe.yield %r : tensor<4xf32>
}

// -----

model.weight @w : tensor<4x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.transpose' op C2: expected a result of type 'tensor<8x4xf32>', found 'tensor<4x8xf32>'}}
  %r = recipe.transpose %a : tensor<4x8xf32> to tensor<4x8xf32>
  recipe.yield %r : tensor<4x8xf32>
}

// -----

model.weight @w : tensor<4x1xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 16 : tensor<4xf32>
  // expected-error @+1 {{'recipe.pad' op C1: expected the dimensions and elements of 'tensor<4xf32>', found 'tensor<4x1xf32>'}}
  %r = recipe.pad %a : tensor<4xf32> to tensor<4x1xf32>
  recipe.yield %r : tensor<4x1xf32>
}

// -----

model.weight @w : tensor<4x7xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.pad' op C2: expected dimension 1 of at least 8, found 7}}
  %r = recipe.pad %a : tensor<4x8xf32> to tensor<4x7xf32>
  recipe.yield %r : tensor<4x7xf32>
}

// -----

model.weight @w : tensor<4x3x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C1: expected a result of type positions x 2 x rotary/2 x f32, found 'tensor<4x3x8xf32>'}}
  %r = recipe.rope_table theta 1.0e4 : tensor<4x3x8xf32>
  recipe.yield %r : tensor<4x3x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C2: expected theta above 0, found 0.000000e+00}}
  %r = recipe.rope_table theta 0.0 : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C3: expected scaling none without parameters, found some}}
  %r = recipe.rope_table theta 1.0e4 {factor = 2.0 : f64} : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C3: expected scaling linear with a positive factor alone, found others}}
  %r = recipe.rope_table theta 1.0e4 scaling linear : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C3: expected scaling llama3 with positive factor, low_freq_factor, high_freq_factor and original_positions, found fewer}}
  %r = recipe.rope_table theta 1.0e4 scaling llama3 {factor = 2.0 : f64} : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C4: expected a high_freq_factor above 4.000000e+00 : f64, found 4.000000e+00 : f64}}
  %r = recipe.rope_table theta 1.0e4 scaling llama3 {factor = 2.0 : f64, low_freq_factor = 4.0 : f64, high_freq_factor = 4.0 : f64, original_positions = 8 : i64} : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}
