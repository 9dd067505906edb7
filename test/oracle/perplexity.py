"""Perplexities of eval.txt under our storage rules, computed by the numpy oracle: what `headrace eval` must say (limits: test/e2e/test_perplexity.py).

usage: perplexity.py make [MODEL...]     recomputes perplexity.json (minutes for SmolLM2)
       perplexity.py check               recomputes some of the small models and compares

The quantized ones come from exact.py, which takes every rounding decision as the kernels do.
"""
import json
import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))
import models
import rules
from exact import Exact
from llama import Llama

TABLE = Path(__file__).parent / "perplexity.json"
CASES = ["f32", "f16"] + [f"{quant} g{group}" for quant in ("w8", "w4", "w4a") for group in (32, 64, 128)]
FOLDERS = {"brook": lambda: models.BROOK, "stories260K": lambda: models.data("stories260K-hf"), "SmolLM2": models.smollm2}
# brook's and SmolLM2's float perplexities come from the transformers library too; the oracle must agree.
FLOAT = {"brook": 30.017435613179014, "SmolLM2": 29.935547668597483}


def perplexity(name, case):
    quant, group = (case.split() + ["g64"])[:2]
    if quant in ("w8", "w4", "w4a"):
        return math.exp(Exact(FOLDERS[name](), quant, int(group[1:])).nll(models.eval_ids(name)))
    dtype = np.float32 if name == "SmolLM2" else np.float64
    model = Llama(FOLDERS[name](), rules.from_name(quant, int(group[1:])), dtype)
    return math.exp(model.nll(models.eval_ids(name)))


def write(table):
    rows = [f' "{name}": {json.dumps({case: round(value, 5) for case, value in cases.items()})}' for name, cases in table.items()]
    TABLE.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def make(names):
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    for name in names or FOLDERS:
        table[name] = {}
        for case in CASES:
            table[name][case] = perplexity(name, case)
            print(f"{name:12} {case:8} {table[name][case]:9.4f} {100 * (table[name][case] / table[name]['f32'] - 1):+7.3f} %", flush=True)
        write(table)


def check():
    table = json.loads(TABLE.read_text())
    for name, value in FLOAT.items():
        if abs(table[name]["f32"] / value - 1) > 1e-4:
            sys.exit(f"{name}: expected {value}, the table says {table[name]['f32']}")
    for name, case in (("brook", "f32"), ("stories260K", "f16"), ("stories260K", "w8 g128")):
        found = perplexity(name, case)
        print(f"{name} {case}: {found:.5f}, table {table[name][case]}")
        if abs(found / table[name][case] - 1) > 1e-4:
            sys.exit("the table is out of date")


if __name__ == "__main__":
    make(sys.argv[2:]) if sys.argv[1] == "make" else check()
