"""Writes float32 reference results of a causal model: token ids, greedy continuation, top-8 logits of each step, perplexity.

usage: make_reference.py HF_DIR OUT.json TEXT_FILE PROMPT...      a prompt that starts with "chat:" goes through the chat template
Perplexity: the first 4096 tokens of TEXT_FILE in 8 windows of 512, each from an empty cache, mean over 511 predictions a window.
"""
import json, math, sys
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

src, out, text, prompts = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
tok = AutoTokenizer.from_pretrained(src)
model = AutoModelForCausalLM.from_pretrained(src, dtype=torch.float32).eval()
result = {"prompts": []}
with torch.no_grad():
    for p in prompts:
        if p.startswith("chat:"):
            text_in = tok.apply_chat_template([{"role": "user", "content": p[5:]}], add_generation_prompt=True, tokenize=False)
            ids = tok.encode(text_in, add_special_tokens=False)
        else:
            text_in, ids = p, tok.encode(p)
        seq, steps = list(ids), []
        cache, x = None, torch.tensor([ids])
        for _ in range(48):
            o = model(x, past_key_values=cache, use_cache=True)
            cache = o.past_key_values
            v, i = o.logits[0, -1].topk(8)
            steps.append({"top_ids": i.tolist(), "top_logits": [round(float(z), 4) for z in v]})
            n = int(i[0])
            seq.append(n)
            x = torch.tensor([[n]])
            if n in ([model.config.eos_token_id] if isinstance(model.config.eos_token_id, int) else model.config.eos_token_id or []):
                break
        result["prompts"].append({"prompt": p, "text": text_in, "ids": ids, "greedy_ids": seq[len(ids):],
                                  "greedy_text": tok.decode(seq[len(ids):]), "steps": steps})
        print(p, "->", repr(result["prompts"][-1]["greedy_text"]), flush=True)
    ids = tok.encode(open(text).read(), add_special_tokens=False)[:4096]
    total = 0.0
    for w in range(0, len(ids) - 511, 512):
        x = torch.tensor([ids[w:w + 512]])
        logp = torch.log_softmax(model(x).logits[0, :-1], -1)
        total += -float(logp[torch.arange(511), x[0, 1:]].mean())
    n = len(ids) // 512
    result["perplexity"] = {"text": text.rsplit("/", 1)[-1], "windows": n, "window": 512, "nll_mean": total / n, "perplexity": math.exp(total / n)}
    print(result["perplexity"])
json.dump(result, open(out, "w"), indent=0)
