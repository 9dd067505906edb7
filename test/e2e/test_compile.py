"""What a compile promises: the same bytes everywhere, little memory, nothing left behind, dumps that parse again.

usage: test_compile.py reproducible|gxx|memory|leftovers|dumps|fits|symbols|instructions|tokenizer_beyond...
"""
import hashlib
import itertools
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import models
from harness import BUILD, COMPILER, WORK, bundle, command, compile_model, equal, fail, main

TARGETS = ["x86-64-v3", "x86-64-v3+avxvnni", "x86-64-v4+vnni", "armv8-a", "armv8.2-a+dotprod", "armv8.6-a+i8mm", "reference"]
LLVM = Path("/usr/lib/llvm-22/bin")


def digest(folder):
    """relative name -> hash of every file of a bundle."""
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(Path(folder).rglob("*")) if p.is_file()}


def same_bundle(what, a, b):
    first, second = digest(a), digest(b)
    different = sorted(n for n in first.keys() | second.keys() if first.get(n) != second.get(n))
    if different:
        fail(f"{what}: these files differ: {', '.join(different[:8])}")


def reproducible():
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        scratch = Path(scratch)
        shutil.copytree(models.BROOK, scratch / "elsewhere/brook")
        for target in ("host", "armv8.2-a+dotprod"):
            options = ["--target", target, "--quant", "w4"]
            a, b, c = (scratch / f"{n}-{target}.bundle" for n in "abc")
            compile_model(models.BROOK, *options, out=a)
            compile_model("brook", *options, out=f"../{b.name}", cwd=scratch / "elsewhere")
            command(["taskset", "-c", "0", COMPILER, "compile", models.BROOK, "-o", c, *options])
            same_bundle(f"{target}: another directory", a, b)
            same_bundle(f"{target}: one core", a, c)


