// RUN: headrace-opt %s --hr-lower-to-plan --hr-assign-buffers --hr-schedule-threads --hr-verify-plan | FileCheck %s
#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
#ref = #target.device<name = "reference", kind = "reference", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32", "f16"], layout = "t32", body_rows = [1, 8], head_rows = [1, 4], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu, #ref], model.vocab = 256 : i32, model.hidden = 64 : i32, model.context = 50 : i32,
  model.max_positions = 1024 : i32, model.bos = -1 : i32, model.eos = array<i32: 2>} {
model.weight @embed : tensor<256x64xf32> attributes {enc = #enc.f32, layout = "t32"} {
  %0 = recipe.range "embed" in "f" offset 0 bytes 65536 : tensor<256x64xf32>
  recipe.yield %0 : tensor<256x64xf32>
}
model.weight @w : tensor<64x64xf32> attributes {enc = #enc.f32, layout = "t32", device = 1 : i32} {
  %0 = recipe.range "w" in "f" offset 0 bytes 16384 : tensor<64x64xf32>
  recipe.yield %0 : tensor<64x64xf32>
}

// CHECK: plan.base @arena0 {{.*}}device = 0 : i32, kind = "arena"}
// CHECK: plan.base @section0 {{.*}}device = 0 : i32, kind = "section", section = 0 : i32}
// CHECK: plan.base @arena1 {{.*}}device = 1 : i32, kind = "arena"}
// CHECK: plan.base @section1 {{.*}}device = 1 : i32, kind = "section", section = 1 : i32}
// CHECK: plan.kernel @device1_gemm_f32_n64_k64 {device = 1 : i32
// CHECK: plan.segment device 0 signal 0 {
// CHECK-NEXT: plan.launch @embed_f32_n256_k64
// CHECK: plan.segment device 0 wait 0 signal 1 {
// CHECK-NEXT: plan.copy from [@arena0 + {{.*}}] to [@arena1 + {{.*}}] bytes 256 per_row
// CHECK: plan.segment device 1 wait 1 signal 2 {
// CHECK-NEXT: plan.launch @device1_gemm_f32_n64_k64([@section1 + 0]
// CHECK: plan.segment device 0 wait 2 {
// CHECK-NEXT: plan.copy from [@arena1 + {{.*}}] to [@arena0 + 64] bytes 256 per_row
func.func @body_8(%tokens: tensor<8xi32>, %pos: i32, %n_valid: i32) -> tensor<8x64xf32> attributes {model.entry = "body", tile.rows = 8 : i64} {
  %e = model.param @embed : tensor<256x64xf32>
  %x = tile.embed %e, %tokens {enc = "f32"} : (tensor<256x64xf32>, tensor<8xi32>) -> tensor<8x64xf32> loc("embed")
  %y = tile.transfer %x from 0 to 1 : tensor<8x64xf32> loc("embed")
  %w = model.param @w {device = 1 : i32} : tensor<64x64xf32>
  %z = tile.gemm %w, %y {enc = "f32", device = 1 : i32} : (tensor<64x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32> loc("layers.0.mlp")
  %t = tile.transfer %z from 1 to 0 : tensor<8x64xf32> loc("layers.0.mlp")
  return %t : tensor<8x64xf32>
}
}
