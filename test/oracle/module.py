"""Evaluates a module of the model stage in float64: dialects/model and dialects/recipe written again in numpy.

It reads the text of a module as headrace-import prints it or as the passes of the stage leave it, and takes it literally. One call is a whole sequence
from position 0: a cache is what the call computes itself.
"""
import json
import math
import re
from pathlib import Path

import numpy as np

TYPES = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16}
ERF = np.vectorize(math.erf)
ACTIVATIONS = {
    "silu": lambda x: x / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: 0.5 * x * (1 + ERF(x / math.sqrt(2))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),
}


class Line:
    """One operation: `%results = name text`, its operands' values, its attributes, and the shape of its last type."""

    def __init__(self, line, values):
        results, self.name, self.text = re.match(r"(.*?) = ([\w.]+) ?(.*)", line).groups()
        self.results, self.values = results.split(", "), values
        self.operands = [values[v] for v in re.findall(r"%\w+", self.text)]
        self.attributes = dict(self.read_attributes(re.search(r"\{(.*?)\}", self.text)))
        *sizes, self.element = re.findall(r"tensor<([^>]*)>", line)[-1].split("x")
        self.shape = [int(size) for size in sizes if size != "?"]

    @staticmethod
    def read_attributes(found):
        for part in found.group(1).split(", ") if found else []:
            name, _, value = part.partition(" = ")
            yield name, (value if value.startswith("#") else json.loads(value.split(" : ")[0])) if value else True

    def named(self, word):
        """The operand behind a word of the syntax, None without it."""
        found = re.search(rf"\b{word} (%\w+)", self.text)
        return self.values[found.group(1)] if found else None

    def numbers(self, pattern):
        return [float(n) for n in re.search(pattern, self.text).groups()]

    def integers(self, pattern):
        return [int(n) for n in re.search(pattern, self.text).groups()]


def stored(op, folder):
    file, offset, size = re.search(r'in "(.*?)" offset (\d+) bytes (\d+)', op.text).groups()
    raw = np.fromfile(folder / file, np.uint8)[int(offset):int(offset) + int(size)].view(TYPES[op.element])
    values = (raw.astype(np.uint32) << 16).view(np.float32) if op.element == "bf16" else raw
    return values.astype(np.float64).reshape(op.shape)


