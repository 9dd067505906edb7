"""What the end-to-end tests share: the built commands, cached bundles, runs on this machine and under qemu, exact comparisons.

The commands are those of $HEADRACE_BUILD/bin. In a build without the compiler (the sanitizer build), bundles are compiled by the
`headrace` beside $HEADRACE_E2E_COMPILER and run by the build's own.
"""
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from models import BUILD, skip

RUNNER = BUILD / "bin/headrace"
COMPILER = RUNNER
if not (BUILD / "bin/headrace-compile").exists() and os.environ.get("HEADRACE_E2E_COMPILER"):
    COMPILER = Path(os.environ["HEADRACE_E2E_COMPILER"]).parent / "headrace"
WORK = BUILD / "test/e2e"
BUNDLES = WORK / "bundles"

# The -evex one executes the AVX-VNNI kernels on machines that know the instruction in EVEX encoding only.
X86_TARGETS = ["x86-64-v3", "x86-64-v3+avxvnni", "x86-64-v3+avxvnni-evex", "x86-64-v4+vnni"]
ARM_CPUS = {"armv8-a": "cortex-a53", "armv8.2-a+dotprod": "cortex-a76", "armv8.6-a+i8mm": "max"}
CPU_FLAGS = {"x86-64-v3": ("avx2", "fma", "f16c"), "x86-64-v3+avxvnni": ("avx2", "fma", "f16c", "avx_vnni"),
             "x86-64-v4+vnni": ("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni"),
             "x86-64-v3+avxvnni-evex": ("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_vnni")}


def fail(message):
    sys.exit(f"failed: {message}")


def machine_runs(target):
    """Whether this machine's CPU has what a target of x86-64 needs; reference runs wherever its triple does."""
    flags = set()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            flags.update(line.split())
    return all(flag in flags for flag in CPU_FLAGS.get(target, ()))


def command(arguments, expect=0, **more):
    """Runs a command; fails the test unless its exit code is the expected one."""
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, errors="replace", **more)
    if done.returncode != expect:
        fail(f"{' '.join(str(a) for a in arguments)[:300]}\nexit code {done.returncode}, expected {expect}\n{done.stdout[-1000:]}{done.stderr[-3000:]}")
    return done


def compiler_stamp():
    parts = []
    for name in ("headrace", "headrace-compile"):
        path = COMPILER.parent / name
        if path.exists():
            parts.append(f"{path.stat().st_mtime_ns}-{path.stat().st_size}")
    return " ".join(parts)


def compile_model(model, *options, out=None, expect=0, **more):
    return command([COMPILER, "compile", model, "-o", out, *options], expect=expect, **more)


def bundle(model, *options):
    """The bundle of a model with these options; compiled once for all tests, again when the compiler changes."""
    model = Path(model)
    key = hashlib.sha256(json.dumps([str(model), [str(o) for o in options], compiler_stamp()]).encode()).hexdigest()[:16]
    out = BUNDLES / f"{model.name}-{key}.bundle"
    BUNDLES.mkdir(parents=True, exist_ok=True)
    with open(BUNDLES / f"{key}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not out.exists():
            compile_model(model, *options, out=out)
    return out


def headrace_run(bundle_dir):
    """The bundle's own small executable."""
    found = sorted(Path(bundle_dir).glob("lib/*/headrace-run"))
    if len(found) != 1:
        fail(f"{bundle_dir}: expected one lib/<triple>/headrace-run, found {len(found)}")
    return found[0]


def run_prefix(bundle_dir, cpu=None):
    if cpu is None:
        return [RUNNER, "run", bundle_dir]
    if shutil.which("qemu-aarch64") is None:
        skip("no qemu-aarch64")
    return ["qemu-aarch64", "-cpu", cpu, headrace_run(bundle_dir), bundle_dir]


def run(bundle_dir, ids, n, *options, cpu=None, prompt_logits=True):
    """Greedy generation from ids: (ids, step logits, prompt logits, the JSON object)."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        steps, prompt = Path(scratch) / "steps.npy", Path(scratch) / "prompt.npy"
        more = ["--prompt-logits", prompt] if prompt_logits else []
        done = command(run_prefix(bundle_dir, cpu) + ["--ids", ",".join(map(str, ids)), "-n", n, "--temperature", 0, "--json", "--logits", steps, *more, *options])
        result = json.loads(done.stdout)
        return result["ids"], np.load(steps), np.load(prompt) if prompt_logits else None, result


def embed(bundle_dir, ids, *options):
    """(embedding, hidden rows) of `headrace embed`."""
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        rows = Path(scratch) / "hidden.npy"
        done = command([RUNNER, "embed", bundle_dir, "--json", "--hidden", rows, "--ids", ",".join(map(str, ids)), *options])
        result = json.loads(done.stdout)
        equal("ids", result["ids"], ids)
        return np.array(result["embedding"], np.float32), np.load(rows)


def evaluate(bundle_dir, ids, window=512, *options):
    with tempfile.TemporaryDirectory(dir=WORK) as scratch:
        file = Path(scratch) / "ids.json"
        file.write_text(json.dumps([int(i) for i in ids]))
        done = command([RUNNER, "eval", bundle_dir, "--ids-file", file, "--tokens", len(ids), "--window", window, "--json", *options])
    return json.loads(done.stdout)


def same_bits(what, found, expected):
    """Two arrays of float32 with the same bytes."""
    if found.shape != expected.shape:
        fail(f"{what}: shape {found.shape}, expected {expected.shape}")
    different = np.argwhere(found.view(np.uint32) != expected.view(np.uint32))
    if len(different):
        at = tuple(int(i) for i in different[0])
        fail(f"{what}: {len(different)} of {found.size} logits differ, first at {at}: {found[at]!r}, expected {expected[at]!r}")


def equal(what, found, expected):
    if found != expected:
        fail(f"{what}: expected {expected}, found {found}")


def main(cases):
    """Runs the case named on the command line, or all."""
    if not RUNNER.exists() or not (COMPILER.parent / "headrace-compile").exists():
        fail(f"no {RUNNER} or no headrace-compile beside {COMPILER}: build first")
    WORK.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or cases:
        print(f"{name}:", flush=True)
        cases[name]()
    print("ok")
