// RUN: headrace-opt %s --hr-canonical-form -verify-diagnostics | FileCheck %s

// CHECK-NOT: @unread
// expected-remark @+1 {{weight 'unread' is read by nothing and dropped}}
model.weight @unread : tensor<8xf32> {
  %0 = recipe.range "w" in "f" offset 0 bytes 32 : tensor<8xf32>
  recipe.yield %0 : tensor<8xf32>
}
