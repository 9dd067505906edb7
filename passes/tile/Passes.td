// Stage tile: from one polymorphic body to entries made of kernel invocations.
#ifndef HEADRACE_PASSES_TILE_TD
#define HEADRACE_PASSES_TILE_TD
include "mlir/Pass/PassBase.td"

def Specialise : Pass<"hr-specialise", "::mlir::ModuleOp"> {
  let summary = "one entry per number of rows that the device wants";
  let description = [{
    Every entry function is replaced by one copy per row count in body_rows or head_rows of device 0, named after it, with static rows
    and a last argument %n_valid: the rows that count, 1 .. rows. The body of an encoder (model.kind), whose rows all see one another, has one
    copy of as many rows as the context.
    ```mlir
    func.func @body(%tokens: tensor<?xi32>, %pos: i32) -> tensor<?x192xf32> attributes {model.entry = "body"}
    // =>
    func.func @body_1(%tokens: tensor<1xi32>, %pos: i32, %n_valid: i32) -> tensor<1x192xf32> attributes {model.entry = "body", tile.rows = 1 : i64}
    func.func @body_8(%tokens: tensor<8xi32>, %pos: i32, %n_valid: i32) -> tensor<8x192xf32> attributes {model.entry = "body", tile.rows = 8 : i64}
    ```
  }];
}

def AssignLayouts : Pass<"hr-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "how the bytes of each weight lie in memory";
  let description = [{
    Matrices get the layout that their device wants for their encoding. Vectors (norm weights, biases) are "vector": float32, zero-padded
    to a multiple of 32; tables of three dimensions and learned positions (of model.embed) are "rows": float32 as they are.
    ```mlir
    model.weight @w : tensor<192x192xf32> attributes {enc = #enc.w4<group = 64, sym>} {...}
    // =>
    model.weight @w : tensor<192x192xf32> attributes {enc = #enc.w4<group = 64, sym>, layout = "t32"} {...}
    ```
  }];
}

def FormKernels : Pass<"hr-form-kernels", "::mlir::ModuleOp"> {
  let summary = "operations of the model become kernel invocations";
  let description = [{
    One tile operation per model operation, attributes that differ from their neutral value included, with two exceptions: a model.cached_attention becomes tile.rope_append and tile.attend, and an
    enc.quantize that is the only reader of a norm's result becomes that norm's `out`. A linear of one row is a gemv, of several a gemm.
    ```mlir
    %y = model.rms_norm %x, %w {eps = 1.0e-5 : f32} : tensor<8x192xf32>, tensor<192xf32>
    %q = enc.quantize %y : tensor<8x192xf32> -> tensor<8x192x!enc.a8<64>>
    %z = model.linear %q, %m : (tensor<8x192x!enc.a8<64>>, tensor<64x192xf32>) -> tensor<8x64xf32>
    // =>
    %q = tile.norm %x, %w {eps = 1.0e-5 : f32, out = "a8", group = 64 : i64} : ...
    %z = tile.gemm %m, %q {enc = "w4", group = 64 : i64} : ...
    ```
    An operation for which there is no kernel family is an error that names it.
  }];
  let dependentDialects = ["::headrace::tile::TileDialect"];
}

def VerifyTile : Pass<"hr-verify-tile", "::mlir::ModuleOp"> {
  let summary = "gate of stage tile";
  let description = [{
    After it: every entry has `tile.rows` and consists of tile operations, params and a return; each value has as many rows; each
    weight that is read has an encoding and a layout, which the operation repeats; A8 rows meet a quantized weight of their own group; caches agree with the operations that use them.
  }];
}
#endif
