"""The float contract: the same bits from every target, with any number of threads and any chunking of the prompt.

usage: test_bits.py x86-brook|x86-stories|x86-families|arm-brook|arm-stories|arm-families|devices|numpy|numpy-smollm2|numpy-windows|widened|
                    widened-arm|x86-smollm2...
"""
import json
import shutil
import sys
from pathlib import Path

import models
from harness import ARM_CPUS, WORK, X86_TARGETS, bundle, equal, fail, machine_runs, main, run, same_bits

FAMILIES = Path(__file__).parent.parent / "families"

QUANTS = ["f32", "f16", "w8", "w4", "w4a", "w4z"]
SETTINGS = [["--threads", 1], ["--threads", 2], ["--threads", 3], ["--threads", 2, "--chunk", 1], ["--chunk", 5], ["--chunk", 8], ["--chunk", 33]]


def brook_ids():
    return models.eval_ids("brook")[:70]


def stories_ids():
    return models.eval_ids("stories260K")[:70]


def check(folder, ids, quants, variants, n=6):
    """variants: (target, qemu cpu or None, settings). The oracle is `reference` with one thread."""
    for quant in quants:
        oracle = run(bundle(folder, "--target", "reference", "--quant", quant), ids, n)
        for target, cpu, settings in variants:
            out = bundle(folder, "--target", target, "--quant", quant)
            for setting in settings:
                what = f"{folder.name} {quant} {target} {' '.join(map(str, setting))}"
                found = run(out, ids, n, *setting, cpu=cpu)
                same_bits(what + ", prompt", found[2], oracle[2])
                same_bits(what + ", steps", found[1], oracle[1])
                equal(what + ", ids", found[0], oracle[0])
            print(f"  {folder.name} {quant} {target}: {len(settings)} settings, the same bits", flush=True)


def x86_variants(settings):
    usable = [t for t in X86_TARGETS if machine_runs(t)]
    for target in set(X86_TARGETS) - set(usable):
        print(f"  {target}: this machine lacks its instructions; its kernels are checked by the conformance suite")
    if not usable:
        fail("no x86-64 target runs on this machine")
    return [("reference", None, settings)] + [(t, None, settings) for t in usable]


def arm_variants():
    return [(target, cpu, [["--threads", 1], ["--threads", 2, "--chunk", 9]]) for target, cpu in ARM_CPUS.items()]


def families(variants):
    """What only some families have: windows, caps, norms of q and k (rms, layer with biases), layer norms, learned positions, experts."""
    sys.path.insert(0, str(FAMILIES))
    import checkpoint
    from cases import CONFIGS
    for name in ("gemma2", "gemma3", "gpt2", "phi-qk-norm", "qwen3-moe"):
        reference = json.loads((FAMILIES / f"references/{name}.json").read_text())
        folder = models.BUILD / f"test/e2e/{name}-bits{'-arm' if variants[0][1] else ''}"  # a folder for each test: they run side by side
        checkpoint.write(folder, name, CONFIGS[name], reference["tensors"])
        check(folder, reference["input_ids"], ["f32", "w4"], variants, n=3)


def devices():
    """Two devices: the feed-forward network on `reference`, mounted beside the CPU, changes no bit."""
    ids = brook_ids()
    for quant in ("f32", "w4"):
        oracle = run(bundle(models.BROOK, "--target", "reference", "--quant", quant), ids, 4)
        split = bundle(models.BROOK, "--target", "host,reference", "--place", "layers.*.mlp=reference", "--quant", quant)
        for setting in (["--threads", 1], ["--threads", 2]):
            found = run(split, ids, 4, *setting)
            same_bits(f"brook {quant} on two devices", found[1], oracle[1])


def check_numpy(folder, ids, quant, group):
    """The quantized kernels against the numpy model that adds in the same order: equal to the bit at every position."""
    from exact import Exact
    found = run(bundle(folder, "--target", "host", "--quant", quant, "--group", group), ids, 1)
    same_bits(f"{folder.name} {quant} group {group} against numpy", found[2], Exact(folder, quant, group).append(ids))
    print(f"  {folder.name} {quant} group {group}: the bits of the numpy model at {len(ids)} positions", flush=True)


