"""Reads a Hugging Face Llama folder into numpy, without any library: config.json and safetensors, sharded or not."""
import json
from pathlib import Path

import numpy as np

DTYPES = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16}


def read_safetensors(path):
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    size = int(raw[:8].view("<u8")[0])
    header = json.loads(raw[8:8 + size].tobytes())
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        data = raw[8 + size + begin:8 + size + end].view(DTYPES[entry["dtype"]])
        if entry["dtype"] == "BF16":
            data = (data.astype(np.uint32) << 16).view(np.float32)
        tensors[name] = data.astype(np.float32).reshape(entry["shape"])
    return tensors


def read_folder(folder):
    """name -> float32 array of a folder in one file or in shards."""
    folder = Path(folder)
    index = folder / "model.safetensors.index.json"
    if index.exists():
        files = sorted(set(json.loads(index.read_text())["weight_map"].values()))
    else:
        files = ["model.safetensors"]
    tensors = {}
    for file in files:
        tensors.update(read_safetensors(folder / file))
    return tensors


def read_weights(folder):
    """read_folder, names without the leading 'model.'."""
    return {name.removeprefix("model."): value for name, value in read_folder(folder).items()}


class Config:
    """The numbers of config.json that the mathematics needs, with the defaults of the architecture."""

    def __init__(self, folder):
        c = json.loads((Path(folder) / "config.json").read_text())
        self.hidden = c["hidden_size"]
        self.layers = c["num_hidden_layers"]
        self.heads = c["num_attention_heads"]
        self.kv_heads = c.get("num_key_value_heads") or self.heads
        self.head_dim = c.get("head_dim") or self.hidden // self.heads
        self.vocab = c["vocab_size"]
        self.eps = c.get("rms_norm_eps", 1e-6)
        self.positions = c["max_position_embeddings"]
        self.activation = c.get("hidden_act", "silu")
        rope = dict(c.get("rope_parameters") or c.get("rope_scaling") or {})
        self.rope = rope
        self.rope_kind = rope.get("rope_type") or rope.get("type") or "default"
        self.theta = rope.get("rope_theta") or c.get("rope_theta", 10000.0)
        eos = c.get("eos_token_id")
        generation = Path(folder) / "generation_config.json"
        if generation.exists():
            eos = json.loads(generation.read_text()).get("eos_token_id", eos)
        self.eos = set(eos if isinstance(eos, list) else [] if eos is None else [eos])
