"""The command `headrace` on a bundle around a fake library: output, exact messages, exit codes.

usage: headrace_test.py HEADRACE MAKE_FAKE_BUNDLE LIBRARY.so WORK_DIR
"""
import json
import math
import shutil
import struct
import subprocess
import sys
from pathlib import Path

HEADRACE, MAKE, LIBRARY, WORK = sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4])
VOCAB, POSITIONS = 264, 60
failures = []


def predicted(tokens):
    state = sum((j + 1) * (t + 1) for j, t in enumerate(tokens)) % 251
    return 256 if state == 13 else 32 + state % 95


def logits_after(tokens):
    target = predicted(tokens)
    return [-0.125 * ((i + VOCAB - target) % VOCAB) for i in range(VOCAB)]


def run(*words):
    done = subprocess.run([HEADRACE, *map(str, words)], capture_output=True, text=True, errors="replace", timeout=60)
    return done.returncode, done.stdout, done.stderr


def check(what, found, expected):
    if found != expected:
        failures.append(f"{what}:\n  found    {found!r}\n  expected {expected!r}")


def refused(what, words, message, code=1):
    check(what, run(*words), (code, "", f"headrace: error: {message}\n"))


def read_npy(path):
    raw = path.read_bytes()
    assert raw[:8] == b"\x93NUMPY\x01\x00" and len(raw) % 4 == 0
    size = struct.unpack("<H", raw[8:10])[0]
    header = eval(raw[10:10 + size])  # a literal, as the format says
    assert header["descr"] == "<f4" and not header["fortran_order"] and (10 + size) % 64 == 0
    return header["shape"], struct.unpack(f"<{(len(raw) - 10 - size) // 4}f", raw[10 + size:])


def fresh(*options):
    bundle = WORK / "fake.bundle"
    subprocess.run([MAKE, LIBRARY, bundle, *options], check=True)
    return bundle


def test_run():
    bundle, prompt = fresh(), [72, 105]
    expected, tokens = [], list(prompt)
    while len(expected) < 12:
        expected.append(predicted(tokens))
        tokens.append(expected[-1])
    for threads in (1, 2, 3):
        for chunk in ("1", "5"):
            code, out, err = run("run", bundle, "--ids", "72,105", "-n", 12, "--temperature", 0, "--json", "--threads", threads, "--chunk", chunk,
                                 "--ignore-eos", "--logits", WORK / "l.npy", "--prompt-logits", WORK / "p.npy")
            check("exit code", (code, err), (0, ""))
            result = json.loads(out)
            check("keys", list(result), ["ids", "text", "finish", "timings"])
            check("ids", result["ids"], expected)
            check("text", result["text"], "".join(map(chr, expected)))
            check("finish", result["finish"], "length")
            check("counts", [result["timings"][k] for k in ("prompt_tokens", "generated_tokens", "steps", "threads")], [2, 12, 11, threads])
            check("logits", read_npy(WORK / "l.npy"), ((12, VOCAB), tuple(x for i in range(12) for x in logits_after(tokens[:2 + i]))))
            check("prompt logits", read_npy(WORK / "p.npy"), ((2, VOCAB), tuple(logits_after(tokens[:1]) + logits_after(tokens[:2]))))
    code, out, err = run("run", bundle, "-p", "Hi", "-n", 12, "--temperature", 0, "--ignore-eos")
    check("streamed text", (code, out, err), (0, "Hi" + "".join(map(chr, expected)) + "\n", ""))
    sampled = [json.loads(run("run", bundle, "-p", "Hi", "-n", 20, "--seed", s, "--threads", t, "--json")[1])["ids"] for s, t in ((1, 1), (1, 2), (2, 1))]
    check("same seed", sampled[0], sampled[1])
    check("another seed", sampled[0] == sampled[2], False)
    code, out, err = run("run", bundle, "--ids", ",".join(["9"] * 55), "-n", 100, "--ignore-eos", "--json")
    check("context", (code, len(json.loads(out)["ids"]), json.loads(out)["finish"], err),
          (0, 6, "context", "headrace: note: the context of 60 positions is full\n"))


