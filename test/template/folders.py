#!/usr/bin/env python3
"""headrace render of model folders: templates are chosen, and special tokens known, as transformers does it. usage: folders.py HEADRACE

folder-references.json holds what transformers made of the cases (make_folder_references.py).
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from folder_cases import CASES, CONTEXTS, write


def render(headrace, folder, context, chosen):
    """The text, or None where it is refused with one line."""
    (folder / "context.json").write_text(json.dumps({"messages": [{"role": "user", "content": "a"}], **context}))
    arguments = ["--chat-template", chosen] if chosen else []
    run = subprocess.run([headrace, "render", folder, "--context", folder / "context.json", *arguments], capture_output=True, text=True)
    if run.returncode == 1 and run.stderr.startswith("headrace: error: ") and run.stderr.count("\n") == 1 and not run.stdout:
        return None
    if run.returncode or run.stderr:
        raise SystemExit(f"{folder}: exit code {run.returncode}: {run.stderr}")
    return run.stdout


def main():
    references = json.loads((Path(__file__).parent / "folder-references.json").read_text())["cases"]
    assert references.keys() == CASES.keys(), "folder-references.json is of other cases"
    bad = 0
    for name, files in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), files)
            for c, context in CONTEXTS.items():
                found, wanted = render(sys.argv[1], Path(folder), context, files.get("chosen")), references[name][c]
                if found != wanted:
                    bad += 1
                    print(f"{name}, {c}: expected {wanted!r}, found {found!r}")
    print(f"{len(CASES)} folders, {bad} differences")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
