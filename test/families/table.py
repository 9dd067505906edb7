"""The table of README.md: what the registered tests verify, by family and format of the checkpoint.

usage: table.py write|check BUILD_DIR

A test says what it verifies by hr_verifies(TEST FAMILY FORMAT WHAT...) (CMakeLists.txt), a label 'verifies:FAMILY:FORMAT:WHAT'. `write` replaces the lines
between the two markers of README.md by the table of all labels, `check` fails when they differ from it.
"""
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- families: test/families/table.py writes this -->\n", "<!-- end of families -->\n"
FORMATS = {"hf": "Hugging Face folder", "gguf": "GGUF", "gptq": "GPTQ", "awq": "AWQ", "compressed-tensors": "compressed-tensors"}
WHATS = ["logits", "hidden", "embedding", "ids", "bits", "weights", "perplexity", "refused"]
FAMILIES = {"bert": "BERT", "cohere": "Cohere", "cohere2": "Cohere 2", "distilbert": "DistilBERT", "falcon": "Falcon", "gemma": "Gemma", "gemma2": "Gemma 2",
            "gemma3_text": "Gemma 3", "gpt2": "GPT-2", "gpt_neox": "GPT-NeoX", "granite": "Granite", "granitemoe": "Granite-MoE", "internlm2": "InternLM2", "llama": "Llama", "mistral": "Mistral", "mixtral": "Mixtral", "olmo": "OLMo",
            "olmo2": "OLMo 2", "olmoe": "OLMoE", "opt": "OPT", "phi": "Phi", "phi3": "Phi-3", "qwen2": "Qwen2", "qwen3": "Qwen3", "qwen3_moe": "Qwen3-MoE", "roberta": "RoBERTa", "smollm3": "SmolLM3",
            "stablelm": "StableLM", "starcoder2": "StarCoder2", "xlm-roberta": "XLM-RoBERTa"}


def labels(build):
    """(family, format, what) -> names of the tests with that label."""
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    found = defaultdict(set)
    for test in json.loads(listing)["tests"]:
        for entry in (p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"):
            for label in entry:
                if label.startswith("verifies:"):
                    family, form, what = label.split(":")[1:]
                    if family not in FAMILIES or form not in FORMATS or what not in WHATS:
                        sys.exit(f"failed: test {test['name']}: unknown label {label}")
                    found[family, form, what].add(test["name"])
    return found


def cell(found, family, form):
    parts = [f"{what} {len(found[family, form, what])}" for what in WHATS if (family, form, what) in found]
    return ", ".join(parts) or "-"


def table(found):
    forms = [form for form in FORMATS if any(key[1] == form for key in found)]
    lines = ["| | " + " | ".join(FORMATS[form] for form in forms) + " |", "|---" * (len(forms) + 1) + "|"]
    for family, name in sorted(FAMILIES.items(), key=lambda item: item[1].lower()):
        if any(key[0] == family for key in found):
            lines.append(f"| {name} | " + " | ".join(cell(found, family, form) for form in forms) + " |")
    return "\n".join(lines) + "\n"


def main(action, build):
    text = README.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"failed: {README}: expected one pair of markers {BEGIN.strip()} and {END.strip()}")
    head, rest = text.split(BEGIN)
    made = head + BEGIN + table(labels(build)) + END + rest.split(END)[1]
    if action == "write":
        README.write_text(made)
    elif made != text:
        sys.exit(f"failed: the table of {README} is not what the tests say: run test/families/table.py write {build}")


if __name__ == "__main__":
    main(*sys.argv[1:])
