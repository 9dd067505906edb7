"""fma(a, b, c) of float32 arrays with one rounding, broadcasting as numpy does, by the C function that the build makes of fma.c."""
import ctypes
import sys
from pathlib import Path

import numpy as np

from models import BUILD

LIBRARY = Path(BUILD) / "test/oracle/libhr_oracle_fma.so"
if not LIBRARY.exists():
    sys.exit(f"failed: no {LIBRARY}: build hr_oracle_fma first")
FUNCTION = ctypes.CDLL(LIBRARY).hr_oracle_fma
FUNCTION.restype = None


def operand(x, shape):
    """An array as the C function takes it: a pointer and three steps in elements. The array must outlive the call."""
    x = np.broadcast_to(np.asarray(x, np.float32), shape)
    return ctypes.c_void_p(x.ctypes.data), (ctypes.c_int64 * 3)(*(step // 4 for step in x.strides)), x


def fma(a, b, c):
    shape = np.broadcast_shapes(np.shape(a), np.shape(b), np.shape(c))
    whole = (1,) * (3 - len(shape)) + shape if len(shape) < 3 else (int(np.prod(shape[:-2])),) + shape[-2:]
    if len(shape) > 3:
        a, b, c = (np.broadcast_to(x, shape).reshape(whole) for x in (a, b, c))
    out = np.empty(whole, np.float32)
    parts = [operand(x, whole) for x in (a, b, c)]
    FUNCTION((ctypes.c_int64 * 3)(*whole), *(p for part in parts for p in part[:2]), ctypes.c_void_p(out.ctypes.data))
    return out.reshape(shape)
