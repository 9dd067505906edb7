// model: what the network computes, on tensors, independent of any target.
#ifndef HEADRACE_MODEL_TD
#define HEADRACE_MODEL_TD
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Model_Dialect : Dialect {
  let name = "model";
  let cppNamespace = "::headrace::model";
  let summary = "what the network computes, independent of any target";
  let useDefaultAttributePrinterParser = 1;
}

//===-- vocabulary ----------------------------------------------------------------------------------------------------------===//

def Model_Activation : I32EnumAttr<"Activation", "elementwise function", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"silu", 1>, I32EnumAttrCase<"relu", 2>, I32EnumAttrCase<"tanh", 3>,
    I32EnumAttrCase<"gelu", 4>, I32EnumAttrCase<"gelu_tanh", 5>]> {
  let cppNamespace = "::headrace::model";
  let genSpecializedAttr = 0;
}
def Model_ActivationAttr : EnumAttr<Model_Dialect, Model_Activation, "activation">;

def Model_NormKind : I32EnumAttr<"NormKind", "how a norm centres and scales", [
    I32EnumAttrCase<"rms", 0>, I32EnumAttrCase<"layer", 1>]> {
  let cppNamespace = "::headrace::model";
  let genSpecializedAttr = 0;
}
def Model_NormKindAttr : EnumAttr<Model_Dialect, Model_NormKind, "norm_kind">;

// A cap of 0 is none.
def Model_Softcap : DefaultValuedAttr<F32Attr, "::llvm::APFloat(0.0f)">;

// A row is a token. The number of rows is dynamic in the model stage and static once entries are specialised.
def Model_Rows : 2DTensorOf<[F32]>;
def Model_A8 : Type<CPred<"::llvm::isa<::headrace::enc::A8Type>($_self)">, "8-bit activation">;
def Model_EncodedRows : 2DTensorOf<[F32, Model_A8]>;
def Model_Tokens : 1DTensorOf<[I32]>;
def Model_Vector : 1DTensorOf<[F32]>;
def Model_Matrix : 2DTensorOf<[F32]>;
def Model_Table : 3DTensorOf<[F32]>;
def Model_Weight : TypeConstraint<And<[RankedTensorOf<[F32]>.predicate, HasStaticShapePred]>, "static tensor of f32 values">;
def Model_Encoding : Attr<CPred<"::llvm::isa<::headrace::enc::Encoding>($_self)">, "encoding"> {
  let storageType = "::headrace::enc::Encoding";
  let returnType = "::headrace::enc::Encoding";
  let convertFromStorage = "$_self";
}

class Model_Op<string m, list<Trait> t = []> : Op<Model_Dialect, m, t>;

//===-- symbols -------------------------------------------------------------------------------------------------------------===//

def Model_WeightOp : Model_Op<"weight", [Symbol, IsolatedFromAbove, SingleBlock, NoRegionArguments, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a weight and the recipe that makes it";
  let description = [{
    ```mlir
    model.weight @layers.0.attn.q : tensor<192x192xf32> attributes {enc = #enc.w4<group = 64, sym>, layout = "t32"} {
      %0 = recipe.range "model.layers.0.self_attn.q_proj.weight" in "model.safetensors" offset 1234 bytes 73728 : tensor<192x192xbf16>
      %1 = recipe.convert %0 : tensor<192x192xbf16> to tensor<192x192xf32>
      recipe.yield %1 : tensor<192x192xf32>
    }
    ```
    The type is logical: what the recipe yields, before encoding and packing. Decisions about the stored bytes are attributes of the
    symbol, taken once for all entries: `enc` (hr-assign-encodings), `device` (index in target.devices; hr-place), `layout`
    (hr-assign-layouts), `offset` and `bytes` in the device's section (hr-assign-buffers).

    C1: the recipe consists of recipe ops and ends in recipe.yield of a value of the weight's type.
    C2: the type is a static tensor of f32.
    C3: an encoding with groups belongs to a weight of two dimensions.
    C4: device, offset and bytes are not negative.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, OptionalAttr<Model_Encoding>:$enc, OptionalAttr<StrAttr>:$layout,
                       OptionalAttr<I32Attr>:$device, OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$bytes);
  let regions = (region SizedRegion<1>:$recipe);
  let assemblyFormat = "$sym_name `:` $type attr-dict-with-keyword $recipe";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() { return ::llvm::cast<::mlir::RankedTensorType>(getType()); }
    /// The value that the recipe yields.
    ::mlir::Value getYielded() { return getRecipe().front().getTerminator()->getOperand(0); }
  }];
}

