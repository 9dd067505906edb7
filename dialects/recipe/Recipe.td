// recipe: how the values of a weight come from the checkpoint. Interpreted while the bundle is written; nothing here holds data.
#ifndef HEADRACE_RECIPE_TD
#define HEADRACE_RECIPE_TD
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Recipe_Dialect : Dialect {
  let name = "recipe";
  let cppNamespace = "::headrace::recipe";
  let summary = "how the values of a weight come from the checkpoint";
  let useDefaultAttributePrinterParser = 1;
}

def Recipe_RopeScaling : I32EnumAttr<"RopeScaling", "how rotary frequencies are stretched for long contexts", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"linear", 1>, I32EnumAttrCase<"llama3", 2>, I32EnumAttrCase<"yarn", 3>]> {
  let cppNamespace = "::headrace::recipe";
  let genSpecializedAttr = 0;
}
def Recipe_RopeScalingAttr : EnumAttr<Recipe_Dialect, Recipe_RopeScaling, "rope_scaling">;

// Weights have at least one dimension, and all of them are known.
def Recipe_Tensor : StaticShapeTensorOf<[F32, F16, BF16]>;
// What lies in a file: values, or integers of which a step of Quantized.td makes values.
def Recipe_StoredTensor : StaticShapeTensorOf<[F32, F16, BF16, I8, I32]>;

class Recipe_Op<string m, list<Trait> t = []> : Op<Recipe_Dialect, m, t>;

