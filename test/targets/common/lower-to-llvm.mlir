// RUN: headrace-opt %s --hr-lower-to-llvm | FileCheck %s

// CHECK: llvm.func @outside(!llvm.ptr) attributes {dso_local
func.func private @outside(!llvm.ptr)

// CHECK: llvm.func hidden @kernel(%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: i32) attributes {dso_local}
// CHECK-NOT: scf.
// CHECK: llvm.cond_br
// CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}}) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// CHECK: llvm.intr.sqrt
// CHECK: llvm.intr.roundeven
// CHECK: llvm.call @outside
func.func @kernel(%p: !llvm.ptr {llvm.noalias}, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %s = llvm.load %p : !llvm.ptr -> f32
    %x = llvm.load %p : !llvm.ptr -> vector<8xf32>
    %v = vector.broadcast %s : f32 to vector<8xf32>
    %f = math.fma %x, %v, %x : vector<8xf32>
    %q = math.sqrt %f : vector<8xf32>
    %r = math.roundeven %q : vector<8xf32>
    llvm.store %r, %p : vector<8xf32>, !llvm.ptr
  }
  func.call @outside(%p) : (!llvm.ptr) -> ()
  return
}
