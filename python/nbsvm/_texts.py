"""Texts of Python as the library takes them: bytes that lie one behind the other, and where each ends."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from . import _arrow
from ._native import Error, Texts

# So many characters, about, are handed to the library at a time: between two calls Python notices Ctrl-C.
_PART = 32 << 20


def encode(text: str | bytes) -> bytes:
    """The text in UTF-8. Lone surrogates become invalid bytes, which separate words."""
    if isinstance(text, str):
        try:
            return text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-8", "surrogatepass")
    if isinstance(text, bytes):
        return text
    raise TypeError(f"nbsvm: a text must be str or bytes, not {type(text).__name__}")


class Packed:
    """Packed texts; the memory stays there as long as the object."""

    def __init__(self, buffer: Any, address: int, ends: np.ndarray) -> None:
        self._buffer, self._ends = buffer, ends
        self.count = len(ends) - 1
        self.texts = Texts(address, ends.ctypes.data, self.count)


def pack(texts: Sequence[str | bytes]) -> Packed:
    """Packs a list."""
    try:
        encoded = list(map(str.encode, texts))  # type: ignore[arg-type]
    except (TypeError, UnicodeEncodeError):
        encoded = [encode(text) for text in texts]
    ends = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=ends[1:])
    buffer = b"".join(encoded)
    return Packed(buffer, ctypes.cast(ctypes.c_char_p(buffer), ctypes.c_void_p).value or 0, ends)


def as_list(texts: Iterable[str | bytes]) -> list[str | bytes]:
    """Any iterable of texts as a list; one text alone is refused."""
    if isinstance(texts, (str, bytes)):
        raise TypeError("nbsvm: this takes a list of texts, not one text")
    if isinstance(texts, list):
        return texts
    if hasattr(texts, "tolist"):  # of numpy, pandas
        listed = texts.tolist()
    elif hasattr(texts, "to_pylist"):  # of Arrow, where its memory has another layout
        listed = texts.to_pylist()
    else:
        listed = list(texts)
    if not isinstance(listed, list):
        raise Error("nbsvm: the texts must be a sequence of one dimension")
    return listed


def parts(texts: Any) -> Iterator[Packed]:
    """Packs texts, some at a time: a list, an Arrow array, whose memory is taken as it is, or another iterable."""
    if hasattr(texts, "__arrow_c_array__") or hasattr(texts, "__arrow_c_stream__"):
        arrays = _arrow.arrays(texts)
        if arrays is not None:
            for array in arrays:
                yield Packed(array, array.address, array.ends)
            return
    listed = as_list(texts)
    sizes = np.cumsum(np.fromiter(map(len, listed), np.int64, len(listed)))
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
