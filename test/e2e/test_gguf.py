"""GGUF files compiled: stored weights against the gguf package's own dequantization, bit for bit; real models against references.

usage: test_gguf.py types|experts|malformed|smollm2|gemma3...
"""
import json

import gguf
import numpy as np

import models
import stored
from harness import COMPILER, WORK, bundle, command, equal, evaluate, fail, main, run, same_bits

HIDDEN, FFN, HEADS, KV_HEADS, LAYERS, VOCAB = 256, 512, 4, 2, 4, 96
LINEARS = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]
SHAPES = {"attn_q": (HIDDEN, HIDDEN), "attn_k": (HIDDEN // 2, HIDDEN), "attn_v": (HIDDEN // 2, HIDDEN), "attn_output": (HIDDEN, HIDDEN),
          "ffn_gate": (FFN, HIDDEN), "ffn_up": (FFN, HIDDEN), "ffn_down": (HIDDEN, FFN)}
# Of four layers: one type for all parts, types with a common exact encoding, types without, and such as only more bits or floats hold.
TYPES = [dict.fromkeys(LINEARS, "Q4_1") | {"attn_output": "Q4_K", "ffn_down": "Q6_K"},
         {"attn_q": "Q4_0", "attn_k": "Q4_1", "attn_v": "Q4_0", "attn_output": "Q4_0", "ffn_gate": "Q8_0", "ffn_up": "Q4_0", "ffn_down": "IQ4_XS"},
         {"attn_q": "Q4_K", "attn_k": "Q4_K", "attn_v": "Q6_K", "attn_output": "Q5_1", "ffn_gate": "IQ4_XS", "ffn_up": "IQ4_NL", "ffn_down": "Q3_K"},
         {"attn_q": "Q5_0", "attn_k": "IQ4_NL", "attn_v": "Q4_0", "attn_output": "MXFP4", "ffn_gate": "F16", "ffn_up": "Q8_0", "ffn_down": "IQ4_NL"}]
ENCODINGS = {"layers.0.attn.qkv": ("w4a g32", "codes kept"), "layers.0.attn.o": ("w4a g32", "codes kept, scales rounded"),
             "layers.0.mlp.gate_up": ("w4a g32", "codes kept"), "layers.0.mlp.down": ("w8 g32", "requantized"),
             "layers.1.attn.qkv": ("w4a g32", "codes kept"), "layers.1.attn.o": ("w4 g32", "codes kept"),
             "layers.1.mlp.gate_up": ("w8 g32", "codes kept"), "layers.1.mlp.down": ("w8 g32", "codes kept, scales rounded"),
             "layers.2.attn.qkv": ("w8 g32", "requantized"), "layers.2.attn.o": ("w8 g32", "requantized"),
             "layers.2.mlp.gate_up": ("w8 g32", "codes kept, scales rounded"), "layers.2.mlp.down": ("w4a g32", "requantized"),
             "layers.3.attn.qkv": ("w8 g32", "codes kept"), "layers.3.attn.o": ("w8 g32", "codes kept"),
             "layers.3.mlp.gate_up": ("f32", "values kept"), "layers.3.mlp.down": ("w8 g32", "codes kept"),
             "embed": ("w8 g32", "codes kept"), "lm_head": ("f16", "")}
# What report/report.json says of them, with the number of tensors.
STORED = {"Q4_1 in w4a g32: kept": 6, "Q4_K in w4a g32: kept, scales rounded to f16": 1, "Q6_K in w8 g32: requantized": 2, "Q4_0 in w4a g32: kept": 2,
          "Q4_0 in w4 g32: kept": 1, "Q8_0 in w8 g32: kept": 2, "Q4_0 in w8 g32: kept, widened": 2, "IQ4_XS in w8 g32: kept, scales rounded to f16": 2,
          "Q4_K in w8 g32: requantized": 2, "Q5_1 in w8 g32: requantized": 1, "Q3_K in w4a g32: requantized": 1,
          "Q5_0 in w8 g32: kept, widened": 1, "IQ4_NL in w8 g32: kept, widened": 3, "MXFP4 in w8 g32: kept, widened": 1, "F16 in f32: kept": 1,
          "Q8_0 in f32: kept, widened": 1, "F16 in f16: kept": 1}
# A mixture's matrices, seen as one of each kind, and what becomes of their types in two layers.
EXPERTS, EXPERTS_USED = 3, 2
EXPERT_SHAPES = {"ffn_gate_exps": (EXPERTS * FFN, HIDDEN), "ffn_up_exps": (EXPERTS * FFN, HIDDEN), "ffn_down_exps": (EXPERTS * HIDDEN, FFN)}
ATTENTION = dict.fromkeys(LINEARS[:4], "Q8_0") | {"ffn_gate_inp": "F32"}
EXPERT_TYPES = [ATTENTION | {"ffn_gate_exps": "Q4_0", "ffn_up_exps": "Q4_0", "ffn_down_exps": "Q8_0"},
                ATTENTION | {"ffn_gate_exps": "Q4_1", "ffn_up_exps": "Q4_0", "ffn_down_exps": "Q4_K", "attn_q": "Q4_1", "attn_k": "IQ4_NL", "attn_v": "Q4_1"}]
EXPERT_ENCODINGS = {"layers.1.attn.qkv": ("w8 g32", "requantized"),
                    "layers.0.mlp.gate_up": ("w4 g32", "codes kept"), "layers.0.mlp.down": ("w8 g32", "codes kept"), "layers.0.mlp.router": ("f32", ""),
                    "layers.1.mlp.gate_up": ("w4a g32", "codes kept"), "layers.1.mlp.down": ("w4a g32", "codes kept, scales rounded"), "layers.1.mlp.router": ("f32", "")}
# Where a block's binary16 numbers lie: random bytes there would be infinite at times.
HALVES = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2],
          "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0], "MXFP4": []}


