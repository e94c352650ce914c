"""Methods that programs for fastText call, besides predict."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _native

# fastText's prefix of labels.
PREFIX = "__label__"

_NO_VECTORS = ": nbsvm has no word vectors; use fastText for them"

#: What to use instead of methods that fastText's models have and ours lack.
MISSING = {
    **dict.fromkeys(
        ("get_word_vector", "get_sentence_vector", "get_input_vector", "get_input_matrix", "get_output_matrix",
         "get_nearest_neighbors", "get_analogies", "get_subwords", "get_subword_id", "get_word_id", "set_matrices"), _NO_VECTORS,
    ),
    "quantize": ": quantize with fastText before loading, or use the command nbsvm quantize for a model of nbsvm",
    "is_quantized": ": a loaded model is converted, whether it was quantized or not",
    "get_meter": ": use evaluate() for metrics, and scores() to draw curves",
    "get_line": ": use str.split(), which splits as fastText does",
}  # fmt: skip

_BLANKS = re.compile(rb"[ \t\v\f\r\0]+")
_AT_ONCE = 10_000


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


class FastTextMethods:
    """Methods with fastText's names."""

    labels: list[str]
    made: dict[str, Any] | None
    predict: Any
    save: Any
    _handle: _native.Handle
    _bare: list[str]
    _of_fasttext: dict[str, Any] | None

    def get_labels(self, include_freq: bool = False, on_unicode_error: str = "strict") -> Any:
        """Returns the labels; with ``include_freq`` also how often each occurred in training.

        For a fastText model they are in its order, most frequent first; ``labels`` is sorted alphabetically.
        """
        if self._of_fasttext:
            labels = [self.labels[k] for k in self._of_fasttext["by_frequency"]]
            return (labels, np.array(self._of_fasttext["counts"])) if include_freq else labels
        if not include_freq:
            return list(self.labels)
        documents = {c["label"]: c["documents"] for c in (self.made or {}).get("classes") or []}
        return list(self.labels), np.array([documents.get(label, 0) for label in self._bare])

    def get_label_id(self, label: str) -> int:
        """Returns the position of a label in ``get_labels()``, or -1."""
        labels = self.get_labels()
        return labels.index(label) if label in labels else -1

    def get_words(self, include_freq: bool = False, on_unicode_error: str = "strict") -> list[str]:
        """Returns the words of a fastText model, most frequent first. Their counts are not stored."""
        if include_freq:
            raise ValueError("nbsvm: counts of words are not stored; call get_words() without include_freq")
        data = _native.reply("nbsvm_words", self._handle)
        return data.decode("utf-8", on_unicode_error).split("\0")[:-1]

    @property
    def words(self) -> list[str]:
        """Same as ``get_words()``."""
        return self.get_words()

    def get_dimension(self) -> int:
        """Returns the number of dimensions of a fastText model."""
        if not self._of_fasttext:
            raise AttributeError("nbsvm: only fastText models have dimensions")
        return self._of_fasttext["options"]["dim"]

    def save_model(self, path: str | os.PathLike[str]) -> None:
        """Same as ``save``: writes a model file of nbsvm, not of fastText."""
        self.save(path)

    def test(self, path: str | os.PathLike[str], k: int = 1, threshold: float = 0.0) -> tuple[int, float, float]:
        """Measures the k best labels on a file in fastText's format, as fastText's ``test`` does.

        Returns the number of lines with a known label, the precision and the recall.
        """
        lines, predicted, right, gold = self._compare(path, k, threshold)
        hits = sum(right.values())
        return lines, _share(hits, sum(predicted.values())), _share(hits, sum(gold.values()))

    def test_label(self, path: str | os.PathLike[str], k: int = 1, threshold: float = 0.0) -> dict[str, dict[str, float]]:
        """Measures each label on a file in fastText's format: ``{label: {"precision": …, …}}``."""
        _, predicted, right, gold = self._compare(path, k, threshold)
        return {
            label: {
                "precision": _share(right[label], predicted[label]), "recall": _share(right[label], gold[label]),
                "f1score": _share(2 * right[label], predicted[label] + gold[label]),
            }
            for label in sorted(predicted.keys() | gold.keys())
        }  # fmt: skip

    def _compare(self, path: Any, k: int, threshold: float) -> tuple[int, Counter[str], Counter[str], Counter[str]]:
        """Counts the lines with labels and, for each label, predictions, right predictions and occurrences."""
        lines = 0
        predicted: Counter[str] = Counter()
        right: Counter[str] = Counter()
        gold: Counter[str] = Counter()
        for texts, labels in self._lines(path):
            for text, best, have in zip(texts, self.predict(texts, k, threshold)[0], labels):
                if not best and not self.predict(text, 1, float("-inf"))[0]:
                    continue  # no word is known
                lines += 1
                predicted.update(best)
                gold.update(have)
                right.update(label for label in best if label in have)
        return lines, predicted, right, gold

    def _lines(self, path: Any) -> Iterator[tuple[list[bytes], list[list[str]]]]:
        """Yields lines with known labels, many at a time."""
        prefix = self._of_fasttext["label_prefix"] if self._of_fasttext else PREFIX
        known = {(prefix + bare).encode(): label for bare, label in zip(self._bare, self.labels)}
        texts: list[bytes] = []
        labels: list[list[str]] = []
        with open(path, "rb") as file:
            for line in file:
                line = line.removesuffix(b"\n")
                words = _BLANKS.split(line)
                have = [known[word] for word in words if word in known]
                if not have:
                    continue
                if not self._of_fasttext:  # fastText models ignore labels themselves
                    line = b" ".join(word for word in words if not word.startswith(PREFIX.encode()))
                texts.append(line)
                labels.append(have)
                if len(texts) == _AT_ONCE:
                    yield texts, labels
                    texts, labels = [], []
        yield texts, labels

    @property
    def f(self) -> _Inner:
        """The inner model of fastText's module: some programs call its ``predict``."""
        return _Inner(self)


class _Inner:
    """The predict of fastText's inner model, which returns pairs."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def predict(self, text: str, k: int = 1, threshold: float = 0.0, on_unicode_error: str = "strict") -> list[tuple[float, str]]:
        labels, scores = self._model.predict(text.removesuffix("\n"), k, threshold)
        return list(zip(scores.tolist(), labels))

    def multilinePredict(  # noqa: N802 - its name there
        self, texts: list[str], k: int = 1, threshold: float = 0.0, on_unicode_error: str = "strict"
    ) -> tuple[list[list[str]], list[np.ndarray]]:
        return self._model.predict([text.removesuffix("\n") for text in texts], k, threshold)
