"""Turns a Llama-architecture GGUF file with a byte-level BPE tokenizer into a Hugging Face folder (dequantized).

usage: gguf_to_hf.py FILE.gguf OUT_DIR [float32|float16|bfloat16] [SHARD_MB]     needs numpy, gguf, safetensors, ml_dtypes from PyPI
"""
import json, sys
from pathlib import Path
import numpy as np
from gguf import GGUFReader, dequantize
from safetensors.numpy import save_file

# GGUF's tokenizer.ggml.pre -> Hugging Face pre-tokenizer (the published definition of each)
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
PRE = {"gpt-2": BYTE_LEVEL,
       "smollm": {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL]}}
NAMES = {"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
         "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
         "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}


def unpermute(w, heads):
    """GGUF interleaves the two rotary halves of q and k; Hugging Face keeps them apart."""
    return w.reshape(heads, w.shape[0] // heads // 2, 2, w.shape[1]).swapaxes(1, 2).reshape(w.shape)


def main(src, out, dtype="float32", shard_mb=0):
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    r = GGUFReader(src)
    kv = {k: f.contents() for k, f in r.fields.items()}
    if kv["general.architecture"] != "llama" or kv["tokenizer.ggml.pre"] not in PRE:
        sys.exit(f"{src}: architecture {kv['general.architecture']}, pre-tokenizer {kv['tokenizer.ggml.pre']}: only llama with {sorted(PRE)}")
    heads, kv_heads = kv["llama.attention.head_count"], kv["llama.attention.head_count_kv"]
    if dtype == "bfloat16":
        import ml_dtypes
        np_dtype = ml_dtypes.bfloat16
    else:
        np_dtype = np.dtype(dtype)
    tensors, untied = {}, False
    for t in r.tensors:
        w = dequantize(t.data, t.tensor_type).astype(np.float32).reshape([int(d) for d in reversed(t.shape)])
        part = t.name.split(".")
        if part[0] == "blk":
            if part[2] == "attn_q": w = unpermute(w, heads)
            if part[2] == "attn_k": w = unpermute(w, kv_heads)
            name = f"model.layers.{part[1]}.{NAMES[part[2]]}.weight"
        else:
            name = {"token_embd": "model.embed_tokens.weight", "output_norm": "model.norm.weight", "output": "lm_head.weight"}[part[0]]
            untied |= part[0] == "output"
        tensors[name] = np.ascontiguousarray(w.astype(np_dtype))
    if shard_mb:
        shards, size = [{}], 0
        for n, w in tensors.items():
            if size + w.nbytes > shard_mb << 20 and shards[-1]:
                shards.append({}); size = 0
            shards[-1][n] = w; size += w.nbytes
        index = {}
        for i, s in enumerate(shards):
            f = f"model-{i + 1:05d}-of-{len(shards):05d}.safetensors"
            save_file(s, out / f, metadata={"format": "pt"}); index.update({n: f for n in s})
        json.dump({"metadata": {"total_size": sum(w.nbytes for w in tensors.values())}, "weight_map": index},
                  open(out / "model.safetensors.index.json", "w"), indent=1)
    else:
        save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})
    tokens, types = kv["tokenizer.ggml.tokens"], kv["tokenizer.ggml.token_type"]
    eos, bos = kv["tokenizer.ggml.eos_token_id"], kv["tokenizer.ggml.bos_token_id"]
    hidden = kv["llama.embedding_length"]
    json.dump({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": hidden,
               "intermediate_size": kv["llama.feed_forward_length"], "num_hidden_layers": kv["llama.block_count"],
               "num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": kv.get("llama.attention.key_length", hidden // heads),
               "hidden_act": "silu", "rms_norm_eps": round(float(kv["llama.attention.layer_norm_rms_epsilon"]), 9), "rope_theta": float(kv["llama.rope.freq_base"]),
               "rope_scaling": None, "max_position_embeddings": kv["llama.context_length"], "vocab_size": len(tokens), "tie_word_embeddings": not untied,
               "attention_bias": False, "mlp_bias": False, "bos_token_id": bos, "eos_token_id": eos, "torch_dtype": dtype}, open(out / "config.json", "w"), indent=1)
    json.dump({"bos_token_id": bos, "eos_token_id": eos}, open(out / "generation_config.json", "w"))
    added = [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
             for i, (t, k) in enumerate(zip(tokens, types)) if k == 3]
    json.dump({"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None, "pre_tokenizer": PRE[kv["tokenizer.ggml.pre"]],
               "post_processor": None, "decoder": dict(BYTE_LEVEL, add_prefix_space=True),
               "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": False,
                         "byte_fallback": False, "ignore_merges": False, "vocab": {t: i for i, t in enumerate(tokens)}, "merges": kv["tokenizer.ggml.merges"]}},
              open(out / "tokenizer.json", "w"), ensure_ascii=False)
    tc = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": tokens[bos], "eos_token": tokens[eos], "model_max_length": kv["llama.context_length"], "clean_up_tokenization_spaces": False}
    if "tokenizer.chat_template" in kv:
        tc["chat_template"] = kv["tokenizer.chat_template"]
    json.dump(tc, open(out / "tokenizer_config.json", "w"), indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:5]))