def Model_KVCacheOp : Model_Op<"kv_cache", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "keys and values of one attention";
  let description = [{
    ```mlir
    model.kv_cache @layers.0.kv kv_heads 2 head_dim 32 context 1024 attributes {k_type = #enc.f16, v_type = #enc.f16}
    ```
    `k_type` and `v_type` are set by hr-assign-encodings; `device` by hr-place; `k_offset` and `v_offset` in the device's KV block by
    hr-assign-buffers.

    C1: kv_heads, head_dim and context are at least 1.
    C2: k_type and v_type come together.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$kv_heads, I64Attr:$head_dim, I64Attr:$context,
                       OptionalAttr<Model_Encoding>:$k_type, OptionalAttr<Model_Encoding>:$v_type, OptionalAttr<I32Attr>:$device,
                       OptionalAttr<I64Attr>:$k_offset, OptionalAttr<I64Attr>:$v_offset);
  let assemblyFormat = [{
    $sym_name `kv_heads` $kv_heads `head_dim` $head_dim `context` $context attr-dict-with-keyword
  }];
  let hasVerifier = 1;
}

def Model_ParamOp : Model_Op<"param", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a weight as a value";
  let description = [{
    ```mlir
    %w = model.param @layers.0.attn.q : tensor<192x192xf32>
    ```
    C1: the symbol is a model.weight of the module.
    C2: the result has the weight's type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs Model_Weight:$result);
  let assemblyFormat = "$weight attr-dict `:` type($result)";
}

//===-- ops on rows ---------------------------------------------------------------------------------------------------------===//

def Model_EmbedOp : Model_Op<"embed", [Pure, AttrSizedOperandSegments]> {
  let summary = "the table's row of each token";
  let description = [{
    ```mlir
    %x = model.embed %tokens, %table : tensor<?xi32>, tensor<2048x192xf32> -> tensor<?x192xf32>
    %y = model.embed %tokens, %table positions %p : tensor<512x192xf32> at %pos {scale = 2.0 : f32}
           : tensor<?xi32>, tensor<2048x192xf32> -> tensor<?x192xf32>
    ```
    Row r is `table[tokens[r]] * scale`, plus `positions[pos + r]` where positions are learned.

    C1: tokens and result have the same number of rows.
    C2: the result's columns are the table's.
    C3: positions and pos come together, and the positions' columns are the result's.
    C4: scale is finite and not zero.
  }];
  let arguments = (ins Model_Tokens:$tokens, Model_Matrix:$table, Optional<Model_Matrix>:$positions, Optional<I32>:$pos,
                       DefaultValuedAttr<F32Attr, "::llvm::APFloat(1.0f)">:$scale);
  let results = (outs Model_Rows:$result);
  let assemblyFormat = [{
    $tokens `,` $table (`positions` $positions^ `:` type($positions) `at` $pos)? attr-dict `:` type($tokens) `,` type($table)
    `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$tokens, "::mlir::Value":$table), [{
      build($_builder, $_state, result, tokens, table, {}, {}, ::llvm::APFloat(1.0f));
    }]>
  ];
  let hasVerifier = 1;
}

def Model_LinearOp : Model_Op<"linear", [Pure, AttrSizedOperandSegments]> {
  let summary = "matrix product with an epilogue";
  let description = [{
    ```mlir
    %y = model.linear %x, %w : (tensor<?x192xf32>, tensor<64x192xf32>) -> tensor<?x64xf32>
    %z = model.linear %x, %w bias %b residual %r act silu gated : (...) -> tensor<?x512xf32>
    %e = model.linear %x, %w route %chosen {slot = 1 : i64, weighted} : (tensor<?x192xf32>, tensor<512x192xf32>, tensor<?x4xf32>)
           -> tensor<?x64xf32>
    ```
    `acc[n] = bias[n] + sum over k of x[k] w[n][k]`; then `v = act(acc)`, or with `gated` `v[n] = act(gate acc[n]) * up acc[n]`, where
    weight and bias hold gate and up interleaved in tiles of 32 rows, each padded to a multiple of 32; then, with a softcap,
    `softcap * tanh(v / softcap)`; then `v + residual`.

    With a `route` (see model.route) the weight is that of several experts, one below the other, each padded to whole tiles of 32 rows. A
    row is multiplied with the expert that is its choice number `slot`, and with `weighted` the value is multiplied by the choice's share
    before the residual is added.

    C1: input and result have the same number of rows.
    C2: the weight's columns are the input's.
    C3: the weight's rows are the result's columns; when gated, twice these padded to a multiple of 32; with a route, a multiple of the
        padded rows of one expert.
    C4: the bias has one element per row of the weight.
    C5: the residual has the result's type.
    C6: softcap is finite and not negative.
    C7: a route has the input's rows and two columns a choice, of which `slot` is one, and there is no bias; without a route slot is 0 and
        nothing is weighted.
  }];
  let arguments = (ins Model_EncodedRows:$input, Model_Matrix:$weight, Optional<Model_Vector>:$bias, Optional<Model_Rows>:$residual,
                       Optional<Model_Rows>:$route,
                       DefaultValuedAttr<Model_ActivationAttr, "::headrace::model::Activation::none">:$act, UnitAttr:$gated,
                       Model_Softcap:$softcap, DefaultValuedAttr<I64Attr, "0">:$slot, UnitAttr:$weighted);
  let results = (outs Model_Rows:$result);
  let assemblyFormat = [{
    $input `,` $weight (`bias` $bias^)? (`residual` $residual^)? (`route` $route^)? (`act` `` $act^)? (`gated` $gated^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input, "::mlir::Value":$weight,
                   CArg<"::mlir::Value", "{}">:$bias), [{
      build($_builder, $_state, result, input, weight, bias, {}, {}, Activation::none, false, ::llvm::APFloat(0.0f), 0, false);
    }]>
  ];
  let hasVerifier = 1;
}

def Model_RouteOp : Model_Op<"route", [Pure]> {
  let summary = "the experts that each row goes through";
  let description = [{
    ```mlir
    %chosen = model.route %scores {top = 2 : i64, normalise} : tensor<?x8xf32> to tensor<?x4xf32>
    ```
    Of a row of scores, one an expert, the `top` greatest are chosen, the greatest first and of equal ones the first. A row of the result
    holds the choices' shares and then the experts' numbers, as floats: columns i and top + i belong to choice i. A share is the softmax
    of all scores at the expert, or with `normalise` the softmax of the chosen scores.

    C1: scores and result have the same number of rows.
    C2: top is 1 to the number of experts.
    C3: the result has two columns a choice.
  }];
  let arguments = (ins Model_Rows:$scores, I64Attr:$top, UnitAttr:$normalise);
  let results = (outs Model_Rows:$result);
  let assemblyFormat = "$scores attr-dict `:` type($scores) `to` type($result)";
  let hasVerifier = 1;
}

def Model_RMSNormOp : Model_Op<"rms_norm", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "root mean square normalisation";
  let description = [{
    ```mlir
    %y = model.rms_norm %x, %w {eps = 1.0e-5 : f32} : tensor<?x192xf32>, tensor<192xf32>
    ```
    `y[i] = x[i] / sqrt(mean(x^2) + eps) * w[i]` along each row.

    C1: the weight has one element per column.
    C2: eps is not negative.
  }];
  let arguments = (ins Model_Rows:$input, Model_Vector:$weight, F32Attr:$eps);
  let results = (outs Model_Rows:$result);
  let assemblyFormat = "$input `,` $weight attr-dict `:` type($input) `,` type($weight)";
  let hasVerifier = 1;
}
def Model_AddRMSNormOp : Model_Op<"add_rms_norm", [Pure, AllTypesMatch<["input", "residual", "sum", "result"]>]> {
  let summary = "residual sum and its normalisation";
  let description = [{
    ```mlir
    %sum, %y = model.add_rms_norm %x, %r, %w {eps = 1.0e-5 : f32} : tensor<?x192xf32>, tensor<192xf32>
    ```
    `sum = x + r`, `y` its model.rms_norm.

    C1: the weight has one element per column.
    C2: eps is not negative.
  }];
  let arguments = (ins Model_Rows:$input, Model_Rows:$residual, Model_Vector:$weight, F32Attr:$eps);
  let results = (outs Model_Rows:$sum, Model_Rows:$result);
  let assemblyFormat = "$input `,` $residual `,` $weight attr-dict `:` type($input) `,` type($weight)";
  let hasVerifier = 1;
}

def Model_LayerNormOp : Model_Op<"layer_norm", [Pure]> {
  let summary = "normalisation to mean 0 and variance 1";
  let description = [{
    ```mlir
    %y = model.layer_norm %x, %w bias %b {eps = 1.0e-5 : f32} : (tensor<?x192xf32>, tensor<192xf32>, tensor<192xf32>) -> tensor<?x192xf32>
    ```
    `y[i] = (x[i] - mean(x)) / sqrt(variance(x) + eps) * w[i] + b[i]` along each row; the variance is the mean of squares (biased).

    C1: the weight has one element per column.
    C2: eps is not negative.
    C3: the bias has one element per column.
    C4: the result has the input's type.
  }];
  let arguments = (ins Model_Rows:$input, Model_Vector:$weight, Optional<Model_Vector>:$bias, F32Attr:$eps);
  let results = (outs Model_Rows:$result);
  let assemblyFormat = "$input `,` $weight (`bias` $bias^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Model_AddLayerNormOp : Model_Op<"add_layer_norm", [Pure]> {
  let summary = "residual sum and its normalisation";
  let description = [{
    ```mlir
    %sum, %y = model.add_layer_norm %x, %r, %w bias %b {eps = 1.0e-5 : f32}
                 : (tensor<?x192xf32>, tensor<?x192xf32>, tensor<192xf32>, tensor<192xf32>) -> (tensor<?x192xf32>, tensor<?x192xf32>)
    ```
    `sum = x + r`, `y` its model.layer_norm.

    C1: the weight has one element per column.
    C2: eps is not negative.
    C3: the bias has one element per column.
    C4: residual, sum and result have the input's type.
  }];
  let arguments = (ins Model_Rows:$input, Model_Rows:$residual, Model_Vector:$weight, Optional<Model_Vector>:$bias, F32Attr:$eps);
  let results = (outs Model_Rows:$sum, Model_Rows:$result);
  let assemblyFormat = "$input `,` $residual `,` $weight (`bias` $bias^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Model_HeadNormOp : Model_Op<"head_norm", [Pure]> {
  let summary = "normalisation of runs of columns, each by itself";
  let description = [{
    ```mlir
    %y = model.head_norm rms %x, %w {span = 32 : i64, eps = 1.0e-6 : f32} : (tensor<?x192xf32>, tensor<192xf32>) -> tensor<?x192xf32>
    ```
    Each run of `span` columns is normalised as by model.rms_norm (`rms`) or model.layer_norm (`layer`). The weight has an element for each
    column: a weight that all heads share is repeated. The span is a head's width, or all columns.

    C1: the weight has one element per column.
    C2: eps is not negative.
    C3: the bias has one element per column.
    C4: the result has the input's type.
    C5: span divides the columns.
    C6: an rms norm has no bias.
  }];
  let arguments = (ins Model_NormKindAttr:$kind, Model_Rows:$input, Model_Vector:$weight, Optional<Model_Vector>:$bias, I64Attr:$span,
                       F32Attr:$eps);
  let results = (outs Model_Rows:$result);
  let assemblyFormat = "`` $kind $input `,` $weight (`bias` $bias^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

class Model_BinaryOp<string m, string what> : Model_Op<m, [Pure, Commutative, SameOperandsAndResultType]> {
  let summary = what;
  let arguments = (ins Model_Rows:$lhs, Model_Rows:$rhs);
  let results = (outs Model_Rows:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}
def Model_AddOp : Model_BinaryOp<"add", "elementwise sum">;
def Model_MulOp : Model_BinaryOp<"mul", "elementwise product">;

def Model_ActivationOp : Model_Op<"activation", [Pure, SameOperandsAndResultType]> {
  let summary = "elementwise function";
  let description = [{
    ```mlir
    %y = model.activation silu %x : tensor<?x512xf32>
    ```
    `gelu` is the exact one (by erf), `gelu_tanh` its approximation by tanh.
  }];
  let arguments = (ins Model_ActivationAttr:$kind, Model_Rows:$input);
  let results = (outs Model_Rows:$result);
  let assemblyFormat = "`` $kind $input attr-dict `:` type($result)";
}

def Model_SoftcapOp : Model_Op<"softcap", [Pure, SameOperandsAndResultType]> {
  let summary = "values held between -cap and cap";
  let description = [{
    ```mlir
    %y = model.softcap %x {cap = 30.0 : f32} : tensor<?x2048xf32>
    ```
    `cap * tanh(x / cap)`.

    C1: cap is finite and greater than 0.
  }];
  let arguments = (ins Model_Rows:$input, F32Attr:$cap);
  let results = (outs Model_Rows:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Model_SplitOp : Model_Op<"split", [Pure]> {
  let summary = "rows cut into ranges of columns";
  let description = [{
    ```mlir
    %q, %k, %v = model.split %qkv : tensor<?x320xf32> to tensor<?x192xf32>, tensor<?x64xf32>, tensor<?x64xf32>
    ```
    C1: input and results have the same number of rows.
    C2: the results' columns add up to the input's.
  }];
  let arguments = (ins Model_Rows:$input);
  let results = (outs Variadic<Model_Rows>:$parts);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($parts)";
  let hasVerifier = 1;
}

//===-- attention -----------------------------------------------------------------------------------------------------------===//

def Model_RopeOp : Model_Op<"rope", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "rotary position embedding of each head";
  let description = [{
    ```mlir
    %y = model.rope %x, %table at %pos {head_dim = 32 : i64, rotary = 32 : i64} : tensor<?x192xf32>, tensor<1024x2x16xf32>
    ```
    Row r stands at absolute position pos + r. In each head elements i and i + rotary/2 (i < rotary/2) are turned by the table's angle i;
    elements beyond `rotary` stay.

    C1: head_dim divides the columns.
    C2: rotary is even, at least 2 and at most head_dim.
    C3: the table is positions x 2 x rotary/2.
  }];
  let arguments = (ins Model_Rows:$input, Model_Table:$table, I32:$pos, I64Attr:$head_dim, I64Attr:$rotary);
  let results = (outs Model_Rows:$result);
  let assemblyFormat = "$input `,` $table `at` $pos attr-dict `:` type($input) `,` type($table)";
  let hasVerifier = 1;
}

def Model_AttentionOp : Model_Op<"attention", [Pure, AllTypesMatch<["q", "result"]>, AllTypesMatch<["k", "v"]>]> {
  let summary = "attention over the whole sequence";
  let description = [{
    ```mlir
    %a = model.attention %q, %k, %v at %pos {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, scale = 0.176776692 : f32}
           : tensor<?x192xf32>, tensor<?x64xf32>
    ```
    Queries of the rows given see keys and values of all positions up to their own, earlier calls' included: the cache is implied and
    made explicit by hr-form-attention. Head h reads key and value head h / (heads / kv_heads).
    With a `window` position p sees position j only when p - j < window. With a `softcap` a scaled score s becomes
    `softcap * tanh(s / softcap)`. With `causal = false` all rows of the call see one another and nothing else, and pos is 0.

    C1: kv_heads divides heads.
    C2: q has heads * head_dim columns, k and v have kv_heads * head_dim.
    C3: q, k and v have the same number of rows.
    C4: window is not negative (0: all positions), and 0 unless causal.
    C5: softcap is finite and not negative (0: none).
  }];
  let arguments = (ins Model_Rows:$q, Model_Rows:$k, Model_Rows:$v, I32:$pos, I64Attr:$heads, I64Attr:$kv_heads, I64Attr:$head_dim,
                       F32Attr:$scale, DefaultValuedAttr<I64Attr, "0">:$window, Model_Softcap:$softcap,
                       DefaultValuedAttr<BoolAttr, "true">:$causal);
  let results = (outs Model_Rows:$result);
  let assemblyFormat = "$q `,` $k `,` $v `at` $pos attr-dict `:` type($q) `,` type($k)";
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$q, "::mlir::Value":$k, "::mlir::Value":$v, "::mlir::Value":$pos,
                   "int64_t":$heads, "int64_t":$kv_heads, "int64_t":$head_dim, "::llvm::APFloat":$scale), [{
      build($_builder, $_state, result, q, k, v, pos, heads, kv_heads, head_dim, scale, 0, ::llvm::APFloat(0.0f), true);
    }]>
  ];
  let hasVerifier = 1;
}

def Model_CachedAttentionOp : Model_Op<"cached_attention", [DeclareOpInterfaceMethods<SymbolUserOpInterface>, AttrSizedOperandSegments,
                                                            MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "norms of query and key, rotary embedding, cache append and attention in one";
  let description = [{
    ```mlir
    %a = model.cached_attention %qkv, %table at %pos cache @layers.0.kv
           {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 32 : i64, scale = 0.176776692 : f32}
           : tensor<?x320xf32>, tensor<1024x2x16xf32> -> tensor<?x192xf32>
    %b = model.cached_attention %qkv, %table at %pos cache @layers.0.kv q_norm %q : tensor<192xf32> k_norm %k : tensor<64xf32>
           {heads = 6 : i64, kv_heads = 2 : i64, head_dim = 32 : i64, rotary = 32 : i64, scale = 0.176776692 : f32, window = 512 : i64,
            qk_norm = #model<norm_kind rms>, q_span = 32 : i64, k_span = 32 : i64, eps = 1.0e-6 : f32}
           : tensor<?x320xf32>, tensor<1024x2x16xf32> -> tensor<?x192xf32>
    ```
    A row of %qkv holds q heads, k heads and v heads. With `qk_norm`, q and k are first normalised as by model.head_norm. Then they are
    turned as by model.rope (rotary 0: not at all), k and v appended to the cache at their positions, then as model.attention.

    C1: kv_heads divides heads.
    C2: the input has (heads + 2 * kv_heads) * head_dim columns, the result heads * head_dim.
    C3: input and result have the same number of rows.
    C4: rotary is even, at least 2 and at most head_dim, and the table is positions x 2 x rotary/2; or rotary is 0 and there is no table.
    C5: the cache is a model.kv_cache of the module with the same kv_heads and head_dim, and the table covers its context.
    C6: window is not negative (0: all positions), and 0 unless causal.
    C7: softcap is finite and not negative (0: none).
    C8: qk_norm, q_norm, k_norm, q_span, k_span and eps come together; biases come together, with qk_norm layer only.
    C9: norm weights and biases have one element per column of q or k, the spans divide these columns, and eps is not negative.
  }];
  let arguments = (ins Model_Rows:$qkv, Optional<Model_Table>:$table, I32:$pos, Optional<Model_Vector>:$q_norm,
                       Optional<Model_Vector>:$q_bias, Optional<Model_Vector>:$k_norm, Optional<Model_Vector>:$k_bias,
                       FlatSymbolRefAttr:$cache, I64Attr:$heads, I64Attr:$kv_heads, I64Attr:$head_dim, I64Attr:$rotary, F32Attr:$scale,
                       DefaultValuedAttr<I64Attr, "0">:$window, Model_Softcap:$softcap, DefaultValuedAttr<BoolAttr, "true">:$causal,
                       OptionalAttr<Model_NormKindAttr>:$qk_norm, OptionalAttr<I64Attr>:$q_span, OptionalAttr<I64Attr>:$k_span,
                       OptionalAttr<F32Attr>:$eps);
  let results = (outs Model_Rows:$result);
  let assemblyFormat = [{
    $qkv (`,` $table^)? `at` $pos `cache` $cache (`q_norm` $q_norm^ `:` type($q_norm))? (`q_bias` $q_bias^ `:` type($q_bias))?
    (`k_norm` $k_norm^ `:` type($k_norm))? (`k_bias` $k_bias^ `:` type($k_bias))? attr-dict
    `:` type($qkv) (`,` type($table)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

//===-- devices -------------------------------------------------------------------------------------------------------------===//

def Model_TransferOp : Model_Op<"transfer", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "the same rows in another device's memory";
  let description = [{
    ```mlir
    %y = model.transfer %x from 0 to 1 : tensor<?x192xf32>
    ```
    C1: from and to are not negative and differ.
  }];
  let arguments = (ins Model_EncodedRows:$input, I32Attr:$from, I32Attr:$to);
  let results = (outs Model_EncodedRows:$result);
  let assemblyFormat = "$input `from` $from `to` $to attr-dict `:` type($input)";
  let hasVerifier = 1;
}
#endif
