"""The imported module of every case, evaluated in float64 by test/oracle/module.py, against what transformers computes: no pass, kernel or runtime in between.

usage: test_import.py NAME...      each with config.json as published and as transformers saves it
"""
import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from harness import command, equal, fail
from models import BUILD
from module import Module
from test_families import folder_of

LIMIT = 5e-5  # the references were computed in float32 and have five decimals


def check(name, form):
    reference = json.loads((HERE / f"references/{name}.json").read_text())
    folder = folder_of(name, reference, form)
    rows = Module(command([BUILD / "bin/headrace-import", folder]).stdout, folder).rows(reference["input_ids"])
    expected = reference.get("logits") or reference["hidden"]
    worst = max(float(np.abs(rows[int(position)] - row).max()) for position, row in expected.items())
    print(f"  {name}, {form} config.json: largest difference {worst:.1e} (limit {LIMIT:.0e})", flush=True)
    if not worst <= LIMIT:
        fail(f"{name} {form}: largest difference {worst}, limit {LIMIT}")
    if "argmax" in reference:
        equal(f"{name} {form} arg-max", rows.argmax(-1).tolist(), reference["argmax"])


if __name__ == "__main__":
    for case in sys.argv[1:]:
        for spelling in ("published", "saved"):
            check(case, spelling)
    print("ok")
