"""The decoders of hf-families held to the references that lie beside them.

usage: test_given.py NAME...

Those references were computed with rotary frequencies rounded to bfloat16 and with the end id forbidden (test/oracle/README.md). A GGUF file can say
what frequencies are divided by, so the checkpoints are written in that form, with divisors that make the frequencies such numbers; all else is f32.
"""
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))
import gguf_form
from harness import WORK, bundle, fail, run
from models import data

LIMIT = 1e-3  # of logits
MARGIN = 0.003  # below it another id may be the best one


def same_choice(what, row, expected):
    """The row's best id is the expected one, or as good as it."""
    best = int(row.argmax())
    if best != expected and not row[best] - row[expected] < MARGIN:
        fail(f"{what}: id {best}, expected {expected}, {row[best] - row[expected]:.4f} below")


def check(name):
    folder = data(f"hf-families/{name}")
    reference, config = (json.loads((folder / file).read_text()) for file in ("reference.json", "config.json"))
    path = WORK / f"given-{name}.gguf"
    gguf_form.write(path, folder, name, config, rounded_rope=True)
    # The prompt and what the reference generated after it, as one prompt: no id ends it.
    ids, generated = reference["input_ids"], reference["greedy_ids"]
    rows = run(bundle(path, "--target", "host", "--quant", "f32"), ids + generated[:-1], 1)[2].astype(np.float64)
    worst = max(float(np.abs(rows[int(position)] - expected).max()) for position, expected in reference["logits"].items())
    print(f"  {name}: largest difference of logits {worst:.1e} (limit {LIMIT:.0e})")
    if not worst <= LIMIT:
        fail(f"{name}: largest difference of logits {worst}, limit {LIMIT}")
    for position, expected in enumerate(reference["argmax"]):
        same_choice(f"{name} position {position}", rows[position], expected)
    rows[:, config["eos_token_id"]] = -np.inf
    for step, expected in enumerate(generated):
        same_choice(f"{name} step {step}", rows[len(ids) - 1 + step], expected)


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    for case in sys.argv[1:]:
        check(case)
    print("ok")
