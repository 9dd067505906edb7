"""Fused multiply-adds of float32 arrays, one rounding each, by the C functions that the build makes of fma.c."""
import ctypes
import sys
from pathlib import Path

import numpy as np

from models import BUILD

LIBRARY = Path(BUILD) / "test/oracle/libhr_oracle_fma.so"
if not LIBRARY.exists():
    sys.exit(f"failed: no {LIBRARY}: build hr_oracle_fma first")
C = ctypes.CDLL(LIBRARY)
C.hr_oracle_fma.restype = C.hr_oracle_chain.restype = None
INT = ctypes.c_int64


def pointer(x):
    return ctypes.c_void_p(x.ctypes.data)


def operand(x, shape):
    """An array as the C function takes it: a pointer and three steps in elements. The array must outlive the call."""
    x = np.broadcast_to(np.asarray(x, np.float32), shape)
    return pointer(x), (INT * 3)(*(step // 4 for step in x.strides)), x


def fma(a, b, c):
    """a * b + c, broadcasting as numpy does."""
    shape = np.broadcast_shapes(np.shape(a), np.shape(b), np.shape(c))
    whole = (1,) * (3 - len(shape)) + shape
    out = np.empty(whole, np.float32)
    parts = [operand(x, whole) for x in (a, b, c)]
    C.hr_oracle_fma((INT * 3)(*whole), *(p for part in parts for p in part[:2]), pointer(out))
    return out.reshape(shape)


def chain(a, b, sums, counts=None):
    """Adds a @ b to sums in place, one fused multiply-add after the other: a [rows, inner], b [inner, columns]; row r takes its first counts[r] terms."""
    counts = np.full(len(a), len(b)) if counts is None else counts
    counts = np.ascontiguousarray(counts, np.int64)
    for x in (a, b, sums):
        assert x.dtype == np.float32 and x.strides[1] == 4
    C.hr_oracle_chain((INT * 2)(*sums.shape), pointer(counts), pointer(a), INT(a.strides[0] // 4), pointer(b), INT(b.strides[0] // 4), pointer(sums),
                      INT(sums.strides[0] // 4))
