// RUN: headrace-opt %s | headrace-opt | FileCheck %s
// RUN: headrace-opt %s --mlir-print-op-generic | headrace-opt | FileCheck %s

// CHECK-LABEL: model.weight @merged
model.weight @merged : tensor<320x192xf32> {
  // CHECK: recipe.range "q" in "model-00001-of-00002.safetensors" offset 1234 bytes 73728 : tensor<192x192xbf16>
  %q = recipe.range "q" in "model-00001-of-00002.safetensors" offset 1234 bytes 73728 : tensor<192x192xbf16>
  // CHECK: recipe.convert %{{.*}} : tensor<192x192xbf16> to tensor<192x192xf32>
  %qf = recipe.convert %q : tensor<192x192xbf16> to tensor<192x192xf32>
  %k = recipe.range "k" in "model.safetensors" offset 0 bytes 98304 : tensor<128x192xf32>
  // CHECK: recipe.concat %{{.*}}, %{{.*}} : tensor<192x192xf32>, tensor<128x192xf32> to tensor<320x192xf32>
  %all = recipe.concat %qf, %k : tensor<192x192xf32>, tensor<128x192xf32> to tensor<320x192xf32>
  // CHECK: recipe.yield %{{.*}} : tensor<320x192xf32>
  recipe.yield %all : tensor<320x192xf32>
}

// CHECK-LABEL: model.weight @gated
model.weight @gated : tensor<384x64xf32> {
  %g = recipe.range "gate" in "m" offset 0 bytes 44032 : tensor<172x64xf32>
  %u = recipe.range "up" in "m" offset 44032 bytes 44032 : tensor<172x64xf32>
  // CHECK: recipe.interleave %{{.*}}, %{{.*}} tile 32 : tensor<172x64xf32>, tensor<172x64xf32> to tensor<384x64xf32>
  %gu = recipe.interleave %g, %u tile 32 : tensor<172x64xf32>, tensor<172x64xf32> to tensor<384x64xf32>
  recipe.yield %gu : tensor<384x64xf32>
}

// CHECK-LABEL: model.weight @turned
model.weight @turned : tensor<8x6xf32> {
  %a = recipe.range "conv1d" in "m" offset 0 bytes 128 : tensor<4x8xf32>
  // CHECK: recipe.pad %{{.*}} : tensor<4x8xf32> to tensor<6x8xf32>
  %p = recipe.pad %a : tensor<4x8xf32> to tensor<6x8xf32>
  // CHECK: recipe.transpose %{{.*}} : tensor<6x8xf32> to tensor<8x6xf32>
  %t = recipe.transpose %p : tensor<6x8xf32> to tensor<8x6xf32>
  recipe.yield %t : tensor<8x6xf32>
}

// CHECK-LABEL: model.weight @rope.plain
model.weight @rope.plain : tensor<1024x2x16xf32> {
  // CHECK: recipe.rope_table theta 1.000000e+04 : tensor<1024x2x16xf32>
  %0 = recipe.rope_table theta 10000.0 : tensor<1024x2x16xf32>
  recipe.yield %0 : tensor<1024x2x16xf32>
}

// CHECK-LABEL: model.weight @rope.linear
model.weight @rope.linear : tensor<1024x2x16xf32> {
  // CHECK: recipe.rope_table theta 1.000000e+04 scaling linear {factor = 2.000000e+00 : f64} : tensor<1024x2x16xf32>
  %0 = recipe.rope_table theta 10000.0 scaling linear {factor = 2.0 : f64} : tensor<1024x2x16xf32>
  recipe.yield %0 : tensor<1024x2x16xf32>
}

// CHECK-LABEL: model.weight @rope.llama3
model.weight @rope.llama3 : tensor<64x2x16xf32> {
  // CHECK: recipe.rope_table theta 5.000000e+05 scaling llama3 {factor = 8.000000e+00 : f64, high_freq_factor = 4.000000e+00 : f64,
  // CHECK-SAME: low_freq_factor = 1.000000e+00 : f64, original_positions = 8192 : i64} : tensor<64x2x16xf32>
  %0 = recipe.rope_table theta 500000.0 scaling llama3 {factor = 8.0 : f64, low_freq_factor = 1.0 : f64,
    high_freq_factor = 4.0 : f64, original_positions = 8192 : i64} : tensor<64x2x16xf32>
  recipe.yield %0 : tensor<64x2x16xf32>
}
