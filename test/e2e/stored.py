"""The weights of a bundle as numbers: weights.bin read by the layouts of runtime/abi/README.md, and nothing of the compiler's."""
import json
from pathlib import Path

import numpy as np

TILE = 32


def nibbles(tile, k):
    """[k][32] unsigned codes from q[k / 8][32][4]: byte j holds codes j (low) and 4 + j (high) of eight."""
    q = tile.reshape(-1, TILE, 4)
    return np.concatenate([q & 15, q >> 4], axis=2).transpose(0, 2, 1).reshape(-1, TILE)[:k]


def coded(bits, groups, group, k, encoding):
    """[k][32] float32 values of one tile."""
    padded = (k + 31) // 32 * 32
    code_bytes = padded * TILE // (1 if encoding == "w8" else 2)
    plane = lambda i: np.repeat(bits[code_bytes + i * groups * 64:][: groups * 64].view(np.float16).reshape(groups, TILE).astype(np.float32), group, axis=0)[:k]
    if encoding == "w8":
        codes = bits[:code_bytes].reshape(-1, TILE, 4).transpose(0, 2, 1).reshape(-1, TILE)[:k].astype(np.float32) - 128
        return codes * plane(0)
    codes = nibbles(bits[:code_bytes], k).astype(np.float32)
    if encoding == "w4a":  # a code times a binary16 scale is exact in float32: the sum rounds once, as a fused multiply-add does
        return codes * plane(0) + plane(1)
    return (codes - (plane(1) if encoding == "w4z" else 8)) * plane(0)


def matrix(data, row):
    n, k = row["shape"]
    encoding, _, group = row["encoding"].partition(" g")
    group = int(group) if group else k
    groups = -(-k // group)
    tiles = data.reshape(-(-n // TILE), -1)
    out = []
    for tile in tiles:
        if encoding in ("f32", "f16"):
            kind = np.float32 if encoding == "f32" else np.float16
            out.append(tile[: k * TILE * np.dtype(kind).itemsize].view(kind).reshape(k, TILE).astype(np.float32))
        else:
            out.append(coded(tile, groups, group, k, encoding))
    return np.concatenate(out, axis=1).T[:n]


def weights(bundle):
    """name -> (row of the manifest, float32 values)."""
    bundle = Path(bundle)
    manifest = json.loads((bundle / "manifest.json").read_text())
    file = np.fromfile(bundle / "weights.bin", np.uint8)
    made = {}
    for row in manifest["weights"]:
        start = manifest["sections"][row["section"]]["offset"] + row["offset"]
        data = file[start: start + row["bytes"]]
        if row["layout"] == "t32":
            made[row["name"]] = row, matrix(data, row)
        else:
            count = int(np.prod(row["shape"]))
            made[row["name"]] = row, data[: 4 * count].view(np.float32).reshape(row["shape"])
    return made


def interleaved(parts):
    """Tiles of 32 rows of each part in turn, as gate and up are merged."""
    n = -(-parts[0].shape[0] // TILE) * TILE
    padded = [np.concatenate([p, np.zeros((n - len(p),) + p.shape[1:], np.float32)]).reshape((-1, TILE) + p.shape[1:]) for p in parts]
    return np.stack(padded, axis=1).reshape((-1,) + parts[0].shape[1:])
