"""The GGUF form of a case: the same weights under the names and in the order that GGUF's architectures have them.

Names come from the table of the gguf package; what the published converter does to values is written here again: rotary pairs of the Llama family are
interleaved, Gemma's norms hold 1 + weight, fused query-key-value rows are all queries, then keys, then values, RoBERTa's first position rows are cut, experts
are stacked.
"""
import re
import sys
from pathlib import Path

import gguf
import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("e2e", "oracle")]
from cases import CENTRED_NORMS, ENCODERS, POOLING
from folder import read_folder
from random_llama import rounded_to_bfloat16

ARCHITECTURES = {"mistral": "llama", "mixtral": "llama", "qwen3_moe": "qwen3moe", "gemma3_text": "gemma3", "phi": "phi2", "gpt_neox": "gptneox", "cohere": "command-r", "roberta": "bert",
                 "xlm-roberta": "bert", "distilbert": "bert"}
INTERLEAVED = ("llama", "mistral", "mixtral", "granite", "granitemoe", "smollm3", "olmo")
IGNORED = r"rotary_emb\.inv_freq$|\.attn\.bias$|attention\.(masked_)?bias$|pooler\.|cls\.predictions"
# What a GGUF file does not say (windows of Mistral and Qwen, dense layers among experts, other patterns and scales of Gemma, activations, attention factors of yarn), or llama.cpp
# does not read: such cases have no GGUF form.
WITHOUT = {"bert-masked-lm", "cohere-qk-norm", "falcon-sequential", "gemma2", "gemma2-no-caps", "gemma3", "gemma3-rope-linear",
           "gpt-neox-sequential",
           "gpt2-scaled-layers", "llama-mqa-tied", "llama-rope-dynamic", "llama-rope-yarn-mscale", "llama-rope-yarn-options", "mistral",
           "opt", "opt-no-biases", "opt-projected", "phi-qk-norm", "starcoder2-window", "phi3-window", "qwen2-windows", "qwen3-moe-dense-layers", "qwen3-windows-biases"}


