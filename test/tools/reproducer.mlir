// A pass that fails leaves a reproducer that fails in the same way.
// RUN: not headrace-opt %s --hr-canonical-form --hr-verify-model --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: not headrace-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s

// CHECK: error: V1: expected module attribute 'model.vocab', found none
// FILE: pipeline: "builtin.module(hr-canonical-form, hr-verify-model)"
module {}
