#!/usr/bin/env python3
"""Published chat templates against Jinja: every template with every context, equal text or an error on both sides.

usage: published.py PROBE FOLDER...

PROBE is the executable template_probe; templates are the *.jinja of the folders (fetch.sh fetches them). Exits with 77 (skipped)
without Jinja or without templates.
"""
import sys
from pathlib import Path

try:
    import oracle
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from contexts import contexts


def check(probe, path, shown):
    text = path.read_text()
    total = bad = refused = 0
    for name, context in contexts():
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
    probe = oracle.Probe(sys.argv[1])
    paths = sorted(p for folder in sys.argv[2:] for p in Path(folder).rglob("*.jinja"))
    if not paths:
        print("skipped: no templates")
        sys.exit(77)
    counts = [check(probe, path, 3) for path in paths]
    total, bad = (sum(c) for c in zip(*counts))
    print(f"{len(paths)} templates, {total} renders, {bad} differences")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
