"""Writes checkpoints with random weights of the families whose blocks differ from Llama's, as Hugging Face folders without a tokenizer.

Each function gives config.json and the shapes of the tensors, by the names of its family, for one drawn model: a dict of sizes and switches of which
a family uses what it has. Families without head_dim have a hidden size of heads times head_dim, whatever the dict says.
"""
import json
import zlib
from pathlib import Path

import numpy as np

import random_llama
from random_llama import write_safetensors

DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}
CENTRED = ("gemma2", "gemma3")  # norms multiply by 1 + weight, the embedding by a root of the hidden size
ENCODERS = ("bert",)


class Shapes(dict):
    """Tensor name -> shape."""

    def linear(self, name, outputs, inputs, bias=False):
        self[name + ".weight"] = (outputs, inputs)
        if bias:
            self[name + ".bias"] = (outputs,)

    def norm(self, name, columns, bias=False):
        self[name + ".weight"] = (columns,)
        if bias:
            self[name + ".bias"] = (columns,)

    def attention(self, name, m, bias=False, output="o_proj", output_bias=None):
        queries, keys = m["heads"] * m["head_dim"], m["kv_heads"] * m["head_dim"]
        for part, rows in (("q_proj", queries), ("k_proj", keys), ("v_proj", keys)):
            self.linear(f"{name}.{part}", rows, m["hidden"], bias)
        self.linear(f"{name}.{output}", m["hidden"], queries, bias if output_bias is None else output_bias)

    def gated(self, name, m, bias=False):
        self.linear(f"{name}.gate_proj", m["ffn"], m["hidden"], bias)
        self.linear(f"{name}.up_proj", m["ffn"], m["hidden"], bias)
        self.linear(f"{name}.down_proj", m["hidden"], m["ffn"], bias)

    def mixture(self, name, m, fused="", parts=("gate_proj", "up_proj", "down_proj")):
        """A router and experts; fused: below another name, the matrices of all experts in one tensor."""
        name = fused or name
        self.linear(f"{name}.gate", m["experts"], m["hidden"])
        if fused:
            self[f"{name}.experts.gate_up_proj"] = (m["experts"], 2 * m["ffn"], m["hidden"])
            self[f"{name}.experts.down_proj"] = (m["experts"], m["hidden"], m["ffn"])
            return
        for expert in range(m["experts"]):
            for part, outputs, inputs in zip(parts, (m["ffn"], m["ffn"], m["hidden"]), (m["hidden"], m["hidden"], m["ffn"])):
                self.linear(f"{name}.experts.{expert}.{part}", outputs, inputs)

    def ends(self, m, norm_bias=False, final="model.norm"):
        """Embedding, final norm and head by Llama's names."""
        self["model.embed_tokens.weight"] = (m["vocab"], m["hidden"])
        self.norm(final, m["hidden"], norm_bias)
        if not m["tied"]:
            self["lm_head.weight"] = (m["vocab"], m["hidden"])


def config(m, architecture, model_type, **more):
    made = {"architectures": [architecture], "model_type": model_type, "hidden_size": m["hidden"], "intermediate_size": m["ffn"],
            "num_hidden_layers": m["layers"], "num_attention_heads": m["heads"], "num_key_value_heads": m["kv_heads"], "head_dim": m["head_dim"],
            "hidden_act": m["activation"], "max_position_embeddings": m["positions"], "vocab_size": m["vocab"], "tie_word_embeddings": m["tied"],
            "rope_theta": m["theta"], "bos_token_id": 1, "eos_token_id": 2, "dtype": DTYPES[m["dtype"]], **more}
    return {name: value for name, value in made.items() if value is not None}


def square(m, **more):
    return {**m, "hidden": m["heads"] * m["head_dim"], **more}


def partial(m):
    """A factor of which an even number of a head's elements comes, whichever way it is rounded."""
    rotated = max(2, 2 * round(m["rotated"] * m["head_dim"] / 2))
    return 1.0 if rotated == m["head_dim"] else (rotated + 0.5) / m["head_dim"]


def layers(m, name="model.layers."):
    return [(i, f"{name}{i}.") for i in range(m["layers"])]


def gemma2(m):
    t = Shapes()
    t.ends(m)
    for _, p in layers(m):
        t.attention(p + "self_attn", m, m["bias"])
        t.gated(p + "mlp", m)
        for norm in ("input", "post_attention", "pre_feedforward", "post_feedforward"):
            t.norm(f"{p}{norm}_layernorm", m["hidden"])
    return config(m, "Gemma2ForCausalLM", "gemma2", rms_norm_eps=m["eps"], attention_bias=m["bias"], hidden_activation=m["activation"],
                  attn_logit_softcapping=m["softcap"], final_logit_softcapping=2 * m["softcap"], sliding_window=m["window"],
                  query_pre_attn_scalar=m["head_dim"] + 1), t


