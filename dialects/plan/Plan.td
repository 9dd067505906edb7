// Dialect `plan`: what the devices execute.
#ifndef HEADRACE_DIALECTS_PLAN_PLAN_TD
#define HEADRACE_DIALECTS_PLAN_PLAN_TD
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::headrace::plan";
  let summary = "what the devices execute: memory with offsets, launches, barriers, copies";
  let description = [{
    A module in this dialect is runtime/abi/hr_abi.h in another notation: bases, entries made of segments, segments made of launches.
    Nothing is left to decide but how a kernel is written in machine code.
  }];
  let useDefaultAttributePrinterParser = 1;
}

//===-- attributes ----------------------------------------------------------------------------------------------------------------===//

class Plan_Attr<string name, string mn> : AttrDef<Plan_Dialect, name> { let mnemonic = mn; }

def Plan_RefAttr : Plan_Attr<"Ref", "ref"> {
  let summary = "an address: base symbol + bytes, in a head entry also + step.row0 * bytes";
  let description = [{
    `base` names a plan.base once buffers are assigned; before that it may be a plan.buffer or a model.weight. `row0` is the stride with which the run-time row `hr_step.row0` moves the address, 0 in most places.
    Inside operations it is written `[@arena0 + 4096]` or `[@arena0 + 4096 row0 768]`.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$base, "int64_t":$offset, DefaultValuedParameter<"int64_t", "0">:$row0);
  let assemblyFormat = "`<` $base `+` $offset (`row0` $row0^)? `>`";
}
def Plan_RefArrayAttr : TypedArrayAttrBase<Plan_RefAttr, "addresses">;

def Plan_SlotAttr : Plan_Attr<"Slot", "slot"> {
  let summary = "rows of a step's input or output: address of row 0 and elements from row to row";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$base, "int64_t":$offset, "int64_t":$stride);
  let assemblyFormat = "`<` $base `+` $offset `stride` $stride `>`";
}

//===-- operations ----------------------------------------------------------------------------------------------------------------===//

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

def Plan_LibraryOp : Plan_Op<"library", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the facts of hr_library that are not bases, entries or taps";
  let description = [{
    One per module. `sites` are the names that launches refer to by number in fault messages; `devices` are hr_device_info names in
    order of index; `context` is the positions of the KV cache (a multiple of 32), `max_positions` those that may be used.
    ```mlir
    plan.library @brook {target = "x86-64-v4+vnni", devices = ["cpu"], vocab = 2048 : i64, hidden = 192 : i64, context = 1024 : i64,
      max_positions = 1024 : i64, bos = 0 : i32, eos = array<i32: 0>, sites = ["layers.0.attn.norm"],
      tokens = #plan.slot<@arena0 + 0 stride 1>, hidden_rows = #plan.slot<@arena0 + 512 stride 192>,
      logits = #plan.slot<@arena0 + 99328 stride 2048>}
    ```
    Constraints:
    * (C1) the slots lie in bases (buffers before assignment) of this module, with strides of at least 1, `hidden`, `vocab`.
    * (C2) 1 <= max_positions <= context, and context is a multiple of 32.
    * (C3) the end ids and `bos` are below `vocab`; `bos` may be -1.
    * (C4) there is at least one device, and no more than HR_MAX_DEVICES.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target, StrArrayAttr:$devices, I64Attr:$vocab, I64Attr:$hidden, I64Attr:$context,
                   I64Attr:$max_positions, I32Attr:$bos, DenseI32ArrayAttr:$eos, StrArrayAttr:$sites, Plan_SlotAttr:$tokens,
                   Plan_SlotAttr:$hidden_rows, Plan_SlotAttr:$logits);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
}

