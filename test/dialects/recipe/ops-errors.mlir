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
  // expected-error @+1 {{'recipe.range' op result #0 must be statically shaped tensor of 32-bit float or 16-bit float or bfloat16 type or 8-bit signless integer or 32-bit signless integer values, but got 'tensor<4xi64>'}}
  %a = recipe.range "t" in "f" offset 0 bytes 16 : tensor<4xi64>
  %r = recipe.range "t" in "f" offset 0 bytes 16 : tensor<4xf32>
  recipe.yield %r : tensor<4xf32>
}

// -----

model.weight @w : tensor<4x64xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 108 : tensor<3x36xi8>
  // expected-error @+1 {{'recipe.from_blocks' op C1: expected a result that differs from 'tensor<3x36xi8>' in its last dimension only, found 'tensor<4x64xf32>'}}
  %r = recipe.from_blocks %a as "Q4_0" : tensor<3x36xi8> to tensor<4x64xf32>
  recipe.yield %r : tensor<4x64xf32>
}

// -----

model.weight @w : tensor<3x60xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 108 : tensor<3x36xi8>
  // expected-error @+1 {{'recipe.from_blocks' op C2: expected rows of a multiple of 32, found 60}}
  %r = recipe.from_blocks %a as "Q4_0" : tensor<3x36xi8> to tensor<3x60xf32>
  recipe.yield %r : tensor<3x60xf32>
}

// -----

model.weight @w : tensor<3x64xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 108 : tensor<3x36xi8>
  // expected-error @+1 {{'recipe.from_blocks' op C2: expected bytes a row 48, found 36}}
  %r = recipe.from_blocks %a as "Q5_1" : tensor<3x36xi8> to tensor<3x64xf32>
  recipe.yield %r : tensor<3x64xf32>
}

// -----

model.weight @w : tensor<3x64xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 108 : tensor<3x36xi8>
  // expected-error @+1 {{'recipe.from_blocks' op C3: expected a block type, found Q8_K}}
  %r = recipe.from_blocks %a as "Q8_K" : tensor<3x36xi8> to tensor<3x64xf32>
  recipe.yield %r : tensor<3x64xf32>
}

// -----

model.weight @w : tensor<8x64xf32> {
  %c = recipe.range "c" in "f" offset 0 bytes 256 : tensor<8x8xi32>
  %s = recipe.range "s" in "f" offset 0 bytes 32 : tensor<8x2xf16>
  // expected-error @+1 {{'recipe.from_groups' op C1: expected bits of 4 or 8, as the layout has them, found 3}}
  %r = recipe.from_groups %c scales %s layout "rows_packed" {bits = 3 : i64, group = 32 : i64} : (tensor<8x8xi32>, tensor<8x2xf16>) -> tensor<8x64xf32>
  recipe.yield %r : tensor<8x64xf32>
}

// -----

model.weight @w : tensor<8x64xf32> {
  %c = recipe.range "c" in "f" offset 0 bytes 256 : tensor<8x8xi32>
  %s = recipe.range "s" in "f" offset 0 bytes 16 : tensor<8x1xf16>
  // expected-error @+1 {{'recipe.from_groups' op C2: expected scales elements 16, found 8}}
  %r = recipe.from_groups %c scales %s layout "rows_packed" {bits = 4 : i64, group = 32 : i64} : (tensor<8x8xi32>, tensor<8x1xf16>) -> tensor<8x64xf32>
  recipe.yield %r : tensor<8x64xf32>
}

// -----

model.weight @w : tensor<8x64xf32> {
  %c = recipe.range "c" in "f" offset 0 bytes 512 : tensor<8x64xi8>
  %s = recipe.range "s" in "f" offset 0 bytes 32 : tensor<8x2xf16>
  // expected-error @+1 {{'recipe.from_groups' op C3: expected a layout, found columns}}
  %r = recipe.from_groups %c scales %s layout "columns" {bits = 8 : i64, group = 32 : i64} : (tensor<8x64xi8>, tensor<8x2xf16>) -> tensor<8x64xf32>
  recipe.yield %r : tensor<8x64xf32>
}

// -----

model.weight @w : tensor<3x36xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 108 : tensor<3x36xi8>
  // expected-error @+1 {{'recipe.convert' op operand #0 must be statically shaped tensor of 32-bit float or 16-bit float or bfloat16 type values, but got 'tensor<3x36xi8>'}}
  %r = recipe.convert %a : tensor<3x36xi8> to tensor<3x36xf32>
  recipe.yield %r : tensor<3x36xf32>
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
  // expected-error @+1 {{'recipe.rope_table' op C3: expected scaling none with no factor, found 2.000000e+00}}
  %r = recipe.rope_table theta 1.0e4 {factor = 2.0 : f64} : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C3: expected scaling linear with a positive factor, found none}}
  %r = recipe.rope_table theta 1.0e4 scaling linear : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C3: expected scaling llama3 with a positive low_freq_factor, found none}}
  %r = recipe.rope_table theta 1.0e4 scaling llama3 {factor = 2.0 : f64} : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C4: expected a high_freq_factor above 4.000000e+00 : f64, found 4.000000e+00 : f64}}
  %r = recipe.rope_table theta 1.0e4 scaling llama3 {factor = 2.0 : f64, low_freq_factor = 4.0 : f64, high_freq_factor = 4.0 : f64, original_positions = 8 : i64} : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<2x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.take' op C1: expected rows inside a period that divides 4, found 0 to 2 of 3}}
  %r = recipe.take %a rows 0 to 2 of 3 : tensor<4x8xf32> to tensor<2x8xf32>
  recipe.yield %r : tensor<2x8xf32>
}

