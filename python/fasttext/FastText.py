"""The names of fastText's module of this name."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import nbsvm
import numpy as np
from nbsvm._documents import PREFIX
from nbsvm._texts import as_list, encode

from ._file import File
from ._training import train

EOS = "</s>"
BOW = "<"
EOW = ">"

_WORDS = re.compile(rb"[^ \t\v\f\r\0\n]+")
_AT_ONCE = 10_000  # lines of a file that are predicted at a time


def eprint(*args: Any, **kwargs: Any) -> None:
    """Prints to standard error. fastText calls it when it loads a model; this module does not."""
    print(*args, file=sys.stderr, **kwargs)


def _line(text: Any, use: str = "predict") -> Any:
    """Refuses a text with a line end."""
    if isinstance(text, (str, bytes)) and ("\n" if isinstance(text, str) else b"\n") in text:  # type: ignore[operator]
        raise ValueError(f"{use} processes one line at a time (remove '\\n')")
    return text


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


class _FastText:
    """A model that ``load_model`` has opened or ``train_supervised`` has made. Any number of threads may use it.

    It is pickled by the path of its file, which other processes open again.
    """

    def __init__(self, model_path: Any = None, args: Any = None) -> None:
        if model_path is None:
            raise ValueError("fasttext: no path of a model is given; train_supervised makes a new one")
        path = os.path.abspath(os.fsdecode(model_path))
        model = nbsvm.load(path)
        if model.numbers:  # whose label looks like the others here, as programs look it up
            model = nbsvm.load(path, PREFIX)
        self._set(model, path)

    def _set(self, model: nbsvm.Model, path: str | None) -> None:
        self._model, self._path = model, path
        self._theirs: dict[str, Any] | None = model._of_fasttext
        self._known = {label.encode(): label for label in model.labels}
        self._opened_file: File | None = None

    @classmethod
    def _of(cls, model: nbsvm.Model) -> _FastText:
        """Returns a model that is in no file."""
        made = cls.__new__(cls)
        made._set(model, None)
        return made

    def __reduce__(self) -> Any:
        return (_FastText, (self._path,)) if self._path else (_FastText._of, (self._model,))

    @property
    def _file(self) -> File:
        if self._theirs is None:
            raise NotImplementedError(
                "fasttext: nbsvm has trained this model, which stores hashes of n-grams instead of words and their "
                "vectors: train it with fastText if you need these"
            )
        if self._opened_file is None:
            self._opened_file = File(self._path)
        return self._opened_file

    # Predictions.

    def predict(self, text: Any, k: int = 1, threshold: float = 0.0, on_unicode_error: str = "strict") -> Any:
        """Returns the k best labels and their probabilities, of all labels for ``k=-1``.

        These are a tuple and an array, or for several texts a list of lists and a list of arrays. Labels with a
        probability below ``threshold`` are left out.
        """
        if isinstance(text, (str, bytes)):
            return self._model.predict(_line(text), k, threshold)
        labels, scores = self._model.predict([_line(entry) for entry in as_list(text)], k, threshold)
        return labels, [row.astype(np.float32) for row in scores]

    @property
    def f(self) -> _Inner:
        """The inner model of fastText's module: programs that avoid an error of it with NumPy 2 call its ``predict``."""
        return _Inner(self._model)

    def test(self, path: Any, k: int = 1, threshold: float = 0.0) -> tuple[int, float, float]:
        """Returns the number of lines of a file that have a known label, the precision and the recall."""
        lines, predicted, right, gold = self._compare(path, k, threshold)
        hits = sum(right.values())
        return lines, _share(hits, sum(predicted.values())), _share(hits, sum(gold.values()))

    def test_label(self, path: Any, k: int = 1, threshold: float = 0.0) -> dict[str, dict[str, float]]:
        """Returns precision, recall and F1 of each label on a file."""
        _, predicted, right, gold = self._compare(path, k, threshold)
        return {
            label: {
                "precision": _share(right[label], predicted[label]), "recall": _share(right[label], gold[label]),
                "f1score": _share(2 * right[label], predicted[label] + gold[label]),
            }
            for label in self.labels
        }  # fmt: skip

    def _compare(self, path: Any, k: int, threshold: float) -> tuple[int, Counter[str], Counter[str], Counter[str]]:
        """Counts the lines with labels and, for each label, predictions, right predictions and occurrences."""
        if self._model.numbers:
            raise NotImplementedError(
                "fasttext: the model predicts numbers, not labels, so there is no precision and no recall: "
                "nbsvm.load(model).evaluate(file) has errors and correlations"
            )
        lines = 0
        predicted: Counter[str] = Counter()
        right: Counter[str] = Counter()
        gold: Counter[str] = Counter()
        for texts, labels in self._lines(path):
            for text, best, have in zip(texts, self._model.predict(texts, k, threshold)[0], labels):
                if not best and not self._model.predict(text, 1, float("-inf"))[0]:
                    continue  # no word is known
                lines += 1
                predicted.update(best)
                gold.update(have)
                right.update(label for label in best if label in have)
        return lines, predicted, right, gold

    def _lines(self, path: Any) -> Iterator[tuple[list[bytes], list[list[str]]]]:
        """Yields lines with known labels, many at a time."""
        texts: list[bytes] = []
        labels: list[list[str]] = []
        with open(path, "rb") as file:
            for line in file:
                words, have = self._split(line)
                if not have:
                    continue
                texts.append(b" ".join(words))
                labels.append(have)
                if len(texts) == _AT_ONCE:
                    yield texts, labels
                    texts, labels = [], []
        yield texts, labels

    def _split(self, line: bytes) -> tuple[list[bytes], list[str]]:
        """Returns the words of a line and its labels. Labels that the model does not know are left out."""
        words, labels = [], []
        for word in _WORDS.findall(line):
            if word in self._known:
                labels.append(self._known[word])
            elif not word.startswith(PREFIX.encode()):
                words.append(word)
            if word == EOS.encode():
                break
        return words, labels

    def get_line(self, text: Any, on_unicode_error: str = "strict") -> Any:
        """Returns the words of a text, with </s> behind them, and its labels; for a list of texts, lists of these."""
        if isinstance(text, list):
            split = [self.get_line(entry, on_unicode_error) for entry in text]
            return [words for words, _ in split], [labels for _, labels in split]
        words, labels = self._split(encode(_line(text, "get_line")) + f" {EOS}".encode())
        return [word.decode("utf-8", on_unicode_error) for word in words], labels

    # Labels, words and vectors.

    @property
    def labels(self) -> list[str]:
        """Same as ``get_labels()``."""
        return self.get_labels()

    @property
    def words(self) -> list[str]:
        """Same as ``get_words()``."""
        return self.get_words()

    def get_labels(self, include_freq: bool = False, on_unicode_error: str = "strict") -> Any:
        """Returns the labels; with ``include_freq`` also how often each occurred in training.

        Those of a model of fastText are in the order of their frequency.
        """
        model = self._model
        if self._theirs:
            labels = [model.labels[k] for k in self._theirs["by_frequency"]]
            return (labels, np.array(self._theirs["counts"])) if include_freq else labels
        if not include_freq:
            return list(model.labels)
        documents = {c["label"]: c["documents"] for c in (model.made or {}).get("classes") or []}
        return list(model.labels), np.array([documents.get(label, 0) for label in model._bare])

    def get_label_id(self, label: str) -> int:
        """Returns the position of a label in ``get_labels()``, or -1."""
        labels = self.labels
        return labels.index(label) if label in labels else -1

    def get_words(self, include_freq: bool = False, on_unicode_error: str = "strict") -> Any:
        """Returns the words, most frequent first; with ``include_freq`` also how often each occurred in training."""
        words, counts = self._file.words()
        decoded = [word.decode("utf-8", on_unicode_error) for word in words]
        return (decoded, counts) if include_freq else decoded

    def __contains__(self, word: str) -> bool:
        return 0 <= self.get_word_id(word) < self._file.shape["words"]

    def __getitem__(self, word: str) -> np.ndarray:
        return self.get_word_vector(word)

    def get_dimension(self) -> int:
        """Returns the number of dimensions of vectors."""
        return self._file.shape["dim"]

    def get_word_id(self, word: str) -> int:
        """Returns the number of a word, or -1."""
        return self._file.word_id(word)

    def get_subword_id(self, subword: str) -> int:
        """Returns the row of the input matrix that an n-gram of characters hashes to."""
        return self._file.subword_id(subword)

    def get_subwords(self, word: str, on_unicode_error: str = "strict") -> tuple[list[str], np.ndarray]:
        """Returns a word, if it is known, and its n-grams of characters, and their rows of the input matrix."""
        parts, rows = self._file.subwords(word)
        return [part.decode("utf-8", on_unicode_error) for part in parts], rows

    def get_word_vector(self, word: str) -> np.ndarray:
        """Returns the vector of a word."""
        return self._file.vector(word, line=False)

    def get_sentence_vector(self, text: str) -> np.ndarray:
        """Returns the vector of a text: the mean of those of its words and n-grams."""
        return self._file.vector(_line(text), line=True)

    def get_input_vector(self, ind: int) -> np.ndarray:
        """Returns a row of the input matrix."""
        return self._file.rows("input", ind, 1)[0]

    def get_input_matrix(self) -> np.ndarray:
        """Returns the vectors of words and, behind them, of n-grams."""
        return self._matrix("input")

    def get_output_matrix(self) -> np.ndarray:
        """Returns the vectors of labels, or of the inner nodes of a tree of them."""
        return self._matrix("output")

    def _matrix(self, name: str) -> np.ndarray:
        shape = self._file.shape
        if shape["quantized"]:
            raise ValueError("Can't get quantized Matrix")
        return self._file.rows(name, 0, shape[name])

    # Files.

    def is_quantized(self) -> bool:
        """Tells whether vectors are quantized; of a model that nbsvm has trained, whether weights have 8 bits."""
        return self._file.shape["quantized"] if self._theirs else self._model._bits == 8

    def save_model(self, path: Any) -> None:
        """Writes the model: that of fastText as it is, and others in nbsvm's format, which ``load_model`` reads too."""
        (self._file if self._theirs else self._model).save(os.fsdecode(path))

    def quantize(self, input: Any = None, qout: bool = False, cutoff: int = 0, retrain: bool = False, **_: Any) -> None:
        """Rounds the weights of a model that nbsvm has trained to 8 bits, if they have more."""
        if self._theirs:
            raise NotImplementedError(
                "fasttext: nbsvm can't quantize a model of fastText: use the command fasttext quantize, and load its .ftz"
            )
        if cutoff:
            raise NotImplementedError(
                "fasttext: cutoff can't be applied to a trained model: train with nbsvm.train(…, max_model='1MB')"
            )
        if not self.is_quantized():
            self._set(self._model.quantize(), None)


