"""Quantized bundles against the numpy model of the same rules (test/oracle/perplexity.json), and the ceilings of round-to-nearest.

usage: test_perplexity.py brook|stories260K|SmolLM2...
"""
import json

import models
from harness import bundle, evaluate, fail, main

FOLDERS = {"brook": lambda: models.BROOK, "stories260K": lambda: models.data("stories260K-hf"), "SmolLM2": models.smollm2}
# % of perplexity. Float bundles add in another order than the oracle; quantized ones are compared with test/oracle/exact.py, which adds in
# theirs: the same bits, so that nothing but the sum of logarithms differs.
FLOAT_LIMITS, EXACT_LIMIT = {"brook": 0.01, "stories260K": 0.01, "SmolLM2": 0.02}, 0.001
CEILINGS = {("brook", "w8 g32"): 0.3, ("brook", "w8 g64"): 0.3, ("brook", "w8 g128"): 0.3, ("brook", "w4 g64"): 4.0}  # % above float


def check(name):
    table = json.loads((models.PROJECT / "test/oracle/perplexity.json").read_text())[name]
    folder = FOLDERS[name]()
    print(f"  {'':10} {'headrace':>10} {'numpy':>10} {'apart':>9} {'to f32':>9}")
    problems = []
    for case, expected in table.items():
        quant, group = (case.split() + [None])[:2]
        options = ["--group", group[1:]] if group else []
        found = evaluate(bundle(folder, "--target", "host", "--quant", quant, *options), models.eval_ids(name))["perplexity"]
        apart, cost = 100 * (found / expected - 1), 100 * (found / table["f32"] - 1)
        print(f"  {case:10} {found:10.4f} {expected:10.4f} {apart:+8.4f}% {cost:+8.3f}%", flush=True)
        if abs(apart) > (EXACT_LIMIT if group else FLOAT_LIMITS[name]):
            problems.append(f"{case}: {found}, numpy {expected}")
        if cost > CEILINGS.get((name, case), 1e9):
            problems.append(f"{case}: {cost:.2f} % above float, ceiling {CEILINGS[(name, case)]} %")
    if problems:
        fail(f"{name}: " + "; ".join(problems))


if __name__ == "__main__":
    main({name: lambda name=name: check(name) for name in FOLDERS})