// -----

model.weight @w : tensor<4x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.take' op C1: expected rows inside a period that divides 4, found 1 to 3 of 2}}
  %r = recipe.take %a rows 1 to 3 of 2 : tensor<4x8xf32> to tensor<4x8xf32>
  recipe.yield %r : tensor<4x8xf32>
}

// -----

model.weight @w : tensor<3x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.take' op C2: expected a result of type 'tensor<2x8xf32>', found 'tensor<3x8xf32>'}}
  %r = recipe.take %a rows 0 to 1 of 2 : tensor<4x8xf32> to tensor<3x8xf32>
  recipe.yield %r : tensor<3x8xf32>
}

// -----

model.weight @w : tensor<4x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.swap_rows' op C1: expected blocks whose rows divide 4, found 3 of 2}}
  %r = recipe.swap_rows %a blocks 3 of 2 : tensor<4x8xf32>
  recipe.yield %r : tensor<4x8xf32>
}

// -----

model.weight @w : tensor<31xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.reshape' op C1: expected a result with the elements of 'tensor<4x8xf32>', found 'tensor<31xf32>'}}
  %r = recipe.reshape %a : tensor<4x8xf32> to tensor<31xf32>
  recipe.yield %r : tensor<31xf32>
}

// -----

model.weight @w : tensor<6x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.repeat' op C1: expected a result of type 'tensor<4x8xf32>', found 'tensor<6x8xf32>'}}
  %r = recipe.repeat %a : tensor<4x8xf32> to tensor<6x8xf32>
  recipe.yield %r : tensor<6x8xf32>
}

// -----

model.weight @w : tensor<4x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.scale' op C1: expected a constant that is finite, found 0x7F800000 : f32}}
  %r = recipe.scale %a by 0x7F800000 : tensor<4x8xf32>
  recipe.yield %r : tensor<4x8xf32>
}

// -----

model.weight @w : tensor<4x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.add_constant' op C1: expected a constant that is finite, found 0x7F800000 : f32}}
  %r = recipe.add_constant %a, 0x7F800000 : tensor<4x8xf32>
  recipe.yield %r : tensor<4x8xf32>
}

// -----

model.weight @w : tensor<4x8xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+2 {{'recipe.add' op C1: expected a second input of type 'tensor<1x8xf32>', found 'tensor<2x8xf32>'}}
  %b = recipe.take %a rows 0 to 2 of 4 : tensor<4x8xf32> to tensor<2x8xf32>
  %r = recipe.add %a, %b : tensor<4x8xf32>, tensor<2x8xf32>
  recipe.yield %r : tensor<4x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C3: expected scaling yarn with a positive original_positions, found -8.000000e+00}}
  %r = recipe.rope_table theta 1.0e4 scaling yarn {factor = 4.0 : f64, beta_fast = 32.0 : f64, beta_slow = 1.0 : f64, original_positions = -8 : i64} : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C3: expected scaling yarn with truncate, found none}}
  %r = recipe.rope_table theta 1.0e4 {truncate} : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C4: expected a beta_fast above 3.200000e+01 : f64, found 3.200000e+01 : f64}}
  %r = recipe.rope_table theta 1.0e4 scaling yarn {factor = 4.0 : f64, beta_fast = 32.0 : f64, beta_slow = 32.0 : f64, original_positions = 8 : i64} : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+1 {{'recipe.rope_table' op C5: expected an attention_factor above 0, found 0.000000e+00 : f64}}
  %r = recipe.rope_table theta 1.0e4 {attention_factor = 0.0 : f64} : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<4x2x8xf32> {
  // expected-error @+2 {{'recipe.rope_table' op C6: expected divisors of type 'tensor<8xf32>', found 'tensor<7xf32>'}}
  %d = recipe.zeros : tensor<7xf32>
  %r = recipe.rope_table theta 1.0e4 divisors %d : tensor<7xf32> : tensor<4x2x8xf32>
  recipe.yield %r : tensor<4x2x8xf32>
}

// -----

model.weight @w : tensor<4xf32> {
  // expected-error @+1 {{'recipe.literal' op C1: expected a result of type 'tensor<3xf32>', found 'tensor<4xf32>'}}
  %r = recipe.literal [1.0, 2.0, 3.0] : tensor<4xf32>
  recipe.yield %r : tensor<4xf32>
}

// -----

model.weight @w : tensor<1xf32> {
  // expected-error @+1 {{'recipe.literal' op C2: expected values that are finite, found}}
  %r = recipe.literal [1.0e39] : tensor<1xf32>
  recipe.yield %r : tensor<1xf32>
}

// -----

model.weight @w : tensor<4x4xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  // expected-error @+1 {{'recipe.matmul' op C1: expected two matrices, the second with as many rows as the first has columns, found 'tensor<4x8xf32>' and 'tensor<4x8xf32>'}}
  %r = recipe.matmul %a, %a : tensor<4x8xf32>, tensor<4x8xf32> to tensor<4x4xf32>
  recipe.yield %r : tensor<4x4xf32>
}

// -----

model.weight @w : tensor<4x4xf32> {
  %a = recipe.range "t" in "f" offset 0 bytes 128 : tensor<4x8xf32>
  %b = recipe.zeros : tensor<8x5xf32>
  // expected-error @+1 {{'recipe.matmul' op C2: expected a result of type 'tensor<4x5xf32>', found 'tensor<4x4xf32>'}}
  %r = recipe.matmul %a, %b : tensor<4x8xf32>, tensor<8x5xf32> to tensor<4x4xf32>
  recipe.yield %r : tensor<4x4xf32>
}