class _Inner:
    """The predict of fastText's inner model, which returns pairs."""

    def __init__(self, model: nbsvm.Model) -> None:
        self._model = model

    def predict(
        self, text: str, k: int = 1, threshold: float = 0.0, on_unicode_error: str = "strict"
    ) -> list[tuple[float, str]]:
        labels, scores = self._model.predict(text.split("\n", 1)[0], k, threshold)
        return list(zip(scores.tolist(), labels))

    def multilinePredict(  # noqa: N802 - its name there
        self, texts: list[str], k: int = 1, threshold: float = 0.0, on_unicode_error: str = "strict"
    ) -> tuple[list[list[str]], list[np.ndarray]]:
        return self._model.predict([text.split("\n", 1)[0] for text in texts], k, threshold)


def load_model(path: Any) -> _FastText:
    """Opens a model of fastText (``.bin``, ``.ftz``) or of nbsvm."""
    return _FastText(path)


def tokenize(text: str) -> list[str]:
    """Splits a text at white space. A line end becomes the word </s>."""
    return [word.decode() for word in _WORDS.findall(encode(text.replace("\n", f" {EOS} ")))]


def train_supervised(*args: Any, **kwargs: Any) -> _FastText:
    """Trains a classifier of nbsvm's kind on a file of ``__label__x text``, with fastText's parameters.

    ``wordNgrams``, ``minn``, ``maxn``, ``minCount``, ``loss="ova"``, ``thread`` and ``seed`` have a counterpart. Those
    that steer fastText's own training, such as ``lr`` and ``epoch``, have no effect, which a warning says. Others are
    refused. A parameter with fastText's default leaves nbsvm's. Probabilities are calibrated.
    """
    return _FastText._of(train(args, kwargs))


def _refused(name: str, reason: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"fasttext: {name} does not exist here: {reason}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raises NotImplementedError: {reason}."
    return refuse


_NEIGHBOURS = "compare the rows of get_input_matrix() with get_word_vector(), or use fastText"
_UNSUPERVISED = "nbsvm trains no vectors of words; use fastText for them"

for _name, _reason in {
    "get_nearest_neighbors": _NEIGHBOURS,
    "get_analogies": _NEIGHBOURS,
    "get_meter": "use test(), test_label(), or nbsvm.load(path).evaluate(…)",
    "set_matrices": "nbsvm can't change models of fastText; use fastText",
    "set_args": "a model has no parameters that could be set; give them to train_supervised",
}.items():
    setattr(_FastText, _name, _refused(_name, _reason))

train_unsupervised = _refused("train_unsupervised", _UNSUPERVISED)
cbow = _refused("cbow", _UNSUPERVISED)
skipgram = _refused("skipgram", _UNSUPERVISED)
supervised = _refused("supervised", "use train_supervised")