def test_eval():
    bundle, ids = fresh(), [i * 7 % 90 + 30 for i in range(50)]
    (WORK / "ids.json").write_text(json.dumps(ids))
    total = 0
    for w in (0, 16, 32):
        window = ids[w:w + 16]
        losses = []
        for i in range(15):
            row = logits_after(window[:i + 1])
            losses.append(math.log(sum(map(math.exp, row))) - row[window[i + 1]])
        total += sum(losses) / 15
    for more in ([], ["--threads", 3], ["--chunk", 3]):
        code, out, err = run("eval", bundle, "--ids-file", WORK / "ids.json", "--window", 16, "--json", *more)
        result = json.loads(out)
        check("eval", (code, list(result), result["tokens"]), (0, ["perplexity", "nll", "tokens"], 45))
        check("nll", abs(result["nll"] - total / 3) < 1e-12, True)
        check("perplexity", abs(result["perplexity"] / math.exp(total / 3) - 1) < 1e-12, True)
    check("fewer tokens", json.loads(run("eval", bundle, "--ids-file", WORK / "ids.json", "--tokens", 16, "--window", 16, "--json")[1])["tokens"], 15)
    refused("window beyond the context", ["eval", bundle, "--ids-file", WORK / "ids.json", "--window", 61, "--tokens", 61],
            "tokens: expected at least one window of 61, found 50")
    (WORK / "bad.json").write_text("[1, -2]")
    refused("ids file", ["eval", bundle, "--ids-file", WORK / "bad.json"], "bad.json: expected an array of token ids, found the number -2 in it")


def test_verify():
    bundle = fresh()
    code, out, err = run("verify", bundle)
    check("verify", (code, err, "6 tokens, the same bits" in out), (0, "", True))

    def damaged(name, change):
        whole = fresh()
        change(whole)
        code, out, err = run("verify", whole)
        check(f"verify {name}", (code, len(err.splitlines()), err.startswith("headrace: error: "), name in err), (1, 1, True, True))
    def flip(file, at):
        def change(bundle):
            raw = bytearray((bundle / file).read_bytes())
            raw[at] ^= 1
            (bundle / file).write_bytes(raw)
        return change
    damaged("weights.bin", flip("weights.bin", 16384))
    damaged("weights.bin", flip("weights.bin", 60000))
    damaged("golden.json", flip("golden/golden.json", 10))
    damaged("libfake.so", flip("lib/libfake.so", 100))
    damaged("weights.bin", lambda b: (b / "weights.bin").unlink())

    def rewrite(change):
        def apply(bundle):
            manifest = json.loads((bundle / "manifest.json").read_text())
            change(bundle, manifest)
            (bundle / "manifest.json").write_text(json.dumps(manifest))
        return apply
    def drop(file):
        return rewrite(lambda bundle, m: m.update(checksums=[row for row in m["checksums"] if row["file"] != file]))
    damaged("a checksum of 'lib/libfake.so', found none", drop("lib/libfake.so"))
    damaged("a checksum of 'weights.bin', found none", drop("weights.bin"))
    def silent(bundle, manifest):
        golden = json.loads((bundle / "golden/golden.json").read_text())
        (bundle / "golden/golden.json").write_text(json.dumps(golden | {"expected": []}))
        manifest["checksums"] = [row for row in manifest["checksums"] if row["file"] != "golden/golden.json"]
    damaged("golden.json: expected at least one id and one expected id, found none", rewrite(silent))
    whole = fresh("damaged")  # all checksums are right, the section's own hash is not
    code, out, err = run("verify", whole)
    check("verify payload", (code, err.startswith("headrace: error: weights.bin: section 0: hash of the section")), (1, True))


def test_inspect():
    bundle = fresh()
    code, out, err = run("inspect", bundle)
    for word in ("FakeForCausalLM", "layers.0.attn.qkv", "layers.0.q", "gemv_f32_n3_k4", "arena", "q, k, v into one"):
        check(f"inspect {word}", word in out, True)
    code, out, err = run("inspect", bundle, "--json")
    check("inspect --json", (code, bool(json.loads(out))), (0, True))


