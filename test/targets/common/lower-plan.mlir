// RUN: headrace-opt %s --hr-lower-plan="blob-hash=7 blob-bytes=9" | FileCheck %s
// RUN: headrace-opt %s --hr-lower-plan | headrace-opt | FileCheck %s --check-prefix=PARSES
// RUN: headrace-opt %s --hr-lower-plan --hr-lower-to-llvm | FileCheck %s --check-prefix=LLVM

#dev = #target.device<name = "reference-x86-64", kind = "reference", triple = "t", cpu = "c", features = "", encodings = ["f32"], kv = ["f32"],
  layout = "t32", body_rows = [1, 8], head_rows = [1], memory = 0, bandwidth = 0, threads = 1>

// Nothing of the plan is left; the module takes the library's name.
// CHECK: module @tiny
// CHECK-NOT: plan.
// PARSES: module @tiny
module attributes {target.devices = [#dev]} {
  plan.library @tiny {target = "t", devices = ["reference"], vocab = 64 : i64, hidden = 64 : i64, context = 32 : i64,
    max_positions = 32 : i64, bos = -1 : i32, eos = array<i32: 3>, sites = ["first"], tokens = #plan.slot<@arena0 + 0 stride 1>,
    hidden_rows = #plan.slot<@arena0 + 64 stride 64>, logits = #plan.slot<@arena0 + 512 stride 64>}
  plan.base @section0 {device = 0 : i32, kind = "section", section = 1 : i32, bytes = 256 : i64, align = 128 : i64}
  plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 16384 : i64}
  plan.kernel @norm_c64 {family = "norm", device = 0 : i32,
    params = {cols = 64 : i64, eps = 1.0e-5 : f32, residual = false, out = "f32", group = 0 : i64}}
  plan.kernel @add_c64 {family = "add", device = 0 : i32, params = {cols = 64 : i64}}

  // A kernel is a function of the family's operands, a site where it has one, n_valid, pos, begin, end.
  // CHECK: func.func private @hr_barrier_wait(!llvm.ptr, i32)
  // CHECK: func.func @norm_c64(%arg0: !llvm.ptr {llvm.noalias}, %arg1: !llvm.ptr {llvm.noalias}, %arg2: !llvm.ptr {llvm.noalias}, %arg3: !llvm.ptr {llvm.noalias}, %arg4: i32, %arg5: i32, %arg6: i32, %arg7: i32, %arg8: i32)
  // CHECK: func.func @add_c64(
  // LLVM: llvm.func hidden @norm_c64(
  // LLVM-SAME: dso_local

  // CHECK: llvm.func @body_8_seg0(%[[STEP:.*]]: !llvm.ptr, %[[THREAD:.*]]: i32)
  // LLVM: llvm.func hidden @body_8_seg0(
  plan.entry @body_8 kind "body" rows 8 {
    plan.segment device 0 {
      // The tiles of a thread: [tiles * share[t] >> 16, tiles * share[t + 1] >> 16), called only if there are any.
      // CHECK: %[[TILES:.*]] = arith.muli %{{.*}}, %[[ROWS:.*]] : i64
      // CHECK: arith.muli %[[TILES]], %{{.*}} : i64
      // CHECK: arith.shrui
      // CHECK: arith.cmpi ult
      // CHECK: scf.if
      // CHECK: func.call @norm_c64(
      plan.launch @norm_c64([@arena0 + 64], [@section0 + 0], [@arena0 + 4096]) tiles 1 per_row site 0
      // CHECK: call @hr_barrier_wait(%[[STEP]], %[[THREAD]])
      plan.barrier
      // CHECK: scf.if
      // CHECK: func.call @add_c64(
      plan.launch @add_c64([@arena0 + 64], [@arena0 + 4096], [@arena0 + 8192]) tiles 1 per_row
    }
    plan.segment device 0 {
      // The last thread copies.
      // CHECK: llvm.func @body_8_seg1(
      // CHECK: scf.if
      // CHECK: scf.for
      // CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xi8>
      plan.copy from [@arena0 + 64] to [@arena0 + 4096] bytes 256 per_row
    }
    plan.tap "x" at [@arena0 + 64] cols 64 stride 64
  }
  // CHECK: llvm.mlir.global external constant @tiny_library()
  // CHECK-DAG: llvm.mlir.constant(7 : i64)
  // CHECK-DAG: llvm.mlir.constant(9 : i64)
  // LLVM: llvm.mlir.global external constant @tiny_library()
}
