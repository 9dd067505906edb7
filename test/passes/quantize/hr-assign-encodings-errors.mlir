// RUN: not headrace-opt %s --hr-assign-encodings="quant=w3" 2>&1 | FileCheck %s --check-prefix=E0
// RUN: not headrace-opt %s --hr-assign-encodings="embed=a8" 2>&1 | FileCheck %s --check-prefix=E1
// RUN: not headrace-opt %s --hr-assign-encodings="head=W4" 2>&1 | FileCheck %s --check-prefix=E2
// RUN: not headrace-opt %s --hr-assign-encodings="group=48" 2>&1 | FileCheck %s --check-prefix=E3
// RUN: not headrace-opt %s --hr-assign-encodings="kv=w8" 2>&1 | FileCheck %s --check-prefix=E4
// RUN: not headrace-opt %s --hr-assign-encodings="kv=f16,i8" 2>&1 | FileCheck %s --check-prefix=E5
// RUN: not headrace-opt %s --hr-assign-encodings="quant=w8" 2>&1 | FileCheck %s --check-prefix=E6
// RUN: not headrace-opt %s --hr-assign-encodings="quant=f32" 2>&1 | FileCheck %s --check-prefix=E7
// RUN: headrace-opt %s --hr-assign-encodings="embed=f32" 2>&1 | FileCheck %s --check-prefix=TIED

// E0: error: option 'quant': expected f32, f16, w8, w4, w4a or w4z, found 'w3'
// E1: error: option 'embed': expected f32, f16, w8, w4, w4a or w4z, found 'a8'
// E2: error: option 'head': expected f32, f16, w8, w4, w4a or w4z, found 'W4'
// E3: error: option 'group': expected 32, 64 or 128, found 48
// E4: error: option 'kv': expected f32 or f16, found 'w8'
// E5: error: option 'kv': expected f32 or f16, found 'i8'
// E6: error: option 'quant': expected an encoding that a device has kernels for, found 'w8'
// E7: error: option 'kv': expected an encoding that a device has kernels for, found 'f32'
// TIED: remark: tied table 'embed' is stored twice: #enc.f32 as embedding, #enc.w4<group = 64, sym> as head

module attributes {model.vocab = 16 : i32, model.hidden = 8 : i32, model.context = 64 : i32, model.max_positions = 64 : i32,
  target.devices = [#target.device<name = "a", kind = "cpu", triple = "t", cpu = "", features = "", encodings = ["f32", "w4"], kv = ["f16"], layout = "t32", body_rows = [1], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>]} {
  model.weight @embed : tensor<16x8xf32> {
    %0 = recipe.range "embed" in "f" offset 0 bytes 512 : tensor<16x8xf32>
    recipe.yield %0 : tensor<16x8xf32>
  }
  model.weight @norm : tensor<8xf32> {
    %0 = recipe.range "norm" in "f" offset 0 bytes 32 : tensor<8xf32>
    recipe.yield %0 : tensor<8xf32>
  }
  func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x8xf32> attributes {model.entry = "body"} {
    %e = model.param @embed : tensor<16x8xf32>
    %x = model.embed %tokens, %e : tensor<?xi32>, tensor<16x8xf32> -> tensor<?x8xf32>
    return %x : tensor<?x8xf32>
  }
  func.func @head(%h: tensor<?x8xf32>) -> tensor<?x16xf32> attributes {model.entry = "head"} {
    %w = model.param @norm : tensor<8xf32>
    %n = model.rms_norm %h, %w {eps = 1.0e-5 : f32} : tensor<?x8xf32>, tensor<8xf32>
    %e = model.param @embed : tensor<16x8xf32>
    %l = model.linear %n, %e : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x16xf32>
    return %l : tensor<?x16xf32>
  }
}
