"""Random small models of all families' building blocks through the whole pipeline: every CPU variant of this machine against `reference`, bit by bit,
and float models against numpy oracles. A failure is shrunk to a small model before it is printed.

usage: random_models.py [COUNT [SECONDS]]      stops at whichever comes first
The seed comes from the commit, or from $HEADRACE_RANDOM_SEED; it is printed, and so is each failing case as a Python dict.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import models
import random_families
from harness import COMPILER, WORK, X86_TARGETS, command, compile_model, embed, fail, machine_runs, run, same_bits

ORACLE_LIMIT = 2e-3
ROUTING_MARGIN = 1e-4


def seed():
    given = os.environ.get("HEADRACE_RANDOM_SEED")
    if given:
        return int(given)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=models.PROJECT, capture_output=True, text=True).stdout.strip()
    return int(commit[:12] or "1", 16)


def draw(rng):
    """One case: the model, how it is compiled, how it is run."""
    pick = lambda *values: values[rng.integers(len(values))]
    between = lambda low, high: int(rng.integers(low, high + 1))
    kv_heads = pick(1, 1, 2, 3)
    head_dim = 2 * between(2, 24)
    case = {
        "hidden": pick(between(8, 96), 32 * between(1, 5), 4 * between(4, 40)), "layers": between(1, 3), "kv_heads": kv_heads,
        "heads": kv_heads * pick(1, 2, 3, 4), "head_dim": head_dim, "ffn": pick(between(4, 200), 32 * between(1, 6)),
        "vocab": pick(between(8, 300), 32 * between(1, 8)), "positions": pick(40, 64, 96, 200), "tied": bool(between(0, 1)),
        "attention_bias": bool(between(0, 1)), "mlp_bias": bool(between(0, 1)), "dtype": pick("F32", "F16", "BF16"), "seed": between(0, 1 << 30),
        "activation": pick("silu", "silu", "silu", "gelu_pytorch_tanh", "relu"), "eps": pick(1e-6, 1e-5), "theta": pick(10000.0, 500000.0),
        "rope": pick({"rope_type": "default"}, {"rope_type": "linear", "factor": 2.0},
                     {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32})}
    if between(0, 2):
        case = random_families.draw(pick, between, case)
    encodings = ("f32", "f16", "w8", "w4", "w4a", "w4z")
    options = {"--quant": pick(*encodings), "--group": pick(32, 64, 128), "--act": pick("a8", "a8", "f32")}
    if between(0, 2) == 0:
        options["--embed"] = pick(*encodings)
    if between(0, 2) == 0:
        options["--head"] = pick(*encodings)
    if between(0, 2) == 0:
        options["--kv"] = pick("f32", "f16", "f32,f16", "f16,f32")
    if case.get("family") in random_families.ENCODERS:  # without a cache and a head
        options = {key: value for key, value in options.items() if key not in ("--kv", "--head")}
    settings = {"--threads": pick(1, 2, 3)}
    if between(0, 1):
        settings["--chunk"] = between(1, 40)
    prompt = between(1, case["positions"] - 4)
    return {"model": case, "options": options, "target": pick(*[t for t in X86_TARGETS if machine_runs(t)]), "settings": settings, "prompt": prompt}


def is_encoder(case):
    return case["model"].get("family") in random_families.ENCODERS


def outputs(case, out, ids, settings):
    """What is compared: logits of the prompt and of some steps; of an encoder the hidden rows and the embedding."""
    if is_encoder(case):
        return embed(out, ids, *flat({key: value for key, value in settings.items() if key == "--threads"}))[::-1]
    _, steps, prompt, _ = run(out, ids, 3, *flat(settings))
    return prompt, steps


def flat(table):
    return [part for pair in table.items() for part in pair]


def failure(case):
    """What goes wrong with a case, or None. Failing commands count: every drawn model is legal."""
    ids = np.random.default_rng(case["model"]["seed"]).integers(3, case["model"]["vocab"], case["prompt"]).tolist()
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        folder = Path(scratch) / "model"
        try:
            random_families.write(folder, case["model"])
            results = []
            for target, settings in (("reference", {}), (case["target"], case["settings"])):
                out = Path(scratch) / f"{len(results)}.bundle"
                compile_model(folder, "--target", target, *flat(case["options"]), out=out)
                results.append(outputs(case, out, ids, settings))
            same_bits("prompt", results[1][0], results[0][0])
            same_bits("steps or embedding", results[1][1], results[0][1])
            if all(case["options"].get(key, "f32") == "f32" for key in ("--quant", "--embed", "--head", "--kv")):
                return against_oracle(case, folder, ids, results[0][0])
        except SystemExit as stop:
            return str(stop)
    return None


def against_oracle(case, folder, ids, logits):
    """Llama has an oracle of its own; the module of another family, as imported, is evaluated."""
    if case["model"].get("family", "llama") == "llama":
        from llama import Llama
        expected = Llama(folder).append(ids)
    else:
        from module import Module
        module = Module(command([COMPILER.parent / "headrace-import", folder]).stdout, folder)
        expected = module.rows(ids)
        if module.margin < ROUTING_MARGIN:  # other experts would be as right
            return None
    worst = float(np.abs(logits - expected).max() / max(1.0, np.abs(expected).max()))
    return None if worst <= ORACLE_LIMIT else f"reference differs from the numpy oracle by {worst:.2e} of the largest logit"


def smaller(case):
    """Neighbours of a case that are simpler in one respect."""
    model = case["model"]
    for key, values in {"layers": [1], "kv_heads": [1], "hidden": [32, 64], "head_dim": [4, 8, 32], "ffn": [32], "vocab": [32, 64], "attention_bias": [False],
                        "mlp_bias": [False], "tied": [True], "dtype": ["F32"], "activation": ["silu"], "rope": [{"rope_type": "default"}], "bias": [False],
                        "qk_norm": [False], "parallel": [False], "post_norm": [False], "projected": [False], "rotated": [1.0], "experts": [2], "top": [1],
                        "normalise": [False], "fused": [False], "sparse_step": [1]}.items():
        for value in values if key in model else ():
            if model[key] != value and (not isinstance(value, int) or isinstance(value, bool) or value < model[key]):
                changed = dict(model, **{key: value})
                if key == "kv_heads":
                    changed["heads"] = model["heads"] // model["kv_heads"]
                yield dict(case, model=changed)
    if model["heads"] > model["kv_heads"]:
        yield dict(case, model=dict(model, heads=model["kv_heads"]))
    for key in ("--embed", "--head", "--kv", "--act"):
        if key in case["options"]:
            yield dict(case, options={k: v for k, v in case["options"].items() if k != key})
    for key in case["settings"]:
        yield dict(case, settings={k: v for k, v in case["settings"].items() if k != key})
    for prompt in (1, case["prompt"] // 2, case["prompt"] - 1):
        if 0 < prompt < case["prompt"]:
            yield dict(case, prompt=prompt)


def shrink(case, seconds=90):
    end, progress = time.monotonic() + seconds, True
    while progress and time.monotonic() < end:
        progress = False
        for candidate in smaller(case):
            if time.monotonic() < end and failure(candidate):
                case, progress = candidate, True
                break
    return case


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1e9
    if not (COMPILER.parent / "headrace-compile").exists():
        fail(f"no headrace-compile beside {COMPILER}")
    WORK.mkdir(parents=True, exist_ok=True)
    start, base = time.monotonic(), seed()
    print(f"seed {base} (HEADRACE_RANDOM_SEED={base} runs the same models)", flush=True)
    cases = [draw(np.random.default_rng([base, i])) for i in range(count)]
    done = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for first in range(0, count, 8):
            if time.monotonic() - start > seconds:
                break
            batch = cases[first:first + 8]
            for case, problem in zip(batch, pool.map(failure, batch)):
                done += 1
                if problem:
                    small = shrink(case)
                    fail(f"{problem}\ncase {case}\nshrunk to {small}\n{failure(small)}")
    print(f"{done} models in {time.monotonic() - start:.0f} s: every variant gives the bits of reference")


if __name__ == "__main__":
    main()
