// RUN: headrace-opt %s | headrace-opt | FileCheck %s
// RUN: headrace-opt %s --mlir-print-op-generic | headrace-opt | FileCheck %s

// CHECK: module attributes {test.encodings = [#enc.f32, #enc.f16, #enc.w8<group = 32>, #enc.w4<group = 128, sym>, #enc.w4<group = 32, minimum>, #enc.w4<group = 64, zero_point>]}
module attributes {test.encodings = [#enc.f32, #enc.f16, #enc.w8<group = 32>, #enc.w4<group = 128, sym>, #enc.w4<group = 32, minimum>, #enc.w4<group = 64, zero_point>]} {
  // CHECK-LABEL: func.func @quantize
  func.func @quantize(%x: tensor<?x192xf32>, %y: tensor<8x192xf32>) -> tensor<8x192x!enc.a8<32>> {
    // CHECK: enc.quantize %{{.*}} : tensor<?x192xf32> -> tensor<?x192x!enc.a8<64>>
    %0 = enc.quantize %x : tensor<?x192xf32> -> tensor<?x192x!enc.a8<64>>
    // CHECK: enc.quantize %{{.*}} : tensor<8x192xf32> -> tensor<8x192x!enc.a8<32>>
    %1 = enc.quantize %y : tensor<8x192xf32> -> tensor<8x192x!enc.a8<32>>
    return %1 : tensor<8x192x!enc.a8<32>>
  }
}
