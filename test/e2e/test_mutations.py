"""One hundred damaged model folders and bundles through the commands: refused with one line, or accepted with unchanged output, or the
damage is in the model's own numbers (tensors, config.json), where nobody can tell it from another model.

usage: test_mutations.py [COUNT]       the seed comes from the commit (random_models.py)
"""
import collections
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import models
import random_llama
from harness import COMPILER, RUNNER, WORK, command, compile_model, fail
from random_models import seed

IDS = "5,9,13,17"


def small_model(folder):
    random_llama.write(folder, seed=3, hidden=32, layers=1, heads=2, kv_heads=1, head_dim=16, ffn=48, vocab=2048, positions=64)
    shutil.copy(models.BROOK / "tokenizer.json", folder)


def mutate(path, rng):
    """Flips a bit, cuts the file, or repeats a piece; headers are hit more often than payload."""
    data = bytearray(path.read_bytes())
    reach = min(len(data), 4096) if rng.random() < 0.8 else len(data)
    at = rng.randrange(reach)
    kind = rng.choice(["flip", "flip", "flip", "cut", "repeat", "byte"])
    if kind == "flip":
        data[at] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del data[at:]
    elif kind == "repeat":
        data[at:at] = data[at:at + rng.randrange(1, 64)]
    else:
        data[at] = rng.choice([0, 0x20, 0x22, 0x2C, 0x7B, 0x7D, 0xFF])
    path.write_bytes(data)
    return f"{kind} at {at} of {path.name}", at


def judge(what, done, outputs):
    """One line and exit code 1, or success. A signal, another code or a longer message is a failure."""
    if done.returncode == 0:
        return True
    lines = done.stderr.strip().splitlines()
    if done.returncode != 1 or len(lines) != 1 or not lines[0].startswith("headrace: error: "):
        fail(f"{what}: exit code {done.returncode}, stderr:\n{done.stderr[-2000:]}")
    for path in outputs:
        if path.exists():
            fail(f"{what}: refused, but {path.name} is there")
    return False


def run_command(arguments):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, errors="replace", timeout=120)


def damaged_model(scratch, rng, expected):
    folder, out = scratch / "m", scratch / "m.bundle"
    small_model(folder)
    path = folder / rng.choice(["model.safetensors", "model.safetensors", "config.json", "tokenizer.json"])
    end = 8 + struct.unpack("<Q", (folder / "model.safetensors").read_bytes()[:8])[0]
    what, at = mutate(path, rng)
    numbers = path.name == "config.json" or (path.suffix == ".safetensors" and at >= end)
    accepted = judge(what, run_command([COMPILER, "compile", folder, "-o", out, "--target", "reference"]), [out])
    if accepted:
        found = run_command([RUNNER, "run", out, "--ids", IDS, "-n", 2, "--temperature", 0, "--json"])
        if judge(what, found, []) and not numbers and json.loads(found.stdout)["ids"] != expected:
            fail(f"{what}: accepted, but the model answers otherwise")
    left = [p.name for p in scratch.iterdir() if p.name not in ("m", "m.bundle")]
    if left:
        fail(f"{what}: left {left}")
    return ("numbers" if numbers else "unchanged") if accepted else "refused"


def damaged_bundle(scratch, rng, whole, expected):
    copy = scratch / "b.bundle"
    shutil.copytree(whole, copy)
    what, _ = mutate(copy / rng.choice(["manifest.json", "weights.bin", "weights.bin"]), rng)
    done = run_command([RUNNER, "verify", copy])
    accepted = judge(what, done, [])
    if accepted:
        found = run_command([RUNNER, "run", copy, "--ids", IDS, "-n", 2, "--temperature", 0, "--json"])
        if judge(what, found, []) and json.loads(found.stdout)["ids"] != expected:
            fail(f"{what}: verify accepts the bundle, but it answers otherwise")
    return "unchanged" if accepted else "refused"


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rng = random.Random(seed())
    print(f"seed {seed()}")
    WORK.mkdir(parents=True, exist_ok=True)
    results = collections.Counter()
    with tempfile.TemporaryDirectory(dir=WORK) as base:
        base = Path(base)
        small_model(base / "whole")
        whole = base / "whole.bundle"
        compile_model(base / "whole", "--target", "host", out=whole)
        expected = json.loads(command([RUNNER, "run", whole, "--ids", IDS, "-n", 2, "--temperature", 0, "--json"]).stdout)["ids"]
        for number in range(count):
            scratch = base / str(number)
            os.mkdir(scratch)
            results[damaged_model(scratch, rng, expected) if number % 3 else damaged_bundle(scratch, rng, whole, expected)] += 1
            shutil.rmtree(scratch)
    print(f"{count} mutations: {results['refused']} refused, {results['unchanged']} accepted with unchanged output, "
          f"{results['numbers']} accepted as other numbers")


if __name__ == "__main__":
    main()