def yarn(frequencies, theta, dim, a):
    """Frequencies between the plain and the interpolated ones, by how often they turn within the original length."""
    turns = lambda count: dim * math.log(a["original_positions"] / (count * 2 * math.pi)) / (2 * math.log(theta))
    low, high = turns(a["beta_fast"]), turns(a["beta_slow"])
    if a.get("truncate"):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    ramp = np.clip((np.arange(dim // 2) - low) / max(high - low, 1e-3), 0, 1)
    return frequencies / a["factor"] * ramp + frequencies * (1 - ramp)


def rope_table(op):
    (theta,), a, (positions, _, half) = op.numbers(r"theta ([\d.eE+]+)"), op.attributes, op.shape
    kind = re.search(r"scaling (\w+)", op.text)
    kind = kind.group(1) if kind else "none"
    frequencies = theta ** (-np.arange(half) / half)
    if kind == "linear":
        frequencies = frequencies / a["factor"]
    elif kind == "llama3":
        smooth = (a["original_positions"] * frequencies / (2 * np.pi) - a["low_freq_factor"]) / (a["high_freq_factor"] - a["low_freq_factor"])
        smooth = np.clip(smooth, 0, 1)
        frequencies = (1 - smooth) * frequencies / a["factor"] + smooth * frequencies
    elif kind == "yarn":
        frequencies = yarn(frequencies, theta, 2 * half, a)
    for divisors in op.operands:
        frequencies = frequencies / divisors
    angles = np.arange(positions)[:, None] * frequencies
    return np.stack([np.cos(angles), np.sin(angles)], axis=1) * a.get("attention_factor", 1.0)


def take(op):
    begin, end, period = op.integers(r"rows (\d+) to (\d+) of (\d+)")
    x = op.operands[0]
    return x.reshape(-1, period, *x.shape[1:])[:, begin:end].reshape(op.shape)


def swap_rows(op):
    blocks, size = op.integers(r"blocks (\d+) of (\d+)")
    x = op.operands[0]
    return x.reshape(-1, blocks, size, *x.shape[1:]).swapaxes(1, 2).reshape(op.shape)


def interleave(op):
    """Whole tiles of rows in turn, the last one filled up with zeros."""
    (tile,) = op.integers(r"tile (\d+)")
    parts = [np.concatenate([x, np.zeros((-len(x) % tile,) + x.shape[1:])]).reshape(-1, tile, *x.shape[1:]) for x in op.operands]
    return np.stack(parts, axis=1).reshape(op.shape)


RECIPES = {
    "add": lambda op: op.operands[0] + op.operands[1],
    "add_constant": lambda op: op.operands[0] + op.numbers(r", ([-\d.eE+]+) :")[0],
    "concat": lambda op: np.concatenate(op.operands),
    "convert": lambda op: op.operands[0],
    "interleave": interleave,
    "literal": lambda op: np.array(json.loads(re.match(r"\[.*?\]", op.text).group(0))),
    "matmul": lambda op: op.operands[0] @ op.operands[1],
    "repeat": lambda op: np.tile(op.operands[0], [a // b for a, b in zip(op.shape, op.operands[0].shape)]),
    "reshape": lambda op: op.operands[0].reshape(op.shape),
    "rope_table": rope_table,
    "scale": lambda op: op.operands[0] * op.numbers(r"by ([-\d.eE+]+)")[0],
    "swap_rows": swap_rows,
    "take": take,
    "transpose": lambda op: op.operands[0].T,
    "zeros": lambda op: np.zeros(op.shape),
}


def normalised(x, layer, eps):
    if layer:
        x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)


def weighted(op, y, weight):
    bias = op.named("bias")
    return y * weight if bias is None else y * weight + bias


def norm(op, layer):
    return weighted(op, normalised(op.operands[0], layer, op.attributes["eps"]), op.operands[1])


def add_norm(op, layer):
    total = op.operands[0] + op.operands[1]
    return total, weighted(op, normalised(total, layer, op.attributes["eps"]), op.operands[2])


def in_spans(x, span, layer, eps):
    return normalised(x.reshape(len(x), -1, span), layer, eps).reshape(x.shape)


def head_norm(op):
    return weighted(op, in_spans(op.operands[0], op.attributes["span"], op.text.startswith("layer"), op.attributes["eps"]), op.operands[1])


def capped(x, cap):
    return cap * np.tanh(x / cap) if cap else x


def route(op):
    """Shares of the greatest scores, the greatest first and of equal ones the first, and then their numbers."""
    scores, top = op.operands[0], op.attributes["top"]
    chosen = np.argsort(-scores, axis=-1, kind="stable")[:, :top]
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    best = np.take_along_axis(shares, chosen, axis=-1)
    shares = best / (best if "normalise" in op.attributes else shares).sum(axis=-1, keepdims=True)
    return np.concatenate([shares, chosen], axis=-1)


def routing_margin(op):
    """How far the scores are from another choice."""
    best, top = np.sort(op.operands[0], axis=-1)[:, ::-1], op.attributes["top"]
    return float((best[:, top - 1] - best[:, top]).min()) if top < best.shape[-1] else np.inf


def products(op):
    """Rows times the weight; with a route each row times the matrix of its expert, whose rows are whole tiles."""
    x, weight, chosen = *op.operands[:2], op.named("route")
    if chosen is None:
        return x @ weight.T
    rows = (2 if " gated" in op.text else 1) * -(-op.shape[-1] // 32) * 32
    numbers = chosen[:, chosen.shape[-1] // 2 + op.attributes.get("slot", 0)].astype(int)
    y = np.einsum("rk,rnk->rn", x, weight.reshape(-1, rows, weight.shape[-1])[numbers])
    return y if " gated" in op.text else y[:, :op.shape[-1]]


def linear(op):
    y, bias, residual = products(op), op.named("bias"), op.named("residual")
    y = y if bias is None else y + bias
    act = re.search(r" act (\w+)", op.text)
    act = ACTIVATIONS[act.group(1)] if act else lambda x: x
    if " gated" in op.text:
        tiles = y.reshape(len(y), -1, 2, 32)
        y = (act(tiles[:, :, 0]) * tiles[:, :, 1]).reshape(len(y), -1)[:, :op.shape[-1]]
    else:
        y = act(y)
    y = capped(y, op.attributes.get("softcap", 0))
    if "weighted" in op.attributes:
        y = y * op.named("route")[:, op.attributes.get("slot", 0), None]
    return y if residual is None else y + residual


def embed(op):
    x, positions = op.operands[1][op.operands[0]] * op.attributes.get("scale", 1.0), op.named("positions")
    return x if positions is None else x + positions[:len(x)]


def rotated(x, table, head_dim):
    """Each head's first elements, twice as many as a row of the table has cosines."""
    half = table.shape[-1]
    heads = x.reshape(len(x), -1, head_dim)
    cos, sin = (table[:len(x), i][:, None] for i in (0, 1))
    a, b, rest = heads[..., :half], heads[..., half:2 * half], heads[..., 2 * half:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin, rest], axis=-1).reshape(x.shape)


def attend(a, q, k, v):
    rows, group = len(q), a["heads"] // a["kv_heads"]
    split = lambda x, heads: x.reshape(rows, heads, a["head_dim"]).swapaxes(0, 1)
    q, k, v = split(q, a["heads"]), *(np.repeat(split(x, a["kv_heads"]), group, axis=0) for x in (k, v))
    scores = capped(q @ k.swapaxes(1, 2) * a["scale"], a.get("softcap", 0))
    own, other = np.arange(rows)[:, None], np.arange(rows)[None, :]
    seen = (other <= own) | (not a.get("causal", True))
    if a.get("window", 0):
        seen &= own - other < a["window"]
    scores = np.where(seen, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True) @ v).swapaxes(0, 1).reshape(rows, -1)


def cached_attention(op):
    a, queries = op.attributes, op.attributes["heads"] * op.attributes["head_dim"]
    keys = a["kv_heads"] * a["head_dim"]
    q, k, v = np.split(op.operands[0], [queries, queries + keys], axis=-1)
    if op.named("q_norm") is not None:
        layer = "layer" in a["qk_norm"]
        q, k = in_spans(q, a["q_span"], layer, a["eps"]) * op.named("q_norm"), in_spans(k, a["k_span"], layer, a["eps"]) * op.named("k_norm")
        if op.named("q_bias") is not None:
            q, k = q + op.named("q_bias"), k + op.named("k_bias")
    if a["rotary"]:
        q, k = (rotated(x, op.operands[1], a["head_dim"]) for x in (q, k))
    return attend(a, q, k, v)


MODEL = {
    "activation": lambda op: ACTIVATIONS[op.text.split()[0]](op.operands[0]),
    "add": lambda op: op.operands[0] + op.operands[1],
    "add_layer_norm": lambda op: add_norm(op, True),
    "add_rms_norm": lambda op: add_norm(op, False),
    "attention": lambda op: attend(op.attributes, *op.operands[:3]),
    "cached_attention": cached_attention,
    "embed": embed,
    "head_norm": head_norm,
    "layer_norm": lambda op: norm(op, True),
    "linear": linear,
    "mul": lambda op: op.operands[0] * op.operands[1],
    "rms_norm": lambda op: norm(op, False),
    "rope": lambda op: rotated(op.operands[0], op.operands[1], op.attributes["head_dim"]),
    "route": route,
    "softcap": lambda op: capped(op.operands[0], op.attributes["cap"]),
}


class Module:
    def __init__(self, text, folder):
        self.folder, self.weights, self.functions = Path(folder), {}, {}
        self.margin = np.inf  # the smallest of all choices of experts
        blocks = re.findall(r"^  (model\.weight|func\.func) @([^ (]+)(.*?)\{\n(.*?)^  \}$", text, re.MULTILINE | re.DOTALL)
        for kind, name, header, body in blocks:
            lines = [line.strip() for line in body.splitlines()]
            if kind == "func.func":
                self.functions[name] = re.findall(r"%arg\d+", header), lines
            else:
                self.weights[name] = self.evaluate(lines, {})

    def evaluate(self, lines, values):
        for line in lines[:-1]:
            if "model.param @" in line:
                result, name = re.match(r"(%\w+) = model\.param @(\S+)", line).groups()
                values[result] = self.weights[name]
                continue
            op = Line(line, values)
            dialect, name = op.name.split(".")
            if name == "route":
                self.margin = min(self.margin, routing_margin(op))
            made = stored(op, self.folder) if name == "range" else {"recipe": RECIPES, "model": MODEL}[dialect][name](op)
            values.update(zip(op.results, made if isinstance(made, tuple) else (made,)))
        return values[re.search(r"%\w+", lines[-1]).group(0)]

    def call(self, name, *values):
        arguments, lines = self.functions[name]
        return self.evaluate(lines, dict(zip(arguments, values)))

    def rows(self, ids):
        """Logits of a decoder, or the last hidden state of an encoder, at every position."""
        hidden = self.call("body", np.asarray(ids), 0)
        return self.call("head", hidden) if "head" in self.functions else hidden