def random_blocks(rng, kind, shape):
    elements, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[kind]]
    blocks = rng.integers(0, 256, (shape[0] * shape[1] // elements, size), dtype=np.uint8)
    for at in HALVES[kind]:
        blocks[:, at: at + 2] = rng.normal(0, 0.01, len(blocks)).astype(np.float16).view(np.uint8).reshape(-1, 2)
    if kind == "Q4_K":  # scales and minima of one size, as weights around 0 have them
        blocks[:, 2:4] = blocks[:, :2]
    if kind == "MXFP4":
        blocks[:, 0] = rng.integers(115, 123, len(blocks))
    return blocks.reshape(shape[0], -1)


def write_llama(path, types, embed="Q8_0", head="F16", seed=4):
    """A random Llama of mixed types, a row of them a layer; with a router it is a mixture of experts."""
    rng = np.random.default_rng(seed)
    w = gguf.GGUFWriter(path, "llama")
    w.add_context_length(64)
    w.add_embedding_length(HIDDEN)
    w.add_block_count(len(types))
    w.add_feed_forward_length(FFN)
    w.add_head_count(HEADS)
    w.add_head_count_kv(KV_HEADS)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_eos_token_id(1)
    if "ffn_gate_inp" in types[0]:
        w.add_expert_count(EXPERTS)
        w.add_expert_used_count(EXPERTS_USED)

    def add(name, kind, shape):
        if kind in HALVES:
            blocks = random_blocks(rng, kind, shape)
            w.add_tensor(name, blocks.reshape(EXPERTS, -1, blocks.shape[-1]) if "_exps" in name else blocks, raw_dtype=gguf.GGMLQuantizationType[kind])
        else:
            w.add_tensor(name, rng.normal(0, 0.05, shape).astype(np.float16 if kind == "F16" else np.float32))

    add("token_embd.weight", embed, (VOCAB, HIDDEN))
    add("output.weight", head, (VOCAB, HIDDEN))
    add("output_norm.weight", "F32", (HIDDEN,))
    for layer, kinds in enumerate(types):
        add(f"blk.{layer}.attn_norm.weight", "F32", (HIDDEN,))
        add(f"blk.{layer}.ffn_norm.weight", "F32", (HIDDEN,))
        for name, kind in kinds.items():
            add(f"blk.{layer}.{name}.weight", kind, {**SHAPES, **EXPERT_SHAPES, "ffn_gate_inp": (EXPERTS, HIDDEN)}[name])
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    return path


def halves(rows, head_dim):
    """Rotary pairs that lie side by side become halves of each head."""
    return rows.reshape(-1, head_dim // 2, 2, rows.shape[-1]).swapaxes(1, 2).reshape(rows.shape)


def expected_weights(path, layers, head_dim):
    """What a bundle's matrices must hold, from the package's own reading of the file."""
    tensors = {t.name.removesuffix(".weight"): gguf.dequantize(t.data, t.tensor_type) for t in gguf.GGUFReader(path).tensors}
    made = {"embed": tensors["token_embd"], "norm": tensors["output_norm"]}
    if "output" in tensors:
        made["lm_head"] = tensors["output"]
    for layer in range(layers):
        vector = lambda name: tensors[f"blk.{layer}.{name}"]
        of = lambda name: vector(name).reshape(-1, vector(name).shape[-1])
        mixed = "_exps" if f"blk.{layer}.ffn_gate_inp" in tensors else ""
        ours = f"layers.{layer}."
        made[ours + "attn.qkv"] = np.concatenate([halves(of("attn_q"), head_dim), halves(of("attn_k"), head_dim), of("attn_v")])
        made[ours + "attn.o"] = of("attn_output")
        made[ours + "mlp.gate_up"] = stored.interleaved([of("ffn_gate" + mixed), of("ffn_up" + mixed)])
        made[ours + "mlp.down"] = of("ffn_down" + mixed)
        if mixed:
            made[ours + "mlp.router"] = of("ffn_gate_inp")
        made[ours + "attn.norm"], made[ours + "mlp.norm"] = vector("attn_norm"), vector("ffn_norm")
    return made


def check_stored(what, found, expected, loose=(), rounded=()):
    """Every matrix and vector equal, bit for bit (but for the sign of zero); those of `loose` within a rounding step, those of `rounded` within
    the rounding of scales to binary16."""
    equal(f"{what}: names", sorted(n for n in found if not n.startswith("rope.")), sorted(expected))
    for name, want in expected.items():
        values = found[name][1]
        if values.shape != want.shape:
            fail(f"{what} {name}: shape {values.shape}, expected {want.shape}")
        if name in loose:
            error = np.abs(values - want).max() / np.abs(want).max()
            if not 0 < error < 0.2:  # as far inside the values as the ends of w4a may lie
                fail(f"{what} {name}: requantized with an error of {error} of the largest value")
        elif name in rounded:
            error = np.abs(values - want).max() / np.abs(want).max()
            if not 0 < error < 2 ** -10:
                fail(f"{what} {name}: scales rounded with an error of {error} of the largest value")
        elif not (values == want).all():
            at = np.argwhere(values != want)[0]
            fail(f"{what} {name}: {(values != want).sum()} values differ, first at {at}: {values[tuple(at)]!r}, expected {want[tuple(at)]!r}")


def check_kept(path, layers, encodings):
    """The file in floats and with what --quant keep makes of it; the latter's bundle."""
    expected = expected_weights(path, layers, HIDDEN // HEADS)
    check_stored("f32", stored.weights(bundle(path, "--target", "host", "--quant", "f32")), expected)
    out = bundle(path, "--target", "host")
    found = stored.weights(out)
    for name, (encoding, codes) in encodings.items():
        equal(f"{name}: encoding", found[name][0]["encoding"], encoding)
        if not found[name][0]["recipe"].endswith(codes):
            fail(f"{name}: expected a recipe that ends with '{codes}', found '{found[name][0]['recipe']}'")
    check_stored("keep", found, expected, [n for n, (_, codes) in encodings.items() if codes == "requantized"],
                 [n for n, (_, codes) in encodings.items() if codes == "codes kept, scales rounded"])
    same_bits("reference and host", run(bundle(path, "--target", "reference"), [3, 5, 7], 8)[1], run(out, [3, 5, 7], 8)[1])
    return out


def types():
    WORK.mkdir(parents=True, exist_ok=True)
    path = write_llama(WORK / "mixed.gguf", TYPES)
    out = check_kept(path, LAYERS, ENCODINGS)
    manifest = json.loads((out / "manifest.json").read_text())
    report = json.loads((out / "report/report.json").read_text())
    equal("report.json", {f"{row['type']} in {row['encoding']}: {row['outcome']}": row["tensors"] for row in report["stored"]}, STORED)
    equal("report.json: bytes", sum(row["bytes"] for row in report["stored"]),
          sum(int(t.n_bytes) for t in gguf.GGUFReader(path).tensors if len(t.shape) == 2))
    text = (out / "report/report.txt").read_text()
    if not all(what in text for what in STORED):
        fail(f"report.txt: expected each of {list(STORED)}, found {text}")
    equal("--quant", manifest["settings"]["quant"], "keep")
    equal("--embed, --head", [manifest["settings"][option] for option in ("embed", "head")], ["w8", "f16"])
    done = command([COMPILER, "compile", path, "-o", WORK / "refused.bundle", "--no-fallback"], expect=1)
    if "--quant keep with --no-fallback: expected weights whose encoding the target has, found " not in done.stderr or ": kept, scales rounded to f16, 2 tensors" not in done.stderr:
        fail(f"--no-fallback: {done.stderr}")
    if (WORK / "refused.bundle").exists():
        fail("--no-fallback left a bundle behind")


def experts():
    """The blocks of all experts of a kind lie in one tensor."""
    WORK.mkdir(parents=True, exist_ok=True)
    path = write_llama(WORK / "experts.gguf", EXPERT_TYPES)
    check_kept(path, len(EXPERT_TYPES), EXPERT_ENCODINGS)
    manifest = json.loads((bundle(path, "--target", "host") / "manifest.json").read_text())
    model = manifest["model"]
    equal("manifest", [model[key] for key in ("experts", "experts_per_token", "mixtures", "expert_feed_forward")], [EXPERTS, EXPERTS_USED, 2, FFN])
    # A token reads of a mixture what it goes through, of tables a row or none, all else once.
    share = lambda name: EXPERTS_USED / EXPERTS if name.endswith(("mlp.gate_up", "mlp.down")) else name not in ("embed", "rope.table")
    once = sum(w["bytes"] * share(w["name"]) for w in manifest["weights"])
    rows = manifest["cost"]["weight_bytes_per_token"] - once
    if not 0 < rows < 4096:
        fail(f"weights read for a token: expected {once} and some rows of tables, found {manifest['cost']['weight_bytes_per_token']}")
    shown = command([COMPILER, "inspect", bundle(path, "--target", "host")]).stdout
    wanted = f"2 layers are mixtures of {EXPERTS} experts of feed-forward {FFN}: a token goes through {EXPERTS_USED}\n"
    if wanted not in shown:
        fail(f"inspect: expected {wanted!r}, found {shown[:600]}")


def smollm2():
    models.smollm2()
    path = models.cache() / "smollm2-135m-instruct.gguf"
    reference = json.loads(models.data("real-models/smollm2-reference.json").read_text())
    out = bundle(path, "--target", "host", "--quant", "keep", "--act", "f32")
    found = stored.weights(out)
    check_stored("keep", found, expected_weights(path, 30, 64))
    equal("encodings", {row["encoding"] for row, _ in found.values() if row["layout"] == "t32"}, {"w4a g32", "w8 g32"})
    for prompt in reference["prompts"]:
        ids = run(out, prompt["ids"], len(prompt["greedy_ids"]), prompt_logits=False)[0]
        equal(f"{prompt['prompt']!r}", ids, prompt["greedy_ids"])
    perplexity = evaluate(bundle(path, "--target", "host"), models.eval_ids("SmolLM2"))["perplexity"]
    expected = reference["perplexity"]["perplexity"]
    print(f"  a8: perplexity {perplexity:.4f}, in float {expected:.4f} ({100 * (perplexity / expected - 1):+.3f} %)")
    if not perplexity <= 1.01 * expected:
        fail(f"a8: perplexity {perplexity}, expected at most 1 % above {expected}")


def gemma3():
    path = models.gemma3()
    reference = json.loads(models.data("real-models/gemma3-reference.json").read_text())
    out = bundle(path, "--target", "host", "--quant", "f32", "--context", "1024")
    for prompt in reference["prompts"]:
        ids = run(out, prompt["ids"], len(prompt["greedy_ids"]), prompt_logits=False)[0]
        equal(f"{prompt['prompt']!r}", ids, prompt["greedy_ids"])


def refused(path, message):
    done = command([COMPILER, "compile", path, "-o", WORK / "refused.bundle"], expect=1)
    equal(path.name, done.stderr.strip(), f"headrace: error: {message}")


def malformed():
    WORK.mkdir(parents=True, exist_ok=True)
    whole = write_llama(WORK / "whole.gguf", TYPES).read_bytes()
    path = WORK / "broken.gguf"
    path.write_bytes(whole[:2000])
    done = command([COMPILER, "compile", path, "-o", WORK / "refused.bundle"], expect=1)
    if "broken.gguf: " not in done.stderr or "before the end of the file" not in done.stderr:
        fail(f"a cut file: {done.stderr}")
    path.write_bytes(whole.replace(b"llama", b"llamx"))
    done = command([COMPILER, "compile", path, "-o", WORK / "refused.bundle"], expect=1)
    if "key 'general.architecture': expected one of bert, " not in done.stderr or "found 'llamx'" not in done.stderr:
        fail(f"an unknown architecture: {done.stderr}")
    path.write_bytes(whole.replace(b"blk.1.ffn_up.weight", b"blk.1.ffn_ux.weight"))
    refused(path, "broken.gguf: tensor 'blk.1.ffn_up.weight': expected [512, 256], found none")
    path.write_bytes(whole.replace(b"GGUF", b"GGML", 1))
    refused(path, "broken.gguf: expected the magic number 'GGUF', found 'GGML'")
    write_llama(path, TYPES, embed="F32", head="F32")
    extra = gguf.GGUFWriter(path, "llama")
    extra.add_block_count(LAYERS)
    extra.write_header_to_file()
    extra.write_kv_data_to_file()
    extra.close()
    refused(path, "broken.gguf: key 'llama.embedding_length': expected a value, found no such key")


if __name__ == "__main__":
    main({"types": types, "experts": experts, "malformed": malformed, "smollm2": smollm2, "gemma3": gemma3})