def Recipe_RangeOp : Recipe_Op<"range", [Pure]> {
  let summary = "the bytes of a checkpoint tensor";
  let description = [{
    ```mlir
    %0 = recipe.range "model.norm.weight" in "model.safetensors" offset 1234 bytes 384 : tensor<192xbf16>
    ```
    `file` is relative to the checkpoint's folder, `offset` is from the start of the file. Elements are little endian, rows first.

    C1: offset is not negative.
    C2: bytes is the size of the result.
    C3: tensor and file have names.
  }];
  let arguments = (ins StrAttr:$tensor, StrAttr:$file, I64Attr:$offset, I64Attr:$bytes);
  let results = (outs Recipe_StoredTensor:$result);
  let assemblyFormat = "$tensor `in` $file `offset` $offset `bytes` $bytes attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Recipe_ConvertOp : Recipe_Op<"convert", [Pure]> {
  let summary = "another element type";
  let description = [{
    ```mlir
    %1 = recipe.convert %0 : tensor<192xbf16> to tensor<192xf32>
    ```
    Widening is exact, narrowing rounds to nearest even.

    C1: input and result have the same shape.
  }];
  let arguments = (ins Recipe_Tensor:$input);
  let results = (outs Recipe_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def Recipe_ConcatOp : Recipe_Op<"concat", [Pure]> {
  let summary = "inputs one after the other along the first dimension";
  let description = [{
    ```mlir
    %3 = recipe.concat %0, %1, %2 : tensor<192x192xf32>, tensor<64x192xf32>, tensor<64x192xf32> to tensor<320x192xf32>
    ```
    C1: there is an input.
    C2: inputs and result differ in their first dimension only.
    C3: the result's first dimension is the sum of the inputs'.
  }];
  let arguments = (ins Variadic<Recipe_Tensor>:$inputs);
  let results = (outs Recipe_Tensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs) `to` type($result)";
  let hasVerifier = 1;
}

def Recipe_InterleaveOp : Recipe_Op<"interleave", [Pure]> {
  let summary = "tiles of rows of several inputs in turn";
  let description = [{
    ```mlir
    %2 = recipe.interleave %gate, %up tile 32 : tensor<172x64xf32>, tensor<172x64xf32> to tensor<384x64xf32>
    ```
    Each input is padded with zeros along the first dimension to a multiple of `tile`; then tile 0 of each input in order, tile 1 of
    each, and so on.

    C1: there is an input, and tile is at least 1.
    C2: all inputs have the same type.
    C3: the result's first dimension is the number of inputs times the padded first dimension; the others are the inputs'.
  }];
  let arguments = (ins Variadic<Recipe_Tensor>:$inputs, I64Attr:$tile);
  let results = (outs Recipe_Tensor:$result);
  let assemblyFormat = "$inputs `tile` $tile attr-dict `:` type($inputs) `to` type($result)";
  let hasVerifier = 1;
}

def Recipe_TransposeOp : Recipe_Op<"transpose", [Pure]> {
  let summary = "columns become rows";
  let description = [{
    ```mlir
    %1 = recipe.transpose %0 : tensor<192x64xf32> to tensor<64x192xf32>
    ```
    C1: input and result have two dimensions.
    C2: the result's dimensions are the input's in the other order, its elements the input's.
  }];
  let arguments = (ins Recipe_Tensor:$input);
  let results = (outs Recipe_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def Recipe_PadOp : Recipe_Op<"pad", [Pure]> {
  let summary = "zeros behind the input in each dimension";
  let description = [{
    ```mlir
    %1 = recipe.pad %0 : tensor<172xf32> to tensor<192xf32>
    ```
    C1: input and result have the same number of dimensions and the same elements.
    C2: no dimension of the result is smaller than the input's.
  }];
  let arguments = (ins Recipe_Tensor:$input);
  let results = (outs Recipe_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

//===-- steps that move rows --------------------------------------------------------------------------------------------------===//

def Recipe_TakeOp : Recipe_Op<"take", [Pure]> {
  let summary = "some rows of each period";
  let description = [{
    ```mlir
    %q = recipe.take %qkv rows 0 to 16 of 48 : tensor<192x64xf32> to tensor<64x64xf32>
    ```
    Of each `period` rows of the input, those from `begin` to before `end`; with the input's rows as period, a slice. A row is what the first
    dimension counts; of a vector, one element.

    C1: 0 <= begin < end <= period, and the period divides the input's rows.
    C2: the result differs from the input in its first dimension only, which is (end - begin) rows for each period.
  }];
  let arguments = (ins Recipe_Tensor:$input, I64Attr:$begin, I64Attr:$end, I64Attr:$period);
  let results = (outs Recipe_Tensor:$result);
  let assemblyFormat = "$input `rows` $begin `to` $end `of` $period attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def Recipe_SwapRowsOp : Recipe_Op<"swap_rows", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "rows of blocks change places";
  let description = [{
    ```mlir
    %1 = recipe.swap_rows %0 blocks 8 of 2 : tensor<64x64xf32>
    ```
    In each run of `blocks` times `size` rows, row i of block b becomes row b of block i: rotary pairs that lie side by side become halves.

    C1: blocks and size are at least 1, and their product divides the rows.
  }];
  let arguments = (ins Recipe_Tensor:$input, I64Attr:$blocks, I64Attr:$size);
  let results = (outs Recipe_Tensor:$result);
  let assemblyFormat = "$input `blocks` $blocks `of` $size attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Recipe_ReshapeOp : Recipe_Op<"reshape", [Pure]> {
  let summary = "the same elements in the same order";
  let description = [{
    ```mlir
    %1 = recipe.reshape %0 : tensor<4x16xf32> to tensor<64xf32>
    ```
    C1: input and result have the same number of elements, and of one type.
  }];
  let arguments = (ins Recipe_Tensor:$input);
  let results = (outs Recipe_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def Recipe_RepeatOp : Recipe_Op<"repeat", [Pure]> {
  let summary = "all rows, some times over";
  let description = [{
    ```mlir
    %1 = recipe.repeat %0 : tensor<16xf32> to tensor<64xf32>
    ```
    C1: the result differs from the input in its first dimension only, which is a multiple of the input's.
  }];
  let arguments = (ins Recipe_Tensor:$input);
  let results = (outs Recipe_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def Recipe_ZerosOp : Recipe_Op<"zeros", [Pure]> {
  let summary = "nothing but zeros";
  let description = [{
    ```mlir
    %0 = recipe.zeros : tensor<64xf32>
    ```
  }];
  let results = (outs Recipe_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

//===-- arithmetic, in f32 ----------------------------------------------------------------------------------------------------===//

def Recipe_F32Tensor : StaticShapeTensorOf<[F32]>;

def Recipe_ScaleOp : Recipe_Op<"scale", [Pure, SameOperandsAndResultType]> {
  let summary = "times a constant";
  let description = [{
    ```mlir
    %1 = recipe.scale %0 by 0.22 : tensor<64x64xf32>
    ```
    C1: the constant is finite.
  }];
  let arguments = (ins Recipe_F32Tensor:$input, F32Attr:$constant);
  let results = (outs Recipe_F32Tensor:$result);
  let assemblyFormat = "$input `by` $constant attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Recipe_AddConstantOp : Recipe_Op<"add_constant", [Pure, SameOperandsAndResultType]> {
  let summary = "plus a constant";
  let description = [{
    ```mlir
    %1 = recipe.add_constant %0, 1.0 : tensor<64xf32>
    ```
    C1: the constant is finite.
  }];
  let arguments = (ins Recipe_F32Tensor:$input, F32Attr:$constant);
  let results = (outs Recipe_F32Tensor:$result);
  let assemblyFormat = "$input `,` $constant attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Recipe_AddOp : Recipe_Op<"add", [Pure, AllTypesMatch<["lhs", "result"]>]> {
  let summary = "elementwise sum, of one row with each if the second has one";
  let description = [{
    ```mlir
    %1 = recipe.add %positions, %type : tensor<128x64xf32>, tensor<1x64xf32>
    ```
    C1: the second input has the first one's type, but for a first dimension that may be 1.
  }];
  let arguments = (ins Recipe_F32Tensor:$lhs, Recipe_F32Tensor:$rhs);
  let results = (outs Recipe_F32Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
  let hasVerifier = 1;
}

//===-- tables ----------------------------------------------------------------------------------------------------------------===//

def Recipe_RopeTableOp : Recipe_Op<"rope_table", [Pure]> {
  let summary = "cosines and sines of rotary position embeddings";
  let description = [{
    ```mlir
    %0 = recipe.rope_table theta 10000.0 : tensor<1024x2x16xf32>
    %1 = recipe.rope_table theta 500000.0 scaling llama3 {factor = 8.0, low_freq_factor = 1.0, high_freq_factor = 4.0,
                                                          original_positions = 8192 : i64} : tensor<4096x2x32xf32>
    %2 = recipe.rope_table theta 10000.0 divisors %d : tensor<16xf32> {attention_factor = 1.2} : tensor<1024x2x16xf32>
    ```
    Result [position][0] holds the cosines and [position][1] the sines of rotary/2 angles `float(position) * inv_freq[i]`, times
    `attention_factor` (1 when absent), with `inv_freq[i] = 1 / theta^(2 i / rotary)`, everything rounded to f32 where Hugging Face rounds it;
    with `divisors`, `1 / (divisors[i] * theta^(2 i / rotary))`. Scaling `linear` divides the frequencies by `factor`; `llama3` divides those of
    wavelengths above original_positions / low_freq_factor, keeps those below original_positions / high_freq_factor, and blends between; `yarn`
    keeps the frequencies that turn more than `beta_fast` times in original_positions, divides those that turn less than `beta_slow` times, and
    blends between, where `truncate` makes the ends of the blend whole dimensions.

    C1: the result is positions x 2 x rotary/2 in f32.
    C2: theta is positive.
    C3: `none` has no factor, `linear` has factor alone, `llama3` has factor, low_freq_factor, high_freq_factor and original_positions, `yarn` has
        factor, beta_fast, beta_slow and original_positions and alone may truncate; each is positive.
    C4: high_freq_factor is greater than low_freq_factor, beta_fast greater than beta_slow.
    C5: attention_factor is positive.
    C6: the divisors are a vector of rotary/2.
  }];
  let arguments = (ins
    F64Attr:$theta, Optional<Recipe_F32Tensor>:$divisors,
    DefaultValuedAttr<Recipe_RopeScalingAttr, "::headrace::recipe::RopeScaling::none">:$scaling,
    OptionalAttr<F64Attr>:$factor, OptionalAttr<F64Attr>:$low_freq_factor, OptionalAttr<F64Attr>:$high_freq_factor,
    OptionalAttr<F64Attr>:$beta_fast, OptionalAttr<F64Attr>:$beta_slow, UnitAttr:$truncate,
    OptionalAttr<I64Attr>:$original_positions, OptionalAttr<F64Attr>:$attention_factor);
  let results = (outs Recipe_Tensor:$result);
  let assemblyFormat = [{
    `theta` $theta (`scaling` `` $scaling^)? (`divisors` $divisors^ `:` type($divisors))? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Recipe_YieldOp : Recipe_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "the weight's value";
  let arguments = (ins Recipe_Tensor:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}
#endif
