"""Checkpoints of published quantizers (GPTQ, AWQ, compressed-tensors), made here and dequantized here by the formats' definitions: what
a bundle stores, how it says it, and what is refused.

usage: test_quantized.py gptq|awq|compressed|refused...
"""
import json
import shutil

import numpy as np
from safetensors.numpy import save_file

import stored
from harness import COMPILER, WORK, bundle, command, equal, fail, main, run, same_bits
from test_gguf import check_stored

HIDDEN, FFN, HEADS, KV_HEADS, VOCAB, EXPERTS = 256, 384, 4, 2, 96, 3
SHAPES = {"self_attn.q_proj": (HIDDEN, HIDDEN), "self_attn.k_proj": (HIDDEN // 2, HIDDEN), "self_attn.v_proj": (HIDDEN // 2, HIDDEN),
          "self_attn.o_proj": (HIDDEN, HIDDEN), "mlp.gate_proj": (FFN, HIDDEN), "mlp.up_proj": (FFN, HIDDEN), "mlp.down_proj": (HIDDEN, FFN)}
EXPERT = "block_sparse_moe.experts."
EXPERT_SHAPES = {name: shape for name, shape in SHAPES.items() if name.startswith("self_attn")} | {
    f"{EXPERT}{e}.{part}": shape for e in range(EXPERTS) for part, shape in (("w1", (FFN, HIDDEN)), ("w3", (FFN, HIDDEN)), ("w2", (HIDDEN, FFN)))}
AWQ_ORDER = [0, 2, 4, 6, 1, 3, 5, 7]


def pack(codes, bits, axis, order=None):
    """Unsigned codes along an axis into words of 32 bits, the first in the lowest bits."""
    per = 32 // bits
    moved = np.moveaxis(codes, axis, -1)
    moved = np.pad(moved, [(0, 0)] * (moved.ndim - 1) + [(0, -moved.shape[-1] % per)]).reshape(moved.shape[:-1] + (-1, per)).astype(np.uint32)
    if order:
        moved = moved[..., order]
    words = np.bitwise_or.reduce(moved << (np.arange(per, dtype=np.uint32) * np.uint32(bits)), axis=-1)
    return np.ascontiguousarray(np.moveaxis(words, -1, axis)).view(np.int32)


class Quantized:
    """Random codes of one linear layer, and what they mean."""

    def __init__(self, rng, shape, bits, group, symmetric, order=None, scale=np.float16):
        n, k = shape
        self.bits, self.group = bits, group if group > 0 else k
        groups = -(-k // self.group)
        self.codes = rng.integers(0, 1 << bits, shape)
        self.scales = rng.uniform(0.002, 0.02, (n, groups)).astype(scale)
        self.zeros = np.full((n, groups), 1 << (bits - 1)) if symmetric else rng.integers(1, 1 << bits, (n, groups))
        self.order = np.arange(k) // self.group if order is None else order
        self.values = (self.codes - self.zeros[:, self.order]).astype(np.float32) * self.scales.astype(np.float32)[:, self.order]


def gptq(name, q, version=1):
    shift = 1 if version == 1 else 0
    return {f"{name}.qweight": pack(q.codes.T, q.bits, 0), f"{name}.qzeros": pack((q.zeros.T - shift) & ((1 << q.bits) - 1), q.bits, 1),
            f"{name}.scales": np.ascontiguousarray(q.scales.T), f"{name}.g_idx": q.order.astype(np.int32)}


def awq(name, q):
    return {f"{name}.qweight": pack(q.codes.T, 4, 1, AWQ_ORDER), f"{name}.qzeros": pack(q.zeros.T, 4, 1, AWQ_ORDER),
            f"{name}.scales": np.ascontiguousarray(q.scales.T)}


def packed(name, q, symmetric):
    made = {f"{name}.weight_packed": pack(q.codes, q.bits, 1), f"{name}.weight_scale": q.scales, f"{name}.weight_shape": np.array(q.codes.shape, np.int64)}
    return made if symmetric else made | {f"{name}.weight_zero_point": pack(q.zeros, q.bits, 0)}


def as_bytes(name, q):
    return {f"{name}.weight": (q.codes - 128).astype(np.int8), f"{name}.weight_scale": q.scales}


def write(folder, quantization, layers, seed=5):
    """A one-layer Llama or Mixtral whose linears are quantized; layers: name -> (tensors, values). Returns what a bundle must hold."""
    rng = np.random.default_rng(seed)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    half = lambda *shape: rng.normal(0, 0.05, shape).astype(np.float16)
    tensors = {"model.embed_tokens.weight": half(VOCAB, HIDDEN), "lm_head.weight": half(VOCAB, HIDDEN), "model.norm.weight": half(HIDDEN)}
    for name in ("input_layernorm", "post_attention_layernorm"):
        tensors[f"model.layers.0.{name}.weight"] = half(HIDDEN)
    mixed = f"{EXPERT}0.w1" in layers
    if mixed:
        tensors["model.layers.0.block_sparse_moe.gate.weight"] = half(EXPERTS, HIDDEN)
    for made, _ in layers.values():
        tensors |= made
    save_file(tensors, folder / "model.safetensors")
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": VOCAB, "hidden_size": HIDDEN, "intermediate_size": FFN,
              "num_hidden_layers": 1, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "hidden_act": "silu", "rms_norm_eps": 1e-5,
              "tie_word_embeddings": False, "max_position_embeddings": 64, "bos_token_id": 0, "eos_token_id": 1, "quantization_config": quantization}
    if mixed:
        config |= {"architectures": ["MixtralForCausalLM"], "model_type": "mixtral", "num_local_experts": EXPERTS, "num_experts_per_tok": 2}
    (folder / "config.json").write_text(json.dumps(config))
    wide = {name: value.astype(np.float32) for name, value in tensors.items() if value.dtype == np.float16}
    of = lambda name: layers[name][1]
    mlp = lambda name, part: np.concatenate([of(f"{EXPERT}{e}.{part}") for e in range(EXPERTS)]) if mixed else of(f"mlp.{name}_proj")
    router = {"layers.0.mlp.router": wide["model.layers.0.block_sparse_moe.gate.weight"]} if mixed else {}
    return {**router, "embed": wide["model.embed_tokens.weight"], "lm_head": wide["lm_head.weight"], "norm": wide["model.norm.weight"],
            "layers.0.attn.norm": wide["model.layers.0.input_layernorm.weight"], "layers.0.mlp.norm": wide["model.layers.0.post_attention_layernorm.weight"],
            "layers.0.attn.qkv": np.concatenate([of("self_attn.q_proj"), of("self_attn.k_proj"), of("self_attn.v_proj")]),
            "layers.0.attn.o": of("self_attn.o_proj"), "layers.0.mlp.down": mlp("down", "w2"),
            "layers.0.mlp.gate_up": stored.interleaved([mlp("gate", "w1"), mlp("up", "w3")])}


def layers_of(make, shapes=SHAPES, **how):
    rng = np.random.default_rng(7)
    made = {}
    for name, shape in shapes.items():
        q = Quantized(rng, shape, **how)
        made[name] = make(f"model.layers.0.{name}", q), q.values
    return made


MATRICES = ["layers.0.attn.qkv", "layers.0.attn.o", "layers.0.mlp.gate_up", "layers.0.mlp.down"]


def check(name, quantization, layers, encoding, codes):
    """The values in f32 exactly, and by default in `encoding`, exactly when the codes are kept: with --act f32 the bits of the float bundle."""
    folder = WORK / f"quantized-{name}"
    expected = write(folder, quantization, layers)
    floats, out = bundle(folder, "--target", "host", "--quant", "f32"), bundle(folder, "--target", "host")
    check_stored(f"{name} f32", stored.weights(floats), expected)
    found = stored.weights(out)
    for matrix in MATRICES:
        row = found[matrix][0]
        equal(f"{name} {matrix}: encoding", row["encoding"], encoding)
        if not row["recipe"].endswith(f", {codes}"):
            fail(f"{name} {matrix}: expected a recipe that ends with '{codes}', found '{row['recipe']}'")
    check_stored(f"{name} keep", found, expected, () if codes == "codes kept" else MATRICES)
    same_bits(f"{name}, reference and host", run(bundle(folder, "--target", "reference"), [3, 5, 7], 8)[1], run(out, [3, 5, 7], 8)[1])
    if codes == "codes kept":
        same_bits(f"{name}, widened and in floats", run(bundle(folder, "--target", "host", "--act", "f32", "--kv", "f32"), [3, 5, 7], 8)[1], run(floats, [3, 5, 7], 8)[1])
    report = json.loads((out / "report/report.json").read_text())["stored"]
    outcome = {"codes kept": "kept", "codes kept, scales rounded": "kept, scales rounded to f16"}.get(codes, codes)
    equal(f"{name}: report", [(row["encoding"], row["outcome"], row["tensors"]) for row in report if row["type"].startswith("grouped")],
          [(encoding, outcome, len(layers))])
    print(f"  {name}: {encoding}, {codes}")


def act_order(k, group):
    return np.random.default_rng(9).permutation(np.arange(k) // group)


def gptq_config(bits, group, **more):
    return {"quant_method": "gptq", "bits": bits, "group_size": group, "desc_act": False, "sym": True, "lm_head": False} | more


def gptq_cases():
    check("gptq-sym", gptq_config(4, 128), layers_of(gptq, bits=4, group=128, symmetric=True), "w4 g128", "codes kept")
    second = lambda name, q: gptq(name, q, version=2)
    check("gptq-v2-g32", gptq_config(4, 32, checkpoint_format="gptq_v2"), layers_of(second, bits=4, group=32, symmetric=True), "w4 g32", "codes kept")
    check("gptq-channel", gptq_config(4, -1), layers_of(gptq, bits=4, group=-1, symmetric=True), "w4 g128", "codes kept")
    check("gptq-asym", gptq_config(4, 64, sym=False), layers_of(gptq, bits=4, group=64, symmetric=False), "w4z g64", "codes kept")
    check("gptq-f32-scales", gptq_config(4, 64, sym=False), layers_of(gptq, bits=4, group=64, symmetric=False, scale=np.float32), "w4z g64",
          "codes kept, scales rounded")
    check("gptq-experts", gptq_config(4, 128), layers_of(gptq, EXPERT_SHAPES, bits=4, group=128, symmetric=True), "w4 g128", "codes kept")
    check("gptq-8", gptq_config(8, 128), layers_of(gptq, bits=8, group=128, symmetric=True), "w8 g128", "codes kept")
    ordered = {}
    for name, shape in SHAPES.items():  # whole runs change places: as good as no order
        q = Quantized(np.random.default_rng(12), shape, 4, 64, False, np.random.default_rng(9).permutation(shape[1] // 64).repeat(64))
        ordered[name] = gptq(f"model.layers.0.{name}", q), q.values
    check("gptq-order-of-runs", gptq_config(4, 64, desc_act=True, sym=False), dict(ordered), "w4z g64", "codes kept")
    for name, shape in SHAPES.items():
        q = Quantized(np.random.default_rng(11), shape, 4, 64, True, act_order(shape[1], 64))
        ordered[name] = gptq(f"model.layers.0.{name}", q), q.values
    check("gptq-order", gptq_config(4, 64, desc_act=True), ordered, "w8 g32", "requantized")


def awq_cases():
    config = {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True, "version": "gemm"}
    check("awq", config, layers_of(awq, bits=4, group=128, symmetric=False), "w4z g128", "codes kept")


def compressed_config(form, bits, strategy, group, symmetric, **more):
    weights = {"num_bits": bits, "type": "int", "symmetric": symmetric, "strategy": strategy, "group_size": group}
    return {"quant_method": "compressed-tensors", "format": form, "ignore": ["lm_head"],
            "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights, "input_activations": None} | more}}


def compressed_cases():
    for symmetric in (True, False):
        make = lambda name, q: packed(name, q, symmetric)
        check(f"packed-{'sym' if symmetric else 'asym'}", compressed_config("pack-quantized", 4, "group", 128, symmetric),
              layers_of(make, bits=4, group=128, symmetric=symmetric), "w4 g128" if symmetric else "w4z g128", "codes kept")
    activations = {"num_bits": 8, "type": "int", "symmetric": True, "strategy": "token", "dynamic": True}
    check("int8", compressed_config("int-quantized", 8, "channel", None, True, input_activations=activations),
          layers_of(as_bytes, bits=8, group=-1, symmetric=True), "w8 g128", "codes kept")
    fixed = {**activations, "strategy": "tensor", "dynamic": False}
    inputs = lambda name: {f"{name}.input_scale": np.ones(1, np.float16), f"{name}.input_zero_point": np.zeros(1, np.int8)}
    check("int8-fixed-inputs", compressed_config("int-quantized", 8, "channel", None, True, input_activations=fixed),
          layers_of(lambda name, q: as_bytes(name, q) | inputs(name), bits=8, group=-1, symmetric=True), "w8 g128", "codes kept")
    partly_floats()


def partly_floats():
    """A module that the quantizer left alone stays float, and what is merged with it is held in floats: nothing is rounded."""
    folder = WORK / "quantized-ignored"
    config = compressed_config("pack-quantized", 4, "group", 64, False)
    config["ignore"].append("model.layers.0.self_attn.q_proj")
    layers = layers_of(lambda name, q: packed(name, q, False), bits=4, group=64, symmetric=False)
    values = np.random.default_rng(3).normal(0, 0.05, SHAPES["self_attn.q_proj"]).astype(np.float16)
    layers["self_attn.q_proj"] = {"model.layers.0.self_attn.q_proj.weight": values}, values.astype(np.float32)
    expected = write(folder, config, layers)
    found = stored.weights(bundle(folder, "--target", "host", "--no-fallback"))
    check_stored("ignored", found, expected)
    equal("ignored: encodings", [found[name][0]["encoding"] for name in MATRICES], ["f32", "w4z g64", "w4z g64", "w4z g64"])


def expect_refusal(name, quantization, message, change=lambda tensors: None, change_all=lambda layers: None):
    folder = WORK / "quantized-refused"
    layers = layers_of(gptq, bits=4, group=128, symmetric=True)
    change(layers["mlp.up_proj"][0])
    change_all(layers)
    write(folder, quantization, layers)
    done = command([COMPILER, "compile", folder, "-o", WORK / "refused.bundle"], expect=1)
    equal(name, done.stderr.strip(), f"headrace: error: {message}")


def only_floats(layers):
    for name, shape in SHAPES.items():
        layers[name] = {f"model.layers.0.{name}.weight": np.zeros(shape, np.float16)}, np.zeros(shape, np.float32)


def left_behind():
    """quantize_config.json counts for nothing where all weights are floats."""
    folder, layers = WORK / "quantized-before", {}
    only_floats(layers)
    write(folder, None, layers)
    (folder / "quantize_config.json").write_text(json.dumps(gptq_config(4, 128)))
    done = command([COMPILER, "compile", folder, "-o", WORK / "quantized-before.bundle", "--target", "host"])
    note = "quantize_config.json: expected 'model.layers.0.self_attn.q_proj.qweight', found floats; the file was ignored"
    if note not in done.stdout or "--quant w4 " not in done.stdout:
        fail(f"a file left behind: expected a compile to w4 with the note '{note}', found {done.stdout}")


def refused():
    up = "model.layers.0.mlp.up_proj"
    left_behind()

    def out_of_range(tensors):
        tensors[f"{up}.g_idx"][5] = 2

    expect_refusal("g_idx", gptq_config(4, 128), f"model.safetensors: tensor '{up}.g_idx': expected groups 0 to 1, found 2 for input 5", out_of_range)
    expect_refusal("qzeros", gptq_config(4, 128), f"quantized-refused: tensor '{up}.qzeros': expected [2, 48], found none", lambda t: t.pop(f"{up}.qzeros"))
    expect_refusal("shape", gptq_config(4, 64), "model.safetensors: tensor 'model.layers.0.self_attn.q_proj.qzeros': expected [4, 32], found [2, 32]")
    where = "config.json: quantization_config"
    expect_refusal("bits", gptq_config(3, 128), f"{where}: bits: expected 4 or 8, found the number 3")
    expect_refusal("no codes", gptq_config(4, 128), "model.safetensors: tensor 'model.layers.0.self_attn.q_proj.weight': expected "
                   f"'model.layers.0.self_attn.q_proj.qweight' in its place, as {where} says, found floats, as for all weights", change_all=only_floats)
    expect_refusal("marlin", gptq_config(4, 128, checkpoint_format="marlin"), f"{where}: checkpoint_format: expected gptq or gptq_v2, found 'marlin'")
    expect_refusal("bitsandbytes", {"quant_method": "bitsandbytes", "load_in_4bit": True},
                   f"{where}: quant_method: expected gptq, awq or compressed-tensors, found 'bitsandbytes'")
    expect_refusal("awq gemv", {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemv"}, f"{where}: version: expected 'gemm', found 'gemv'")
    expect_refusal("float", compressed_config("float-quantized", 8, "channel", None, True),
                   f"{where}: format: expected pack-quantized or int-quantized, found 'float-quantized'")


if __name__ == "__main__":
    main({"gptq": gptq_cases, "awq": awq_cases, "compressed": compressed_cases, "refused": refused})