def gemma3(m):
    made, t = gemma2(m)
    for _, p in layers(m):
        for norm in ("q_norm", "k_norm"):
            t.norm(f"{p}self_attn.{norm}", m["head_dim"])
    kinds = ["sliding_attention" if i % 2 else "full_attention" for i in range(m["layers"])]
    made.update(architectures=["Gemma3ForCausalLM"], model_type="gemma3_text", layer_types=kinds, rope_local_base_freq=1000.0)
    del made["attn_logit_softcapping"]
    return made, t


def phi(m):
    t = Shapes()
    t.ends(m, True, "model.final_layernorm")
    t["lm_head.bias"] = (m["vocab"],)
    for _, p in layers(m):
        t.norm(p + "input_layernorm", m["hidden"], True)
        t.attention(p + "self_attn", m, True, "dense")
        for norm in ("q_layernorm", "k_layernorm") if m["qk_norm"] else ():
            t.norm(f"{p}self_attn.{norm}", m["head_dim"], True)
        t.linear(p + "mlp.fc1", m["ffn"], m["hidden"], True)
        t.linear(p + "mlp.fc2", m["hidden"], m["ffn"], True)
    return config(m, "PhiForCausalLM", "phi", layer_norm_eps=m["eps"], qk_layernorm=m["qk_norm"], partial_rotary_factor=partial(m)), t


def stablelm(m):
    m, t = square(m), Shapes()
    t.ends(m, True)
    for _, p in layers(m):
        t.norm(p + "input_layernorm", m["hidden"], True)
        t.attention(p + "self_attn", m, m["bias"], output_bias=False)
        for part, heads in (("q", m["heads"]), ("k", m["kv_heads"])) if m["qk_norm"] else ():
            for head in range(heads):
                t.norm(f"{p}self_attn.{part}_layernorm.norms.{head}", m["head_dim"])
        if not m["parallel"]:
            t.norm(p + "post_attention_layernorm", m["hidden"], True)
        t.gated(p + "mlp", m)
    return config(m, "StableLmForCausalLM", "stablelm", head_dim=None, layer_norm_eps=m["eps"], use_qkv_bias=m["bias"], qk_layernorm=m["qk_norm"],
                  use_parallel_residual=m["parallel"], partial_rotary_factor=partial(m)), t


def gpt_neox(m):
    m, t = square(m, kv_heads=m["heads"]), Shapes()
    hidden = m["hidden"]
    t["gpt_neox.embed_in.weight"] = (m["vocab"], hidden)
    t.norm("gpt_neox.final_layer_norm", hidden, True)
    if not m["tied"]:
        t["embed_out.weight"] = (m["vocab"], hidden)
    for _, p in layers(m, "gpt_neox.layers."):
        for norm in ("input_layernorm", "post_attention_layernorm"):
            t.norm(p + norm, hidden, True)
        t.linear(p + "attention.query_key_value", 3 * hidden, hidden, m["bias"])
        t.linear(p + "attention.dense", hidden, hidden, m["bias"])
        t.linear(p + "mlp.dense_h_to_4h", m["ffn"], hidden, True)
        t.linear(p + "mlp.dense_4h_to_h", hidden, m["ffn"], True)
    return config(m, "GPTNeoXForCausalLM", "gpt_neox", head_dim=None, num_key_value_heads=None, rope_theta=None, rotary_emb_base=m["theta"],
                  layer_norm_eps=m["eps"], attention_bias=m["bias"], use_parallel_residual=m["parallel"], rotary_pct=partial(m)), t


