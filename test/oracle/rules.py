"""What storage does to numbers under --quant f32, f16, w8, w4, w4a and w4z: the rules of runtime/abi/README.md as 'fake quantization'.

An object has weight(name, array), activation(array, head) and cache(array); each returns the values as the kernels will see them.
Written from the rules alone; nothing here knows layouts.
"""
import numpy as np


class Float:
    """--quant f32."""

    def weight(self, name, w):
        return w

    def activation(self, x, head=False):
        return x

    def cache(self, x):
        return x


class Half(Float):
    """--quant f16: weights and KV cache stored as float16, arithmetic as before."""

    def weight(self, name, w):
        return w.astype(np.float16).astype(np.float32)

    def cache(self, x):
        return x.astype(np.float32).astype(np.float16).astype(x.dtype)


def groups(x, size):
    """x [..., k] padded with zeros to whole groups: [..., groups, size]."""
    k = x.shape[-1]
    count = -(-k // size)
    padded = np.zeros(x.shape[:-1] + (count * size,), np.float32)
    padded[..., :k] = x
    return padded.reshape(x.shape[:-1] + (count, size))


def ungroup(x, k):
    return x.reshape(x.shape[:-2] + (-1,))[..., :k]


def encode_weight(w, bits, size):
    """(codes, float16 scales), round to nearest even; the scale is rounded to float16 before coding. The 4-bit scale carries the sign of
    the value of largest magnitude, which becomes code -8."""
    g = groups(w, size)
    low, high = (-8, 7) if bits == 4 else (-127, 127)
    if bits == 4:
        extreme = np.take_along_axis(g, np.abs(g).argmax(axis=-1)[..., None], axis=-1)[..., 0]
        scale = (extreme / np.float32(-8)).astype(np.float16)
    else:
        scale = (np.abs(g).max(axis=-1) / np.float32(127)).astype(np.float16)
    wide = scale.astype(np.float32)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        codes = np.where(wide != 0, np.clip(np.rint(g / wide), low, high), 0)
    return codes.astype(np.int8), scale


def ramp_codes(g, low, high):
    """(codes, scale, minimum, squared error) of groups as sixteen steps from low to high."""
    minimum = low.astype(np.float16)
    scale = ((high - low) / np.float32(15)).astype(np.float16)
    wide, base = scale.astype(np.float32)[..., None], minimum.astype(np.float32)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        codes = np.where(wide != 0, np.clip(np.rint((g - base) / wide), 0, 15), np.float32(0))
    squares = np.square((codes * wide + base) - g)
    return codes, scale, minimum, np.where(np.isnan(g), np.float32(0), squares)


def encode_weight_with_minimum(w, size):
    """(codes, float16 scales, float16 minima): the best of 25 ranges, whose ends are up to a tenth inside those of the values."""
    k = w.shape[-1]
    g = groups(w, size)
    used = (np.arange(g.shape[-2] * size) < k).reshape(g.shape[-2:])
    g = np.where(used, g, np.float32(np.nan))
    bottom, top = np.nanmin(g, axis=-1), np.nanmax(g, axis=-1)
    step = (top - bottom) / np.float32(40)
    best = None
    for i in range(5):
        for j in range(5):
            codes, scale, minimum, squares = ramp_codes(g, bottom + np.float32(i) * step, top - np.float32(j) * step)
            error = np.add.accumulate(squares, axis=-1)[..., -1]  # in ascending order
            found = [np.where(used, codes, 0).astype(np.int8), scale, minimum, error]
            if best is None:
                best = found
                continue
            better = error < best[3]
            best = [np.where(better[..., None] if new.ndim > better.ndim else better, new, old) for new, old in zip(found, best)]
    return tuple(best[:3])


def encode_weight_with_zero_point(w, size):
    """(codes less their zero point, float16 scales): equal steps over the values and 0."""
    g = groups(w, size)  # padded with zeros, which change neither end
    low, high = np.minimum(g.min(axis=-1), np.float32(0)), np.maximum(g.max(axis=-1), np.float32(0))
    scale = ((high - low) / np.float32(15)).astype(np.float16)
    wide = scale.astype(np.float32)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        zero = np.clip(np.rint(-low[..., None] / wide), 0, 15)
        codes = np.where(wide != 0, np.clip(np.rint(g / wide) + zero, 0, 15) - zero, 0)
    return codes.astype(np.int8), scale


def decode_weight(codes, scale, k, minimum=None):
    values = codes.astype(np.float32) * scale.astype(np.float32)[..., None]
    return ungroup(values if minimum is None else values + minimum.astype(np.float32)[..., None], k)


def store_weight(w, kind, size):
    """The values that `kind` (w8, w4, w4a, w4z) keeps of w."""
    if kind == "w4a":
        codes, scale, minimum = encode_weight_with_minimum(w, size)
        return decode_weight(codes, scale, w.shape[-1], minimum)
    if kind == "w4z":
        return decode_weight(*encode_weight_with_zero_point(w, size), w.shape[-1])
    return decode_weight(*encode_weight(w, int(kind[1]), size), w.shape[-1])


def encode_activation(x, size):
    """(codes, float32 scales): A8-G."""
    g = groups(x, size)
    top = np.abs(g).max(axis=-1)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        ratio = np.float32(127) / top
        usable = (top > 0) & np.isfinite(ratio)
        codes = np.where(usable[..., None], np.clip(np.rint(g * ratio[..., None]), -127, 127), 0)
    return codes.astype(np.int8), np.where(usable, top / np.float32(127), np.float32(0))


class Quantized(Half):
    """--quant w8|w4|w4a|w4z --group G: integer weights, activations A8-G of the same group before every matrix, float16 KV cache.

    embed and head may have an encoding of their own ('f32', 'f16', 'w8', 'w4', 'w4a', 'w4z'); the default is that of the other matrices.
    """

    def __init__(self, kind, size, embed=None, head=None):
        self.size = size
        self.kind = kind
        self.kinds = {"embed_tokens.weight": embed or self.kind, "lm_head.weight": head or self.kind}

    def weight(self, name, w):
        kind = self.kinds.get(name, self.kind)
        if kind == "f32":
            return w
        if kind == "f16":
            return Half.weight(self, name, w)
        return store_weight(w, kind, self.size)

    def activation(self, x, head=False):
        if head and self.kinds["lm_head.weight"] in ("f32", "f16"):
            return x
        codes, scale = encode_activation(x.astype(np.float32), self.size)
        return ungroup(codes.astype(np.float32) * scale[..., None], x.shape[-1]).astype(x.dtype)


def from_name(quant, group=64, **more):
    """The rules of the command line: --quant, --group, --embed, --head."""
    if quant == "f32":
        return Float()
    if quant == "f16":
        return Half()
    return Quantized(quant, group, **more)
