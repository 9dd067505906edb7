// RUN: headrace-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{C1: expected a group of 32, 64 or 128, found 48}}
module attributes {test.encoding = #enc.w8<group = 48>} {}

// -----

// expected-error @+1 {{C1: expected a group of 32, 64 or 128, found 0}}
module attributes {test.encoding = #enc.w4<group = 0, sym>} {}

// -----

// expected-error @+1 {{C1: expected a group of 32, 64 or 128, found 96}}
module attributes {test.encoding = #enc.w4<group = 96, minimum>} {}

// -----

// expected-error @+1 {{expected 'sym', 'minimum' or 'zero_point'}}
module attributes {test.encoding = #enc.w4<group = 64, signed>} {}

// -----

// expected-error @+1 {{C1: expected a group of 32, 64 or 128, found 7}}
func.func private @type(tensor<?x192x!enc.a8<7>>)

// -----

func.func @quantize_c1(%x: tensor<?x192xf32>) {
  // expected-error @+1 {{'enc.quantize' op C1: expected a result of shape 'tensor<?x192xf32>', found 'tensor<?x190x!enc.a8<64>>'}}
  %0 = enc.quantize %x : tensor<?x192xf32> -> tensor<?x190x!enc.a8<64>>
  return
}

// -----

func.func @quantize_c2_input(%x: tensor<?x192xf16>) {
  // expected-error @+1 {{'enc.quantize' op C2: expected input elements f32, found 'f16'}}
  %0 = enc.quantize %x : tensor<?x192xf16> -> tensor<?x192x!enc.a8<64>>
  return
}

// -----

func.func @quantize_c2_result(%x: tensor<?x192xf32>) {
  // expected-error @+1 {{'enc.quantize' op C2: expected result elements !enc.a8, found 'i8'}}
  %0 = enc.quantize %x : tensor<?x192xf32> -> tensor<?x192xi8>
  return
}
