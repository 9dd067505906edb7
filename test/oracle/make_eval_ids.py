"""Writes eval-ids.json: the first 4,096 tokens of eval.txt for each model with a tokenizer, without special tokens.

usage: make_eval_ids.py NAME=FOLDER...      needs tokenizers from PyPI
"""
import json
import sys
from pathlib import Path

from tokenizers import Tokenizer

text = (Path(__file__).parents[2] / "examples/models/text/eval.txt").read_text()
table = {}
for pair in sys.argv[1:]:
    name, folder = pair.split("=")
    table[name] = Tokenizer.from_file(f"{folder}/tokenizer.json").encode(text, add_special_tokens=False).ids[:4096]
rows = ",\n".join(f'"{name}": {json.dumps(ids, separators=(",", ":"))}' for name, ids in table.items())
(Path(__file__).parent / "eval-ids.json").write_text("{" + rows + "}\n")