def numpy_model():
    for folder, ids in ((models.BROOK, brook_ids()), (models.data("stories260K-hf"), stories_ids())):
        for quant, group in (("w8", 128), ("w4", 64), ("w4", 32), ("w4a", 64), ("w4a", 32), ("w4z", 64), ("w4z", 32)):
            check_numpy(folder, ids, quant, group)


def numpy_smollm2():
    check_numpy(models.smollm2(), models.eval_ids("SmolLM2")[:48], "w4", 64)


def numpy_windows():
    """A whole window of a real model: no rounding decision of 30 layers differs."""
    for quant, group in (("w8", 64), ("w4", 32), ("w4", 64), ("w4", 128), ("w4a", 32), ("w4z", 128)):  # two minutes each
        check_numpy(models.smollm2(), models.eval_ids("SmolLM2")[512:1024], quant, group)


def stored_as_floats(folder, quant, group):
    """The model whose float weights are what `quant` keeps of those of `folder`, by the numpy rules."""
    import random_llama
    import rules
    from folder import read_safetensors
    out = WORK / "stored" / f"{folder.name}_{quant}_g{group}"
    out.mkdir(parents=True, exist_ok=True)
    shutil.copy(folder / "config.json", out)
    tensors = {name: rules.store_weight(w, quant, group) if w.ndim == 2 else w for name, w in read_safetensors(folder / "model.safetensors").items()}
    random_llama.write_safetensors(out / "model.safetensors", tensors, "F32")
    return out


def widened(variants, count, n):
    """--act f32 loses nothing: the bits of a float bundle of the dequantized weights."""
    ids = brook_ids()[:count]
    for quant, group in (("w8", 64), ("w4", 32), ("w4a", 32), ("w4a", 128), ("w4z", 64)):
        floats = run(bundle(stored_as_floats(models.BROOK, quant, group), "--target", "host", "--quant", "f32"), ids, n)
        for target, cpu, settings in variants:
            out = bundle(models.BROOK, "--target", target, "--quant", quant, "--group", group, "--act", "f32", "--kv", "f32")
            for setting in settings:
                found = run(out, ids, n, *setting, cpu=cpu)
                same_bits(f"brook {quant} g{group} widened, {target}, prompt", found[2], floats[2])
                same_bits(f"brook {quant} g{group} widened, {target}, steps", found[1], floats[1])
        print(f"  brook {quant} g{group} with float activations: the bits of the float model, {len(variants)} targets", flush=True)


def smollm2():
    ids = models.eval_ids("SmolLM2")[:40]
    check(models.smollm2(), ids, QUANTS, x86_variants([["--threads", 2]])[1:], n=3)


if __name__ == "__main__":
    stories = lambda: models.data("stories260K-hf")
    main({
        "x86-brook": lambda: check(models.BROOK, brook_ids(), QUANTS, x86_variants(SETTINGS)),
        "x86-stories": lambda: check(stories(), stories_ids(), QUANTS, x86_variants(SETTINGS)),
        "arm-brook": lambda: check(models.BROOK, brook_ids()[:40], QUANTS, arm_variants(), n=3),
        "arm-stories": lambda: check(stories(), stories_ids()[:40], QUANTS, arm_variants(), n=3),
        "x86-families": lambda: families(x86_variants([["--threads", 1], ["--threads", 2, "--chunk", 9], ["--chunk", 1]])),
        "arm-families": lambda: families(arm_variants()),
        "devices": devices,
        "numpy": numpy_model,
        "numpy-smollm2": numpy_smollm2,
        "numpy-windows": numpy_windows,
        "widened": lambda: widened(x86_variants([["--threads", 2], ["--chunk", 9]]), 70, 4),
        "widened-arm": lambda: widened(arm_variants(), 20, 2),
        "x86-smollm2": smollm2,
    })
