// Dialect `tile`: kernel invocations on tensors, free of any device's mechanics.
#ifndef HEADRACE_DIALECTS_TILE_TILE_TD
#define HEADRACE_DIALECTS_TILE_TILE_TD
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::headrace::tile";
  let summary = "kernel invocations on tensors, still free of any device's mechanics";
  let description = [{
    One operation per kernel family of runtime/abi/README.md, with the operands of the family and all of its parameters. Rows (tokens)
    are static here: an entry `body_8` works on tensors of 8 rows of which the first `n_valid` (an argument of the function) count.
    Which device runs an operation is its `device`; how its tiles are shared out is its `schedule`.
  }];
  let useDefaultAttributePrinterParser = 1;
}

//===-- schedules ---------------------------------------------------------------------------------------------------------------===//

def Tile_ScheduleInterface : AttrInterface<"ScheduleAttrInterface"> {
  let cppNamespace = "::headrace::tile";
  let description = "How the tiles of a kernel are executed. Each target brings its own kinds; the operation only checks that one fits.";
  let methods = [
    InterfaceMethod<"Checks that this schedule may be put on `op`; says why not.", "::llvm::LogicalResult", "verifySchedule",
                    (ins "::mlir::Operation *":$op)>
  ];
}

def Tile_SharedAttr : AttrDef<Tile_Dialect, "Shared", [DeclareAttrInterfaceMethods<Tile_ScheduleInterface>]> {
  let mnemonic = "shared";
  let summary = "tiles are shared among the threads of a step by its share table";
  let description = "The schedule of every CPU target, and of an operation without the attribute.";
}

//===-- the kernel interface ------------------------------------------------------------------------------------------------------===//

def Tile_KernelInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::headrace::tile";
  let description = "What an operation says of the kernel it invokes, in the terms of runtime/abi/README.md.";
  let methods = [
    InterfaceMethod<"Name of the kernel family.", "::llvm::StringRef", "getKernelFamily">,
    InterfaceMethod<"All parameters of the family.", "::mlir::DictionaryAttr", "getKernelParams">,
    InterfaceMethod<"Operands in the order of the family, without the fault word.",
                    "::llvm::SmallVector<::headrace::tile::KernelOperand>", "getKernelOperands">,
  ];
  let extraSharedClassDeclaration = [{
    const ::headrace::tile::Family &getFamilyInfo() { return *::headrace::tile::lookupFamily($_op.getKernelFamily()); }
    std::string getKernelName() { return ::headrace::tile::kernelName(getFamilyInfo(), $_op.getKernelParams()); }
    int64_t getKernelTiles() { return ::headrace::tile::tilesOf(getFamilyInfo(), $_op.getKernelParams()); }
    bool isPerRow() { return getFamilyInfo().perRow; }
  }];
  let verify = "return ::headrace::tile::verifyKernelOp($_op);";
}

//===-- operations ----------------------------------------------------------------------------------------------------------------===//

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

class Tile_KernelOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, traits # [DeclareOpInterfaceMethods<Tile_KernelInterface>]> {
  let hasVerifier = 1;
  // Every kernel operation also has these two, declared per operation because ODS does not concatenate argument lists by itself:
  // `device`, the index of the device that runs it (absent: 0), and `schedule`.
}

defvar Tile_Device = OptionalAttr<I32Attr>;
defvar Tile_Schedule = OptionalAttr<Tile_ScheduleInterface>;

