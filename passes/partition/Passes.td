// Stage partition: which device computes what, and what crosses between their memories.
#ifndef HEADRACE_PASSES_PARTITION_TD
#define HEADRACE_PASSES_PARTITION_TD
include "mlir/Pass/PassBase.td"

def Place : Pass<"hr-place", "::mlir::ModuleOp"> {
  let summary = "gives every operation, weight and cache a device";
  let description = [{
    `device` is an index in the module's `target.devices`; everything is on device 0 but what a rule of `place` moves. A rule is
    `PATTERN=DEVICE`: a pattern of anchors (a star for anything between dots, and whatever follows a dot) and a device's name, kind or
    index; of several rules that match, the last one counts. Embedding lookups stay on device 0, where the tokens are; a rule that wants
    them elsewhere gives a remark, or an error with `no-fallback`.
    A weight lies where its readers are. One that is read on two devices is duplicated, with a remark that says the price.
    ```mlir
    // place = layers.*.mlp=reference
    %g = model.linear %n, %w : ...                         loc("layers.0.mlp.gate")
    // =>
    %g = model.linear %n, %w {device = 1 : i32} : ...
    ```
  }];
  let options = [ListOption<"place", "place", "std::string", "rules PATTERN=DEVICE">,
                 Option<"noFallback", "no-fallback", "bool", "false", "refuse what a rule wants and cannot be done">];
}

def InsertTransfers : Pass<"hr-insert-transfers", "::mlir::ModuleOp"> {
  let summary = "makes the crossings between devices explicit";
  let description = [{
    Every use of a value on another device than its own goes through a model.transfer, one per value and destination. Arguments and
    results of entries are on device 0.
    ```mlir
    %a = model.add %x, %y {device = 0 : i32}
    %b = model.add %a, %a {device = 1 : i32}
    // =>
    %a = model.add %x, %y {device = 0 : i32}
    %t = model.transfer %a from 0 to 1
    %b = model.add %t, %t {device = 1 : i32}
    ```
  }];
  let dependentDialects = ["::headrace::model::ModelDialect"];
}

def VerifyPlacement : Pass<"hr-verify-placement", "::mlir::ModuleOp"> {
  let summary = "gate of stage partition";
  let description = [{
    After it: every row operation names a device of `target.devices`; its operands, weights and caches are on that device; crossings
    are model.transfer and nothing else; each device has kernels for the encodings of its weights and caches.
  }];
}
#endif
