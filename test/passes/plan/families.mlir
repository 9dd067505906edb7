// What only some families have, from the model to the plan: every operand of a kernel has its place, every barrier stands.
// RUN: headrace-opt %s --hr-assign-encodings="quant=w4 kv=f16" --hr-insert-quantize --hr-verify-encodings --hr-assign-layouts --hr-specialise --hr-form-kernels \
// RUN:   --hr-verify-tile --hr-lower-to-plan --hr-assign-buffers --hr-schedule-threads --hr-verify-plan | FileCheck %s
#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu], model.vocab = 256 : i32, model.hidden = 64 : i32, model.context = 60 : i32, model.max_positions = 60 : i32,
                   model.bos = 0 : i32, model.eos = array<i32: 0>} {
model.weight @embed : tensor<256x64xf32> {
  %0 = recipe.range "embed" in "f" offset 0 bytes 65536 : tensor<256x64xf32>
  recipe.yield %0 : tensor<256x64xf32>
}
model.weight @positions : tensor<60x64xf32> {
  %0 = recipe.range "positions" in "f" offset 0 bytes 15360 : tensor<60x64xf32>
  recipe.yield %0 : tensor<60x64xf32>
}
model.weight @norm : tensor<64xf32> {
  %0 = recipe.range "norm" in "f" offset 0 bytes 256 : tensor<64xf32>
  recipe.yield %0 : tensor<64xf32>
}
model.weight @bias : tensor<64xf32> {
  %0 = recipe.range "bias" in "f" offset 0 bytes 256 : tensor<64xf32>
  recipe.yield %0 : tensor<64xf32>
}
model.weight @k_norm : tensor<32xf32> {
  %0 = recipe.range "k_norm" in "f" offset 0 bytes 128 : tensor<32xf32>
  recipe.yield %0 : tensor<32xf32>
}
model.weight @qkv : tensor<128x64xf32> {
  %0 = recipe.range "qkv" in "f" offset 0 bytes 32768 : tensor<128x64xf32>
  recipe.yield %0 : tensor<128x64xf32>
}
model.weight @o : tensor<64x64xf32> {
  %0 = recipe.range "o" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}
model.weight @rope : tensor<60x2x16xf32> {
  %0 = recipe.rope_table theta 1.0e4 : tensor<60x2x16xf32>
  recipe.yield %0 : tensor<60x2x16xf32>
}
model.kv_cache @layers.0.kv kv_heads 1 head_dim 32 context 60
model.kv_cache @layers.1.kv kv_heads 1 head_dim 32 context 60

// CHECK-DAG: plan.kernel @embed_w4g64_n256_k64_pos_scaled
// CHECK-DAG: plan.kernel @norm_c64_layer_bias_a8g64
// CHECK-DAG: plan.kernel @norm_c64_layer_bias_res_a8g64
// CHECK-DAG: plan.kernel @rope_append_h2_kv1_d32_r0_c64_f16_f16 {
// CHECK-DAG: plan.kernel @rope_append_h2_kv1_d32_r32_c64_f16_f16_qkrms64 {
// CHECK-DAG: plan.kernel @attend_h2_kv1_d32_c64_f16_f16_w16_cap

// CHECK-LABEL: plan.entry @body_1
// CHECK: plan.launch @embed_w4g64_n256_k64_pos_scaled([@section0 + 0], [@section0 + [[POSITIONS:[0-9]+]]], [@arena0 + 0], [@arena0 + {{[0-9]+}}]) tiles 1 per_row
// CHECK: plan.launch @norm_c64_layer_bias_a8g64([@arena0 + {{[0-9]+}}], [@section0 + [[NORM:[0-9]+]]], [@section0 + [[BIAS:[0-9]+]]], [@arena0 + {{[0-9]+}}]) tiles 1 per_row site 0
// CHECK: plan.launch @rope_append_h2_kv1_d32_r0_c64_f16_f16([@arena0 + [[Q0:[0-9]+]]], [@kv0 + [[K0:[0-9]+]]], [@kv0 + [[V0:[0-9]+]]]) tiles 1 per_row
// CHECK: plan.launch @attend_h2_kv1_d32_c64_f16_f16([@arena0 + [[Q0]]], [@kv0 + [[K0]]], [@kv0 + [[V0]]]
// CHECK: plan.launch @norm_c64_layer_bias_res_a8g64([@arena0 + {{[0-9]+}}], [@arena0 + {{[0-9]+}}], [@section0 + [[NORM]]], [@section0 + [[BIAS]]], [@arena0 + {{[0-9]+}}], [@arena0 + {{[0-9]+}}]) tiles 1 per_row site
// CHECK: plan.launch @rope_append_h2_kv1_d32_r32_c64_f16_f16_qkrms64([@arena0 + [[Q1:[0-9]+]]], [@section0 + {{[0-9]+}}], [@section0 + [[NORM]]], [@section0 + {{[0-9]+}}], [@kv0 + [[K1:[0-9]+]]], [@kv0 + [[V1:[0-9]+]]]) tiles 1 per_row
// CHECK: plan.launch @attend_h2_kv1_d32_c64_f16_f16_w16_cap([@arena0 + [[Q1]]], [@kv0 + [[K1]]], [@kv0 + [[V1]]]
func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x64xf32> attributes {model.entry = "body"} {
  %e = model.param @embed : tensor<256x64xf32>
  %p = model.param @positions : tensor<60x64xf32>
  %n = model.param @norm : tensor<64xf32>
  %b = model.param @bias : tensor<64xf32>
  %kn = model.param @k_norm : tensor<32xf32>
  %w = model.param @qkv : tensor<128x64xf32>
  %o = model.param @o : tensor<64x64xf32>
  %t = model.param @rope : tensor<60x2x16xf32>
  %x = model.embed %tokens, %e positions %p : tensor<60x64xf32> at %pos {scale = 8.0 : f32} : tensor<?xi32>, tensor<256x64xf32> -> tensor<?x64xf32> loc("embed")
  %h = model.layer_norm %x, %n bias %b {eps = 1.0e-5 : f32} : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32> loc("layers.0.attn.norm")
  %q = model.linear %h, %w : (tensor<?x64xf32>, tensor<128x64xf32>) -> tensor<?x128xf32> loc("layers.0.attn.qkv")
  %a = model.cached_attention %q at %pos cache @layers.0.kv {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 32 : i64, rotary = 0 : i64, scale = 0.25 : f32} : tensor<?x128xf32> -> tensor<?x64xf32> loc("layers.0.attn")
  %y = model.linear %a, %o : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> loc("layers.0.attn.o")
  %s, %g = model.add_layer_norm %y, %x, %n bias %b {eps = 1.0e-5 : f32} : (tensor<?x64xf32>, tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) loc("layers.1.attn.norm")
  %r = model.linear %g, %w : (tensor<?x64xf32>, tensor<128x64xf32>) -> tensor<?x128xf32> loc("layers.1.attn.qkv")
  %c = model.cached_attention %r, %t at %pos cache @layers.1.kv q_norm %n : tensor<64xf32> k_norm %kn : tensor<32xf32> {heads = 2 : i64, kv_heads = 1 : i64, head_dim = 32 : i64, rotary = 32 : i64, scale = 0.25 : f32, window = 16 : i64, softcap = 50.0 : f32, qk_norm = #model<norm_kind rms>, q_span = 64 : i64, k_span = 32 : i64, eps = 1.0e-6 : f32} : tensor<?x128xf32>, tensor<60x2x16xf32> -> tensor<?x64xf32> loc("layers.1.attn")
  %z = model.linear %c, %o residual %s : (tensor<?x64xf32>, tensor<64x64xf32>, tensor<?x64xf32>) -> tensor<?x64xf32> loc("layers.1.attn.o")
  return %z : tensor<?x64xf32>
}

// CHECK: plan.kernel @gemv_w4g64_n256_k64_cap {{.*}}softcap = 3.000000e+01 : f32
// CHECK-LABEL: plan.entry @head_1
// CHECK: plan.launch @gemv_w4g64_n256_k64_cap
func.func @head(%x: tensor<?x64xf32>) -> tensor<?x256xf32> attributes {model.entry = "head"} {
  %e = model.param @embed : tensor<256x64xf32>
  %y = model.linear %x, %e {softcap = 30.0 : f32} : (tensor<?x64xf32>, tensor<256x64xf32>) -> tensor<?x256xf32> loc("head")
  return %y : tensor<?x256xf32>
}
}
