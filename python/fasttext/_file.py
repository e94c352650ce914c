"""The file of a model that fastText has trained: its words and vectors, which predictions don't need."""

from __future__ import annotations

from ctypes import byref, c_int64
from typing import Any

import numpy as np

from nbsvm import _native
from nbsvm._opened import Opened, source_of
from nbsvm._texts import encode


class File(Opened):
    """A file that is mapped into memory, so that all processes share it."""

    _kind = 2
    _classes = "words"

    def __init__(self, path: str) -> None:
        source = source_of(path)
        self.shape: dict[str, Any] = self._opened(self._open(source), source)

    def words(self) -> tuple[list[bytes], np.ndarray]:
        """Lists the words, most frequent first, and how often each occurred in training."""
        data, count = _native.reply("nbsvm_words", self._handle), self.shape["words"]
        return data[8 * count :].split(b"\0")[:-1], np.frombuffer(data, np.int64, count)

    def _number(self, function: str, text: str) -> int:
        data, number = encode(text), c_int64()
        _native.check(getattr(_native.lib, function)(self._handle, data, len(data), byref(number)))
        return number.value

    def word_id(self, word: str) -> int:
        """Returns the number of a word or label, or -1."""
        return self._number("nbsvm_word_id", word)

    def subword_id(self, subword: str) -> int:
        """Returns the row of the input that an n-gram of characters hashes to."""
        return self._number("nbsvm_bucket", subword)

    def subwords(self, word: str) -> tuple[list[bytes], np.ndarray]:
        """Lists a word, if it is known, and its n-grams of characters, and their rows of the input."""
        data = encode(word)
        rows = np.frombuffer(_native.reply("nbsvm_subwords", self._handle, data, len(data)), np.int32).reshape(-1, 3)
        padded = b"<" + data + b">"
        return [padded[begin:end] for begin, end, _ in rows.tolist()], rows[:, 2].astype(np.int64)

    def vector(self, text: str, line: bool) -> np.ndarray:
        """Returns the vector of a word or of a line."""
        data, vector = encode(text), np.empty(self.shape["dim"], np.float32)
        _native.check(_native.lib.nbsvm_vector(self._handle, data, len(data), line, vector.ctypes.data))
        return vector

    def rows(self, matrix: str, first: int, count: int) -> np.ndarray:
        """Returns rows of a matrix, ``input`` or ``output``."""
        rows = np.empty((count, self.shape["dim"]), np.float32)
        _native.check(_native.lib.nbsvm_rows(self._handle, matrix == "output", first, count, rows.ctypes.data))
        return rows
