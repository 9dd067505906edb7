"""Evaluates a module of the model stage, as headrace-import prints it, in float64: dialects/model and dialects/recipe written again in numpy.

It reads the import's operations only (no caches, no fused ones), and takes what the text says literally. rope tables are computed in float64.
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
    """One operation: `%result = name text`, its operands' values, its attributes as numbers, and the shape of its last type."""

    def __init__(self, line, values):
        self.result, self.name, self.text = re.match(r"(%\w+) = ([\w.]+) ?(.*)", line).groups()
        self.operands = [values[v] for v in re.findall(r"%\w+", self.text)]
        self.attributes = dict(self.read_attributes(re.search(r"\{(.*?)\}", self.text)))
        *sizes, self.element = re.findall(r"tensor<([^>]*)>", line)[-1].split("x")
        self.shape = [int(size) for size in sizes if size != "?"]

    @staticmethod
    def read_attributes(found):
        for part in found.group(1).split(", ") if found else []:
            name, _, value = part.partition(" = ")
            yield name, json.loads(value.split(" : ")[0]) if value else True

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


RECIPES = {
    "add": lambda op: op.operands[0] + op.operands[1],
    "add_constant": lambda op: op.operands[0] + op.numbers(r", ([-\d.eE+]+) :")[0],
    "concat": lambda op: np.concatenate(op.operands),
    "convert": lambda op: op.operands[0],
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


def weighted(op, y):
    y = y * op.operands[1]
    return y + op.operands[2] if " bias " in op.text else y


def head_norm(op):
    x, span = op.operands[0], op.attributes["span"]
    return weighted(op, normalised(x.reshape(len(x), -1, span), op.text.startswith("layer"), op.attributes["eps"]).reshape(x.shape))


def capped(x, cap):
    return cap * np.tanh(x / cap) if cap else x


def linear(op):
    y = op.operands[0] @ op.operands[1].T
    return y + op.operands[2] if " bias " in op.text else y


def embed(op):
    x = op.operands[1][op.operands[0]] * op.attributes.get("scale", 1.0)
    return x + op.operands[2][:len(x)] if " positions " in op.text else x


def rope(op):
    x, table, half = op.operands[0], op.operands[1], op.attributes["rotary"] // 2
    heads = x.reshape(len(x), -1, op.attributes["head_dim"])
    cos, sin = (table[:len(x), i][:, None] for i in (0, 1))
    a, b, rest = heads[..., :half], heads[..., half:2 * half], heads[..., 2 * half:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin, rest], axis=-1).reshape(x.shape)


def attention(op):
    a, rows = op.attributes, len(op.operands[0])
    split = lambda x, heads: x.reshape(rows, heads, a["head_dim"]).swapaxes(0, 1)
    group = a["heads"] // a["kv_heads"]
    q, k, v = split(op.operands[0], a["heads"]), *(np.repeat(split(x, a["kv_heads"]), group, axis=0) for x in op.operands[1:3])
    scores = capped(q @ k.swapaxes(1, 2) * a["scale"], a.get("softcap", 0))
    own, other = np.arange(rows)[:, None], np.arange(rows)[None, :]
    seen = (other <= own) | (not a.get("causal", True))
    if a.get("window", 0):
        seen &= own - other < a["window"]
    scores = np.where(seen, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True) @ v).swapaxes(0, 1).reshape(rows, -1)


MODEL = {
    "activation": lambda op: ACTIVATIONS[op.text.split()[0]](op.operands[0]),
    "add": lambda op: op.operands[0] + op.operands[1],
    "attention": attention,
    "embed": embed,
    "head_norm": head_norm,
    "layer_norm": lambda op: weighted(op, normalised(op.operands[0], True, op.attributes["eps"])),
    "linear": linear,
    "mul": lambda op: op.operands[0] * op.operands[1],
    "rms_norm": lambda op: weighted(op, normalised(op.operands[0], False, op.attributes["eps"])),
    "rope": rope,
    "softcap": lambda op: capped(op.operands[0], op.attributes["cap"]),
}


class Module:
    def __init__(self, text, folder):
        self.folder, self.weights, self.functions = Path(folder), {}, {}
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
            values[op.result] = stored(op, self.folder) if name == "range" else {"recipe": RECIPES, "model": MODEL}[dialect][name](op)
        return values[re.search(r"%\w+", lines[-1]).group(0)]

    def call(self, name, *values):
        arguments, lines = self.functions[name]
        return self.evaluate(lines, dict(zip(arguments, values)))

    def rows(self, ids):
        """Logits of a decoder, or the last hidden state of an encoder, at every position."""
        hidden = self.call("body", np.asarray(ids), 0)
        return self.call("head", hidden) if "head" in self.functions else hidden
