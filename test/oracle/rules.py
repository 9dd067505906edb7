"""What storage does to numbers under --quant f32, f16, w8 and w4: the rules of runtime/abi/README.md as 'fake quantization'.

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


def decode_weight(codes, scale, k):
    return ungroup(codes.astype(np.float32) * scale.astype(np.float32)[..., None], k)


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
    """--quant w8|w4 --group G: integer weights, activations A8-G of the same group before every matrix, float16 KV cache.

    embed and head may have an encoding of their own ('f32', 'f16', 'w8', 'w4'); the default is that of the other matrices.
    """

    def __init__(self, bits, size, embed=None, head=None):
        self.size = size
        self.kind = f"w{bits}"
        self.kinds = {"embed_tokens.weight": embed or self.kind, "lm_head.weight": head or self.kind}

    def weight(self, name, w):
        kind = self.kinds.get(name, self.kind)
        if kind == "f32":
            return w
        if kind == "f16":
            return Half.weight(self, name, w)
        codes, scale = encode_weight(w, int(kind[1]), self.size)
        return decode_weight(codes, scale, w.shape[-1])

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
    return Quantized(int(quant[1]), group, **more)
