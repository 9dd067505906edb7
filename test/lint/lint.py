"""Checks the project's own rules: levels, budgets, names, paths, marks. Prints a report; exits 1 when a rule is broken.

usage: lint.py [PROJECT_DIR]
"""
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import budgets
import levels
import order

SOURCES = {".c", ".cpp", ".h", ".td", ".py", ".sh", ".mlir", ".cmake", ".txt", ".md", ".in"}
# Spelled so that this file does not find itself.
MARKS = re.compile("|".join([r"\bTO" + r"DO\b", r"\bFIX" + r"ME\b", r"\bXX" + r"X\b", r"\bHA" + r"CK\b", "not " + "implemented", r"\bfor " + r"now\b"]))
PATHS = re.compile(r"(?<![\w.$}/])/(" + "wo" + r"rk|home|ro" + r"ot|Us" + r"ers|fa" + r"rm)/[\w.]")
# Kernel names: family, then what distinguishes it (runtime/abi/README.md and targets/README.md).
KERNEL = re.compile(r"""^(?:[a-z0-9]+_)??(?:
    embed_(?:f32|f16|w[48]g\d+)_n\d+_k\d+(?:_pos)?(?:_scaled)?
  | norm_c\d+(?:_layer)?(?:_bias)?(?:_res)?(?:_f32|_a8g\d+)?
  | quantize_c\d+_(?:a8)?g\d+
  | gem[vm]_(?:f32|f16|w[48]g\d+)_n\d+_k\d+(?:_bias)?(?:_(?:silu|gelu|gelu_tanh|relu|tanh))?(?:_gated)?(?:_res)?(?:_cap)?(?:_e\d+_top\d+(?:_weighted)?)?
  | route_e\d+_top\d+(?:_norm)?
  | rope_append_h\d+_kv\d+_d\d+(?:_r\d+)?_c\d+_(?:f32|f16)_(?:f32|f16)(?:_qk(?:rms|layer)\d+(?:_bias)?)?
  | attend_h\d+_kv\d+_d\d+_c\d+_(?:f32|f16)_(?:f32|f16)(?:_w\d+)?(?:_cap)?(?:_all)?
  | add_c\d+ )$""", re.X)
KERNEL_USE = re.compile(r"plan\.kernel\s+@(\w+)")


def tracked(root):
    """The project's files: what git knows or would add, or everything outside build folders where there is no git."""
    try:
        out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, capture_output=True, check=True).stdout
        names = [n for n in out.decode().split("\0") if n]
    except (OSError, subprocess.CalledProcessError):
        names = [str(p.relative_to(root)) for p in root.rglob("*") if not p.relative_to(root).parts[0].startswith(("build", ".git"))]
    return sorted(n for n in names if (root / n).is_file())


def read_sources(root):
    """name -> text of every tracked text file of ours; models and data are left out."""
    texts = {}
    for name in tracked(root):
        path = root / name
        if path.suffix in SOURCES and not name.startswith("examples/models/"):
            texts[name] = path.read_text(encoding="utf-8", errors="replace")
    return texts


def find_lines(texts, pattern, skip=()):
    for name, text in texts.items():
        if name.startswith(skip):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if pattern.search(line):
                yield f"{name}:{number}: {line.strip()[:100]}"


def check_kernel_names(texts):
    for name, text in texts.items():
        if not name.endswith(".mlir") or name.startswith("test/dialects/"):
            continue
        for kernel in KERNEL_USE.findall(text):
            if not KERNEL.match(kernel):
                yield f"{name}: kernel name '{kernel}' does not follow the grammar (test/lint/lint.py)"


def check_sorted_subdirectories(texts):
    """Neighbouring add_subdirectory lines of one block are sorted."""
    for name, text in texts.items():
        if not name.endswith("CMakeLists.txt") or name == "CMakeLists.txt":
            continue
        blocks = re.findall(r"(?:^add_subdirectory\(\w[\w/-]*\)\n)+", text, re.M)
        for block in blocks:
            folders = re.findall(r"\(([\w/-]+)\)", block)
            if folders != sorted(folders):
                yield f"{name}: add_subdirectory list is not sorted: {' '.join(folders)}"


def check_readmes(texts):
    """Each folder with sources, down to two levels below a top folder, has a README.md that begins with a sentence (below a title or not)."""
    folders = set()
    for name in texts:
        parts = Path(name).parts
        if Path(name).suffix in {".c", ".cpp", ".h", ".td"} and parts[0] in ("runtime", "dialects", "passes", "targets", "compiler", "examples"):
            folders.add("/".join(parts[:min(2, len(parts) - 1)]))
    for folder in sorted(folders):
        text = texts.get(f"{folder}/README.md")
        if text is None:
            yield f"{folder}: no README.md"
        elif not re.match(r"(# .+\n\n)?[A-Z`].+", text):
            yield f"{folder}/README.md: does not begin with a sentence"


def main(root):
    texts = read_sources(root)
    unfinished = tuple(["test/lint/"])
    problems = defaultdict(list)
    problems["levels"] = list(levels.check(texts))
    problems["budgets"] = list(budgets.check(texts))
    problems["order of creation"] = list(order.check(texts))
    problems["machine paths"] = list(find_lines(texts, PATHS, unfinished))
    problems["marks of unfinished work"] = list(find_lines(texts, MARKS, unfinished))
    problems["kernel names"] = list(check_kernel_names(texts))
    problems["sorted CMake lists"] = list(check_sorted_subdirectories(texts))
    problems["folder READMEs"] = list(check_readmes(texts))
    print(budgets.report(texts))
    broken = 0
    for rule, found in problems.items():
        print(f"{rule}: {'ok' if not found else ''}")
        for line in found:
            print(f"  {line}")
        broken += len(found)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()))