def Tile_EmbedOp : Tile_KernelOp<"embed", [Pure, AttrSizedOperandSegments]> {
  let summary = "rows of the embedding table, scaled, with learned positions";
  let description = [{
    ```mlir
    %x = tile.embed %table, %tokens {enc = "w4", group = 64 : i64} : (tensor<2048x192xf32>, tensor<8xi32>) -> tensor<8x192xf32>
    %y = tile.embed %table, %tokens positions %p at %pos {enc = "f32", scale = 2.0 : f32}
       : (tensor<2048x192xf32>, tensor<8xi32>, tensor<512x192xf32>, i32) -> tensor<8x192xf32>
    ```
    Constraints:
    * (C1) `enc` and `group` are an encoding of the contract: group 0 for f32 and f16, else a positive multiple of 32.
    * (C2) the result has a row per token and a column per column of the table.
    * (C3) positions and pos come together, and the positions have the table's columns.
  }];
  let arguments = (ins AnyStaticShapeTensor:$table, AnyStaticShapeTensor:$tokens, Optional<AnyStaticShapeTensor>:$positions,
                   Optional<I32>:$pos, StrAttr:$enc, DefaultValuedAttr<I64Attr, "0">:$group,
                   DefaultValuedAttr<F32Attr, "::llvm::APFloat(1.0f)">:$scale, Tile_Device:$device, Tile_Schedule:$schedule);
  let results = (outs AnyStaticShapeTensor:$out);
  let assemblyFormat = [{
    $table `,` $tokens (`positions` $positions^)? (`at` $pos^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Tile_NormOp : Tile_KernelOp<"norm", [Pure, AttrSizedOperandSegments]> {
  let summary = "RMSNorm or LayerNorm, with the residual addition before it and the quantization after it";
  let description = [{
    With `residual`, x + residual is normalised and is also the first result.
    ```mlir
    %sum, %y = tile.norm %x, %w residual %r {eps = 1.0e-5 : f32, out = "a8", group = 64 : i64}
             : (tensor<8x192xf32>, tensor<192xf32>, tensor<8x192xf32>) -> (tensor<8x192xf32>, tensor<8x192x!enc.a8<64>>)
    %z = tile.norm %x, %w bias %b {eps = 1.0e-5 : f32, kind = "layer"}
       : (tensor<8x192xf32>, tensor<192xf32>, tensor<192xf32>) -> tensor<8x192xf32>
    ```
    Constraints:
    * (C1) `out` is f32 (group 0) or a8 (group a positive multiple of 32).
    * (C2) x, residual and results have one shape, weight and bias have a value per column.
    * (C3) there is a sum exactly with a residual.
  }];
  let arguments = (ins AnyStaticShapeTensor:$x, AnyStaticShapeTensor:$weight, Optional<AnyStaticShapeTensor>:$bias,
                   Optional<AnyStaticShapeTensor>:$residual, F32Attr:$eps, DefaultValuedAttr<StrAttr, "\"rms\"">:$kind,
                   DefaultValuedAttr<StrAttr, "\"f32\"">:$out, DefaultValuedAttr<I64Attr, "0">:$group,
                   Tile_Device:$device, Tile_Schedule:$schedule);
  let results = (outs Optional<AnyStaticShapeTensor>:$sum, AnyStaticShapeTensor:$y);
  let assemblyFormat = [{
    $x `,` $weight (`bias` $bias^)? (`residual` $residual^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Tile_QuantizeOp : Tile_KernelOp<"quantize", [Pure]> {
  let summary = "f32 rows to A8 rows";
  let description = [{
    ```mlir
    %q = tile.quantize %x {group = 64 : i64} : (tensor<8x192xf32>) -> tensor<8x192x!enc.a8<64>>
    ```
    Constraints:
    * (C1) `group` is a positive multiple of 32.
    * (C2) operand and result have one shape.
  }];
  let arguments = (ins AnyStaticShapeTensor:$x, I64Attr:$group, Tile_Device:$device, Tile_Schedule:$schedule);
  let results = (outs AnyStaticShapeTensor:$out);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

class Tile_MatmulOp<string mnemonic> : Tile_KernelOp<mnemonic, [Pure, AttrSizedOperandSegments]> {
  let arguments = (ins AnyStaticShapeTensor:$weight, AnyStaticShapeTensor:$x, Optional<AnyStaticShapeTensor>:$bias,
                   Optional<AnyStaticShapeTensor>:$route, Optional<AnyStaticShapeTensor>:$residual, StrAttr:$enc,
                   DefaultValuedAttr<I64Attr, "0">:$group, DefaultValuedAttr<StrAttr, "\"none\"">:$act, UnitAttr:$gated,
                   DefaultValuedAttr<F32Attr, "::llvm::APFloat(0.0f)">:$softcap, DefaultValuedAttr<I64Attr, "0">:$slot,
                   UnitAttr:$weighted, Tile_Device:$device, Tile_Schedule:$schedule);
  let results = (outs AnyStaticShapeTensor:$out);
  let assemblyFormat = [{
    $weight `,` $x (`bias` $bias^)? (`route` $route^)? (`residual` $residual^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Tile_GemvOp : Tile_MatmulOp<"gemv"> {
  let summary = "weight times one row, with epilogue";
  let description = [{
    out = act(weight * x + bias) + residual; gated: act(gate half) * up half before the residual, the weight (and the bias) alternating
    tiles of 32 gate rows and 32 up rows. A softcap other than 0 comes before the residual. x is floats, or codes in the groups of a
    quantized weight.
    ```mlir
    %y = tile.gemv %w, %x residual %r {enc = "w4", group = 64 : i64, act = "silu", gated}
       : (tensor<1024x192xf32>, tensor<1x192x!enc.a8<64>>, tensor<1x512xf32>) -> tensor<1x512xf32>
    %z = tile.gemv %e, %h route %chosen residual %y {enc = "f32", slot = 1 : i64, weighted}
       : (tensor<1536x64xf32>, tensor<1x64xf32>, tensor<1x4xf32>, tensor<1x192xf32>) -> tensor<1x192xf32>
    ```
    With a `route` (the result of tile.route) the weight holds several experts of which a row meets its choice number `slot`; `weighted`
    multiplies by the choice's share before the residual.

    Constraints:
    * (C1) `enc`, `group` and `act` are of the contract.
    * (C2) the weight has N rows (2 * pad32(N) when gated) and K columns for x of K and a result of N columns; a bias has a value per row.
      With a route it has pad32(N) rows (2 * pad32(N)) for each expert.
    * (C3) the residual has the type of the result.
    * (C4) there is one row.
    * (C5) a route has a row for each of x and two columns a choice, slot is one of them, and there is no bias; without a route slot is 0
      and nothing is weighted.
  }];
}

def Tile_GemmOp : Tile_MatmulOp<"gemm"> {
  let summary = "weight times several rows, with epilogue";
  let description = [{
    As tile.gemv for each of the `n_valid` rows.
    Constraints: (C1) to (C3) and (C5) of tile.gemv.
  }];
}

def Tile_RouteOp : Tile_KernelOp<"route", [Pure]> {
  let summary = "the experts that each row goes through, and their shares";
  let description = [{
    ```mlir
    %chosen = tile.route %scores {top = 2 : i64, normalise} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    ```
    Constraints:
    * (C1) `top` is 1 to the number of scores.
    * (C2) the result has a row for each of the scores and two columns a choice.
  }];
  let arguments = (ins AnyStaticShapeTensor:$scores, I64Attr:$top, UnitAttr:$normalise, Tile_Device:$device,
                   Tile_Schedule:$schedule);
  let results = (outs AnyStaticShapeTensor:$out);
  let assemblyFormat = "$scores attr-dict `:` functional-type(operands, results)";
}

def Tile_RopeAppendOp : Tile_KernelOp<"rope_append", [MemoryEffects<[MemWrite]>]> {
  let summary = "normalises and rotates q and k, appends k and v to the cache";
  let description = [{
    The result is the operand with its q heads normalised (where there is a `qk_norm`) and rotated, in the same place: nobody else may
    use the operand. Behind it, in the order of the family: the table (unless rotary is 0), and with a `qk_norm` the weight for q, with
    `qk_bias` its bias, and the same for k.
    ```mlir
    %q = tile.rope_append %qkv, %table at %pos cache @layers.0.kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64,
         rotary = 32 : i64, context = 1024 : i64, k_type = "f16", v_type = "f16"}
       : (tensor<8x320xf32>, tensor<1024x2x16xf32>, i32) -> tensor<8x320xf32>
    %r = tile.rope_append %qkv, %q_norm, %k_norm at %pos cache @layers.0.kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64,
         rotary = 0 : i64, context = 1024 : i64, k_type = "f16", v_type = "f16", qk_norm = "rms", q_span = 32 : i64, k_span = 32 : i64,
         eps = 1.0e-6 : f32} : (tensor<8x320xf32>, tensor<192xf32>, tensor<64xf32>, i32) -> tensor<8x320xf32>
    ```
    Constraints:
    * (C1) the parameters are of the contract: kv_heads divides heads, rotary is even and at most head_dim, types are f32 or f16, spans
      divide the columns of q and k.
    * (C2) qkv has (heads + 2 * kv_heads) * head_dim columns, the result its type.
    * (C3) the table holds a cosine and a sine per pair of rotary.
    * (C4) the operand has no other user.
    * (C5) table, weights and biases are as many as the attributes ask for; weights and biases have a value per column of q or k.
  }];
  // No optional operands: their accessors call getContext(), which is an attribute here.
  let arguments = (ins AnyStaticShapeTensor:$qkv, Variadic<AnyStaticShapeTensor>:$factors, I32:$pos, FlatSymbolRefAttr:$cache,
                   I64Attr:$heads, I64Attr:$kv_heads, I64Attr:$head_dim, I64Attr:$rotary, I64Attr:$context, StrAttr:$k_type,
                   StrAttr:$v_type, OptionalAttr<StrAttr>:$qk_norm, OptionalAttr<I64Attr>:$q_span, OptionalAttr<I64Attr>:$k_span,
                   OptionalAttr<F32Attr>:$eps, OptionalAttr<BoolAttr>:$qk_bias, Tile_Device:$device, Tile_Schedule:$schedule);
  let results = (outs AnyStaticShapeTensor:$out);
  let assemblyFormat = [{
    $qkv (`,` $factors^)? `at` $pos `cache` $cache attr-dict `:` functional-type(operands, results)
  }];
}

def Tile_AttendOp : Tile_KernelOp<"attend", [MemoryEffects<[MemRead]>]> {
  let summary = "attention of the rows over the cache";
  let description = [{
    ```mlir
    %a = tile.attend %q at %pos cache @layers.0.kv {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, context = 1024 : i64,
         k_type = "f16", v_type = "f16", scale = 0.176776692 : f32} : (tensor<8x320xf32>, i32) -> tensor<8x192xf32>
    ```
    There may be a `window` (positions seen, the own one included), a `softcap` of the scaled scores, and `causal = false` (all rows of the
    step see each other).
    Constraints:
    * (C1) the parameters are of the contract.
    * (C2) qkv has (heads + 2 * kv_heads) * head_dim columns, the result heads * head_dim.
  }];
  let arguments = (ins AnyStaticShapeTensor:$qkv, I32:$pos, FlatSymbolRefAttr:$cache, I64Attr:$heads, I64Attr:$kv_heads,
                   I64Attr:$head_dim, I64Attr:$context, StrAttr:$k_type, StrAttr:$v_type, F32Attr:$scale,
                   OptionalAttr<I64Attr>:$window, OptionalAttr<F32Attr>:$softcap, OptionalAttr<BoolAttr>:$causal, Tile_Device:$device,
                   Tile_Schedule:$schedule);
  let results = (outs AnyStaticShapeTensor:$out);
  let assemblyFormat = "$qkv `at` $pos `cache` $cache attr-dict `:` functional-type(operands, results)";
}

def Tile_AddOp : Tile_KernelOp<"add", [Pure]> {
  let summary = "sum of two f32 rows";
  let description = [{
    ```mlir
    %y = tile.add %a, %b : (tensor<8x192xf32>, tensor<8x192xf32>) -> tensor<8x192xf32>
    ```
    Constraints:
    * (C1) operands and result have one type.
  }];
  let arguments = (ins AnyStaticShapeTensor:$a, AnyStaticShapeTensor:$b, Tile_Device:$device, Tile_Schedule:$schedule);
  let results = (outs AnyStaticShapeTensor:$out);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
}

def Tile_TransferOp : Tile_Op<"transfer", [Pure, AllTypesMatch<["x", "out"]>]> {
  let summary = "carries rows from one device's memory to another's";
  let description = [{
    ```mlir
    %y = tile.transfer %x from 0 to 1 : tensor<8x192xf32>
    ```
    Constraints:
    * (C1) the devices differ and are not negative.
  }];
  let arguments = (ins AnyStaticShapeTensor:$x, I32Attr:$from, I32Attr:$to);
  let results = (outs AnyStaticShapeTensor:$out);
  let assemblyFormat = "$x `from` custom<Index>($from) `to` custom<Index>($to) attr-dict `:` type($x)";
  let hasVerifier = 1;
}

#endif
