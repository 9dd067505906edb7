// Stage plan: from values to memory, from operations to launches, from launches to threads.
#ifndef HEADRACE_PASSES_PLAN_TD
#define HEADRACE_PASSES_PLAN_TD
include "mlir/Pass/PassBase.td"

def LowerToPlan : Pass<"hr-lower-to-plan", "::mlir::ModuleOp"> {
  let summary = "entries become lists of launches over buffers without a place";
  let description = [{
    Each tile operation is a plan.launch of a plan.kernel that all operations with the same family, parameters and device share; each
    value is a plan.buffer, each cache two of them; runs of operations on one device are segments, transfers are segments of copies.
    Tokens, hidden states and logits are buffers that all entries share. `taps` are patterns of anchors (as in hr-place): float values of
    operations that match are kept until the end of the step and named in a plan.tap; `NAME.sum` is the sum of a norm. A pattern that
    matches nothing is an error; values that cannot be kept, being quantized or overwritten, are counted in a remark.
    ```mlir
    func.func @body_1(%tokens: tensor<1xi32>, %pos: i32, %n_valid: i32) -> tensor<1x64xf32> {
      %e = model.param @embed : tensor<256x64xf32>
      %x = tile.embed %e, %tokens {enc = "f32"} : ...
      return %x : tensor<1x64xf32>
    }
    // =>
    plan.entry @body_1 kind "body" rows 1 {
      plan.segment device 0 {
        plan.launch @embed_f32_n256_k64([@embed + 0], [@tokens + 0], [@hidden + 0]) tiles 1 per_row
      }
    }
    ```
  }];
  let options = [ListOption<"taps", "taps", "std::string", "patterns of anchors to keep">,
                 Option<"name", "name", "std::string", "\"model\"", "symbol of the library">];
  let dependentDialects = ["::headrace::plan::PlanDialect"];
}

def AssignBuffers : Pass<"hr-assign-buffers", "::mlir::ModuleOp"> {
  let summary = "every buffer, cache and weight gets a base and an offset";
  let description = [{
    * Weights lie in their device's section in the order of their symbols, 128-byte aligned; `offset` and `bytes` are set on the symbol.
    * Caches lie in the device's KV block, 128-byte aligned; `k_offset` and `v_offset` are set on the symbol.
    * Buffers lie in the device's arena, 64-byte aligned: shared ones first; then those of each entry, the largest first, each at the
      lowest offset where it meets no buffer that is alive at the same time. A tapped buffer lives until the end of the step: of its
      entry, and of the head that follows a body.
    ```mlir
    plan.buffer @body_1.x {device = 0 : i32, rows = 1 : i64, row_bytes = 256 : i64}
    plan.launch @add_c64([@body_1.x + 0], ...)
    // =>
    plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 512 : i64}
    plan.launch @add_c64([@arena0 + 256], ...)
    ```
  }];
  let dependentDialects = ["::headrace::plan::PlanDialect"];
}

def ScheduleThreads : Pass<"hr-schedule-threads", "::mlir::ModuleOp"> {
  let summary = "barriers where threads depend on one another, and only there";
  let description = [{
    A launch waits for the launches since the last barrier that it conflicts with: their bytes overlap, one of the two writes, and
    different threads may do the work. That is not so when both launches have one tile (the last thread runs them), and when both have a
    tile per row and touch the same rows at the same place (row r is on the same thread in both).
    ```mlir
    plan.launch @norm_c64_f32([@arena0 + 0], ..., [@arena0 + 256]) tiles 1 per_row site 0
    plan.launch @gemm_f32_n64_k64(..., [@arena0 + 256], [@arena0 + 512]) tiles 2
    // =>
    plan.launch @norm_c64_f32([@arena0 + 0], ..., [@arena0 + 256]) tiles 1 per_row site 0
    plan.barrier
    plan.launch @gemm_f32_n64_k64(..., [@arena0 + 256], [@arena0 + 512]) tiles 2
    ```
  }];
  let dependentDialects = ["::headrace::plan::PlanDialect"];
}

def VerifyPlan : Pass<"hr-verify-plan", "::mlir::ModuleOp"> {
  let summary = "gate of stage plan";
  let description = [{
    Executes each entry in mind, byte range by byte range, knowing nothing of how the plan was made. After it:

    * every address is a base, 64-byte aligned (of a choice of experts, which lies in a row, 4-byte), and what is read or written there
      lies within the base; so do the library's slots, and tables of positions (RoPE, learned ones) for all positions that may be used;
    * every activation that is read is the whole of what one earlier launch or copy wrote, or an input of the entry: nothing else has
      been written over any part of it; taps last until the end of the step, a head's included;
    * whatever another thread may have written, or may still be reading, is separated by a barrier or a segment's end;
    * operands of a launch do not overlap, save `sum` of a norm with its x.
  }];
}
#endif