def gxx():
    """A Headrace built by g++ writes the same bytes (the runtime inside bundles is always clang's)."""
    build = BUILD / "gxx"
    with open(WORK / "gxx.log", "w") as log:
        # Not optimised: the test is about g++, not about speed.
        configure = ["cmake", "-G", "Ninja", "-S", models.PROJECT, "-B", build, "-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++",
                     "-DHEADRACE_TESTS=OFF", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 -DNDEBUG"]
        for step in (configure, ["ninja", "-C", build, "headrace", "headrace-compile"]):
            if subprocess.run(step, stdout=log, stderr=subprocess.STDOUT).returncode:
                fail("the g++ build fails:\n" + "\n".join((WORK / "gxx.log").read_text().splitlines()[-20:]))
    for quant, target in itertools.product(("f32", "w8", "w4"), ("x86-64-v3", "armv8.2-a+dotprod", "reference")):
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            out = Path(scratch) / "gxx.bundle"
            command([build / "bin/headrace", "compile", models.BROOK, "-o", out, "--target", target, "--quant", quant])
            same_bundle(f"g++ {quant} {target}", bundle(models.BROOK, "--target", target, "--quant", quant), out)


def memory():
    """SmolLM2 to W4 under RLIMIT_DATA of 600 MB and in under 30 s; --stats prints time and memory."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (600 << 20, 600 << 20))
        start = time.monotonic()
        done = compile_model(models.smollm2(), "--target", "host", "--quant", "w4", "--stats", out=Path(scratch) / "s.bundle", preexec_fn=limit)
        seconds = time.monotonic() - start
        print(f"  {seconds:.1f} s\n" + done.stdout + done.stderr)
        if not re.search(r"\d.* s\b", done.stdout + done.stderr) or not re.search(r"\d.* M(i?)B\b", done.stdout + done.stderr):
            fail("--stats prints no time or no memory")
        if seconds > 30 and os.environ.get("CI") != "true":
            fail(f"{seconds:.1f} s, limit 30")


def leftovers():
    """Failed, refused and interrupted compiles leave nothing beside the target, and never touch what stood there."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        scratch = Path(scratch)
        broken = scratch / "in/broken"
        shutil.copytree(models.BROOK, broken)
        os.chmod(broken / "model.safetensors", 0o644)
        with open(broken / "model.safetensors", "r+b") as f:
            f.truncate(100000)
        place = scratch / "out"
        place.mkdir()
        compile_model(broken, "--target", "host", out=place / "x.bundle", expect=1)
        equal("files after a failed compile", os.listdir(place), [])
        compile_model(models.BROOK, "--target", "x86-64-v3", out=place / "x.bundle")
        before = digest(place / "x.bundle")
        compile_model(broken, "--target", "host", out=place / "x.bundle", expect=1)
        equal("an older bundle after a failed compile", digest(place / "x.bundle"), before)
        for delay in (0.05, 0.2, 0.5, 0.8):
            for sig in (signal.SIGINT, signal.SIGTERM):
                process = subprocess.Popen([COMPILER, "compile", models.BROOK, "-o", place / "y.bundle", "--target", "x86-64-v3"],
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
                time.sleep(delay)
                finished = process.poll() is not None
                os.killpg(process.pid, sig) if not finished else None
                process.wait()
                time.sleep(0.05)
                left = sorted(os.listdir(place))
                if left not in (["x.bundle"], ["x.bundle", "y.bundle"]):
                    fail(f"an interrupted compile left {left}")
                if "y.bundle" in left:
                    equal("a bundle that appeared is whole", sorted(digest(place / "y.bundle")), sorted(before))
                    shutil.rmtree(place / "y.bundle")


def dumps():
    """--dump-ir writes the module after every pass; headrace-opt parses each again, and can run a pass on one."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        folder = Path(scratch) / "dumps"
        compile_model(models.BROOK, "--target", "x86-64-v3", "--quant", "w4", "--dump-ir", folder, out=Path(scratch) / "d.bundle")
        files = sorted(folder.glob("*.mlir"))
        if len(files) < 15:
            fail(f"--dump-ir wrote {len(files)} files, expected one a pass")
        equal("numbers of the dumps", [int(f.name[:4]) for f in files], list(range(int(files[0].name[:4]), int(files[0].name[:4]) + len(files))))
        for file in files:
            command([BUILD / "bin/headrace-opt", file, "-o", "/dev/null"])
        merge = next(f for f in files if "merge-qkv" in f.name)
        before = files[files.index(merge) - 1]
        again = command([BUILD / "bin/headrace-opt", "--hr-merge-qkv", before, "--mlir-print-debuginfo"]).stdout
        if "layers.0.attn.qkv" not in again:
            fail("headrace-opt --hr-merge-qkv on a dump does not merge")
        text = files[0].read_text()
        if "layers.0.attn.q" not in text or "model.layers.0.self_attn.q_proj.weight" not in text:
            fail(f"{files[0].name}: no locations or checkpoint names")


def fits():
    """A model that the device cannot hold is refused with the numbers and the largest context that would fit."""
    import random_llama
    folder = BUILD / "test/models/wide-cache"
    random_llama.write(folder, seed=1, hidden=64, layers=64, heads=32, kv_heads=32, head_dim=128, ffn=64, vocab=64, positions=131072)
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        out = Path(scratch) / "w.bundle"
        error = compile_model(folder, "--target", "rpi5", "--context", 131072, out=out, expect=1).stderr
        print("  " + error.strip())
        if "does not fit" not in error or "--context" not in error or len(error.strip().splitlines()) != 1:
            fail("expected one line that says 'does not fit' and names a --context that would")
        largest = re.search(r"--context (\d+)", error).group(1)
        compile_model(folder, "--target", "rpi5", "--context", largest, out=out)


def tokenizer_beyond():
    """A tokenizer with more ids than the model has rows is said to be so."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        folder = Path(scratch) / "model"
        shutil.copytree(models.BROOK, folder)
        vocabulary = json.loads((folder / "config.json").read_text())["vocab_size"]
        file = folder / "tokenizer.json"
        tokenizer = json.loads(file.read_text())
        tokenizer["added_tokens"].append({"id": vocabulary, "content": "<|one|>", "single_word": False, "lstrip": False, "rstrip": False,
                                          "normalized": False, "special": True})
        os.chmod(file, 0o644)
        file.write_text(json.dumps(tokenizer))
        said = compile_model(folder, "--target", "host", out=Path(scratch) / "t.bundle").stdout
        if f"expected ids below {vocabulary} (vocab_size), found ids up to {vocabulary}" not in said:
            fail(f"no warning of the tokenizer's ids:\n{said}")


def libraries(target, quant):
    """The folder lib/<triple> of brook's bundle."""
    return next(d for d in (bundle(models.BROOK, "--target", target, "--quant", quant) / "lib").iterdir() if d.name != "cmake")


def symbols():
    """No undefined symbol in .a (as a whole) and .so of any triple; executables that load nothing; 16 KiB pages."""
    for target in TARGETS:
        folder = libraries(target, "w4")
        shared, archive = next(folder.glob("lib*.so")), [a for a in folder.glob("lib*.a") if "port" not in a.name][0]
        undefined = command([LLVM / "llvm-nm", "-D", "--undefined-only", shared]).stdout.split()
        equal(f"{target}: undefined symbols of {shared.name}", undefined, [])
        with tempfile.TemporaryDirectory(dir=WORK) as scratch:
            whole = Path(scratch) / "whole.o"
            command([LLVM / "ld.lld", "-r", "--whole-archive", archive, "-o", whole])
            undefined = command([LLVM / "llvm-nm", "--undefined-only", whole]).stdout.split()
        equal(f"{target}: undefined symbols of {archive.name}", undefined, [])
        headers = command([LLVM / "llvm-readelf", "-lW", shared]).stdout
        for line in headers.splitlines():
            if line.split()[:1] == ["LOAD"] and int(line.split()[-1], 16) < 16384:
                fail(f"{target}: {shared.name} is not aligned for 16 KiB pages: {line.strip()}")
        tool = folder / "headrace-run"
        if "NEEDED" in command([LLVM / "llvm-readelf", "-d", tool]).stdout or tool.stat().st_size > 700 << 10:
            fail(f"{target}: headrace-run is not a small static executable ({tool.stat().st_size} bytes)")


WANTED = {"x86-64-v3": ["vpmaddubsw"], "x86-64-v3+avxvnni": ["{vex} vpdpbusd"], "x86-64-v4+vnni": ["vpdpbusd"], "armv8.2-a+dotprod": ["sdot"],
          "armv8.6-a+i8mm": ["sdot", "smmla"]}


def instructions():
    """The inner loops of W4 and W8 really use the instructions of their variant."""
    for target, wanted in WANTED.items():
        for quant in ("w4", "w8"):
            folder = libraries(target, quant)
            text = command([LLVM / "llvm-objdump", "-d", "--no-show-raw-insn", next(folder.glob("lib*.so"))]).stdout
            if "avxvnni" in target:
                text = re.sub(r"\{vex\}\s+vpdpbusd", "{vex} vpdpbusd", text)
            for word in wanted:
                count = text.count(word)
                print(f"  {target} {quant}: {word} {count} times")
                if count < 4:
                    fail(f"{target} {quant}: {word} occurs {count} times")


if __name__ == "__main__":
    main({"reproducible": reproducible, "memory": memory, "leftovers": leftovers, "dumps": dumps, "fits": fits, "symbols": symbols,
          "instructions": instructions, "gxx": gxx, "tokenizer_beyond": tokenizer_beyond})
