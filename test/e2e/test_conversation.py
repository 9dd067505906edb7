"""Sessions that go on: saved ones to the bit, turns that compute only what is new, files that are not what they should be.

usage: test_conversation.py saved|turns|hostile...
"""
import json
import random
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import models
from harness import RUNNER, WORK, bundle, command, equal, fail, headrace_run, main, same_bits

PROMPT = "In the beginning God created the heaven and the earth. And the earth was without form, and void"


def counts(result):
    return [result["timings"][k] for k in ("prompt_tokens", "cached_tokens", "prefilled_tokens", "prefill_steps", "steps")]


def generate(program, *words):
    """The JSON object and the logits of each step."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        logits = Path(scratch) / "logits.npy"
        done = command([*program, *words, "--json", "--logits", logits])
        return json.loads(done.stdout), np.load(logits)


def saved():
    """40 tokens at once, and in two programs with a file between: the same ids and the same bits, with one token computed after loading."""
    for options in (["--quant", "w4"], ["--quant", "f32"], ["--quant", "w8", "--kv", "f32,f16"]):
        out = bundle(models.BROOK, "--target", "host", *options)
        host, own = [RUNNER, "run", out], [headrace_run(out), out]
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            file = Path(scratch) / "session"
            for first, second in ((host, host), (own, host), (host, own)):
                for sampling in (["--temperature", 0], ["--temperature", 1, "--seed", 11, "--repetition-penalty", 1.2]):
                    whole, bits = generate(first, "-p", PROMPT, "-n", 40, *sampling)
                    begin, begin_bits = generate(first, "-p", PROMPT, "-n", 15, *sampling, "--save-session", file)
                    rest, rest_bits = generate(second, "-n", 25, *sampling, "--load-session", file)
                    equal("ids", begin["ids"] + rest["ids"], whole["ids"])
                    same_bits("logits", np.concatenate([begin_bits, rest_bits]), bits)
                    n = begin["timings"]["prompt_tokens"] + 15
                    equal("computed after loading", counts(rest), [n, n - 1, 1, 1, 24])
            other = bundle(models.BROOK, "--target", "host", "--quant", "f16")
            error = command([RUNNER, "run", other, "--load-session", file], expect=1).stderr
            if f"{file}: hash of weights.bin: expected 0x" not in error:
                fail(f"a session of another bundle: {error!r}")


def turns():
    """By requests: the whole conversation is given each time, and what the session holds of it is not computed again."""
    out = bundle(models.BROOK, "--target", "host", "--quant", "w4")
    launches = {e["name"]: e["launches"] for e in json.loads((out / "manifest.json").read_text())["entries"]}
    ids = json.loads(command([RUNNER, "tokenize", out, "--json", "--", PROMPT]).stdout)["ids"]

    def ask(*requests):
        lines = "".join(json.dumps({"n": 12, "temperature": 0, **r}) + "\n" for r in requests)
        return [json.loads(line) for line in command([RUNNER, "run", out, "--jsonl"], input=lines).stdout.splitlines()]

    first = ask({"session": "a", "ids": ids})[0]
    second = ids + first["ids"] + ids[:5]
    cached = ask({"session": "a", "ids": ids}, {"session": "b", "ids": ids[:3]}, {"session": "a", "ids": second})[2]
    fresh = ask({"ids": second})[0]
    equal("ids of the second turn", cached["ids"], fresh["ids"])
    held = len(ids) + len(first["ids"]) - 1
    equal("second turn", counts(cached), [len(second), held, 6, 1, 11])
    equal("without a session", counts(fresh)[:3], [len(second), 0, len(second)])
    print(f"  second turn: {launches['body_8'] + launches['head_1']} launches for 6 tokens instead of {len(second)}")


def hostile():
    """Flipped bits, cuts and foreign files: one line, exit code 1, whatever was damaged."""
    out = bundle(models.BROOK, "--target", "host", "--quant", "w4")
    draw = random.Random(5)
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = Path(scratch) / "session"
        command([RUNNER, "run", out, "-p", PROMPT, "-n", 5, "--save-session", file])
        good = file.read_bytes()
        cases = [(f"bit {bit} of byte {at}", bytes([good[at] ^ 1 << bit]), at) for at in range(64) for bit in (0, 3, 7)]
        cases += [(f"byte {at}", bytes([good[at] ^ 1 << draw.randrange(8)]), at) for at in draw.sample(range(64, len(good)), 60)]
        damaged = [(what, good[:at] + byte + good[at + 1:]) for what, byte, at in cases]
        damaged += [(f"cut to {n}", good[:n]) for n in [*range(0, 72, 7), *draw.sample(range(72, len(good)), 30), len(good) - 1]]
        damaged += [("longer", good + b"\0"), ("weights", (out / "weights.bin").read_bytes()[:5000]), ("text", b"HRSESS\0\1" * 100)]
        for what, content in damaged:
            file.write_bytes(content)
            done = subprocess.run([RUNNER, "run", out, "--load-session", file, "-n", "1", "--json"], capture_output=True, text=True)
            if done.returncode != 1 or done.stdout or not done.stderr.startswith(f"headrace: error: {file}: ") or done.stderr.count("\n") != 1:
                fail(f"{what}: exit code {done.returncode}, {done.stdout!r}, {done.stderr[:2000]!r}")
    print(f"  {len(damaged)} files, all refused")


if __name__ == "__main__":
    main({"saved": saved, "turns": turns, "hostile": hostile})
