"""Writes Llama checkpoints with random weights as Hugging Face folders: config.json and model.safetensors, no tokenizer."""
import json
import struct
from pathlib import Path

import numpy as np


def bfloat16(x):
    """float32 -> the bits of bfloat16, nearest even."""
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def rounded_to_bfloat16(x):
    """float32 -> the nearest numbers of bfloat16, as float32."""
    return (bfloat16(x).astype(np.uint32) << 16).view(np.float32)


STORE = {"F32": lambda x: x.astype(np.float32), "F16": lambda x: x.astype(np.float16), "BF16": bfloat16}


def write_safetensors(path, tensors, dtype):
    header, blobs, offset = {}, [], 0
    for name in sorted(tensors):
        data = STORE[dtype](tensors[name]).tobytes()
        header[name] = {"dtype": dtype, "shape": list(tensors[name].shape), "data_offsets": [offset, offset + len(data)]}
        blobs.append(data)
        offset += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def shapes(hidden, layers, heads, kv_heads, head_dim, ffn, vocab, tied, attention_bias, mlp_bias):
    """name -> (shape, is a norm)."""
    yield "model.embed_tokens.weight", (vocab, hidden)
    yield "model.norm.weight", (hidden,)
    if not tied:
        yield "lm_head.weight", (vocab, hidden)
    for i in range(layers):
        p = f"model.layers.{i}."
        yield p + "input_layernorm.weight", (hidden,)
        yield p + "post_attention_layernorm.weight", (hidden,)
        attention = {"q": (heads * head_dim, hidden), "k": (kv_heads * head_dim, hidden), "v": (kv_heads * head_dim, hidden), "o": (hidden, heads * head_dim)}
        mlp = {"gate": (ffn, hidden), "up": (ffn, hidden), "down": (hidden, ffn)}
        for part, matrices, bias in (("self_attn", attention, attention_bias), ("mlp", mlp, mlp_bias)):
            for name, shape in matrices.items():
                yield f"{p}{part}.{name}_proj.weight", shape
                if bias:
                    yield f"{p}{part}.{name}_proj.bias", shape[:1]


def write(folder, seed, hidden, layers, heads, kv_heads, head_dim, ffn, vocab, positions, tied=True, rope=None, theta=10000.0, attention_bias=False,
          mlp_bias=False, dtype="BF16", activation="silu", eps=1e-6):
    """The folder's bytes depend on the arguments only. Weights are scaled so that activations keep their size through the layers."""
    rng = np.random.default_rng(seed)
    tensors = {}
    for name, shape in shapes(hidden, layers, heads, kv_heads, head_dim, ffn, vocab, tied, attention_bias, mlp_bias):
        if len(shape) == 2:
            scale = 1.0 if "embed" in name else 1.5 / np.sqrt(shape[1])
            tensors[name] = rng.standard_normal(shape, dtype=np.float32) * np.float32(scale)
        elif name.endswith(".bias"):
            tensors[name] = rng.standard_normal(shape, dtype=np.float32) * np.float32(0.1)
        else:
            tensors[name] = (1 + 0.2 * rng.standard_normal(shape)).astype(np.float32)
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": hidden, "intermediate_size": ffn, "num_hidden_layers": layers,
              "num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": head_dim, "hidden_act": activation, "rms_norm_eps": eps,
              "rope_parameters": {"rope_theta": theta, **(rope or {"rope_type": "default"})}, "max_position_embeddings": positions, "vocab_size": vocab,
              "tie_word_embeddings": tied, "attention_bias": attention_bias, "mlp_bias": mlp_bias, "bos_token_id": 1, "eos_token_id": 2,
              "dtype": {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}[dtype]}
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1))
    write_safetensors(folder / "model.safetensors", tensors, dtype)
