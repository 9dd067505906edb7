"""Float bundles against references computed elsewhere: greedy ids, logits, perplexity; f32 and f16.

usage: test_reference.py brook|stories|families|linear-rope|smollm2|smollm2-sharded|minilm...
"""
import json
import tempfile
from pathlib import Path

import numpy as np

import models
from harness import RUNNER, WORK, bundle, command, equal, evaluate, fail, main, run

F16_MARGIN = 0.02  # f16 may part from the reference only at a step whose two best logits are closer than this


def close(what, found, expected, limit):
    worst = float(np.abs(np.asarray(found, np.float64) - np.asarray(expected, np.float64)).max())
    print(f"  {what}: largest difference {worst:.2e} (limit {limit:.0e})", flush=True)
    if not worst <= limit:
        fail(f"{what}: largest difference {worst}, limit {limit}")


def check_ids(what, quant, found, expected, margins):
    """Equal ids; in f16 the two may part at a step with a small margin, and are not compared beyond it."""
    for step, (a, b) in enumerate(zip(found, expected)):
        if a != b:
            if quant == "f16" and margins[step] < F16_MARGIN:
                print(f"  {what}: f16 parts at step {step}, margin {margins[step]:.4f}")
                return
            fail(f"{what}: step {step}: expected id {b}, found {a} (margin {margins[step]})")
    equal(f"{what}: number of ids", len(found), len(expected))


def check_prompts(name, folder, reference, limit):
    """The four prompts of a make_reference.py file."""
    for quant in ("f32", "f16"):
        out = bundle(folder, "--target", "host", "--quant", quant)
        for prompt in reference["prompts"]:
            ids, logits, _, _ = run(out, prompt["ids"], len(prompt["greedy_ids"]), prompt_logits=False)
            margins = [s["top_logits"][0] - s["top_logits"][1] for s in prompt["steps"]]
            check_ids(f"{name} {quant} {prompt['prompt']!r}", quant, ids, prompt["greedy_ids"], margins)
            if quant == "f32":
                found = [row[s["top_ids"]] for row, s in zip(logits, prompt["steps"])]
                close(f"{name} {prompt['prompt']!r}", found, [s["top_logits"] for s in prompt["steps"]], limit)
        perplexity = evaluate(out, models.eval_ids(name))["perplexity"]
        expected = reference["perplexity"]["perplexity"]
        share = 100 * (perplexity / expected - 1)
        print(f"  {name} {quant}: perplexity {perplexity:.4f}, reference {expected:.4f} ({share:+.4f} %)")
        if abs(share) > (0.1 if quant == "f32" else 0.2):
            fail(f"{name} {quant}: perplexity {perplexity}, reference {expected}")


def brook():
    check_prompts("brook", models.BROOK, json.loads((models.BROOK / "reference.json").read_text()), 2e-3)


def stories():
    folder = models.data("stories260K-hf")
    for quant in ("f32", "f16"):
        out = bundle(folder, "--target", "host", "--quant", quant)
        for entry in json.loads((folder / "reference/generation.json").read_text()):
            stem = str(folder / f"reference/prompt{entry['index']}")
            steps, all_rows = np.load(stem + ".step_logits.f32.npy"), np.load(stem + ".all_prompt_logits.f32.npy")
            ids, logits, prompt, _ = run(out, entry["prompt_ids"], len(entry["greedy_ids"]))
            top = np.sort(steps, axis=-1)
            check_ids(f"stories260K {quant} prompt {entry['index']}", quant, ids, entry["greedy_ids"], top[:, -1] - top[:, -2])
            if quant == "f32":
                close(f"stories260K prompt {entry['index']} steps", logits, steps, 1e-4)
                close(f"stories260K prompt {entry['index']} rows", prompt, all_rows, 1e-4)


