// recipe: how the values of a weight come from the checkpoint. Interpreted while the bundle is written; nothing here holds data.
#ifndef HEADRACE_RECIPE_TD
#define HEADRACE_RECIPE_TD
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Recipe_Dialect : Dialect {
  let name = "recipe";
  let cppNamespace = "::headrace::recipe";
  let summary = "how the values of a weight come from the checkpoint";
  let useDefaultAttributePrinterParser = 1;
}

def Recipe_RopeScaling : I32EnumAttr<"RopeScaling", "how rotary frequencies are stretched for long contexts", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"linear", 1>, I32EnumAttrCase<"llama3", 2>]> {
  let cppNamespace = "::headrace::recipe";
  let genSpecializedAttr = 0;
}
def Recipe_RopeScalingAttr : EnumAttr<Recipe_Dialect, Recipe_RopeScaling, "rope_scaling">;

// Weights have at least one dimension, and all of them are known.
def Recipe_Tensor : StaticShapeTensorOf<[F32, F16, BF16]>;

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
  let results = (outs Recipe_Tensor:$result);
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

def Recipe_RopeTableOp : Recipe_Op<"rope_table", [Pure]> {
  let summary = "cosines and sines of rotary position embeddings";
  let description = [{
    ```mlir
    %0 = recipe.rope_table theta 10000.0 : tensor<1024x2x16xf32>
    %1 = recipe.rope_table theta 500000.0 scaling llama3 {factor = 8.0, low_freq_factor = 1.0, high_freq_factor = 4.0,
                                                          original_positions = 8192 : i64} : tensor<4096x2x32xf32>
    ```
    Result [position][0] holds the cosines and [position][1] the sines of rotary/2 angles `float(position) * inv_freq[i]`, with
    `inv_freq[i] = 1 / theta^(2 i / rotary)`, everything rounded to f32 where Hugging Face rounds it. Scaling `linear` divides the
    frequencies by `factor`; `llama3` divides those of wavelengths above original_positions / low_freq_factor, keeps those below
    original_positions / high_freq_factor, and blends between.

    C1: the result is positions x 2 x rotary/2 in f32.
    C2: theta is positive.
    C3: `none` has no factor, `linear` has factor alone, `llama3` has all four parameters; each is positive.
    C4: high_freq_factor is greater than low_freq_factor.
  }];
  let arguments = (ins
    F64Attr:$theta,
    DefaultValuedAttr<Recipe_RopeScalingAttr, "::headrace::recipe::RopeScaling::none">:$scaling,
    OptionalAttr<F64Attr>:$factor, OptionalAttr<F64Attr>:$low_freq_factor, OptionalAttr<F64Attr>:$high_freq_factor,
    OptionalAttr<I64Attr>:$original_positions);
  let results = (outs Recipe_Tensor:$result);
  let assemblyFormat = "`theta` $theta (`scaling` `` $scaling^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Recipe_YieldOp : Recipe_Op<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "the weight's value";
  let arguments = (ins Recipe_Tensor:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}
#endif
