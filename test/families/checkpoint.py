"""Writes the checkpoint of a case: weights from a generator seeded by tensor name, so that every machine makes the same bytes without transformers."""
import contextlib
import json
import os
import re
import sys
import zlib
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))
from cases import CENTRED_NORMS, POOLING
from random_llama import write_safetensors

DTYPES = {"float32": "F32", "float16": "F16", "bfloat16": "BF16"}


def tensor(name, shape, centred_norms):
    """Matrices keep the size of activations; norm weights lie around 1 (or 0); no bias is 0."""
    values = np.asarray(np.random.default_rng(zlib.crc32(name.encode())).standard_normal(shape, dtype=np.float32))
    is_bias, is_norm = name.endswith(("bias", "beta")), re.search(r"norm|ln_", name, re.IGNORECASE)
    if is_norm and not is_bias:
        return np.float32(0.2) * values + np.float32(not centred_norms)
    if is_bias:
        return np.float32(0.1) * values
    if re.search(r"embed|wte|wpe", name):
        return values * np.float32(0.05 if centred_norms else 0.5)  # those families multiply it by a root of the hidden size
    # A router's scores lie close enough together that all choices count.
    size = shape[-1] if name.endswith(".gate.weight") else min(shape[-2:], default=1)
    return values * np.float32(1.5 / np.sqrt(size))


@contextlib.contextmanager
def replacing(path):
    """A name to write a file under that then takes the place of `path` at once: a test that runs beside this one may have that file mapped."""
    own = path.parent.parent / f".{path.name}.{os.getpid()}"
    yield own
    os.replace(own, path)


def write_sentence_transformers(folder, pooling, normalize, hidden):
    modules = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
               {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
    if normalize:
        modules.append({"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"})
    with replacing(folder / "modules.json") as path:
        path.write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    text = {"word_embedding_dimension": hidden, "pooling_mode_cls_token": pooling == "cls", "pooling_mode_mean_tokens": pooling == "mean",
            "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False}
    with replacing(folder / "1_Pooling/config.json") as path:
        path.write_text(json.dumps(text))


def write(folder, name, config, shapes):
    """config: a dict for config.json; shapes: tensor name -> shape. Returns the CRC-32 of the weights' file."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / "config.json") as path:
        path.write_text(json.dumps(config, indent=1))
    centred = config["model_type"] in CENTRED_NORMS
    dtype = DTYPES[config.get("torch_dtype") or config.get("dtype") or "float32"]
    with replacing(folder / "model.safetensors") as path:
        write_safetensors(path, {key: tensor(key, shape, centred) for key, shape in shapes.items()}, dtype)
    if name in POOLING:
        write_sentence_transformers(folder, *POOLING[name], config.get("hidden_size") or config["dim"])
    return zlib.crc32((folder / "model.safetensors").read_bytes())
