// Stage model: from the graph as imported to fused ops with caches. In order; hr-verify-model closes the stage.
#ifndef HEADRACE_PASSES_MODEL_TD
#define HEADRACE_PASSES_MODEL_TD
include "mlir/Pass/PassBase.td"

class ModelPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::headrace::model::ModelDialect", "::headrace::recipe::RecipeDialect"];
}

def CanonicalForm : ModelPass<"hr-canonical-form"> {
  let summary = "brings an imported graph to the form that the fusions expect";
  let description = [{
    Dead ops go, equal ops become one, conversions of a recipe to the type it already has go, and weights that nobody reads go with a
    remark, so that they cost no bytes.
    ```mlir
    model.weight @unused : ...
    %a = model.param @w : tensor<8x8xf32>
    %b = model.param @w : tensor<8x8xf32>
    // =>
    %a = model.param @w : tensor<8x8xf32>
    ```
  }];
}

def MergeQKV : ModelPass<"hr-merge-qkv"> {
  let summary = "query, key and value projections become one matrix product";
  let description = [{
    For each model.attention whose operands come, through model.head_norm and model.rope or directly, from three plain linear ops on one input:
    one weight with the rows of all three, one linear, and a split. A bias that one of them lacks is zeros. Decode reads the input once, and the threads share one longer loop.
    ```mlir
    %q = model.linear %x, %wq    %k = model.linear %x, %wk    %v = model.linear %x, %wv
    // =>
    model.weight @layers.0.attn.qkv : ... { ... recipe.concat %q, %k, %v ... }
    %qkv = model.linear %x, %wqkv
    %q, %k, %v = model.split %qkv
    ```
    Left alone, with a remark: different inputs, results used elsewhere, epilogues, weights that others read too, and encodings that differ
    (those of a checkpoint that is stored quantized). Counted as `qkv` in `model.fused`.
  }];
}

def MergeGateUp : ModelPass<"hr-merge-gate-up"> {
  let summary = "gate and up projections of a gated MLP become one gated linear";
  let description = [{
    The weight interleaves tiles of 32 rows of gate and up, so that one kernel has both sums at hand when it multiplies.
    ```mlir
    %g = model.linear %x, %wg    %u = model.linear %x, %wu
    %a = model.activation silu %g
    %m = model.mul %a, %u
    // =>
    model.weight @layers.0.mlp.gate_up : ... { ... recipe.interleave %gate, %up tile 32 ... }
    %m = model.linear %x, %wgu act silu gated
    ```
    The choices of a mixture of experts read the same two weights, which become one for all of them. Left alone with a remark in the same
    cases as hr-merge-qkv. Counted as `gate_up` in `model.fused`.
  }];
}

def FuseResidualNorm : ModelPass<"hr-fuse-residual-norm"> {
  let summary = "a residual sum and the norm of it become one op";
  let description = [{
    The sum is written once, by the norm that reads it.
    ```mlir
    %s = model.add %x, %r
    %y = model.rms_norm %s, %w
    // =>
    %s, %y = model.add_rms_norm %x, %r, %w
    ```
    model.layer_norm becomes model.add_layer_norm in the same way. Of several norms of one sum the first is taken. Counted as `residual_norm` in `model.fused`.
  }];
}

def FuseEpilogue : ModelPass<"hr-fuse-epilogue"> {
  let summary = "activations and residual sums go into the linear before them";
  let description = [{
    ```mlir
    %y = model.linear %x, %w     %z = model.activation relu %y     // => %z = model.linear %x, %w act relu
    %y = model.linear %x, %w     %z = model.add %r, %y             // => %z = model.linear %x, %w residual %r
    ```
    A model.softcap becomes the linear's `softcap`. The epilogue's order is act, gating, softcap, share of an expert, residual; what does not fit it, or follows a linear with other uses, stays as it is. Gating itself is
    hr-merge-gate-up's work, and sums that a norm reads are hr-fuse-residual-norm's. Counted as `activation`, `softcap` and `residual`.
  }];
}

def FormAttention : ModelPass<"hr-form-attention"> {
  let summary = "rotary embedding, cache and attention become one op with a KV cache";
  let description = [{
    ```mlir
    %q, %k, %v = model.split %qkv
    %qr = model.rope %q, %t at %pos    %kr = model.rope %k, %t at %pos
    %a = model.attention %qr, %kr, %v at %pos
    // =>
    model.kv_cache @layers.0.kv kv_heads 2 head_dim 32 context 1024
    %a = model.cached_attention %qkv, %t at %pos cache @layers.0.kv
    ```
    Norms of query and key before the rotation go along, and so do window, softcap and causality; without model.rope there is no table.
    The context is the module's `model.context`. An attention of another form is left alone with a remark. Counted as `attention`.
  }];
}

def VerifyModel : ModelPass<"hr-verify-model"> {
  let summary = "closes stage model";
  let description = [{
    What has become true:

    V1: the module states vocab, hidden, context and max_positions, and context is 1 to max_positions.
    V2: there is one entry "body" (tensor<?xi32>, i32) -> tensor<?x hidden xf32> and, unless model.kind is "encoder", one "head" from that to
        tensor<?x vocab xf32>.
    V3: entries hold only param, embed, linear, rms_norm, add_rms_norm, layer_norm, add_layer_norm, add, route and cached_attention: every attention
        has a cache, and every elementwise op is an epilogue or a residual sum.
    V4: every KV cache belongs to one attention and has the module's context.
    V5: every weight is read.
  }];
}
#endif
