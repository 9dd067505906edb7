"""A Llama in numpy: the float mathematics of the architecture, written from its definition. Independent of the compiler's code.

`Llama(folder)` computes in float64 (or float32 for speed). A `rules.Float` object decides what storage does to weights, activations
and the KV cache; the default changes nothing.
"""
import numpy as np

from folder import Config, read_weights
import rules as rules_module


def rope_frequencies(config):
    """Inverse frequencies in float32, rounded where the reference implementation rounds: the exponent, the power (taken in float64 here: numpy's
    float32 power is not correctly rounded) and the reciprocal; every operation of a scaling."""
    f32 = np.float32
    exponents = np.arange(0, config.head_dim, 2, dtype=f32) / f32(config.head_dim)
    frequencies = f32(1) / np.power(np.float64(f32(config.theta)), exponents.astype(np.float64)).astype(f32)
    if config.rope_kind == "linear":
        frequencies = frequencies / f32(config.rope["factor"])
    elif config.rope_kind == "llama3":
        factor, low, high = (config.rope[k] for k in ("factor", "low_freq_factor", "high_freq_factor"))
        length = config.rope["original_max_position_embeddings"]
        wavelength, slow = f32(2 * np.pi) / frequencies, frequencies / f32(factor)
        smooth = (f32(length) / wavelength - f32(low)) / f32(high - low)
        mixed = (f32(1) - smooth) * frequencies / f32(factor) + smooth * frequencies
        frequencies = np.where(wavelength > f32(length / low), slow, np.where(wavelength < f32(length / high), frequencies, mixed))
    elif config.rope_kind != "default":
        raise ValueError(f"rope type {config.rope_kind}")
    return frequencies


def activate(kind, x):
    if kind in ("silu", "swish"):
        return x / (1 + np.exp(-x))
    if kind in ("gelu_pytorch_tanh", "gelu_new"):
        return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x ** 3)))
    if kind == "relu":
        return np.maximum(x, 0)
    raise ValueError(f"activation {kind}")


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class Llama:
    def __init__(self, folder, rules=None, dtype=np.float64):
        self.config = Config(folder)
        self.rules = rules or rules_module.Float()
        self.dtype = dtype
        raw = read_weights(folder)
        tied = "lm_head.weight" not in raw
        self.weights = {}
        for name, value in raw.items():
            is_matrix = value.ndim == 2
            self.weights[name] = (self.rules.weight(name, value) if is_matrix else value).astype(dtype)
        if tied:
            self.weights["lm_head.weight"] = self.rules.weight("lm_head.weight", raw["embed_tokens.weight"]).astype(dtype)
        self.set_frequencies(rope_frequencies(self.config))
        self.reset()

    def set_frequencies(self, frequencies):
        angles = (np.arange(self.config.positions, dtype=np.float32)[:, None] * frequencies[None, :]).astype(np.float64)
        self.cos = np.cos(angles).astype(np.float32).astype(self.dtype)
        self.sin = np.sin(angles).astype(np.float32).astype(self.dtype)

    def reset(self):
        c = self.config
        self.length = 0
        empty = (c.kv_heads, 0, c.head_dim)
        self.keys = [np.zeros(empty, self.dtype) for _ in range(c.layers)]
        self.values = [np.zeros(empty, self.dtype) for _ in range(c.layers)]

    def norm(self, x, name):
        return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + self.config.eps) * self.weights[name]

    def linear(self, x, name):
        y = x @ self.weights[name + ".weight"].T
        bias = self.weights.get(name + ".bias")
        return y if bias is None else y + bias

    def rotate(self, x, start):
        """x: [heads, rows, head_dim]; the two halves of a head rotate against each other."""
        half = self.config.head_dim // 2
        cos, sin = self.cos[start:start + x.shape[1]], self.sin[start:start + x.shape[1]]
        a, b = x[..., :half], x[..., half:]
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)

    def split(self, x, heads):
        return x.reshape(x.shape[0], heads, self.config.head_dim).swapaxes(0, 1)

    def attention(self, x, layer):
        c, p = self.config, f"layers.{layer}.self_attn."
        q = self.rotate(self.split(self.linear(x, p + "q_proj"), c.heads), self.length)
        k = self.rotate(self.split(self.linear(x, p + "k_proj"), c.kv_heads), self.length)
        v = self.split(self.linear(x, p + "v_proj"), c.kv_heads)
        self.keys[layer] = np.concatenate([self.keys[layer], self.rules.cache(k)], axis=1)
        self.values[layer] = np.concatenate([self.values[layer], self.rules.cache(v)], axis=1)
        group = c.heads // c.kv_heads
        rows, total = x.shape[0], self.keys[layer].shape[1]
        mask = np.arange(total)[None, :] > np.arange(self.length, total)[:, None]
        out = np.empty((rows, c.heads, c.head_dim), self.dtype)
        for h in range(c.heads):
            scores = q[h] @ self.keys[layer][h // group].T / np.sqrt(self.dtype(c.head_dim))
            out[:, h] = softmax(np.where(mask, -np.inf, scores)) @ self.values[layer][h // group]
        return self.linear(self.rules.activation(out.reshape(rows, -1)), p + "o_proj")

    def feed_forward(self, x, layer):
        p = f"layers.{layer}.mlp."
        gated = activate(self.config.activation, self.linear(x, p + "gate_proj")) * self.linear(x, p + "up_proj")
        return self.linear(self.rules.activation(gated), p + "down_proj")

    def append(self, ids, all_rows=True):
        """Appends tokens to the cache; logits of every row, or of the last only."""
        x = self.weights["embed_tokens.weight"][np.asarray(ids)]
        for i in range(self.config.layers):
            x = x + self.attention(self.rules.activation(self.norm(x, f"layers.{i}.input_layernorm.weight")), i)
            x = x + self.feed_forward(self.rules.activation(self.norm(x, f"layers.{i}.post_attention_layernorm.weight")), i)
        self.length += len(ids)
        if not all_rows:
            x = x[-1:]
        return self.linear(self.rules.activation(self.norm(x, "norm.weight"), head=True), "lm_head")

    def greedy(self, ids, count):
        """(generated ids, the logits each was chosen from); stops after an end id."""
        self.reset()
        logits = [self.append(ids, all_rows=False)[-1]]
        chosen = [int(logits[-1].argmax())]
        while len(chosen) < count and chosen[-1] not in self.config.eos:
            logits.append(self.append(chosen[-1:])[-1])
            chosen.append(int(logits[-1].argmax()))
        return chosen, np.array(logits)

    def nll(self, ids, window=512):
        """Mean negative log likelihood of full windows, each from an empty cache: the protocol of test/data-tools/make_reference.py."""
        total, windows = 0.0, len(ids) // window
        for w in range(windows):
            part = np.asarray(ids[w * window:(w + 1) * window])
            self.reset()
            logits = self.append(part)[:-1]
            top = logits.max(axis=-1, keepdims=True)
            log_sum = np.log(np.exp((logits - top).astype(np.float64)).sum(axis=-1)) + top[:, 0]
            total += float((log_sum - logits[np.arange(window - 1), part[1:]]).mean())
        return total / windows
