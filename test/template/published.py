#!/usr/bin/env python3
"""Published chat templates against Jinja: every template with every context, equal text or an error on both sides.

usage: published.py PROBE [FOLDER...] [--every N]

PROBE is the executable template_probe; templates are the *.jinja of the folders, without any those of a package's sources, brought into
the cache once (test/data-tools/chat_templates.sh). --every N takes each N-th context. Exits with 77 (skipped) without Jinja.
"""
import argparse
import os
import subprocess
import sys
from pathlib import Path

try:
    import oracle
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from contexts import contexts


def fetched():
    base = os.environ.get("HEADRACE_CACHE")
    cache = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headrace"
    tool = Path(__file__).parents[1] / "data-tools/chat_templates.sh"
    if subprocess.run(["bash", tool, sys.executable, cache]).returncode:
        print(f"{'failed' if os.environ.get('CI') == 'true' else 'skipped'}: the templates cannot be fetched")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    return cache / "chat-templates"


def check(probe, path, every, first, shown=3):
    text = path.read_text()
    total = bad = refused = 0
    for name, context in list(contexts())[first % every :: every]:
        total += 1
        what = oracle.difference(probe, text, context)
        refused += probe.status != 0
        if what:
            bad += 1
            if bad <= shown:
                print(f"{path.name} with {name}, line {probe.line}: {what}")
    print(f"{path.name}: {total} contexts, {total - refused} rendered, {refused} errors on both sides, {bad} differences")
    return total, bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("probe")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    probe = oracle.Probe(options.probe)
    paths = sorted(p for folder in options.folders or [fetched()] for p in Path(folder).rglob("*.jinja"))
    if not paths:
        sys.exit("no templates")
    counts = [check(probe, path, options.every, number) for number, path in enumerate(paths)]
    total, bad = (sum(c) for c in zip(*counts))
    print(f"{len(paths)} templates, {total} renders, {bad} differences")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
