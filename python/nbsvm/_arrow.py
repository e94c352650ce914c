"""Arrow arrays of text (pyarrow, polars, DuckDB and others), read through the C data interface without a copy.

https://arrow.apache.org/docs/format/CDataInterface.html
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import Any

import numpy as np


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64), ("n_children", c_int64),
    ("children", c_void_p), ("dictionary", c_void_p), ("release", CFUNCTYPE(None, POINTER(_Schema))),
    ("private_data", c_void_p),
]  # fmt: skip
_Array._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
    ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", c_void_p), ("dictionary", c_void_p),
    ("release", CFUNCTYPE(None, POINTER(_Array))), ("private_data", c_void_p),
]  # fmt: skip
_Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(_Stream))),
    ("release", CFUNCTYPE(None, POINTER(_Stream))), ("private_data", c_void_p),
]  # fmt: skip

# The widths of the offsets of utf8, binary, large_utf8 and large_binary. Other layouts are copied.
_OFFSETS = {b"u": np.int32, b"z": np.int32, b"U": np.int64, b"Z": np.int64}

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = [ctypes.py_object, c_char_p], c_void_p


class TextArray:
    """The texts of an array, which it keeps alive."""

    def __init__(self, array: _Array, owner: Any, offsets: Any) -> None:
        self._array, self._owner = array, owner
        n, width = array.length, np.dtype(offsets).itemsize
        if n == 0:  # the buffers may be missing
            self.starts, self.sizes = np.empty(0, np.uintp), np.empty(0, np.int64)
            return
        start = array.buffers[1] + width * array.offset
        raw = (ctypes.c_char * (width * (n + 1))).from_address(start)
        ends = np.frombuffer(raw, offsets).astype(np.int64)
        self.sizes = np.diff(ends)
        self.starts = ends[:-1].astype(np.uintp) + np.uintp(array.buffers[2] or 0)


def _offsets(schema: _Schema) -> Any:
    if schema.format.startswith(b"+"):
        raise TypeError("nbsvm: this is a table or an array of lists; pass a single column of texts")
    return None if schema.dictionary else _OFFSETS.get(schema.format)


class _Owned:
    """An array from a stream, which must be released."""

    def __init__(self) -> None:
        self.array = _Array()

    def __del__(self) -> None:
        if self.array.release:
            self.array.release(ctypes.byref(self.array))


def arrays(texts: Any) -> list[TextArray] | None:
    """The arrays of an object with Arrow's interface; None if they are not text in a supported layout."""
    if hasattr(texts, "__arrow_c_array__"):
        capsules = texts.__arrow_c_array__()
        schema = _Schema.from_address(_pointer(capsules[0], b"arrow_schema"))
        array = _Array.from_address(_pointer(capsules[1], b"arrow_array"))
        offsets = _offsets(schema)
        return None if offsets is None or array.null_count else [TextArray(array, capsules, offsets)]
    capsule = texts.__arrow_c_stream__()
    stream = _Stream.from_address(_pointer(capsule, b"arrow_array_stream"))
    schema = _Schema()
    if stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)):
        return None
    try:
        offsets = _offsets(schema)
    finally:
        if schema.release:
            schema.release(ctypes.byref(schema))
    if offsets is None:
        return None
    found = []
    while True:
        owned = _Owned()
        if stream.get_next(ctypes.byref(stream), ctypes.byref(owned.array)):
            return None
        if not owned.array.release:  # the end
            return found
        if owned.array.null_count:
            return None
        found.append(TextArray(owned.array, owned, offsets))
