"""Writes references/NAME.json, or references/variants/NAME.json: what transformers computes, in float32, for the checkpoints of cases.py.

usage: make_references.py [NAME...]             needs torch and transformers 5.24 from PyPI, and the tests' numpy
       make_references.py --folders FOLDER...   writes hf-families/NAME.json for checkpoints that exist, with the input ids of their reference.json

A checkpoint is loaded with dtype=float32 and never cast: a cast to bfloat16 and back would round rotary frequencies too (README.md).
Input ids are chosen so that no arg-max is a near tie, and no choice of experts.
"""
import json
import re
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors import safe_open

import checkpoint
from cases import CONFIGS, ENCODERS, FUSED, LEFT_OVERS, LENGTH, LOADED, POOLING, PUBLISHED_NAMES, VARIANTS, VOCAB

HERE = Path(__file__).parent
MARGIN = 0.004
ROWS = (0, LENGTH // 2, LENGTH - 1)


def published(name, shapes):
    for pattern, replacement in PUBLISHED_NAMES.get(name, []):
        shapes = {re.sub(pattern, replacement, key): shape for key, shape in shapes.items()}
    return dict(sorted({**shapes, **LEFT_OVERS.get(name, {})}.items()))


def saved_form(name, config, scratch):
    """Tensor names and shapes, and config.json, as transformers itself would save the model."""
    (scratch / "config.json").write_text(json.dumps(config))
    model = getattr(transformers, config["architectures"][0])(transformers.AutoConfig.from_pretrained(scratch))
    model.save_pretrained(scratch / "saved", save_original_format=name not in FUSED)
    with safe_open(scratch / "saved/model.safetensors", "np") as file:
        shapes = {key: list(file.get_slice(key).get_shape()) for key in file.keys()}
    written = json.loads((scratch / "saved/config.json").read_text())
    written["dtype"] = config.get("torch_dtype", "float32")
    return published(name, shapes), written


def load(folder, architecture):
    model, info = getattr(transformers, architecture).from_pretrained(folder, dtype=torch.float32, attn_implementation="eager", output_loading_info=True)
    problems = {kind: found for kind, found in info.items() if found}
    if problems:
        sys.exit(f"{folder}: {problems}")
    return model.eval()


def margin(row):
    top = row.topk(2).values
    return float(top[0] - top[1])


def routing_margin(scores, top):
    """How far a router is from choosing another expert."""
    best = scores.sort(dim=-1, descending=True).values
    return float((best[:, top - 1] - best[:, top]).min()) if top < scores.shape[-1] else 1e9


def forward(model, ids):
    """(logits, the smallest margin of its choices of experts)"""
    top = getattr(model.config, "num_experts_per_tok", None)
    if top is None:
        return model(torch.tensor([ids])).logits[0], 1e9
    out = model(torch.tensor([ids]), output_router_logits=True)
    return out.logits[0], min(routing_margin(scores, top) for scores in out.router_logits)


def rounded(row):
    return [round(float(x), 5) for x in row]


def greedy(model, ids, eos, count):
    """(chosen ids, the smallest margin of a step); ends after the end id."""
    chosen, least = [], 1e9
    while len(chosen) < count and eos not in chosen:
        logits, routing = forward(model, ids + chosen)
        chosen.append(int(logits[-1].argmax()))
        least = min(least, margin(logits[-1]), routing)
    return chosen, least


def decoder(model, ids, eos, count):
    logits, _ = forward(model, ids)
    chosen, least = greedy(model, ids, eos, count)
    least = min([least] + [margin(row) for row in logits])
    return least, {"input_ids": ids, "logits": {str(p): rounded(logits[p]) for p in ROWS}, "argmax": logits.argmax(-1).tolist(), "greedy_ids": chosen}


def encoder(model, ids, name):
    hidden = getattr(model, model.base_model_prefix, model)(torch.tensor([ids])).last_hidden_state[0]
    result = {"input_ids": ids, "hidden": {str(p): rounded(hidden[p]) for p in ROWS}}
    if name in POOLING:
        pooling, normalize = POOLING[name]
        row = hidden[0] if pooling == "cls" else hidden.mean(0)
        result["embedding"] = rounded(row / row.norm() if normalize else row)
    return 1e9, result


def compute(model, name, config):
    for seed in range(100):
        ids = np.random.default_rng([seed, zlib.crc32(name.encode())]).integers(3, VOCAB, LENGTH).tolist()
        least, result = encoder(model, ids, name) if config["model_type"] in ENCODERS else decoder(model, ids, config["eos_token_id"], 12)
        if least > MARGIN:
            return least, result
    sys.exit(f"{name}: no input ids without a near tie")


def write(name, parts):
    """One line a part, so that a change is readable."""
    lines = ",\n".join(f'"{key}": {json.dumps(value, separators=(",", ":"))}' for key, value in parts.items())
    (HERE / f"references/{name}.json").write_text("{" + lines + "}\n")


def make(name):
    config = LOADED.get(name) or {**CONFIGS, **VARIANTS}[name]
    with tempfile.TemporaryDirectory() as scratch, torch.no_grad():
        shapes, written = saved_form(name, config, Path(scratch))
        crc = checkpoint.write(Path(scratch) / "model", name, config, shapes)
        model = load(Path(scratch) / "model", config["architectures"][0])
        least, result = compute(model, name, config)
    write(f"variants/{name}" if name in VARIANTS else name, {"transformers": transformers.__version__, "saved_config": written, "tensors": shapes, "crc32": crc, **result})
    print(f"{name}: smallest margin {least:.4f}", flush=True)


def make_of_folder(folder):
    """The reference.json of these folders was computed with rounded rotary frequencies (README.md)."""
    folder = Path(folder)
    config = json.loads((folder / "config.json").read_text())
    ids = json.loads((folder / "reference.json").read_text())["input_ids"]
    model = load(folder, config["architectures"][0])
    with torch.no_grad():
        _, result = encoder(model, ids, "") if config["model_type"] in ENCODERS else decoder(model, ids, config["eos_token_id"], 16)
    write(f"../hf-families/{folder.name}", {"transformers": transformers.__version__, "model_type": config["model_type"], **result})


if __name__ == "__main__":
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    if sys.argv[1:2] == ["--folders"]:
        for folder in sys.argv[2:]:
            make_of_folder(folder)
    else:
        for name in sys.argv[1:] or [*CONFIGS, *VARIANTS]:
            make(name)
