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

// CHECK-LABEL: model.weight @blocks
model.weight @blocks : tensor<3x512xf32> {
  // CHECK: recipe.range "blk.0.attn_q.weight" in "m.gguf" offset 64 bytes 864 : tensor<3x288xi8>
  %b = recipe.range "blk.0.attn_q.weight" in "m.gguf" offset 64 bytes 864 : tensor<3x288xi8>
  // CHECK: recipe.from_blocks %{{.*}} as "Q4_K" : tensor<3x288xi8> to tensor<3x512xf32>
  %v = recipe.from_blocks %b as "Q4_K" : tensor<3x288xi8> to tensor<3x512xf32>
  recipe.yield %v : tensor<3x512xf32>
}

// CHECK-LABEL: model.weight @groups
model.weight @groups : tensor<64x256xf32> {
  %c = recipe.range "q.qweight" in "m" offset 0 bytes 8192 : tensor<32x64xi32>
  %s = recipe.range "q.scales" in "m" offset 8192 bytes 256 : tensor<2x64xf16>
  %z = recipe.range "q.qzeros" in "m" offset 8448 bytes 64 : tensor<2x8xi32>
  %o = recipe.range "q.g_idx" in "m" offset 8512 bytes 1024 : tensor<256xi32>
  // CHECK: recipe.from_groups %{{.*}} scales %{{.*}} zeros %{{.*}} order %{{.*}} layout "inputs_packed" {bits = 4 : i64, group = 128 : i64, zero_shift = 1 : i64}
  %v = recipe.from_groups %c scales %s zeros %z order %o layout "inputs_packed" {bits = 4 : i64, group = 128 : i64, zero_shift = 1 : i64}
      : (tensor<32x64xi32>, tensor<2x64xf16>, tensor<2x8xi32>, tensor<256xi32>) -> tensor<64x256xf32>
  recipe.yield %v : tensor<64x256xf32>
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

// CHECK-LABEL: model.weight @rope.yarn
model.weight @rope.yarn : tensor<64x2x16xf32> {
  %d = recipe.range "divisors" in "m" offset 0 bytes 64 : tensor<16xf32>
  // CHECK: recipe.rope_table theta 1.000000e+04 scaling yarn divisors %{{.*}} : tensor<16xf32> {attention_factor = {{.*}}, beta_fast = {{.*}}, truncate} : tensor<64x2x16xf32>
  %0 = recipe.rope_table theta 10000.0 scaling yarn divisors %d : tensor<16xf32> {factor = 4.0 : f64, beta_fast = 32.0 : f64, beta_slow = 1.0 : f64,
    original_positions = 4096 : i64, attention_factor = 1.2 : f64, truncate} : tensor<64x2x16xf32>
  recipe.yield %0 : tensor<64x2x16xf32>
}

// CHECK-LABEL: model.weight @rows
model.weight @rows : tensor<64x64xf32> {
  %a = recipe.range "query_key_value" in "m" offset 0 bytes 49152 : tensor<192x64xf32>
  // CHECK: recipe.take %{{.*}} rows 16 to 32 of 48 : tensor<192x64xf32> to tensor<64x64xf32>
  %q = recipe.take %a rows 16 to 32 of 48 : tensor<192x64xf32> to tensor<64x64xf32>
  // CHECK: recipe.swap_rows %{{.*}} blocks 8 of 2 : tensor<64x64xf32>
  %s = recipe.swap_rows %q blocks 8 of 2 : tensor<64x64xf32>
  // CHECK: recipe.scale %{{.*}} by 5.000000e-01 : tensor<64x64xf32>
  %0 = recipe.scale %s by 0.5 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}

// CHECK-LABEL: model.weight @vector
model.weight @vector : tensor<64xf32> {
  %a = recipe.range "norm" in "m" offset 0 bytes 64 : tensor<1x16xf32>
  // CHECK: recipe.add_constant %{{.*}}, 1.000000e+00 : tensor<1x16xf32>
  %b = recipe.add_constant %a, 1.0 : tensor<1x16xf32>
  // CHECK: recipe.repeat %{{.*}} : tensor<1x16xf32> to tensor<4x16xf32>
  %c = recipe.repeat %b : tensor<1x16xf32> to tensor<4x16xf32>
  // CHECK: recipe.zeros : tensor<4x16xf32>
  %z = recipe.zeros : tensor<4x16xf32>
  // CHECK: recipe.add %{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<1x16xf32>
  %d = recipe.add %z, %a : tensor<4x16xf32>, tensor<1x16xf32>
  // CHECK: recipe.reshape %{{.*}} : tensor<4x16xf32> to tensor<64xf32>
  %r = recipe.reshape %d : tensor<4x16xf32> to tensor<64xf32>
  recipe.yield %r : tensor<64xf32>
}

// CHECK-LABEL: model.weight @projected
model.weight @projected : tensor<4x8xf32> {
  %a = recipe.range "embed" in "m" offset 0 bytes 32 : tensor<4x2xf32>
  %b = recipe.range "project" in "m" offset 32 bytes 64 : tensor<2x8xf32>
  // CHECK: recipe.matmul %{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<2x8xf32> to tensor<4x8xf32>
  %r = recipe.matmul %a, %b : tensor<4x2xf32>, tensor<2x8xf32> to tensor<4x8xf32>
  recipe.yield %r : tensor<4x8xf32>
}

// CHECK-LABEL: model.weight @divided
model.weight @divided : tensor<4x2x3xf32> {
  // CHECK: recipe.literal [1.000000e+00, 1.500000e+00, 2.000000e+00] : tensor<3xf32>
  %d = recipe.literal [1.0, 1.5, 2.0] : tensor<3xf32>
  %r = recipe.rope_table theta 1.0e4 divisors %d : tensor<3xf32> : tensor<4x2x3xf32>
  recipe.yield %r : tensor<4x2x3xf32>
}
