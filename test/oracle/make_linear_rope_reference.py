"""Writes linear-rope-reference.json: what transformers computes for the linear-rope checkpoint of test/e2e/models.py, in float32.

usage: make_linear_rope_reference.py      needs torch and transformers from PyPI
"""
import json
import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM

sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))
import models

torch.manual_seed(0)
ids = torch.randint(3, 320, (40,)).tolist()
model = AutoModelForCausalLM.from_pretrained(models.linear_rope(), dtype=torch.float32, attn_implementation="eager").eval()
with torch.no_grad():
    logits = model(torch.tensor([ids])).logits[0]
    sequence = list(ids)
    for _ in range(16):
        sequence.append(int(model(torch.tensor([sequence])).logits[0, -1].argmax()))
        if sequence[-1] == 2:
            break
rows = {str(p): [round(float(x), 5) for x in logits[p]] for p in (0, 20, 39)}
result = {"input_ids": ids, "logits": rows, "argmax": logits.argmax(-1).tolist(), "greedy_ids": sequence[len(ids):]}
(Path(__file__).parent / "linear-rope-reference.json").write_text(json.dumps(result, separators=(",", ":")) + "\n")
