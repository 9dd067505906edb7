#ifndef HEADRACE_TARGETS_COMMON_PASSES_TD
#define HEADRACE_TARGETS_COMMON_PASSES_TD
include "mlir/Pass/PassBase.td"

def LowerPlan : Pass<"hr-lower-plan", "::mlir::ModuleOp"> {
  let summary = "turn a plan into functions and tables";
  let description = [{
    Each plan.kernel becomes a function, built by the target of its device; each segment a step function; the rest of the plan the
    constants that hr_abi.h describes, of which `<name>_library` is the public one. The module's `target.devices` say for which
    instruction set: that of device 0, which the other devices of the library share. Nothing of the plan is left, and no
    weight symbol.

    ```mlir
    plan.library @brook {...}
    plan.kernel @add_c192 {family = "add", ...}
    plan.entry @body_1 kind "body" rows 1 {
      plan.segment device 0 { plan.launch @add_c192([@arena0 + 0], [@arena0 + 768], [@arena0 + 1536]) tiles 1 per_row }
    }
    // =>
    func.func @add_c192(!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32) { ... }
    llvm.func @body_1_seg0(%step: !llvm.ptr, %thread: i32) { ... scf.if %some { func.call @add_c192(...) } llvm.return }
    llvm.mlir.global external constant @brook_library() : !llvm.struct<...> { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
  let constructor = "nullptr"; // it needs a TargetRegistry: createLowerPlan in Passes.h
  let options = [
    Option<"blobHash", "blob-hash", "uint64_t", "0", "hash of the weights.bin that the library belongs to">,
    Option<"blobBytes", "blob-bytes", "uint64_t", "0", "size of that file">,
    Option<"tokenBytes", "token-bytes", "uint32_t", "0", "most bytes of text that an id of its tokenizer gives">
  ];
}

def LowerToLLVM : Pass<"hr-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "lower kernels and step functions to the LLVM dialect";
  let description = [{
    One conversion of arith, math, scf, cf, vector, index, memref and func to the LLVM dialect, then internal clean-up. Pointers are
    `!llvm.ptr` already; a kernel function keeps its name and its argument attributes. Everything but the library's public symbols
    becomes hidden. Operations with fast-math flags are refused: the float contract forbids them.

    ```mlir
    func.func @add_c64(%a: !llvm.ptr, ..., %end: i32) { %v = vector.load ... arith.addf ... return }
    // =>
    llvm.func hidden @add_c64(%a: !llvm.ptr, ..., %end: i32) attributes {dso_local} { ... llvm.return }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}
#endif
