// recipe: weights that are quantized in the checkpoint. Apart from Recipe.td because only import and the interpreter
// know these steps.
#ifndef HEADRACE_RECIPE_QUANTIZED_TD
#define HEADRACE_RECIPE_QUANTIZED_TD
include "dialects/recipe/Recipe.td"

def Recipe_FromBlocksOp : Recipe_Op<"from_blocks", [Pure]> {
  let summary = "the values of blocks";
  let description = [{
    ```mlir
    %1 = recipe.from_blocks %0 as "Q4_1" : tensor<192x40xi8> to tensor<192x64xf32>
    ```
    Each row of the input is a row of blocks: 40 bytes are two blocks of Q4_1, each 32 values. The values are those of the format's reference,
    in f32. A weight whose `enc` holds the codes of the blocks exactly gets those, without rounding (`compiler/bundle`).

    C1: input and result differ in their last dimension only.
    C2: the result's rows are whole blocks, and the input's the bytes of those.
    C3: type is Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ4_NL, IQ4_XS or MXFP4.
  }];
  let arguments = (ins StaticShapeTensorOf<[I8]>:$input, StrAttr:$type);
  let results = (outs StaticShapeTensorOf<[F32]>:$result);
  let assemblyFormat = "$input `as` $type attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def Recipe_FromGroupsOp : Recipe_Op<"from_groups", [Pure, AttrSizedOperandSegments]> {
  let summary = "the values of codes with a scale, and perhaps a zero point, for each group of inputs";
  let description = [{
    ```mlir
    %w = recipe.from_groups %codes scales %s zeros %z order %g layout "inputs_packed" {bits = 4, group = 128, zero_shift = 1}
        : (tensor<32x64xi32>, tensor<2x64xf16>, tensor<2x8xi32>, tensor<256xi32>) -> tensor<64x256xf32>
    ```
    Result [output][input] is (code - zero) * scale in f32. Words of 32 bits hold codes ascending from the lowest bits; `per` is 32 / bits:

    - inputs_packed: codes [inputs / per][outputs], words of inputs; scales [groups][outputs]; zeros [groups][outputs / per], words of outputs
    - outputs_packed: codes [inputs][outputs / 8], words of outputs in the order 0 2 4 6 1 3 5 7; zeros likewise; scales [groups][outputs]
    - rows_packed: codes [outputs][inputs / per], words of inputs; scales [outputs][groups]; zeros [outputs / per][groups], words of outputs
    - bytes: codes [outputs][inputs], signed; scales and zeros [outputs][groups]

    Without zeros they are the middle of the codes' range. `zero_shift` is added to a stored zero, without carry. `order` names the group of
    each input, which is input / group without it; what it names has been checked to be in range. A weight whose `enc` holds the codes
    gets those, without rounding (`compiler/bundle`).

    C1: bits are 4 or 8 (4 for outputs_packed, 8 for bytes), the group is at least 1.
    C2: codes, scales, zeros and order have as many elements as the layout implies; bytes are i8, words and order i32.
    C3: the layout is one of those above.
  }];
  let arguments = (ins StaticShapeTensorOf<[I8, I32]>:$codes, StaticShapeTensorOf<[F32, F16, BF16]>:$scales,
      Optional<StaticShapeTensorOf<[I8, I32]>>:$zeros, Optional<StaticShapeTensorOf<[I32]>>:$order, StrAttr:$layout,
      I64Attr:$bits, I64Attr:$group, DefaultValuedAttr<I64Attr, "0">:$zero_shift);
  let results = (outs StaticShapeTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $codes `scales` $scales (`zeros` $zeros^)? (`order` $order^)? `layout` $layout attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
#endif
