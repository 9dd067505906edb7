#!/usr/bin/env python3
"""disassembly.py OBJDUMP OBJECT NAME: the matrix kernels of a variant use its dot instruction in their loops, and call nothing.

NAME is a row of RULES. Instructions are counted inside innermost loops: from the target of a backward branch to the branch.
"""
import re
import subprocess
import sys

# name: {family: {encoding: instruction}}, what must not occur anywhere, what counts as a use of the instruction
RULES = {
    "avx2": ({"gemv": {"w4": "vpmaddubsw", "w8": "vpmaddubsw"}, "gemm": {"w4": "vpmaddubsw", "w8": "vpmaddubsw"}},
             r"%zmm|\{%k|vpdp", r"%ymm"),
    "avxvnni": ({"gemv": {"w4": "vpdpbusd", "w8": "vpdpbusd"}, "gemm": {"w4": "vpdpbusd", "w8": "vpdpbusd"}},
                r"%zmm|\{%k", r"\{vex\}.*%ymm"),
    "avxvnni_evex": ({"gemv": {"w4": "vpdpbusd", "w8": "vpdpbusd"}, "gemm": {"w4": "vpdpbusd", "w8": "vpdpbusd"}},
                     r"\{vex\}", r"%ymm"),
    "avx512vnni": ({"gemv": {"w4": "vpdpbusd", "w8": "vpdpbusd"}, "gemm": {"w4": "vpdpbusd", "w8": "vpdpbusd"}},
                   r"\{vex\}", r"%zmm"),
    "neon": ({"gemv": {"w4": "smull2?|smlal2?", "w8": "smull2?|smlal2?"}, "gemm": {"w4": "smull2?|smlal2?", "w8": "smull2?|smlal2?"}},
             r"\b(sdot|smmla)\b", r"v\d+\.8h"),
    "dotprod": ({"gemv": {"w4": "sdot", "w8": "sdot"}, "gemm": {"w4": "sdot", "w8": "sdot"}}, r"\bsmmla\b", r"\.4b\[\d\]"),
    "i8mm": ({"gemv": {"w4": "sdot", "w8": "sdot"}, "gemm": {"w4": "smmla", "w8": "smmla"}}, r"\bz\d+\.b", r"v\d+\.16b"),
}
FUNCTION = re.compile(r"^[0-9a-f]+ <(k_\w+)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(.*)$")
BRANCH = re.compile(r"^(?:j[a-z]+|b\.[a-z]+|b|cbnz|cbz|tbnz|tbz)\s.*?0x([0-9a-f]+)")
CALL = re.compile(r"^(?:callq?|bl|blr)\s")


def functions(objdump, path):
    """{name: [(address, text)]}"""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    result, body = {}, None
    for line in text.splitlines():
        if match := FUNCTION.match(line):
            body = result.setdefault(match[1], [])
        elif body is not None and (match := INSTRUCTION.match(line)):
            body.append((int(match[1], 16), match[2].strip()))
    return result


def loops(body):
    """Innermost loops: those that contain no other loop's backward branch."""
    ranges = [(int(m[1], 16), address) for address, text in body if (m := BRANCH.match(text)) and int(m[1], 16) <= address]
    return [r for r in ranges if not any(r != s and r[0] <= s[0] and s[1] <= r[1] for s in ranges)]


def check(name, body, instruction, shape):
    best = 0
    for first, last in loops(body):
        uses = [t for a, t in body if first <= a <= last and re.search(rf"(?:^|\s)(?:{instruction})\s", t)]
        best = max(best, sum(1 for t in uses if re.search(shape, t)))
    return None if best >= 4 else f"{name}: expected {instruction} like {shape} in an inner loop, found {best} uses"


def main(objdump, path, row):
    wanted, forbidden, shape = RULES[row]
    errors, checked = [], 0
    for name, body in functions(objdump, path).items():
        for address, text in body:
            if CALL.match(text) or re.search(forbidden, text):
                errors.append(f"{name}: at {address:x}: not expected here: {text}")
                break
        _, family, enc = name.split("_")[:3]
        if family == "gemm" and re.search(r"_e\d+", name):  # rows choose their experts, and come one by one
            family = "gemv"
        instruction = wanted.get(family, {}).get(enc[:2])
        group, k = map(int, re.search(r"g(\d+)_n\d+_k(\d+)", name).groups()) if instruction else (0, 0)
        if instruction and k >= 2 * group:  # else there is no loop over groups
            checked += 1
            if error := check(name, body, instruction, shape):
                errors.append(error)
    if not checked:
        errors.append("found no kernel to check")
    print("\n".join(errors) or f"{row}: {checked} kernels use their instruction")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
