"""Block types of GGUF against the gguf package's own dequantization, bit for bit, on random blocks; and, for the types that an encoding of
ours holds, the values of the codes: bit for bit, or where scales are products with a rounded scale and minimum.

usage: test_blocks.py     (HEADRACE_BUILD: the build folder)
"""
import os
import subprocess
import sys

import gguf
import numpy as np

TOOL = os.path.join(os.environ["HEADRACE_BUILD"], "bin", "blocks_values")
TYPES = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4"]
EXACT = [("Q4_0", "w4"), ("Q4_0", "w4a"), ("Q4_0", "w8"), ("Q4_1", "w4a"), ("Q5_0", "w8"), ("Q8_0", "w8"), ("IQ4_NL", "w8"), ("MXFP4", "w8")]
ROUNDED = [("Q4_K", "w4a"), ("IQ4_XS", "w8")]
BLOCKS = 4096


def values_of(blocks, *arguments):
    out = subprocess.run([TOOL, *arguments], input=blocks.tobytes(), stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(out, np.float32).reshape(len(blocks), -1)


def random_blocks(rng, name):
    elements, size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]]
    return rng.integers(0, 256, (BLOCKS, size), dtype=np.uint8)


def oracle(blocks, name):
    with np.errstate(all="ignore"):
        return gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType[name])


def differing(found, expected):
    """Blocks with a value of other bits; any two that are not numbers are alike."""
    same = (found.view(np.uint32) == expected.view(np.uint32)) | (np.isnan(found) & np.isnan(expected))
    return np.flatnonzero(~same.all(axis=1))


def check_values(rng):
    for name in TYPES:
        blocks = random_blocks(rng, name)
        expected = oracle(blocks, name)
        wrong = differing(values_of(blocks, name), expected)
        assert len(wrong) == 0, f"{name}: {len(wrong)} of {BLOCKS} blocks differ, first {wrong[0]}: {blocks[wrong[0]].tobytes().hex()}"
        assert np.isfinite(expected).mean() > 0.5, f"{name}: expected mostly finite values"


def check_codes(rng):
    """A block is held unless a number of it is infinite or none or no binary16, or its minimum -8 * scale goes beyond binary16."""
    for name, storage in EXACT:
        blocks = random_blocks(rng, name)
        expected = oracle(blocks, name)
        scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)[:, 0]
        if name == "MXFP4":  # a power of two, 2 ** -24 at least and 2 ** 15 at most; half of what the format calls scale
            exponents = blocks[:, 0].astype(int) - 128
            scale = np.where((exponents >= -24) & (exponents <= 15), 1, np.inf)
        held = np.isfinite(scale)
        if name == "Q4_1":
            held &= np.isfinite(blocks[:, 2:4].copy().view(np.float16).astype(np.float32)[:, 0])
        if storage == "w4a" and name == "Q4_0":
            held &= np.nan_to_num(abs(scale)) * 8 < 65520
        found = values_of(blocks, name, storage)
        if name == "Q4_0":  # -8 + 8 gives +0 where 0 * -scale gives -0
            found, expected = found + 0.0, expected + 0.0
        wrong = differing(found[held], expected[held])
        assert len(wrong) == 0, f"{name} as {storage}: {len(wrong)} blocks differ"
        assert (found[~held] == 0).all(), f"{name} as {storage}: expected refusal of what it cannot hold"
        assert 100 < held.sum() < BLOCKS, f"{name} as {storage}: {held.sum()} blocks held"


def steps_of(blocks, name):
    """The least step of values of each group of 32, in float64."""
    unit = blocks[:, :2].copy().view(np.float16).astype(np.float64)
    if name == "Q4_K":
        return (unit * gguf.quants.Q4_K.get_scale_min(blocks[:, 4:16])[0]).reshape(-1)
    low = (blocks[:, 4:8, None] >> np.array([0, 4], np.uint8)).reshape(-1, 8) & 15
    high = (blocks[:, 2:4].copy().view(np.uint16) >> np.arange(0, 16, 2, np.uint16)) & 3
    return (unit * ((low | high << 4).astype(int) - 32)).reshape(-1) * 11  # least distance of two codes


def check_rounded_codes(rng):
    """Codes are kept: no value moves by more than an eighth of a step, or the group is refused."""
    for name, storage in ROUNDED:
        blocks = random_blocks(rng, name)
        if name == "Q4_K":  # minima in proportion to the scales, as a range of weights around 0 has them
            blocks[:, 2:4] = blocks[:, :2]
        expected, step = oracle(blocks, name).reshape(-1, 32), np.abs(steps_of(blocks, name))
        found = values_of(blocks, name, storage).reshape(-1, 32)
        refused = (found == 0).all(axis=1) & (expected != 0).any(axis=1)
        finite = np.isfinite(expected).all(axis=1)
        assert (refused | finite).all(), f"{name} as {storage}: expected refusal of what is infinite"
        held = finite & ~refused
        moved = np.abs(found - expected.astype(np.float64)).max(axis=1)
        worst = np.argmax(np.where(held & (step > 0), moved / np.where(step > 0, step, 1), 0))
        assert moved[worst] <= step[worst] / 8, f"{name} as {storage}: a value moved by {moved[worst]}, the step is {step[worst]}"
        ordinary = finite & (step > 1e-4) & (step < 100)
        assert ordinary.sum() > 1000 and not (refused & ordinary).any(), f"{name} as {storage}: groups of ordinary size are refused"


def main():
    rng = np.random.default_rng(20)
    check_values(rng)
    check_codes(rng)
    check_rounded_codes(rng)
    print(f"{len(TYPES)} block types, {BLOCKS} random blocks each, bit for bit; {len(EXACT)} as codes, {len(ROUNDED)} as codes with rounded scales")


if __name__ == "__main__":
    sys.exit(main())