def check_rows(name, folder, reference, limit):
    """Prompt logits at some positions, arg-max at all, greedy ids up to the end id (the references go on past it)."""
    out = bundle(folder, "--target", "host", "--quant", "f32")
    expected = reference["greedy_ids"]
    ids, _, prompt, _ = run(out, reference["input_ids"], len(expected))
    for position, row in reference["logits"].items():
        close(f"{name} position {position}", prompt[int(position)], row, limit)
    equal(f"{name} arg-max", prompt.argmax(-1).tolist(), reference["argmax"])
    if ids[-1] == 2:
        equal(f"{name} ids before the end id", ids[:-1], expected[:len(ids) - 1])
    else:
        equal(f"{name} ids", ids, expected)


def families():
    """Against the oracle at every position; test/families holds these checkpoints to transformers."""
    from llama import Llama
    for name in models.FAMILIES:
        folder = models.data(f"hf-families/{name}")
        ids = json.loads((folder / "reference.json").read_text())["input_ids"]
        _, _, prompt, _ = run(bundle(folder, "--target", "host", "--quant", "f32"), ids, 1)
        close(f"{name} against the oracle", prompt, Llama(folder).append(ids), 1e-4)


def linear_rope():
    reference = json.loads((models.PROJECT / "test/oracle/linear-rope-reference.json").read_text())
    check_rows("linear-rope", models.linear_rope(), reference, 1e-4)


def smollm2():
    data = models.data("real-models")
    reference = json.loads((data / "smollm2-reference.json").read_text())
    check_prompts("SmolLM2", models.smollm2(), reference, 5e-3)
    check_full_rows(models.smollm2(), data, reference)


def check_full_rows(folder, data, reference):
    out = bundle(folder, "--target", "host", "--quant", "f32")
    rows = np.load(data / "smollm2-logits.npy")
    for number in sorted({place["prompt"] for place in json.loads((data / "smollm2-logits.json").read_text())}):
        _, logits, _, _ = run(out, reference["prompts"][number]["ids"], 4, prompt_logits=False)
        for place, row in zip(json.loads((data / "smollm2-logits.json").read_text()), rows):
            if place["prompt"] == number:
                close(f"SmolLM2 prompt {number} step {place['step']}", logits[place["step"]], row, 2e-3)


def smollm2_sharded():
    data = models.data("real-models")
    check_full_rows(models.smollm2("smollm2-sharded"), data, json.loads((data / "smollm2-reference.json").read_text()))


def minilm():
    """Ids, hidden rows and embeddings of texts, by a sentence encoder with trained weights."""
    expected = json.loads((models.data("real-models") / "minilm-reference.json").read_text())
    out = bundle(models.minilm(), "--target", "host", "--quant", "f32")
    for entry in expected:
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            rows = Path(scratch) / "hidden.npy"
            found = json.loads(command([RUNNER, "embed", out, "--json", "--hidden", rows, "--", entry["text"]]).stdout)
            equal(f"MiniLM ids of {entry['text']!r}", found["ids"], entry["input_ids"])
            close(f"MiniLM hidden row of {entry['text']!r}", np.load(rows)[0], entry["last_hidden_state_row0"], 2e-5)
            close(f"MiniLM embedding of {entry['text']!r}", found["embedding"], entry["sentence_embedding"], 1e-5)
    long_text = " ".join(["river"] * 300)  # 302 ids; sentence-transformers cuts at 256 (sentence_bert_config.json)
    refused = command([RUNNER, "embed", out, "--json", "--", long_text], expect=1)
    equal("MiniLM, a text too long", refused.stderr.strip(), "headrace: error: text: expected at most 256 tokens (or --truncate), found 302")
    found = json.loads(command([RUNNER, "embed", out, "--json", "--truncate", "--", long_text]).stdout)
    equal("MiniLM, a text cut", (found["ids"], found["truncated"]), ([101] + [2314] * 254 + [102], 46))


if __name__ == "__main__":
    main({"brook": brook, "stories": stories, "families": families, "linear-rope": linear_rope, "smollm2": smollm2, "smollm2-sharded": smollm2_sharded,
          "minilm": minilm})
