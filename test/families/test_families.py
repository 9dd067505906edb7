"""Bundles of every family against what transformers computes for the same small checkpoint (references/NAME.json).

usage: test_families.py f32-w4|w8|gguf|folder NAME...

A decoder: logits at three positions, arg-max at all, greedy ids, from config.json as it is published; the same bits in w4 or w8 from this machine's
target and from `reference`, from config.json as transformers saves it. An encoder: rows of the last hidden state, and the pooled embedding.
gguf: the same weights as a GGUF file (gguf_form.py), in f32. folder: a checkpoint of the test data outside the project, as f32-w4 and w8.
"""
import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import checkpoint
from cases import CONFIGS, VARIANTS
from harness import COMPILER, RUNNER, WORK, bundle, embed, equal, fail, run, same_bits
from models import BUILD, data

LIMIT = 1e-4  # float32 in another order of additions; logits are of the order of 1


def folder_of(name, reference, form):
    """The checkpoint with config.json as published, or as transformers saves it."""
    folder = BUILD / f"test/families/{name}-{form}"
    config = {**CONFIGS, **VARIANTS}[name] if form == "published" else reference["saved_config"]
    if checkpoint.write(folder, name, config, reference["tensors"]) != reference["crc32"]:
        fail(f"{folder}: other weights than the reference was made for (numpy {np.__version__})")
    return folder


def close(what, found, expected):
    worst = float(np.abs(np.asarray(found, np.float64) - np.asarray(expected, np.float64)).max())
    print(f"  {what}: largest difference {worst:.1e} (limit {LIMIT:.0e})", flush=True)
    if not worst <= LIMIT:
        fail(f"{what}: largest difference {worst}, limit {LIMIT}")


def gguf_of(name, reference):
    import gguf_form
    folder = folder_of(name, reference, "saved")
    gguf_form.write(folder / f"{name}.gguf", folder, name, reference["saved_config"])
    return folder / f"{name}.gguf"


def check_logits(name, reference, model):
    ids = reference["input_ids"]
    out = bundle(model, "--target", "host", "--quant", "f32")
    greedy, _, rows, _ = run(out, ids, len(reference["greedy_ids"]))
    for position, expected in reference["logits"].items():
        close(f"{name} position {position}", rows[int(position)], expected)
    equal(f"{name} arg-max", rows.argmax(-1).tolist(), reference["argmax"])
    equal(f"{name} greedy ids", greedy, reference["greedy_ids"])


def check_bits(name, reference, quant, model):
    host, oracle = (run(bundle(model, "--target", target, "--quant", quant), reference["input_ids"], 4) for target in ("host", "reference"))
    same_bits(f"{name} {quant}, prompt", host[2], oracle[2])
    same_bits(f"{name} {quant}, steps", host[1], oracle[1])
    print(f"  {name} {quant}: host and reference, the same bits")


def check_hidden(name, reference, model):
    pooled, rows = embed(bundle(model, "--target", "host", "--quant", "f32"), reference["input_ids"])
    for position, expected in reference["hidden"].items():
        close(f"{name} hidden row {position}", rows[int(position)], expected)
    if "embedding" in reference:
        # A GGUF file does not say whether to normalise: directions are compared there.
        scale = (lambda row: row / np.linalg.norm(row)) if model.suffix == ".gguf" else np.asarray
        close(f"{name} embedding", scale(pooled), scale(reference["embedding"]))


def check_hidden_bits(name, reference, quant, model):
    host, oracle = (embed(bundle(model, "--target", target, "--quant", quant), reference["input_ids"]) for target in ("host", "reference"))
    same_bits(f"{name} {quant}, hidden rows", host[1], oracle[1])
    print(f"  {name} {quant}: host and reference, the same bits")


def model_of(action, name, reference):
    if action == "folder":
        return data(f"hf-families/{name}")
    return gguf_of(name, reference) if action == "gguf" else folder_of(name, reference, "published")


def check(action, name):
    file = HERE / ("hf-families" if action == "folder" else "references") / f"{name}.json"
    reference = json.loads(file.read_text())
    model = model_of(action, name, reference)
    floats, bits = (check_hidden, check_hidden_bits) if "hidden" in reference else (check_logits, check_bits)
    if action != "w8":
        floats(name, reference, model)
    for quant in {"f32-w4": ["w4"], "w8": ["w8"], "folder": ["w4", "w8"]}.get(action, []):
        bits(name, reference, quant, model if action == "folder" else folder_of(name, reference, "saved"))


if __name__ == "__main__":
    if not RUNNER.exists() or not (COMPILER.parent / "headrace-compile").exists():
        fail(f"no {RUNNER} or no headrace-compile beside {COMPILER}: build first")
    WORK.mkdir(parents=True, exist_ok=True)
    for case in sys.argv[2:]:
        check(sys.argv[1], case)
    print("ok")
