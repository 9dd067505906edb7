// RUN: headrace-opt %s --hr-canonical-form | FileCheck %s

// Equal params and ops become one, dead ones go, and so does the conversion of a recipe to the type it has.

// CHECK: model.weight @w
// CHECK-NEXT: %[[R:.*]] = recipe.range
// CHECK-NEXT: recipe.yield %[[R]]
model.weight @w : tensor<8x8xf32> {
  %0 = recipe.range "w" in "f" offset 0 bytes 256 : tensor<8x8xf32>
  %1 = recipe.convert %0 : tensor<8x8xf32> to tensor<8x8xf32>
  recipe.yield %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // CHECK-NEXT: %[[W:.*]] = model.param @w
  // CHECK-NEXT: %[[Y:.*]] = model.linear %{{.*}}, %[[W]]
  // CHECK-NEXT: %[[Z:.*]] = model.mul %[[Y]], %[[Y]]
  // CHECK-NEXT: return %[[Z]]
  %a = model.param @w : tensor<8x8xf32>
  %b = model.param @w : tensor<8x8xf32>
  %y = model.linear %x, %a : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %dead = model.activation silu %y : tensor<?x8xf32>
  %y2 = model.linear %x, %b : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %z = model.mul %y, %y2 : tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}
