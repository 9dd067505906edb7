"""Malformed inputs through the commands: each is refused with exactly one line, the one in malformed-messages.txt, and leaves nothing.

usage: test_malformed.py            compares
       test_malformed.py --update   writes the messages anew, for a person to read
Paths in messages are shown as MODEL, BUNDLE and OUT.
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import models
import random_llama
from harness import COMPILER, RUNNER, WORK, compile_model, fail

MESSAGES = Path(__file__).parent / "malformed-messages.txt"
CASES = []  # (name, kind, function)


def case(kind):
    def register(function):
        CASES.append((function.__name__, kind, function))
        return function
    return register


def header_of(path):
    raw = path.read_bytes()
    size = struct.unpack("<Q", raw[:8])[0]
    return json.loads(raw[8:8 + size]), raw[8 + size:]


def edit_header(folder, change, file="model.safetensors"):
    header, payload = header_of(folder / file)
    change(header)
    text = json.dumps(header).encode()
    (folder / file).write_bytes(struct.pack("<Q", len(text)) + text + payload)


def edit_json(path, change):
    table = json.loads(path.read_text())
    change(table)
    path.write_text(json.dumps(table))


def edit_config(**values):
    """A case that sets fields of config.json; None removes one."""
    def change(folder):
        def apply(table):
            for key, value in values.items():
                table.pop(key) if value is None else table.update({key: value})
        edit_json(folder / "config.json", apply)
    return change


Q = "model.layers.0.self_attn.q_proj.weight"
K = "model.layers.0.self_attn.k_proj.weight"


@case("safetensors")
def safetensors_absent(folder):
    (folder / "model.safetensors").unlink()


@case("safetensors")
def safetensors_empty(folder):
    (folder / "model.safetensors").write_bytes(b"")


@case("safetensors")
def safetensors_is_a_pipe(folder):
    (folder / "model.safetensors").unlink()
    os.mkfifo(folder / "model.safetensors")


@case("safetensors")
def safetensors_not_finite(folder):
    header, payload = header_of(folder / "model.safetensors")
    begin = header[K]["data_offsets"][0] + 4 * (32 * 3 + 5)  # row 3, column 5: of q, k and v in one, row 35
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + payload[:begin] + struct.pack("<f", float("nan")) + payload[begin + 4:])


@case("safetensors")
def safetensors_cut_in_header(folder):
    os.truncate(folder / "model.safetensors", 40)


@case("safetensors")
def safetensors_cut_in_payload(folder):
    os.truncate(folder / "model.safetensors", (folder / "model.safetensors").stat().st_size - 10)


@case("safetensors")
def safetensors_trailing_bytes(folder):
    with open(folder / "model.safetensors", "ab") as file:
        file.write(b"xyz")


@case("safetensors")
def safetensors_huge_header(folder):
    with open(folder / "model.safetensors", "r+b") as file:
        file.write(struct.pack("<Q", 1 << 62))


@case("safetensors")
def safetensors_not_json(folder):
    with open(folder / "model.safetensors", "r+b") as file:
        file.seek(8)
        file.write(b"[")


@case("safetensors")
def safetensors_unknown_dtype(folder):
    edit_header(folder, lambda h: h[Q].update(dtype="F8_E9"))


@case("safetensors")
def safetensors_overlap(folder):
    edit_header(folder, lambda h: h[Q].update(data_offsets=h[K]["data_offsets"], shape=h[K]["shape"]))


@case("safetensors")
def safetensors_gap(folder):
    def shift(header):
        last = max(header, key=lambda n: header[n]["data_offsets"][1])
        del header[last]
    edit_header(folder, shift)


@case("safetensors")
def safetensors_beyond_end(folder):
    def move(header):
        last = max(header, key=lambda n: header[n]["data_offsets"][1])
        header[last]["data_offsets"] = [x + (1 << 40) for x in header[last]["data_offsets"]]
    edit_header(folder, move)


@case("safetensors")
def safetensors_shape_against_bytes(folder):
    edit_header(folder, lambda h: h[Q].update(shape=[16, 33]))


@case("safetensors")
def safetensors_negative_shape(folder):
    edit_header(folder, lambda h: h[Q].update(shape=[-32, -32]))


@case("safetensors")
def tensor_missing(folder):
    rewrite_tensors(folder, lambda t: t.pop(Q))


@case("safetensors")
def tensor_extra(folder):
    rewrite_tensors(folder, lambda t: t.update({"model.layers.0.self_attn.q_norm.weight": t["model.norm.weight"]}))


@case("safetensors")
def tensor_mis_shaped(folder):
    rewrite_tensors(folder, lambda t: t.update({Q: t[Q].reshape(-1)[:32 * 16].reshape(16, 32)}))


def rewrite_tensors(folder, change):
    from folder import read_safetensors
    tensors = read_safetensors(folder / "model.safetensors")
    change(tensors)
    random_llama.write_safetensors(folder / "model.safetensors", tensors, "F32")


def shard(folder):
    """Splits model.safetensors in two shards with an index."""
    from folder import read_safetensors
    tensors = read_safetensors(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(tensors)
    weight_map = {}
    for i, part in enumerate((names[:5], names[5:])):
        file = f"model-{i + 1:05d}-of-00002.safetensors"
        random_llama.write_safetensors(folder / file, {n: tensors[n] for n in part}, "F32")
        weight_map.update({n: file for n in part})
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    return folder / "model.safetensors.index.json"


@case("index")
def index_not_json(folder):
    shard(folder).write_text("{")


@case("index")
def index_without_map(folder):
    shard(folder).write_text("{}")


@case("index")
def index_names_absent_shard(folder):
    shard(folder)
    (folder / "model-00002-of-00002.safetensors").unlink()


@case("index")
def index_shard_cut(folder):
    shard(folder)
    os.truncate(folder / "model-00002-of-00002.safetensors", 1000)


@case("index")
def index_wrong_shard(folder):
    edit_json(shard(folder), lambda t: t["weight_map"].update({Q: "model-00001-of-00002.safetensors"}))


@case("index")
def index_outside_folder(folder):
    edit_json(shard(folder), lambda t: t["weight_map"].update({Q: "../model-00002-of-00002.safetensors"}))


@case("index")
def index_lacks_tensor(folder):
    edit_json(shard(folder), lambda t: t["weight_map"].pop(Q))


for name, values in {
        "config_unknown_architecture": {"architectures": ["MambaForCausalLM"], "model_type": "mamba"}, "config_hidden_missing": {"hidden_size": None},
        "config_hidden_a_string": {"hidden_size": "32"}, "config_heads_zero": {"num_attention_heads": 0}, "config_heads_not_divided": {"num_key_value_heads": 3},
        "config_unknown_activation": {"hidden_act": "swiglu7"}, "config_rope_type": {"rope_parameters": {"rope_type": "longrope", "factor": 4.0, "rope_theta": 1e4}},
        "config_old_rope_type": {"rope_parameters": None, "rope_scaling": {"type": "su", "factor": 2.0}},
        "config_rope_factor_missing": {"rope_parameters": {"rope_type": "linear", "rope_theta": 1e4}}, "config_layers_negative": {"num_hidden_layers": -1},
        "config_partial_rotation": {"partial_rotary_factor": 0.5}, "config_vocab_differs": {"vocab_size": 100}, "config_sliding_window": {"sliding_window": 16},
        "config_odd_head_dim": {"head_dim": 15}, "config_eps_negative": {"rms_norm_eps": -1.0}}.items():
    CASES.append((name, "config", edit_config(**values)))


@case("config")
def config_absent(folder):
    (folder / "config.json").unlink()


@case("config")
def config_not_json(folder):
    (folder / "config.json").write_text('{"architectures": [')


@case("config")
def config_repeated_field(folder):
    text = (folder / "config.json").read_text()
    (folder / "config.json").write_text(text.replace("{", '{"hidden_size": 48,', 1))


def tokenizer(change):
    return lambda folder: edit_json(folder / "tokenizer.json", change)


for name, change in {
        "tokenizer_unknown_model": lambda t: t["model"].update(type="Markov"), "tokenizer_unknown_pretokenizer": lambda t: t.update(pre_tokenizer={"type": "Bert"}),
        "tokenizer_unknown_normalizer": lambda t: t.update(normalizer={"type": "Uppercase"}), "tokenizer_unknown_decoder": lambda t: t.update(decoder={"type": "CTC"}),
        "tokenizer_unknown_postprocessor": lambda t: t.update(post_processor={"type": "Fancy"}),
        "tokenizer_merge_of_unknown": lambda t: t["model"]["merges"].insert(0, "zq qzq"), "tokenizer_without_vocab": lambda t: t["model"].pop("vocab"),
        "tokenizer_id_twice": lambda t: t["model"]["vocab"].update({"zzz": 5})}.items():
    CASES.append((name, "tokenizer", tokenizer(change)))


@case("tokenizer")
def tokenizer_not_json(folder):
    (folder / "tokenizer.json").write_text("null, null")


@case("manifest")
def manifest_absent(bundle):
    (bundle / "manifest.json").unlink()


@case("manifest")
def manifest_not_json(bundle):
    (bundle / "manifest.json").write_text("{]")


@case("manifest")
def manifest_empty_object(bundle):
    (bundle / "manifest.json").write_text("{}")


@case("manifest")
def manifest_is_a_list(bundle):
    (bundle / "manifest.json").write_text("[]")


@case("manifest")
def library_absent(bundle):
    for file in bundle.glob("lib/*/lib*.so"):
        file.unlink()


@case("manifest")
def library_cut(bundle):
    def size(table):
        for row in table["checksums"]:
            if row["file"].endswith(".so"):
                row["bytes"] = 4096
    edit_json(bundle / "manifest.json", size)
    for file in bundle.glob("lib/*/lib*.so"):
        os.truncate(file, 1000)


def patch_weights(offset, data):
    def change(bundle):
        raw = bytearray((bundle / "weights.bin").read_bytes())
        raw[offset:offset + len(data)] = data
        (bundle / "weights.bin").write_bytes(raw)
    return change


for name, change in {
        "weights_magic": patch_weights(0, b"GGUF"), "weights_version": patch_weights(8, b"\x07"), "weights_file_bytes": patch_weights(16, b"\xff" * 7),
        "weights_table_hash": patch_weights(24, b"\x00" * 8), "weights_section_count": patch_weights(32, b"\xff\xff\xff\xff"),
        "weights_section_offset": patch_weights(64 + 16, b"\xff" * 7), "weights_section_bytes": patch_weights(64 + 24, b"\xff" * 7)}.items():
    CASES.append((name, "weights", change))


@case("weights")
def weights_absent(bundle):
    (bundle / "weights.bin").unlink()


@case("weights")
def weights_empty(bundle):
    (bundle / "weights.bin").write_bytes(b"")


@case("weights")
def weights_cut(bundle):
    os.truncate(bundle / "weights.bin", 20000)


@case("weights")
def weights_of_another(bundle):
    header = bytearray((bundle / "weights.bin").read_bytes())
    header[16384 + 100] ^= 0xFF
    (bundle / "weights.bin").write_bytes(header)


COMMANDS = {
    "command_unknown": ["frobnicate"], "command_no_output": ["compile", "MODEL"], "command_bad_quant": ["compile", "MODEL", "-o", "OUT", "--quant", "w5"],
    "command_bad_group": ["compile", "MODEL", "-o", "OUT", "--group", "48"], "command_bad_target": ["compile", "MODEL", "-o", "OUT", "--target", "pdp11"],
    "command_bad_place": ["compile", "MODEL", "-o", "OUT", "--target", "x86-64-v3,reference", "--place", "layers.*.mlp"],
    "command_bad_ids": ["run", "BUNDLE", "--ids", "1,x"], "command_bad_ids_detokenize": ["detokenize", "BUNDLE", "--ids", "1,x"],
    "command_reserved_name": ["compile", "MODEL", "-o", "OUT", "--name", "headrace"], "command_ids_and_prompt": ["run", "BUNDLE", "--ids", "1", "-p", "x"],
    "command_threads": ["run", "BUNDLE", "--ids", "1", "--threads", "0"], "command_temperature": ["run", "BUNDLE", "--ids", "1", "--temperature", "-1"],
    "input_model_absent": ["compile", "ABSENT", "-o", "OUT"], "input_bundle_absent": ["run", "ABSENT", "--ids", "1"],
    "input_id_beyond_vocab": ["run", "BUNDLE", "--ids", "99999"], "input_prompt_too_long": ["run", "BUNDLE", "--ids", ",".join(["1"] * 100)],
    "input_ids_file": ["eval", "BUNDLE", "--ids-file", "MODEL/config.json"], "input_context": ["compile", "MODEL", "-o", "OUT", "--context", "100000"],
}


def commands_for(name, kind, folder, bundle, out):
    """The command of a case and its expected exit code."""
    if kind == "command":
        places = {"MODEL": folder, "BUNDLE": bundle, "OUT": out, "ABSENT": folder.parent / "absent"}
        words = [str(places.get(w, w)).replace("MODEL/", f"{folder}/") for w in COMMANDS[name]]
        return [COMPILER if words[0] == "compile" else RUNNER, *words], 2 if name.startswith("command_") else 1
    if kind in ("manifest", "weights"):
        return [RUNNER, "verify" if name == "weights_of_another" else "run", bundle, *([] if name == "weights_of_another" else ["--ids", "1", "-n", "1"])], 1
    return [COMPILER, "compile", folder, "-o", out, "--target", "x86-64-v3"], 1


def message(name, kind, change, scratch, whole_model, whole_bundle):
    folder, bundle, out = scratch / "model", scratch / "b.bundle", scratch / "out.bundle"
    shutil.copytree(whole_model, folder)
    shutil.copytree(whole_bundle, bundle)
    if change:
        change(bundle if kind in ("manifest", "weights") else folder)
    words, code = commands_for(name, kind, folder, bundle, out)
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, errors="replace", timeout=60)
    text = done.stderr.strip().replace(str(folder), "MODEL").replace(str(bundle), "BUNDLE").replace(str(out), "OUT").replace(str(scratch), "DIR")
    problem = None
    if done.returncode != code:
        problem = f"exit code {done.returncode}, expected {code}"
    elif "\n" in text and code == 1:
        problem = "more than one line"
    elif not text.startswith("headrace: error: ") and code == 1:
        problem = "not an error line"
    left = sorted(p.name for p in scratch.iterdir())
    if left != ["b.bundle", "model"]:
        problem = f"left {left}"
    return text.replace("\n", " | "), problem


def main():
    update = sys.argv[1:] == ["--update"]
    WORK.mkdir(parents=True, exist_ok=True)
    expected = dict(line.split(": ", 1) for line in MESSAGES.read_text().splitlines() if line) if MESSAGES.exists() else {}
    cases = CASES + [(name, "command", None) for name in COMMANDS]
    found, problems = {}, []
    with tempfile.TemporaryDirectory(dir=WORK) as base:
        base = Path(base)
        random_llama.write(base / "model", seed=4, hidden=32, layers=1, heads=2, kv_heads=1, head_dim=16, ffn=48, vocab=2048, positions=64, dtype="F32")
        shutil.copy(models.BROOK / "tokenizer.json", base / "model")
        compile_model(base / "model", "--target", "x86-64-v3", out=base / "whole.bundle")
        for name, kind, change in cases:
            scratch = base / name
            scratch.mkdir()
            found[name], problem = message(name, kind, change, scratch, base / "model", base / "whole.bundle")
            shutil.rmtree(scratch)
            if problem:
                problems.append(f"{name}: {problem}: {found[name][:300]}")
            elif not update and found[name] != expected.get(name):
                problems.append(f"{name}:\n  found    {found[name]}\n  expected {expected.get(name)}")
    if update:
        MESSAGES.write_text("".join(f"{name}: {text}\n" for name, text in found.items()))
    print("\n".join(problems))
    if problems:
        fail(f"{len(problems)} of {len(cases)} cases")
    print(f"{len(cases)} malformed inputs, each refused with its message")


if __name__ == "__main__":
    main()