def opt(m):
    m, t = square(m, kv_heads=m["heads"]), Shapes()
    hidden, base = m["hidden"], "model.decoder."
    columns = m["ffn"] if m["projected"] else hidden
    t[base + "embed_tokens.weight"] = (m["vocab"], columns)
    t[base + "embed_positions.weight"] = (m["positions"] + 2, hidden)
    if columns != hidden:
        t.linear(base + "project_in", hidden, columns)
        t.linear(base + "project_out", columns, hidden)
    if not m["tied"]:
        t["lm_head.weight"] = (m["vocab"], columns)
    if not m["post_norm"]:
        t.norm(base + "final_layer_norm", hidden, True)
    for _, p in layers(m, base + "layers."):
        t.attention(p + "self_attn", m, m["bias"], "out_proj")
        t.norm(p + "self_attn_layer_norm", hidden, True)
        t.linear(p + "fc1", m["ffn"], hidden, m["bias"])
        t.linear(p + "fc2", hidden, m["ffn"], m["bias"])
        t.norm(p + "final_layer_norm", hidden, True)
    return config(m, "OPTForCausalLM", "opt", head_dim=None, num_key_value_heads=None, rope_theta=None, hidden_act=None, intermediate_size=None,
                  ffn_dim=m["ffn"], activation_function=m["activation"], do_layer_norm_before=not m["post_norm"], word_embed_proj_dim=columns,
                  enable_bias=m["bias"]), t


def cohere(m):
    t = Shapes()
    t.ends(m)
    for _, p in layers(m):
        t.norm(p + "input_layernorm", m["hidden"])
        t.attention(p + "self_attn", m, m["bias"])
        for part, heads in (("q_norm", m["heads"]), ("k_norm", m["kv_heads"])) if m["qk_norm"] else ():
            t[f"{p}self_attn.{part}.weight"] = (heads, m["head_dim"])
        t.gated(p + "mlp", m)
    return config(m, "CohereForCausalLM", "cohere", layer_norm_eps=m["eps"], attention_bias=m["bias"], use_qk_norm=m["qk_norm"], logit_scale=0.3), t


def cohere2(m):
    """Layers with a window, which alone are rotated, between layers without."""
    made, t = cohere({**m, "qk_norm": False})
    kinds = ["full_attention" if i % 2 else "sliding_attention" for i in range(m["layers"])]
    made.update(architectures=["Cohere2ForCausalLM"], model_type="cohere2", layer_types=kinds, sliding_window=m["window"])
    return made, t


def olmo2(m):
    t = Shapes()
    t.ends(m)
    for _, p in layers(m):
        t.attention(p + "self_attn", m, m["bias"])
        t.norm(p + "self_attn.q_norm", m["heads"] * m["head_dim"])
        t.norm(p + "self_attn.k_norm", m["kv_heads"] * m["head_dim"])
        t.gated(p + "mlp", m)
        for norm in ("post_attention", "post_feedforward"):
            t.norm(f"{p}{norm}_layernorm", m["hidden"])
    return config(m, "Olmo2ForCausalLM", "olmo2", rms_norm_eps=m["eps"], attention_bias=m["bias"]), t


def routing(m, count="num_experts"):
    return {count: m["experts"], "num_experts_per_tok": min(m["top"], m["experts"])}


def mixtral(m):
    t = Shapes()
    t.ends(m)
    for _, p in layers(m):
        for norm in ("input", "post_attention"):
            t.norm(f"{p}{norm}_layernorm", m["hidden"])
        t.attention(p + "self_attn", m)
        t.mixture(p + "block_sparse_moe", m, p + "mlp" if m["fused"] else "", ("w1", "w3", "w2"))
    return config(m, "MixtralForCausalLM", "mixtral", rms_norm_eps=m["eps"], sliding_window=m["window"], **routing(m, "num_local_experts")), t


def olmoe(m):
    t = Shapes()
    t.ends(m)
    for _, p in layers(m):
        for norm in ("input", "post_attention"):
            t.norm(f"{p}{norm}_layernorm", m["hidden"])
        t.attention(p + "self_attn", m, m["bias"])
        t.norm(p + "self_attn.q_norm", m["heads"] * m["head_dim"])
        t.norm(p + "self_attn.k_norm", m["kv_heads"] * m["head_dim"])
        t.mixture(p + "mlp", m, p + "mlp" if m["fused"] else "")
    return config(m, "OlmoeForCausalLM", "olmoe", rms_norm_eps=m["eps"], attention_bias=m["bias"], norm_topk_prob=m["normalise"], **routing(m)), t


def qwen3_moe(m):
    """Dense layers, if there are any, are wider than an expert."""
    dense, t = {**m, "ffn": m["ffn"] + 20}, Shapes()
    t.ends(m)
    for i, p in layers(m):
        for norm, columns in (("input_layernorm", m["hidden"]), ("post_attention_layernorm", m["hidden"]), ("self_attn.q_norm", m["head_dim"]),
                              ("self_attn.k_norm", m["head_dim"])):
            t.norm(p + norm, columns)
        t.attention(p + "self_attn", m, m["bias"])
        if (i + 1) % m["sparse_step"]:
            t.gated(p + "mlp", dense)
        else:
            t.mixture(p + "mlp", m, p + "mlp" if m["fused"] else "")
    return config(dense, "Qwen3MoeForCausalLM", "qwen3_moe", rms_norm_eps=m["eps"], attention_bias=m["bias"], norm_topk_prob=m["normalise"],
                  moe_intermediate_size=m["ffn"], decoder_sparse_step=m["sparse_step"], **routing(m)), t


