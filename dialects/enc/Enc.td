// enc: how numbers are stored. Attributes name encodings of weights and KV caches, types those of activations.
#ifndef HEADRACE_ENC_TD
#define HEADRACE_ENC_TD
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Enc_Dialect : Dialect {
  let name = "enc";
  let cppNamespace = "::headrace::enc";
  let summary = "encodings of weights, activations and KV caches";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

//===-- what every encoding can be asked ------------------------------------------------------------------------------------===//

def Enc_Encoding : AttrInterface<"Encoding"> {
  let cppNamespace = "::headrace::enc";
  let description = [{
    An encoding of the elements of a weight or of a KV cache. Passes ask it instead of testing for particular attributes, so that a
    further encoding is a further attribute. Widths of 2 to 8 bits are the range that group encodings may take.
  }];
  let methods = [
    InterfaceMethod<"The name in kernel names, parameters and reports: f32, f16, w8, w4, w4a, w4z.", "::llvm::StringRef", "getSpelling">,
    InterfaceMethod<"Bits of one code (scales not counted).", "int64_t", "getBits">,
    InterfaceMethod<"Elements along K that share a scale; 0 for float encodings.", "int64_t", "getGroupSize">,
    InterfaceMethod<"True when elements are floats that need no scale.", "bool", "isFloat", (ins), "",
                    "return $_attr.getGroupSize() == 0;">
  ];
}

class Enc_Attr<string name, string m> : AttrDef<Enc_Dialect, name, [DeclareAttrInterfaceMethods<Enc_Encoding>]> {
  let mnemonic = m;
}

def Enc_F32 : Enc_Attr<"F32", "f32"> {
  let summary = "IEEE binary32";
}

def Enc_F16 : Enc_Attr<"F16", "f16"> {
  let summary = "IEEE binary16 in storage, binary32 in arithmetic";
}

class Enc_GroupAttr<string name, string m> : Enc_Attr<name, m> {
  let parameters = (ins "int64_t":$group);
  let genVerifyDecl = 1;
}

def Enc_W8 : Enc_GroupAttr<"W8", "w8"> {
  let summary = "8-bit symmetric codes -128..127 with a binary16 scale per group of K";
  let description = [{
    scale = f16(amax / 127), code = round-to-nearest-even(w / scale), which is never -128: that code comes from checkpoints only. The last
    group may be short.

    C1: group is 32, 64 or 128.
  }];
  let assemblyFormat = "`<` `group` `=` $group `>`";
}

def Enc_W4 : Enc_Attr<"W4", "w4"> {
  let summary = "4-bit codes with a binary16 scale per group of K, symmetric or with a binary16 offset";
  let description = [{
    `sym` (spelled w4): codes -8..7, w = code * scale; scale = f16(m / -8) where m is the signed value of largest magnitude, code =
    round-to-nearest-even(w / scale). `minimum` (spelled w4a): codes 0..15, w = code * scale + minimum. `zero_point` (spelled w4z):
    codes 0..15, w = (code - zero point) * scale, the zero point a whole number of 0..15: what published quantizers store, without
    loss. How they are chosen stands in runtime/abi/README.md. The last group may be short.

    C1: group is 32, 64 or 128.
  }];
  let parameters = (ins "int64_t":$group, "W4Offset":$offset);
  let assemblyFormat = "`<` `group` `=` $group `,` custom<Offset>($offset) `>`";
  let genVerifyDecl = 1;
}

//===-- activations ---------------------------------------------------------------------------------------------------------===//

def Enc_A8 : TypeDef<Enc_Dialect, "A8"> {
  let mnemonic = "a8";
  let summary = "element of an activation row quantized to 8 bits in groups along the row";
  let description = [{
    `tensor<?x192x!enc.a8<64>>` is rows of 192 codes with one binary32 scale per 64 of them. The group equals that of the weights the
    row is multiplied with.

    C1: group is 32, 64 or 128.
  }];
  let parameters = (ins "int64_t":$group);
  let assemblyFormat = "`<` $group `>`";
  let genVerifyDecl = 1;
}

//===-- ops -----------------------------------------------------------------------------------------------------------------===//

class Enc_Op<string m, list<Trait> t = []> : Op<Enc_Dialect, m, t>;

def Enc_QuantizeOp : Enc_Op<"quantize", [Pure]> {
  let summary = "rounds float activations to an 8-bit encoding";
  let description = [{
    ```mlir
    %q = enc.quantize %x : tensor<?x192xf32> -> tensor<?x192x!enc.a8<64>>
    ```
    C1: input and result have the same shape.
    C2: the input's elements are f32, the result's are an activation encoding.
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}
#endif
