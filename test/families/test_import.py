"""The module of every case, as imported and after the passes of stage model, evaluated in float64 by test/oracle/module.py, against what transformers
computes: where these agree and a bundle does not, the fault lies in quantization, tiling, kernels or the runtime.

usage: test_import.py NAME...      each with config.json as published, and as transformers saves it
"""
import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from cases import VARIANTS
from harness import command, equal, fail
from models import BUILD
from module import Module
from test_families import folder_of

STAGE_MODEL = ["--hr-canonical-form", "--hr-merge-qkv", "--hr-merge-gate-up", "--hr-fuse-residual-norm", "--hr-fuse-epilogue", "--hr-form-attention",
               "--hr-verify-model"]
LIMIT = 5e-5  # the references were computed in float32 and have five decimals


def check(what, reference, text, folder):
    rows = Module(text, folder).rows(reference["input_ids"])
    expected = reference.get("logits") or reference["hidden"]
    worst = max(float(np.abs(rows[int(position)] - row).max()) for position, row in expected.items())
    print(f"  {what}: largest difference {worst:.1e} (limit {LIMIT:.0e})", flush=True)
    if not worst <= LIMIT:
        fail(f"{what}: largest difference {worst}, limit {LIMIT}")
    if "argmax" in reference:
        equal(f"{what} arg-max", rows.argmax(-1).tolist(), reference["argmax"])


def check_longest_context(name, rope, folder):
    """longrope's other factors count beyond the original positions: the default context stops there, a longer one is refused."""
    most, importer = rope["original_max_position_embeddings"], BUILD / "bin/headrace-import"
    equal(f"{name}, default context", f"model.context = {most} : i32" in command([importer, folder]).stdout, True)
    refused = command([importer, folder, f"--context={most + 1}"], expect=1).stderr
    equal(f"{name}, longer context", f"context: expected 1 to {most}, as rotary positions of type longrope" in refused, True)


def check_case(name):
    reference = json.loads((HERE / "references" / ("variants" if name in VARIANTS else "") / f"{name}.json").read_text())
    for spelling in ("published", "saved"):
        folder = folder_of(name, reference, spelling)
        text = command([BUILD / "bin/headrace-import", folder]).stdout
        check(f"{name}, {spelling} config.json", reference, text, folder)
    rope = reference["saved_config"].get("rope_parameters") or {}
    if rope.get("rope_type") == "longrope" and rope["original_max_position_embeddings"] < reference["saved_config"]["max_position_embeddings"]:
        check_longest_context(name, rope, folder)
    fused = command([BUILD / "bin/headrace-opt", "-", *STAGE_MODEL], input=text).stdout
    check(f"{name} after stage model", reference, fused, folder)


if __name__ == "__main__":
    for case in sys.argv[1:]:
        check_case(case)
    print("ok")
