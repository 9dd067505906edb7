#!/usr/bin/env python3
"""What transformers makes of the folders of folder_cases.py: writes folder-references.json. usage: make_folder_references.py

Of each case and context the text, or null where apply_chat_template fails. Needs transformers 5.24.
"""
import json
import logging
import tempfile
from pathlib import Path

import transformers
from folder_cases import CASES, CONTEXTS, write

logging.disable(logging.WARNING)
TOKENIZER = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "pre_tokenizer": {"type": "Whitespace"},
             "post_processor": None, "decoder": None, "model": {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1}, "unk_token": "<unk>"}}


def rendered(tokenizer, context, chosen):
    try:
        return tokenizer.apply_chat_template([{"role": "user", "content": "a"}], tokenize=False, chat_template=chosen, **context)
    except Exception:  # whatever is raised: there is no text
        return None


def main():
    references = {}
    for name, files in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), files)
            (Path(folder) / "tokenizer.json").write_text(json.dumps(TOKENIZER))
            tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
            references[name] = {c: rendered(tokenizer, context, files.get("chosen")) for c, context in CONTEXTS.items()}
    text = json.dumps({"transformers": transformers.__version__, "cases": references}, indent=1)
    (Path(__file__).parent / "folder-references.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