def phi3(m):
    """Rotary positions of type longrope, in a context of the original length."""
    t = Shapes()
    t.ends(m)
    for _, p in layers(m):
        for norm in ("input", "post_attention"):
            t.norm(f"{p}{norm}_layernorm", m["hidden"])
        queries = m["heads"] * m["head_dim"]
        t.linear(p + "self_attn.qkv_proj", queries + 2 * m["kv_heads"] * m["head_dim"], m["hidden"])
        t.linear(p + "self_attn.o_proj", m["hidden"], queries)
        t.linear(p + "mlp.gate_up_proj", 2 * m["ffn"], m["hidden"])
        t.linear(p + "mlp.down_proj", m["hidden"], m["ffn"])
    pairs = int(m["head_dim"] * partial(m)) // 2
    factors = {"short_factor": [1 + i / 8 for i in range(pairs)], "long_factor": [4.0] * pairs}
    return config(m, "Phi3ForCausalLM", "phi3", rms_norm_eps=m["eps"], sliding_window=m["window"], partial_rotary_factor=partial(m),
                  original_max_position_embeddings=m["positions"], max_position_embeddings=2 * m["positions"],
                  rope_scaling={"type": "longrope", **factors}), t


def bert(m):
    m, t = square(m, kv_heads=m["heads"]), Shapes()
    hidden, base = m["hidden"], "embeddings."
    for name, rows in (("word", m["vocab"]), ("position", m["positions"]), ("token_type", 2)):
        t[f"{base}{name}_embeddings.weight"] = (rows, hidden)
    t.norm(base + "LayerNorm", hidden, True)
    for _, p in layers(m, "encoder.layer."):
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            t.linear(f"{p}attention.{part}", hidden, hidden, True)
        t.norm(p + "attention.output.LayerNorm", hidden, True)
        t.linear(p + "intermediate.dense", m["ffn"], hidden, True)
        t.linear(p + "output.dense", hidden, m["ffn"], True)
        t.norm(p + "output.LayerNorm", hidden, True)
    return config(m, "BertModel", "bert", head_dim=None, num_key_value_heads=None, rope_theta=None, layer_norm_eps=m["eps"]), t


FAMILIES = {f.__name__: f for f in (bert, cohere, cohere2, gemma2, gemma3, gpt_neox, mixtral, olmo2, olmoe, opt, phi, phi3, qwen3_moe, stablelm)}


def draw(pick, between, m):
    """The switches of a model of sizes `m`, of a family that is not Llama."""
    return {**m, "family": pick(*FAMILIES), "bias": m["attention_bias"], "window": between(1, m["positions"]), "softcap": pick(0.5, 5.0, 50.0),
            "rotated": pick(0.25, 0.5, 0.8, 1.0), "qk_norm": bool(between(0, 1)), "parallel": bool(between(0, 1)), "post_norm": bool(between(0, 1)),
            "projected": bool(between(0, 1)), "experts": between(2, 8), "top": between(1, 3), "normalise": bool(between(0, 1)), "fused": bool(between(0, 1)),
            "sparse_step": pick(1, 1, 2), "activation": pick("silu", "gelu", "gelu_new", "relu")}


def values(name, shape, family, seed):
    """Activations keep their size through the layers."""
    x = np.random.default_rng([seed, zlib.crc32(name.encode())]).standard_normal(shape, dtype=np.float32)
    if name.endswith(".bias"):
        return np.float32(0.1) * x
    if "norm" in name.lower():
        return np.float32(0.2) * x + np.float32(family not in CENTRED)
    if "embed" in name:
        return x * np.float32(0.1 if family in CENTRED else 1.0)
    return x * np.float32(1.5 / np.sqrt(shape[-1]))


def write(folder, m):
    """The folder's bytes depend on the drawn model only."""
    family = m.get("family", "llama")
    if family == "llama":
        return random_llama.write(folder, **{key: value for key, value in m.items() if key != "family"})
    made, shapes = FAMILIES[family](m)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(made, indent=1))
    write_safetensors(folder / "model.safetensors", {name: values(name, shape, family, m["seed"]) for name, shape in shapes.items()}, m["dtype"])
