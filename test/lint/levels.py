"""Who may include whom. A file may include files of levels below its own, and of its own level as the rules say.

    runtime L0   dialects L1   passes L2   targets L3   compiler L4   examples, test L5
"""
import re
from pathlib import PurePosixPath

LEVEL = {"runtime": 0, "dialects": 1, "passes": 2, "targets": 3, "compiler": 4, "examples": 5, "test": 5}
# Each dialect uses only the ones before it.
DIALECTS = ["enc", "target", "recipe", "model", "tile", "plan"]
# These folders build without MLIR and LLVM, in seconds, for readers, fuzzers and sanitizers.
MLIR_FREE = ("runtime/", "compiler/support/", "compiler/import/safetensors/", "compiler/import/config/", "compiler/import/families/",
             "compiler/import/folder/", "compiler/import/spec/",
             "compiler/import/gguf/", "compiler/import/keep/", "compiler/import/quantized/", "compiler/import/tokenizer/", "compiler/tools/headrace/", "targets/reference/kernels/", "examples/")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">]', re.M)
TD_INCLUDE = re.compile(r'^include[ \t]+"([^"]+)"', re.M)


def resolve(name, spelled, quoted, texts, by_base):
    """The project file that an include names, or None for a system, library or generated header."""
    beside = str(PurePosixPath(name).parent / spelled)
    parts = []
    for part in PurePosixPath(beside).parts:
        if part == "..":
            parts = parts[:-1]
        else:
            parts.append(part)
    for candidate in ("/".join(parts), spelled):
        if candidate in texts:
            return candidate
    if spelled.split("/")[0] in LEVEL and "/" in spelled:
        return spelled  # generated below a folder of ours
    owners = by_base.get(PurePosixPath(spelled).name, []) if quoted else []
    return owners[0] if len(owners) == 1 and "/" not in spelled else None


def refused(name, target):
    """Why `name` may not include `target`, or None."""
    top, other = name.split("/")[0], target.split("/")[0]
    mine, theirs = LEVEL[top], LEVEL[other]
    if theirs > mine:
        return f"{top} (level {mine}) includes {other} (level {theirs})"
    if top == "dialects" and other == "dialects":
        a, b = name.split("/")[1], target.split("/")[1]
        if a in DIALECTS and b in DIALECTS and DIALECTS.index(b) > DIALECTS.index(a):
            return f"dialect {a} includes the later dialect {b}"
    if top == "targets" and other == "targets":
        a, b = name.split("/")[1], target.split("/")[1]
        if a != b and "/" in target[len("targets/"):] and b not in ("common", "devices"):
            return f"target {a} includes target {b}"
    public = target.startswith(("runtime/abi/", "runtime/core/include/", "runtime/port/include/"))
    if top == "compiler" and other == "runtime" and not public and not name.startswith("compiler/tools/headrace"):
        if not target.startswith(("runtime/port/", "runtime/device/", "runtime/tools/")):
            return "the compiler sees only the abi and the public header of the runtime"
    if top in ("dialects", "passes") and other == "runtime" and not target.startswith("runtime/abi/"):
        return f"{top} includes the runtime's {target}"
    if top == "examples" and other == "runtime" and not public:
        return "examples see only public headers"
    return None


def check(texts):
    by_base = {}
    for name in texts:
        by_base.setdefault(PurePosixPath(name).name, []).append(name)
    for name, text in texts.items():
        if name.split("/")[0] not in LEVEL or not name.endswith((".c", ".cpp", ".h", ".td", ".inc")):
            continue
        found = [(q == '"', s) for q, s in INCLUDE.findall(text)] if not name.endswith(".td") else [(True, s) for s in TD_INCLUDE.findall(text)]
        for quoted, spelled in found:
            if spelled.split("/")[0] in ("mlir", "llvm", "lld") and name.startswith(MLIR_FREE):
                yield f"{name}: includes {spelled}, but its folder is MLIR-free"
                continue
            target = resolve(name, spelled, quoted, texts, by_base)
            reason = refused(name, target) if target and target.split("/")[0] in LEVEL else None
            if reason:
                yield f"{name}: includes {spelled}: {reason}"
