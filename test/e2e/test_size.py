"""The runtime core with tokenizer and sampler, without generated code, stays small on AArch64.

usage: test_size.py CORE_OBJECT_OR_ARCHIVE      at most 96 KB of .text + .rodata
"""
import re
import subprocess
import sys
from pathlib import Path

LIMIT = 96 << 10
LLVM = Path("/usr/lib/llvm-22/bin")


def main(path):
    text = subprocess.run([LLVM / "llvm-size", "-A", path], capture_output=True, text=True, check=True).stdout
    sizes = {"text": 0, "rodata": 0}
    for name, size in re.findall(r"^\.(text|rodata)[\w.$-]*\s+(\d+)", text, re.M):
        sizes[name] += int(size)
    total = sum(sizes.values())
    print(f"{Path(path).name}: .text {sizes['text']}, .rodata {sizes['rodata']}, together {total} of {LIMIT} bytes")
    sys.exit(0 if 0 < total <= LIMIT else 1)


if __name__ == "__main__":
    main(sys.argv[1])
