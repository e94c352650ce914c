"""Python's texts in the form of the library: where each begins in memory, and its size."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from . import _arrow, _native
from ._native import Error, Texts

# About how many characters are passed to the library at a time. Python notices Ctrl-C between two calls.
_PART = 32 << 20


def encode(text: str | bytes) -> bytes:
    """Encodes a text as UTF-8. Lone surrogates become invalid bytes, which separate words."""
    if isinstance(text, str):
        try:
            return text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-8", "surrogatepass")
    if isinstance(text, bytes):
        return text
    raise TypeError(f"nbsvm: a text must be str or bytes, not {type(text).__name__}")


def is_missing(value: Any) -> bool:
    """Tells whether a value stands for none: None, NaN, and NA of pandas."""
    return value is None or isinstance(value, float) and value != value or type(value).__name__ in ("NAType", "NaTType")


def refuse(texts: Iterable[Any]) -> NoReturn:
    """Raises an error that names the first item that is not a text."""
    for k, text in enumerate(texts):
        if not isinstance(text, (str, bytes)):
            hint = ""
            if is_missing(text):
                hint = "; leave missing texts out, or replace them by ''"
            elif isinstance(text, (list, tuple)):
                hint = "; join its words: ' '.join(text)"
            elif isinstance(text, os.PathLike):
                hint = "; read the file first, or pass paths without labels"
            kind = type(text).__name__
            raise TypeError(f"nbsvm: text {k + 1} is {text!r:.40} of type {kind}; a text must be str or bytes{hint}")
    raise TypeError("nbsvm: the texts must be str or bytes")


class Packed:
    """Texts whose memory stays in place for the life of the object."""

    def __init__(self, owner: Any, starts: np.ndarray, sizes: np.ndarray) -> None:
        self._held = owner, starts, sizes
        self.count = len(sizes)
        self.texts = Texts(starts.ctypes.data, sizes.ctypes.data, self.count)


# Functions of Python that nbsvm_collect calls.
_PYTHON = [
    ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p)
    for name in ("PyTuple_GetItem", "PyUnicode_AsUTF8AndSize", "PyErr_Clear")
]


def pack(texts: Sequence[str | bytes]) -> Packed:
    """Finds the texts of a list in memory. A str without lone surrogates is not copied."""
    held = tuple(texts)
    starts, sizes = np.empty(len(held), np.uintp), np.empty(len(held), np.int64)
    if _native.lib.nbsvm_collect(held, len(held), *_PYTHON, starts.ctypes.data, sizes.ctypes.data) == len(held):
        return Packed(held, starts, sizes)
    try:
        encoded = [encode(text) for text in held]
    except TypeError:
        refuse(held)
    buffer = b"".join(encoded)
    sizes = np.fromiter(map(len, encoded), np.int64, len(encoded))
    starts = np.zeros(len(encoded), np.uintp)
    starts[1:] = np.cumsum(sizes[:-1])
    return Packed(buffer, starts + np.uintp(_address(buffer)), sizes)


def _address(data: bytes) -> int:
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


def not_texts(data: Any) -> str | None:
    """Explains what to pass in place of a table or a matrix; None if data may be texts or paths."""
    if hasattr(data, "columns") or isinstance(data, Mapping):
        columns = list(data) if isinstance(data, Mapping) else list(getattr(data, "column_names", data.columns))
        named = ", ".join(f"{column!r:.40}" for column in columns[:10])
        return (
            f"this is a table (a {type(data).__name__} with the columns {named}); pass its columns of texts and of labels, "
            "such as table['text'] and table['label']"
        )
    if getattr(data, "ndim", 1) == 2 and getattr(getattr(data, "dtype", None), "kind", "") in ("U", "S", "O"):
        return f"this is a {type(data).__name__} of shape {data.shape}; pass a single column of texts, such as data[:, 0]"
    if getattr(data, "ndim", 1) == 2:
        return (
            f"this is a matrix (a {type(data).__name__} of shape {data.shape}); pass texts, because nbsvm makes its own "
            "features. To train on ready-made ones, write them to a file with sklearn.datasets.dump_svmlight_file(X, y, "
            "'train.svm', zero_based=False) and call nbsvm.train('train.svm')"
        )
    return None


def as_list(texts: Iterable[str | bytes]) -> list[str | bytes]:
    """Turns an iterable of texts into a list; a single text is an error."""
    if isinstance(texts, (str, bytes)):
        raise TypeError("nbsvm: pass a list of texts, not a single text")
    if isinstance(texts, list):
        return texts
    if not isinstance(texts, Mapping) and (problem := not_texts(texts)):
        raise TypeError(f"nbsvm: {problem}")
    if getattr(texts, "ndim", 1) != 1 and not isinstance(texts, memoryview):
        raise TypeError(
            f"nbsvm: texts must have one dimension, got a {type(texts).__name__} of {texts.ndim} dimensions; "
            "pass a single column"
        )
    listable = isinstance(texts, Iterable) or hasattr(texts, "to_pylist")
    if isinstance(texts, (Mapping, set, frozenset, bytearray, memoryview)) or not listable:
        raise TypeError(f"nbsvm: texts must be str, bytes or a list of these, got {type(texts).__name__}")
    if hasattr(texts, "tolist"):  # of numpy, pandas
        listed = texts.tolist()
    elif hasattr(texts, "to_pylist"):  # of Arrow, if its memory has another layout
        listed = texts.to_pylist()
    else:
        listed = list(texts)
    if not isinstance(listed, list):
        raise Error("nbsvm: the texts must be a sequence of one dimension")
    return listed


def parts(texts: Any) -> Iterator[Packed]:
    """Packs texts, some at a time: a list, an Arrow array (whose memory is used in place) or another iterable."""
    if hasattr(texts, "__arrow_c_array__") or hasattr(texts, "__arrow_c_stream__"):
        arrays = _arrow.arrays(texts)
        if arrays is not None:
            for array in arrays:
                yield Packed(array, array.starts, array.sizes)
            return
    listed = as_list(texts)
    try:
        sizes = np.cumsum(np.fromiter(map(len, listed), np.int64, len(listed)))
    except TypeError:
        refuse(listed)
    first = 0
    while first < len(listed):
        before = sizes[first - 1] if first else 0
        end = max(first + 1, int(np.searchsorted(sizes, before + _PART, "right")))
        yield pack(listed[first:end] if first or end < len(listed) else listed)
        first = end


def joined(texts: Any) -> Packed:
    """Packs all texts at once."""
    packed = list(parts(texts)) if hasattr(texts, "__arrow_c_array__") else []
    return packed[0] if len(packed) == 1 else pack(as_list(texts))
