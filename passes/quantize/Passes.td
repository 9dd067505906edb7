// Stage quantize: which encoding each weight, activation and cache has. In order; hr-verify-encodings closes the stage.
#ifndef HEADRACE_PASSES_QUANTIZE_TD
#define HEADRACE_PASSES_QUANTIZE_TD
include "mlir/Pass/PassBase.td"

class QuantizePass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::headrace::enc::EncDialect", "::headrace::model::ModelDialect"];
}

def AssignEncodings : QuantizePass<"hr-assign-encodings"> {
  let summary = "gives every weight and every KV cache its encoding";
  let description = [{
    Matrices that linear ops multiply with get `quant`, those of the head entry `head`, embedding tables `embed`; routers (their result is
    read by a model.route), vectors and tables stay f32. A table that is both embedding and head is split (@embed, @lm_head) when the two differ, with a remark, since it then costs bytes
    twice. Caches get `kv`: one name for both, or "K,V"; by default f32 under quant=f32, else f16.
    ```mlir
    model.weight @layers.0.attn.o : tensor<192x192xf32> {
    // => quant=w4 group=64
    model.weight @layers.0.attn.o : tensor<192x192xf32> attributes {enc = #enc.w4<group = 64, sym>} {
    ```
    An encoding that is already there is kept; of a tied table, for what no option names. Where `target.devices` says which encodings devices
    have kernels for, others are refused.
  }];
  let options = [
    Option<"quant", "quant", "std::string", "\"w4\"", "encoding of matrices: f32, f16, w8, w4, w4a or w4z">,
    Option<"embed", "embed", "std::string", "\"\"", "encoding of the embedding table; empty: as quant">,
    Option<"head", "head", "std::string", "\"\"", "encoding of the head's matrix; empty: as quant">,
    Option<"group", "group", "int64_t", "64", "elements along K that share a scale: 32, 64 or 128">,
    Option<"kv", "kv", "std::string", "\"\"", "encoding of keys and values, f32 or f16, or of each: f16,f32; empty: f32 under quant=f32, "
           "else f16">
  ];
}

def InsertQuantize : QuantizePass<"hr-insert-quantize"> {
  let summary = "rounds the inputs of linear ops whose weights have groups";
  let description = [{
    One enc.quantize per activation, right behind it, shared by all its readers; its group is their weights'.
    ```mlir
    %y = model.linear %x, %w : (tensor<?x192xf32>, ...)      // @w has enc = #enc.w4<group = 64, sym>
    // =>
    %q = enc.quantize %x : tensor<?x192xf32> -> tensor<?x192x!enc.a8<64>>
    %y = model.linear %q, %w : (tensor<?x192x!enc.a8<64>>, ...)
    ```
    With act=f32 activations stay floats, and kernels widen the weights.
  }];
  let options = [Option<"act", "act", "std::string", "\"a8\"", "activations that meet codes: a8 or f32">];
}

def VerifyEncodings : QuantizePass<"hr-verify-encodings"> {
  let summary = "closes stage quantize";
  let description = [{
    What has become true:

    E1: every weight has an encoding, and every KV cache one for keys and one for values.
    E2: biases, norm weights and rotary tables are f32.
    E3: a linear whose weight has groups reads activations of the same group; any other, and with act=f32 all, read floats.
    E4: an activation is quantized at most once: all its readers share the group.
    E5: keys and values are floats.
  }];
  let options = [Option<"act", "act", "std::string", "\"a8\"", "what hr-insert-quantize was told">];
}
#endif