# What llama.cpp assumes where a file does not say so: these values are left out.
ASSUMED = {"gemma2": {"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0, "sliding_window": 4096}}


class Fields:
    """config.json as transformers saves it, under one name for what families call differently."""

    def __init__(self, config):
        self.config = config
        self.type = config["model_type"]
        first = lambda *names: next((config[n] for n in names if config.get(n) is not None), None)
        self.hidden, self.layers = first("hidden_size", "n_embd", "dim"), first("num_hidden_layers", "n_layer", "n_layers")
        self.heads, self.ffn = first("num_attention_heads", "n_head", "n_heads"), first("intermediate_size", "n_inner", "hidden_dim", "ffn_hidden_size")
        self.kv_heads = 1 if config.get("multi_query") and not config.get("new_decoder_architecture") else first("num_key_value_heads", "num_kv_heads") or self.heads
        self.head_dim = config.get("head_dim") or self.hidden // self.heads
        self.positions = first("max_position_embeddings", "n_positions")
        self.rms_eps, self.layer_eps = config.get("rms_norm_eps"), first("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon")
        ropes = config.get("rope_parameters") or {}
        self.rope, self.local_rope = ropes.get("full_attention", ropes), ropes.get("sliding_attention")
        self.rotary = int(self.head_dim * self.rope.get("partial_rotary_factor", 1.0))


def interleave(rows, heads):
    """Rotary halves of each head, apart in the checkpoint, become neighbours."""
    return rows.reshape(heads, 2, rows.shape[0] // heads // 2, -1).swapaxes(1, 2).reshape(rows.shape)


def grouped(rows, groups, per_group):
    """Rows [group][per_group queries, key, value][head] become all queries, all keys, all values."""
    parts = rows.reshape(groups, per_group + 2, rows.shape[0] // (groups * (per_group + 2)), -1)
    return np.concatenate([parts[:, :per_group].reshape(-1, parts.shape[-1]), *(parts[:, per_group + i].reshape(-1, parts.shape[-1]) for i in (0, 1))]).reshape(rows.shape)


def changed(name, value, f):
    if f.type in INTERLEAVED and re.search(r"[qk]_proj\.", name):
        return interleave(value, f.heads if "q_proj" in name else f.kv_heads)
    if f.type in CENTRED_NORMS and name.endswith("norm.weight"):
        return value + np.float32(1)
    if f.type == "gpt2" and re.search(r"c_(attn|proj|fc)\.weight", name):
        return value.T
    if f.type in ("gpt_neox", "falcon") and "query_key_value" in name:
        groups = f.heads if f.type == "gpt_neox" else f.kv_heads
        return grouped(value, groups, f.heads // groups)
    if f.type in ("roberta", "xlm-roberta") and "position_embeddings" in name:
        return value[f.config["pad_token_id"] + 1:]
    return value


def stacked(tensors):
    """StableLM keeps a norm for each head, most mixtures matrices for each expert; GGUF has them in one tensor, gate and up in two."""
    whole = {}
    for name in sorted(tensors, key=lambda n: [int(p) if p.isdigit() else p for p in n.split(".")]):
        whole.setdefault(re.sub(r"\.norms\.\d+|(?<=\.experts)\.\d+", "", name), []).append(tensors[name])
    one = {name: values[0] if len(values) == 1 else np.stack(values) for name, values in whole.items()}
    for name in [n for n in one if n.endswith("input_linear.weight")]:  # gate above up in each expert
        halves = np.split(one.pop(name), 2, axis=1)
        one |= {name.replace("input_linear", f"experts.{part}"): half for part, half in zip(("w1", "w3"), halves)}
    return one


def rope_factors(f, rounded):
    """What frequencies are divided by: the scaling of llama3; rounded: so that they come out as bfloat16 numbers. None: by nothing."""
    r = f.rope
    frequencies = 1.0 / r["rope_theta"] ** (np.arange(0, f.rotary, 2) / f.rotary)
    wanted = frequencies
    if r.get("rope_type") == "llama3":
        length, low, high = r["original_max_position_embeddings"], r["low_freq_factor"], r["high_freq_factor"]
        smooth = np.clip((length * frequencies / (2 * np.pi) - low) / (high - low), 0, 1)
        wanted = frequencies * ((1 - smooth) / r["factor"] + smooth)
    if rounded:
        wanted = rounded_to_bfloat16(wanted)
    return None if wanted is frequencies else (frequencies / wanted).astype(np.float32)


def attention_factor(f):
    """longrope's, from how far the context is stretched."""
    original = f.rope["original_max_position_embeddings"]
    factor = f.rope.get("factor") or f.positions / original
    return f.rope.get("attention_factor") or float(np.sqrt(1 + np.log(factor) / np.log(original)))


def add_rope(w, f, rounded):
    kind = f.rope.get("rope_type", "default")
    w.add_rope_dimension_count(f.rotary)
    w.add_rope_freq_base(f.rope["rope_theta"])
    if kind in ("linear", "yarn"):
        w.add_rope_scaling_type(gguf.RopeScalingType(kind))
        w.add_rope_scaling_factor(f.rope["factor"])
    if kind == "yarn":
        w.add_rope_scaling_orig_ctx_len(f.rope["original_max_position_embeddings"])
    if kind == "longrope":
        for length in ("long", "short"):
            w.add_tensor(f"rope_factors_{length}.weight", np.array(f.rope[f"{length}_factor"], np.float32))
        w.add_rope_scaling_orig_ctx_len(f.rope["original_max_position_embeddings"])
        w.add_rope_scaling_attn_factors(attention_factor(f))
    factors = rope_factors(f, rounded)
    if factors is not None:
        w.add_tensor("rope_freqs.weight", factors)
    if f.type in ("cohere", "cohere2"):
        w.add_rope_scaling_type(gguf.RopeScalingType.NONE)


def add_sizes(w, f):
    w.add_context_length(f.positions - (f.config["pad_token_id"] + 1 if f.type in ("roberta", "xlm-roberta") else 0))
    w.add_embedding_length(f.hidden)
    w.add_block_count(f.layers)
    w.add_feed_forward_length(f.ffn or 4 * f.hidden)
    w.add_head_count(f.heads)
    if f.type not in ENCODERS:
        w.add_head_count_kv(f.kv_heads)
    if f.config.get("head_dim"):
        w.add_key_length(f.head_dim)
        w.add_value_length(f.head_dim)
    if f.rms_eps is not None:
        w.add_layer_norm_rms_eps(f.rms_eps)
    if f.layer_eps is not None or f.type in ("distilbert", "olmo"):
        w.add_layer_norm_eps(f.layer_eps or (1e-12 if f.type == "distilbert" else 1e-5))
    w.add_vocab_size(f.config["vocab_size"])


def add_options(w, f, name):
    """The fields that only some architectures have."""
    table = [("attn_logit_softcapping", w.add_attn_logit_softcapping), ("final_logit_softcapping", w.add_final_logit_softcapping),
             ("sliding_window", w.add_sliding_window), ("use_parallel_residual", w.add_parallel_residual), ("attention_multiplier", w.add_attention_scale),
             ("embedding_multiplier", w.add_embedding_scale), ("residual_multiplier", w.add_residual_scale), ("logits_scaling", w.add_logit_scale),
             ("logit_scale", w.add_logit_scale)]
    for key, add in table:
        value, assumed = f.config.get(key), ASSUMED.get(f.type, {}).get(key)
        if value not in (None, assumed) and not (key == "sliding_window" and f.type in ("qwen2", "qwen3", "qwen3_moe")):
            add(value)
    if f.config.get("num_experts_per_tok"):
        w.add_expert_count(f.config.get("num_local_experts") or f.config["num_experts"])
        w.add_expert_used_count(f.config["num_experts_per_tok"])
        if "moe_intermediate_size" in f.config:
            w.add_expert_feed_forward_length(f.config["moe_intermediate_size"])
    if f.type in ENCODERS:
        w.add_causal_attention(False)
        w.add_token_type_count(f.config.get("type_vocab_size", 1))
        pooling = {"mean": gguf.PoolingType.MEAN, "cls": gguf.PoolingType.CLS}
        if name in POOLING:
            w.add_pooling_type(pooling[POOLING[name][0]])
    for key, add in (("bos_token_id", w.add_bos_token_id), ("eos_token_id", w.add_eos_token_id)):
        if isinstance(f.config.get(key), int):
            add(f.config[key])


def gguf_name(name, names):
    name = re.sub(r"^(bert|roberta|distilbert)\.", "", name.replace(".gamma", ".weight").replace(".beta", ".bias"))
    found = names.get_name(name, try_suffixes=(".weight", ".bias"))
    if found is None:
        sys.exit(f"failed: no GGUF name for {name}")
    return found


def write(path, folder, name, config, more=lambda writer: None, rounded_rope=False):
    """path: the .gguf file; folder: the case's checkpoint; config: as transformers saves it; rounded_rope: rotary frequencies become bfloat16 numbers."""
    f = Fields(config)
    architecture = name if name == "internlm2" else ARCHITECTURES.get(f.type, f.type)
    w = gguf.GGUFWriter(path, architecture)
    add_sizes(w, f)
    if f.rope:
        add_rope(w, f, rounded_rope)
    add_options(w, f, name)
    more(w)
    kind = next(k for k, text in gguf.MODEL_ARCH_NAMES.items() if text == architecture)
    names = gguf.get_tensor_name_map(kind, f.layers)
    tensors = {n: v for n, v in read_folder(folder).items() if not re.search(IGNORED, n)}
    for tensor, value in stacked(tensors).items():
        w.add_tensor(gguf_name(tensor, names), np.ascontiguousarray(changed(tensor, value, f)))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
