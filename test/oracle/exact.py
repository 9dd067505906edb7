"""The quantized kernels to the bit: runtime/abi/README.md in numpy, in the order in which it adds.

Rounding an activation is a decision, and decisions depend on the last bit before them: a model in another order of additions differs by
some tenths of a percent of perplexity. This one takes the same decisions, over whole windows of a real model.
"""
import numpy as np

import llama
import rules
from fma import chain, fma

f32 = np.float32
BLOCK = 1024  # outputs of a matrix at a time, so that the sums stay in the machine's caches


def tree(lanes):
    """The sum of 32 lanes (last axis), halves upon halves."""
    for h in (16, 8, 4, 2, 1):
        lanes = lanes[..., :h] + lanes[..., h:2 * h]
    return lanes[..., 0]


EXP = [f32(x) for x in (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)]


def exp(x):
    low = x < f32(-87.33654)
    x = np.where(low, f32(0), x)
    n = np.rint(x * f32(1.44269504))
    r = fma(n, f32(-0.693359375), x)
    r = fma(n, f32(2.12194440e-4), r)
    p = np.full_like(r, EXP[0])
    for c in EXP[1:]:
        p = fma(p, r, c)
    y = fma(p, r * r, r) + f32(1)
    k = np.clip(n, -300, 300).astype(np.int32)
    with np.errstate(over="ignore", under="ignore"):
        y = np.ldexp(np.ldexp(y, k >> 1), k - (k >> 1)).astype(f32)
    return np.where(low, f32(0), np.where(x > f32(88.72283), f32(np.inf), y))


class Weight:
    """Codes of one matrix [n, k] (of w4z less their zero point), its scales and, for w4a, its minima [n, groups]."""

    def __init__(self, w, kind, size):
        minimum = None
        if kind == "w4a":
            self.codes, scale, minimum = rules.encode_weight_with_minimum(w, size)
        elif kind == "w4z":
            self.codes, scale = rules.encode_weight_with_zero_point(w, size)
        else:
            self.codes, scale = rules.encode_weight(w, int(kind[1]), size)
        self.scale, self.minimum, self.k = scale.astype(f32), None if minimum is None else minimum.astype(f32), w.shape[-1]

    def decoded(self, rows):
        return rules.decode_weight(self.codes[rows], self.scale[rows], self.k, None if self.minimum is None else self.minimum[rows])


class Exact(llama.Llama):
    """A Llama under w8, w4, w4a or w4z. `embed` and `head` are as the other matrices; biases and linear rope as in the float model."""

    def __init__(self, folder, kind, size):
        super().__init__(folder, rules.Float(), f32)
        self.size = size
        self.packed = {n: Weight(w, kind, size) for n, w in self.weights.items() if w.ndim == 2}
        self.scale = f32(1) / np.sqrt(f32(self.config.head_dim))

    def norm(self, x, name):
        rows, cols = x.shape
        steps = -(-cols // 32)
        padded = np.zeros((rows, steps * 32), f32)
        padded[:, :cols] = x
        lanes = np.zeros((rows, 32), f32)
        for part in padded.reshape(rows, steps, 32).swapaxes(0, 1):
            lanes = fma(part, part, lanes)
        inverse = f32(1) / np.sqrt(tree(lanes) / f32(cols) + f32(self.config.eps))
        return (x * inverse[:, None]) * self.weights[name]

    def linear(self, x, name):
        codes, scale = rules.encode_activation(x, self.size)
        codes, weight = codes.astype(f32), self.packed[name + ".weight"]
        bias = self.weights.get(name + ".bias", np.zeros(weight.codes.shape[0], f32))
        y = np.empty((x.shape[0], len(bias)), f32)
        for begin in range(0, len(bias), BLOCK):
            block = slice(begin, begin + BLOCK)
            acc = bias[None, block]
            for g in range(codes.shape[1]):
                dot = codes[:, g] @ weight.codes[block, g].astype(f32).T  # integers below 2^24: exact in float32
                acc = fma(dot, weight.scale[None, block, g] * scale[:, g, None], acc)
                if weight.minimum is not None:
                    total = scale[:, g] * codes[:, g].sum(axis=-1)  # integers below 2^14
                    acc = fma(weight.minimum[None, block, g], total[:, None], acc)
            y[:, block] = acc
        return y

    def rotate(self, x, start):
        half = self.config.head_dim // 2
        cos, sin = self.cos[start:start + x.shape[1]], self.sin[start:start + x.shape[1]]
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([fma(-b, sin, a * cos), fma(a, sin, b * cos)], axis=-1)

    def attend(self, q, k, v, first):
        """One head: q [rows, d] from position `first` on, k and v [positions, d]. A tile concerns the rows that reach it."""
        rows, total, d = len(q), len(k), q.shape[1]
        m, l, acc = np.full(rows, -np.inf, f32), np.zeros(rows, f32), np.zeros(q.shape, f32)
        for begin in range(0, total, 32):
            r = slice(max(0, begin - first), rows)
            seen = np.clip(np.arange(first + r.start, first + rows) + 1 - begin, 0, min(32, total - begin))
            keys = np.zeros((d, 32), f32)
            keys[:, :min(32, total - begin)] = k[begin:begin + 32].T
            s = np.zeros((rows - r.start, 32), f32)
            chain(q[r], keys, s)
            valid = np.arange(32) < seen[:, None]
            s = np.where(valid, s * self.scale, f32(-np.inf))
            top = np.maximum(m[r], s.max(axis=1))
            c = exp(m[r] - top) if begin else np.zeros_like(top)
            p = np.where(valid, exp(s - top[:, None]), f32(0))
            l[r] = fma(l[r], c, tree(p))
            acc[r] *= c[:, None]
            chain(p, v[begin:begin + 32], acc[r], seen)
            m[r] = top
        return acc * (f32(1) / l)[:, None]

    def attention(self, x, layer):
        c, p = self.config, f"layers.{layer}.self_attn."
        q = self.rotate(self.split(self.linear(x, p + "q_proj"), c.heads), self.length)
        k = self.rotate(self.split(self.linear(x, p + "k_proj"), c.kv_heads), self.length)
        v = self.split(self.linear(x, p + "v_proj"), c.kv_heads)
        half = lambda t: t.astype(np.float16).astype(f32)
        self.keys[layer] = np.concatenate([self.keys[layer], half(k)], axis=1)
        self.values[layer] = np.concatenate([self.values[layer], half(v)], axis=1)
        group = c.heads // c.kv_heads
        heads = [self.attend(q[h], self.keys[layer][h // group], self.values[layer][h // group], self.length) for h in range(c.heads)]
        return self.linear(np.concatenate(heads, axis=-1), p + "o_proj")

    def feed_forward(self, x, layer):
        p = f"layers.{layer}.mlp."
        gate = self.linear(x, p + "gate_proj")
        return self.linear((gate / (f32(1) + exp(-gate))) * self.linear(x, p + "up_proj"), p + "down_proj")

    def append(self, ids, all_rows=True):
        table = self.packed["embed_tokens.weight"]
        x = table.decoded(np.asarray(ids))
        for i in range(self.config.layers):
            x = self.attention(self.norm(x, f"layers.{i}.input_layernorm.weight"), i) + x
            x = self.feed_forward(self.norm(x, f"layers.{i}.post_attention_layernorm.weight"), i) + x
        self.length += len(ids)
        return self.linear(self.norm(x if all_rows else x[-1:], "norm.weight"), "lm_head")
