"""The other commands: tokenize, detokenize, inspect, verify, diff, targets, usage.

usage: test_tools.py tokenize|inspect|verify|diff|targets|usage|text...
"""
import json
import re
import shutil
import tempfile
from pathlib import Path

import models
from harness import COMPILER, RUNNER, WORK, bundle, command, equal, fail, main

TOKENIZERS = ["bert-bge", "llama-spm", "gpt-2", "llama-bpe", "qwen2"]
DEVICES = ["rpi5", "rk3588", "sd8gen2", "sd8gen3", "sd8elite"]


def tokenize():
    """A sample of the vectors through the command, from a file, a folder and a bundle; all of them are unit tests of the tokenizer."""
    for name in TOKENIZERS:
        folder = models.data(f"tokenizers/{name}")
        vectors = json.loads((folder / "vectors.json").read_text())
        vectors = vectors if isinstance(vectors, list) else vectors["vectors"]
        for number, vector in enumerate(vectors[::max(1, len(vectors) // 6)]):
            what = folder if number % 2 else folder / "tokenizer.json"
            for key, flags in (("ids", []), ("ids_with_special", ["--special"])):
                if key in vector and "\0" not in vector["text"]:
                    found = json.loads(command([RUNNER, "tokenize", what, "--json", *flags, "--", vector["text"]]).stdout)
                    equal(f"{name} {vector['text']!r} {flags}", found["ids"], vector[key])
        # Special tokens are part of the text of ids that hold them.
        special = next((v for v in vectors if v["ids"] and re.search(r"\[UNK\]|<\|?[a-z_]+\|?>", v["decoded"])), vectors[1])
        for vector in (special, vectors[2]):
            given = ["detokenize", folder, "--ids", ",".join(map(str, vector["ids"]))]
            equal(f"{name} text of {vector['ids']}", command([RUNNER, *given]).stdout, vector["decoded"] + "\n")
    equal("without special tokens", command([RUNNER, "detokenize", models.data("tokenizers/gpt-2"), "--skip-special", "--ids", "50256,64"]).stdout, "a\n")
    for name, ids in (("llama", [1, 3, 6, 7]), ("gpt2", [3, 2, 0]), ("bert", [1, 3, 4, 3, 2]), ("t5", [3, 6, 3, 4, 1])):
        what = models.PROJECT / f"test/fuzz/corpus/tokenizer_gguf/{name}.gguf"
        equal(f"{name}.gguf", json.loads(command([RUNNER, "tokenize", what, "--json", "--special", "--", "ab a"]).stdout)["ids"], ids)
    out = bundle(models.BROOK, "--target", "host", "--quant", "w4")
    for name, what in (("brook", out), ("brook", models.BROOK)):
        found = json.loads(command([RUNNER, "tokenize", what, "--json", "--file", models.EVAL_TEXT]).stdout)["ids"]
        equal("eval.txt ids", found[:4096], models.eval_ids(name))
    text = command([RUNNER, "detokenize", out, "--ids", ",".join(map(str, models.eval_ids("brook")))]).stdout
    for what in (out, models.BROOK):
        error = command([RUNNER, "detokenize", what, "--ids", "1,99999"], expect=1).stderr
        if not error.startswith("headrace: error: --ids: expected ids below ") or ", the size of the vocabulary, found 99999" not in error:
            fail(f"detokenize of an id beyond the vocabulary: {error!r}")
    if not models.EVAL_TEXT.read_text().startswith(text.rstrip("\n")):
        fail("detokenize does not give the text back")


def text():
    """A prompt as text, ids or a bundle's own executable: the same continuation; the streamed text is the reference's."""
    reference = json.loads((models.BROOK / "reference.json").read_text())
    out = bundle(models.BROOK, "--target", "host", "--quant", "f32")
    for prompt in reference["prompts"]:
        arguments = [out, "-p", prompt["text"], "-n", len(prompt["greedy_ids"]), "--temperature", 0]
        found = json.loads(command([RUNNER, "run", *arguments, "--json"]).stdout)
        equal(f"ids after {prompt['text']!r}", found["ids"], prompt["greedy_ids"])
        equal("text", found["text"], prompt["greedy_text"])
        if not found["timings"]:
            fail("no timings")
        plain = command([RUNNER, "run", *arguments]).stdout
        if prompt["greedy_text"].strip() not in plain:
            fail(f"streamed text {plain!r} lacks {prompt['greedy_text']!r}")
    a = command([RUNNER, "run", out, "-p", "The", "-n", 20, "--temperature", 0.9, "--top-k", 40, "--seed", 7, "--json"]).stdout
    b = command([RUNNER, "run", out, "-p", "The", "-n", 20, "--temperature", 0.9, "--top-k", 40, "--seed", 7, "--threads", 2, "--json"]).stdout
    equal("ids of one seed", json.loads(a)["ids"], json.loads(b)["ids"])


def inspect():
    out = bundle(models.BROOK, "--target", "host", "--quant", "w4")
    plain = command([RUNNER, "inspect", out]).stdout
    for word in ("arena", "layers.0.attn.qkv", "w4", "model.layers.0.self_attn.q_proj.weight", "gemv"):
        if word not in plain:
            fail(f"inspect does not mention {word}")
    table = json.loads(command([RUNNER, "inspect", out, "--json"]).stdout)
    manifest = json.loads((out / "manifest.json").read_text())
    if not table or not manifest:
        fail("inspect --json or the manifest is empty")
    covered = json.dumps(table)
    for name in ("model.embed_tokens.weight", "model.layers.5.mlp.down_proj.weight", "model.norm.weight"):
        if name not in covered:
            fail(f"inspect --json: provenance lacks {name}")


def verify():
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        copy = Path(scratch) / "copy.bundle"
        shutil.copytree(bundle(models.BROOK, "--target", "host", "--quant", "w4"), copy)
        command([RUNNER, "verify", copy])
        data = bytearray((copy / "weights.bin").read_bytes())
        data[len(data) // 2] ^= 1
        (copy / "weights.bin").write_bytes(data)
        error = command([RUNNER, "verify", copy], expect=1).stderr
        print("  " + error.strip())
        if not error.startswith("headrace: error: ") or "weights.bin" not in error:
            fail("verify does not name weights.bin")


def diff():
    table = json.loads(command([COMPILER, "diff", bundle(models.BROOK, "--target", "host", "--quant", "w4"), models.BROOK, "--json"]).stdout)
    if "layers.0" not in json.dumps(table):
        fail("diff names no layer")
    plain = command([COMPILER, "diff", bundle(models.BROOK, "--target", "host", "--quant", "w8"), models.BROOK]).stdout
    print(plain[-600:])


def targets():
    plain = command([RUNNER, "targets"]).stdout
    for name in DEVICES + ["host", "reference", "x86-64-v3", "x86-64-v3+avxvnni", "x86-64-v4+vnni", "armv8-a", "armv8.2-a+dotprod", "armv8.6-a+i8mm"]:
        if name not in plain:
            fail(f"targets does not list {name}")
    if "CPU only" not in plain:
        fail("devices with a GPU or NPU that is not a target must say 'CPU only'")
    for device in DEVICES:
        bundle(models.BROOK, "--target", device, "--quant", "w4")


def usage():
    """Command-line mistakes exit 2."""
    out = bundle(models.BROOK, "--target", "host", "--quant", "w4")
    for arguments in ([], ["nonsense"], ["compile"], ["compile", models.BROOK], ["run"], ["run", out, "-n", "many", "-p", "x"], ["run", out, "--nonsense"],
                      ["compile", models.BROOK, "-o", "/nonexistent/x", "--quant", "w5"], ["eval", out], ["tokenize"], ["detokenize", out],
                      ["compile", models.BROOK, "-o", "/nonexistent/x", "--group", "63"]):
        done = command([COMPILER, *arguments], expect=2)
        if not done.stderr and not done.stdout:
            fail(f"{arguments}: says nothing")


if __name__ == "__main__":
    main({"tokenize": tokenize, "text": text, "inspect": inspect, "verify": verify, "diff": diff, "targets": targets, "usage": usage})
