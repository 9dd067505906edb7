// RUN: headrace-opt %s --split-input-file --verify-diagnostics '--hr-place=place=embed=reference'
// RUN: not headrace-opt %s '--hr-place=place=embed=reference no-fallback' 2>&1 | FileCheck %s
// CHECK: error: {{.*}}place: 'embed' stays on device 0, where the tokens are

#cpu = #target.device<name = "x86-64-v3", kind = "cpu", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32", "w4"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
#ref = #target.device<name = "reference", kind = "reference", triple = "x86_64-linux-gnu", cpu = "x86-64-v3", features = "", encodings = ["f32"], kv = ["f32"], layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>
module attributes {target.devices = [#cpu, #ref]} {
func.func @body(%tokens: tensor<?xi32>, %t: tensor<64x64xf32>) -> tensor<?x64xf32> attributes {model.entry = "body"} {
  // expected-remark @unknown {{place: 'embed' stays on device 0, where the tokens are}}
  %x = model.embed %tokens, %t : tensor<?xi32>, tensor<64x64xf32> -> tensor<?x64xf32> loc("embed")
  return %x : tensor<?x64xf32>
}
}