def Plan_BaseOp : Plan_Op<"base", [Symbol]> {
  let summary = "a piece of memory whose address the runtime supplies: hr_base";
  let description = [{
    Bases are numbered in the order in which they stand in the module (see plan::baseIndex).
    ```mlir
    plan.base @arena0 {device = 0 : i32, kind = "arena", bytes = 4096 : i64}
    plan.base @kv0 {device = 0 : i32, kind = "kv", bytes = 786432 : i64}
    plan.base @section0 {device = 0 : i32, kind = "section", section = 0 : i32, bytes = 1900544 : i64, align = 128 : i64}
    ```
    Constraints:
    * (C1) `kind` is arena, kv or section; `section` is given exactly for sections.
    * (C2) `bytes` is not negative, `align` a power of two; of a section at most 4096, because files are mapped at any page.
    * (C3) `device` is 0 .. HR_MAX_DEVICES - 1.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I32Attr:$device, StrAttr:$kind, OptionalAttr<I32Attr>:$section, I64Attr:$bytes,
                   DefaultValuedAttr<I64Attr, "64">:$align);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
}

def Plan_BufferOp : Plan_Op<"buffer", [Symbol]> {
  let summary = "memory that still needs a place in a base; gone after hr-assign-buffers";
  let description = [{
    `rows` rows of `row_bytes` in an arena, or with `kv` in the KV cache. A `keep` buffer is alive in every entry (tokens, hidden states,
    logits); a `tapped` one until the end of the step: of its entry, and of the head that follows a body.
    ```mlir
    plan.buffer @body_8.layers.0.attn.qkv {device = 0 : i32, rows = 8 : i64, row_bytes = 1280 : i64}
    ```
    Constraints:
    * (C1) `rows` and `row_bytes` are positive, `device` is 0 .. HR_MAX_DEVICES - 1.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I32Attr:$device, I64Attr:$rows, I64Attr:$row_bytes, UnitAttr:$kv, UnitAttr:$keep,
                   UnitAttr:$tapped);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
}

def Plan_KernelOp : Plan_Op<"kernel", [Symbol]> {
  let summary = "a kernel: family, parameters and the device it is made for";
  let description = [{
    Families, parameters, operands and arithmetic: runtime/abi/README.md; dialects/tile/KernelFamilies.h is that text as a table.
    ```mlir
    plan.kernel @gemv_w4g64_n192_k512_res {family = "gemv", device = 0 : i32, params = {enc = "w4", group = 64 : i64, n = 192 : i64,
      k = 512 : i64, bias = false, act = "none", gated = false, residual = true}}
    ```
    Constraints:
    * (C1) the family exists.
    * (C2) `params` has exactly the family's keys, without those that have their neutral value, with its types, and values that it
      allows.
    * (C3) `device` is 0 .. HR_MAX_DEVICES - 1.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$family, DictionaryAttr:$params, I32Attr:$device);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The family; only after verification.
    const ::headrace::tile::Family &getFamilyInfo() { return *::headrace::tile::lookupFamily(getFamily()); }
    /// Operands of a launch, in order, without the fault word.
    ::llvm::SmallVector<::headrace::tile::OperandInfo> getOperandInfos() {
      return ::headrace::tile::operandsOf(getFamilyInfo(), getParams());
    }
    int64_t intParam(::llvm::StringRef key) { return ::headrace::tile::intParam(getParams(), key); }
    bool boolParam(::llvm::StringRef key) { return ::headrace::tile::boolParam(getParams(), key); }
    ::llvm::StringRef stringParam(::llvm::StringRef key) { return ::headrace::tile::stringParam(getParams(), key); }
    float floatParam(::llvm::StringRef key) { return ::headrace::tile::floatParam(getParams(), key); }
  }];
}

def Plan_EntryOp : Plan_Op<"entry", [Symbol, NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "an entry point: hr_entry";
  let description = [{
    ```mlir
    plan.entry @body_8 kind "body" rows 8 {
      plan.segment device 0 { ... }
    }
    ```
    Constraints:
    * (C1) `kind` is body or head, `rows` is positive.
    * (C2) it holds segments (one at least) and taps.
    * (C3) a segment's `wait` names an earlier segment of the entry, by index, that has a `signal`; a `signal` is the own index.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$kind, I64Attr:$rows);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `kind` $kind `rows` custom<Count>($rows) attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Plan_SegmentOp : Plan_Op<"segment", [NoTerminator, SingleBlock, NoRegionArguments, HasParent<"EntryOp">]> {
  let summary = "launches that one device executes without the runtime's help: hr_segment";
  let description = [{
    Every thread of a CPU step runs every segment; between segments the runtime waits for all threads.
    ```mlir
    plan.segment device 1 wait 0 signal 1 { ... }
    ```
    Constraints:
    * (C1) it holds either launches and barriers, or copies only (a segment of its own, run by device 0).
    * (C2) `device` is 0 .. HR_MAX_DEVICES - 1.
    * (C3) launched kernels are made for the segment's device.
  }];
  let arguments = (ins I32Attr:$device, OptionalAttr<I32Attr>:$wait, OptionalAttr<I32Attr>:$signal);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `device` custom<Index>($device) (`wait` custom<Index>($wait)^)? (`signal` custom<Index>($signal)^)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Plan_LaunchOp : Plan_Op<"launch", [HasParent<"SegmentOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a kernel with its operands";
  let description = [{
    Operands are addresses in the family's order, without the fault word of `norm` and `quantize`: that one is always hr_step.fault and
    passed after the others. The launch runs `tiles` tiles, with `per_row` as many for each of the n_valid rows; threads share them by
    hr_step.share, so that a launch of one tile runs on the last thread. Its location is the anchor of the operation it came from.
    ```mlir
    plan.launch @norm_c192_a8g64([@arena0 + 64], [@section0 + 0], [@arena0 + 960]) tiles 1 per_row site 3
    ```
    Constraints:
    * (C1) the kernel exists.
    * (C2) there are as many operands as the family has with these parameters.
    * (C3) `tiles` and `per_row` are what the family says.
    * (C4) a site is given exactly for the families that have one, and is a number of plan.library's list.
    * (C5) operands name bases of the segment's device, or things that become such, with offsets that are not negative.
    * (C6) `row0` only occurs in head entries.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Plan_RefArrayAttr:$refs, I64Attr:$tiles, UnitAttr:$per_row, OptionalAttr<I32Attr>:$site);
  let assemblyFormat = [{
    $kernel `(` custom<Refs>($refs) `)` `tiles` custom<Count>($tiles) (`per_row` $per_row^)? (`site` custom<Index>($site)^)? attr-dict
  }];
}

def Plan_BarrierOp : Plan_Op<"barrier", [HasParent<"SegmentOp">]> {
  let summary = "all threads of the step wait for one another";
  let assemblyFormat = "attr-dict";
}

def Plan_CopyOp : Plan_Op<"copy", [HasParent<"SegmentOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "bytes from one memory to another, by the last thread of the step";
  let description = [{
    With `per_row` the bytes are those of a row, and n_valid rows that follow one another are copied.
    ```mlir
    plan.copy from [@arena0 + 0] to [@arena1 + 64] bytes 768 per_row
    ```
    Constraints:
    * (C1) both ends name bases (or things that become such), with offsets that are not negative.
    * (C2) `bytes` is positive.
  }];
  let arguments = (ins Plan_RefAttr:$from, Plan_RefAttr:$to, I64Attr:$bytes, UnitAttr:$per_row);
  let assemblyFormat = [{
    `from` custom<Ref>($from) `to` custom<Ref>($to) `bytes` custom<Count>($bytes) (`per_row` $per_row^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Plan_TapOp : Plan_Op<"tap", [HasParent<"EntryOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a value kept until the end of the step: hr_tap";
  let description = [{
    Float32 rows, `cols` of them meaningful, `stride` floats from row to row.
    ```mlir
    plan.tap "layers.3.mlp.down" at [@arena0 + 4096] cols 192 stride 192
    ```
    Constraints:
    * (C1) the address names a base (or a buffer that becomes part of one), with an offset that is not negative.
    * (C2) 1 <= cols <= stride.
  }];
  let arguments = (ins StrAttr:$name, Plan_RefAttr:$at, I64Attr:$cols, I64Attr:$stride);
  let assemblyFormat = "$name `at` custom<Ref>($at) `cols` custom<Count>($cols) `stride` custom<Count>($stride) attr-dict";
  let hasVerifier = 1;
}

#endif