def test_malformed_manifests():
    bundle = fresh()
    whole = json.loads((bundle / "manifest.json").read_text())
    words = ["run", bundle, "--ids", "1"]
    def with_manifest(text):
        (bundle / "manifest.json").write_text(text if isinstance(text, str) else json.dumps(text))
    with_manifest("{}")
    refused("empty", words, "manifest.json: field 'format': expected the field as Headrace writes it, found nothing")
    with_manifest({**whole, "format": 2})
    refused("format", words, "manifest.json: field 'format': expected 1, found 2")
    with_manifest({**whole, "arena_bytes": "many"})
    refused("type", words, "manifest.json: field 'arena_bytes': expected the field as Headrace writes it, found a value of another type")
    with_manifest({k: v for k, v in whole.items() if k != "model"})
    refused("model", words, "manifest.json: field 'model': expected the field as Headrace writes it, found nothing")
    with_manifest({**whole, "libraries": [{**whole["libraries"][0], "triple": "riscv64-linux-gnu"}]})
    code, out, err = run(*words)
    check("other triple", (code, "found riscv64-linux-gnu; run it with its own lib/headrace-run" in err), (1, True))
    for text in ("", "[", "[]", "null", '{"format":1,"format":1}'):
        with_manifest(text)
        code, out, err = run(*words)
        check(f"manifest {text!r}", (code, err.count("\n"), err.startswith("headrace: error: manifest.json: ")), (1, 1, True))
    (bundle / "manifest.json").unlink()
    code, out, err = run(*words)
    check("absent", (code, err.count("\n"), "manifest.json" in err), (1, 1, True))


def test_malformed_bundles():
    bundle = fresh()
    words = ["run", bundle, "--ids", "1"]
    size = (bundle / "lib/libfake.so").stat().st_size
    (bundle / "lib/libfake.so").write_text("not a library")
    refused("another library", words, f"lib/libfake.so: expected {size} bytes, found 13 bytes")
    manifest = json.loads((bundle / "manifest.json").read_text())
    manifest["checksums"] = [row for row in manifest["checksums"] if row["file"] != "lib/libfake.so"]
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    code, out, err = run(*words)
    check("not a library", (code, err.count("\n"), err.startswith("headrace: error: libfake.so: expected a shared object that can be loaded")), (1, 1, True))
    (bundle / "lib/libfake.so").unlink()
    refused("no library", words, "libfake.so: expected the shared object for this machine, found no such file or directory")
    bundle = fresh()
    for bytes_left, what in ((0, "bytes of the header: expected 64, found 0"), (100, "file size: expected 65536, found 100")):
        with open(bundle / "weights.bin", "r+b") as file:
            file.truncate(bytes_left) if bytes_left == 0 else file.write((fresh_bytes())[:bytes_left])
        refused(f"weights of {bytes_left} bytes", words, f"{bundle}/weights.bin: {what}")


def fresh_bytes():
    copy = WORK / "other"
    subprocess.run([MAKE, LIBRARY, copy], check=True)
    return (copy / "weights.bin").read_bytes()


def test_usage():
    bundle = fresh()
    for words in ([], ["nonsense"], ["run"], ["run", bundle], ["run", bundle, "--ids", "1,x"], ["run", bundle, "--ids", "1", "-p", "x"],
                  ["run", bundle, "--ids", "1", "--threads", "0"], ["run", bundle, "--ids", "1", "--temperature", "hot"], ["eval", bundle],
                  ["eval", bundle, "--text", "a", "--ids-file", "b"], ["tokenize"], ["detokenize", bundle], ["diff", bundle], ["inspect"], ["verify"]):
        code, out, err = run(*words)
        check(f"usage {words}", (code, out, err.startswith("headrace: error: "), err.count("\n")), (2, "", True, 1))
    for command in ([], ["run"], ["eval"], ["tokenize"], ["detokenize"], ["inspect"], ["verify"], ["diff"], ["targets"]):
        code, out, err = run(*command, "--help")
        check(f"help {command}", (code, err, len(out) > 100), (0, "", True))


WORK.mkdir(parents=True, exist_ok=True)
for name, function in sorted(globals().copy().items()):
    if name.startswith("test_"):
        function()
print("\n".join(failures) or "ok")
sys.exit(bool(failures))
