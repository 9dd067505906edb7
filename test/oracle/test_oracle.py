"""The numpy oracle against references that others computed: brook, stories260K, SmolLM2 and the Llama family of small checkpoints.

usage: test_oracle.py brook|stories|families|linear-rope|smollm2
"""
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))
import models
from llama import Llama, rope_frequencies
from random_llama import rounded_to_bfloat16


def close(what, found, expected, limit):
    worst = float(np.abs(np.asarray(found) - np.asarray(expected)).max())
    print(f"{what}: largest difference {worst:.2e}, limit {limit:.0e}")
    if not worst <= limit:
        sys.exit(f"{what}: differs by {worst}, limit {limit}")


def equal(what, found, expected):
    if list(found) != list(expected):
        sys.exit(f"{what}: expected {list(expected)}, found {list(found)}")


def check_prompts(name, model, reference, limit):
    """Greedy ids and the eight largest logits of every step, as test/data-tools/make_reference.py writes them."""
    for prompt in reference["prompts"]:
        ids, logits = model.greedy(prompt["ids"], len(prompt["greedy_ids"]))
        equal(f"{name} ids after {prompt['prompt']!r}", ids, prompt["greedy_ids"])
        for step, row in zip(prompt["steps"], logits):
            if not np.abs(row[step["top_ids"]] - step["top_logits"]).max() <= limit:
                sys.exit(f"{name}: logits differ after {prompt['prompt']!r}")


def brook():
    check_prompts("brook", Llama(models.BROOK), json.loads((models.BROOK / "reference.json").read_text()), 1e-4)


def stories():
    folder = models.data("stories260K-hf")
    model = Llama(folder)
    for entry in json.loads((folder / "reference/generation.json").read_text()):
        ids, logits = model.greedy(entry["prompt_ids"], len(entry["greedy_ids"]))
        equal("stories260K ids", ids, entry["greedy_ids"])
        close("stories260K logits", logits, np.load(folder / f"reference/prompt{entry['index']}.step_logits.f32.npy"), 1e-4)


def families():
    for name in models.FAMILIES:
        folder = models.data(f"hf-families/{name}")
        reference = json.loads((folder / "reference.json").read_text())
        model = Llama(folder)
        model.set_frequencies(rounded_to_bfloat16(rope_frequencies(model.config)))  # README.md says why
        logits = model.append(reference["input_ids"])
        for position, row in reference["logits"].items():
            close(f"{name} position {position}", logits[int(position)], row, 2e-5)
        equal(f"{name} arg-max", logits.argmax(-1), reference["argmax"])


def linear_rope():
    folder = models.linear_rope()
    reference = json.loads((Path(__file__).parent / "linear-rope-reference.json").read_text())
    logits = Llama(folder).append(reference["input_ids"])
    for position, row in reference["logits"].items():
        close(f"linear-rope position {position}", logits[int(position)], row, 1e-4)
    equal("linear-rope arg-max", logits.argmax(-1), reference["argmax"])


def smollm2():
    data = models.data("real-models")
    model = Llama(models.smollm2(), dtype=np.float32)
    reference = json.loads((data / "smollm2-reference.json").read_text())
    check_prompts("SmolLM2", model, reference, 5e-3)
    rows = np.load(data / "smollm2-logits.npy")
    for place, row in zip(json.loads((data / "smollm2-logits.json").read_text()), rows):
        prompt = reference["prompts"][place["prompt"]]
        model.reset()
        logits = model.append(prompt["ids"] + prompt["greedy_ids"][:place["step"]], all_rows=False)[-1]
        close(f"SmolLM2 prompt {place['prompt']} step {place['step']}", logits, row, 1e-3)


if __name__ == "__main__":
    {"brook": brook, "stories": stories, "families": families, "linear-rope": linear_rope, "smollm2": smollm2}[sys.argv[1]]()
    print("ok")
