"""Models: what they predict and why."""

from __future__ import annotations

import ctypes
import json
import operator
import os
from collections.abc import Iterable, Sequence
from ctypes import byref, c_double, c_int32
from typing import Any, overload

import numpy as np

from . import _native
from ._documents import PREFIX, Classes, Labels, documents, request_input
from ._opened import Opened, source_of
from ._texts import encode, parts


class _Best:
    """Memory for the k best classes of a text; see nbsvm_predict."""

    _types: dict[int, Any] = {}

    @classmethod
    def of(cls, k: int) -> Any:
        made = cls._types.get(k)
        if made is None:
            fields = [("scores", c_double * k), ("labels", c_int32 * k), ("count", c_int32)]
            made = cls._types[k] = type(f"_Best{k}", (ctypes.Structure,), {"_fields_": fields})
        return made


_Best1 = _Best.of(1)


class Evaluation(dict):  # type: ignore[type-arg]
    """Metrics by name, such as ``accuracy`` and ``macro_f1``: the keys of ``nbsvm eval --json``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Model(Opened):
    """A trained model, made by ``load``, ``train`` or ``tune``. Any number of threads may use it at once.

    ``with nbsvm.load(path) as model:`` closes it at the end. Otherwise it is closed when nothing refers to it any more.
    """

    def __init__(self, handle: int, prefix: str | None = PREFIX, source: Any = None) -> None:
        about = self._opened(handle, source)
        theirs = about["fasttext"]  # for a model that fastText trained
        self._bare: list[str] = about["labels"]
        if prefix is None:
            prefix = theirs["label_prefix"] if theirs else "" if about["numbers"] else PREFIX
        self._prefix = prefix
        #: The classes, named as by ``predict``, in the order of the columns of ``scores``.
        self.labels: list[str] = [prefix + label for label in self._bare]
        #: Whether a text may have any number of labels.
        self.multi_label: bool = about["multi_label"]
        #: Whether the model predicts a number: its only label is then ``score``, and its score the number.
        self.numbers: bool = about["numbers"]
        #: Whether scores are probabilities; otherwise they are margins, or numbers.
        self.probabilities: bool = about["probabilities"]
        #: Whether texts are ready-made features, ``index:value index:value``.
        self.takes_features: bool = about["takes_features"]
        self._bits: int = about["bits"]
        #: How the model was made: options, documents, classes, features and the solution; None if unknown.
        #: For a fastText model, its options.
        self.made: dict[str, Any] | None = about["made"]
        #: What the module ``fasttext`` tells of a fastText model; None for others.
        self._of_fasttext: dict[str, Any] | None = theirs
        if theirs:
            self.made = {"options": theirs["options"]}

    def __repr__(self) -> str:
        kind = f" {self.made['options']['model']}".rstrip() if self.made else ""
        return f"<nbsvm.Model{kind} of {'numbers' if self.numbers else f'{len(self.labels)} classes'}>"

    def __reduce__(self) -> Any:
        if self._of_fasttext and self._handle:  # whose file every process opens
            return load, (self._source, self._prefix)
        return load, (self.to_bytes(), self._prefix)

    @overload
    def predict(self, text: str | bytes, k: int = 1, threshold: float = 0.0) -> tuple[tuple[str, ...], np.ndarray]: ...
    @overload
    def predict(
        self, text: Sequence[str | bytes], k: int = 1, threshold: float = 0.0
    ) -> tuple[list[list[str]], list[np.ndarray]]: ...
    def predict(self, text: Any, k: int = 1, threshold: float = 0.0) -> Any:
        """Returns the k best labels and their scores, for one text or for several.

        For one text these are a tuple of labels and an array of scores; for a list of texts a list of label lists and a
        list of arrays, as in fastText's module. ``k=-1`` returns all labels. A model of numbers has the label ``score``
        alone, whose score is the number. Labels with a score below ``threshold`` are left out. 0 leaves none out, even
        if scores are margins or numbers; but for fastText models with hierarchical softmax it leaves out those below
        0.00001, as fastText does. Any iterable and Arrow arrays work like lists. Texts may contain line ends. Several
        texts are predicted on all processors.
        """
        if not isinstance(text, (str, bytes)):
            return self._predict_all(text, self._k(k), self._number(threshold))
        try:
            data = text.encode()  # type: ignore[union-attr]
        except (AttributeError, UnicodeEncodeError):
            data = encode(text)
        if type(k) is int and k == 1:
            best = _Best1()
        else:
            k = self._k(k)
            best = _Best.of(k)()
        try:
            message = _native.lib.nbsvm_predict(self._handle, data, len(data), k, threshold, byref(best))
        except ctypes.ArgumentError:  # it is no float
            message = _native.lib.nbsvm_predict(self._handle, data, len(data), k, self._number(threshold), byref(best))
        if message:
            _native.fail(message)
        if best.count == 1:
            return (self.labels[best.labels[0]],), np.array((best.scores[0],))
        n = best.count
        return tuple([self.labels[i] for i in best.labels[:n]]), np.array(best.scores[:n])

    def _k(self, k: int) -> int:
        try:
            k = operator.index(k)
        except TypeError:
            raise TypeError(f"nbsvm: k must be a whole number, got {k!r}") from None
        if k == 0 or k < -1:
            raise ValueError(f"nbsvm: k must be 1 or more, or -1 for all labels; got {k}")
        return len(self.labels) if k == -1 else min(k, len(self.labels))

    @staticmethod
    def _number(threshold: float) -> float:
        if isinstance(threshold, (str, bytes)) or not hasattr(threshold, "__float__"):
            raise TypeError(f"nbsvm: threshold must be a number, got {threshold!r}")
        return float(threshold)

    def _predict_all(self, texts: Any, k: int, threshold: float, threads: int = 0) -> Any:
        names, all_labels, all_scores = self.labels, [], []
        for part in parts(texts):
            labels = np.empty((part.count, k), np.int32)
            scores = np.empty((part.count, k))
            counts = np.empty(part.count, np.int32)
            _native.check(
                _native.lib.nbsvm_predict_all(
                    self._handle, byref(part.texts), threads, k, threshold,
                    labels.ctypes.data, scores.ctypes.data, counts.ctypes.data,
                )
            )  # fmt: skip
            if (counts == k).all():
                if k == 1:
                    all_labels += [[names[i]] for i in labels[:, 0].tolist()]
                else:
                    all_labels += [[names[i] for i in row] for row in labels.tolist()]
                all_scores += list(scores)
            else:
                for n, row, values in zip(counts.tolist(), labels.tolist(), scores):
                    all_labels.append([names[i] for i in row[:n]])
                    all_scores.append(values[:n])
        return all_labels, all_scores

    def scores(self, texts: Any, threads: int = 0) -> np.ndarray:
        """Returns the scores of all classes: a row for each text, with columns in the order of ``labels``.

        ``texts`` is a list or another sequence of str or bytes, or an Arrow array, whose memory is not copied. Scores
        are probabilities or margins; with two classes a margin above 0 speaks for the second. A model of numbers has
        one column, that of the numbers.
        """
        return self._scores(texts, threads, False)[0]

    def decide(self, texts: Any, threads: int = 0) -> list[list[str]]:
        """Returns the labels that the model decides for by its own thresholds: one for each text, or any number."""
        decided = self._scores(texts, threads, True)[1]
        return [[self.labels[i] for i in np.flatnonzero(row)] for row in decided]

    def _scores(self, texts: Any, threads: int, decided: bool) -> tuple[np.ndarray, np.ndarray]:
        width, all_scores, all_decided = len(self.labels), [], []
        for part in parts(texts):
            scores = np.empty((part.count, width))
            chosen = np.empty((part.count if decided else 0, width), np.uint8)
            address = chosen.ctypes.data if decided else None
            _native.check(
                _native.lib.nbsvm_scores(self._handle, byref(part.texts), threads, scores.ctypes.data, address)
            )
            all_scores.append(scores)
            all_decided.append(chosen)
        if len(all_scores) == 1:
            return all_scores[0], all_decided[0].view(bool)
        nothing = np.empty((0, width))
        return (
            np.concatenate([*all_scores, nothing]),
            np.concatenate([*all_decided, nothing.astype(np.uint8)]).view(bool),
        )

    def explain(self, text: str | bytes | None = None, top: int = 15) -> Any:
        """Explains the prediction for a text: a dict with the margin, the bias, and what each n-gram adds.

        Without a text, returns the strongest n-grams of each class: a list of dicts with ``label`` and ``features``.
        """
        data = None if text is None else encode(text)
        top = operator.index(top)
        return json.loads(
            _native.reply("nbsvm_explain", self._handle, data, 0 if data is None else len(data), top)
        )

    def quantize(self) -> Model:
        """Returns the model with weights of 8 bits. Most have them after training, and then it is an error."""
        return load(_native.reply("nbsvm_quantize", self._handle), self._prefix)

    def evaluate(
        self, data: Any = None, labels: Labels | None = None, *, classes: Classes | None = None, threads: int = 0,
        sample_weight: None = None, cut: float | Sequence[float] = (), **reading: Any,
    ) -> Evaluation:  # fmt: skip
        """Compares predictions with the labels of files (a path or several) or of texts in memory.

        Files are read as by ``train``, with the same keywords (``classes``, ``format``, ``text_field``, …). A model of
        numbers compares these: ``evaluate(texts, numbers)`` has ``mae``, ``r2``, ``spearman`` and others. If a text has
        a list of several raters' numbers, their mean counts. With ``cut=3``, or a list of cuts, ``cuts`` tells how well
        the texts with a number of 3 or more are found.
        """
        request, held = documents(data, labels, sample_weight, self._prefix, classes, self.numbers)
        handle = self._handle  # which is not freed before the job is done
        cuts = cut if isinstance(cut, Iterable) else [cut]
        request.update({"do": "evaluate", "model": int(handle), "options": {"threads": threads}, "cuts": list(cuts)})
        request["input"].update(request_input(reading))
        if self.multi_label:
            request["input"]["multi_label"] = True
        return Evaluation(_native.run(request, held)[1])


def load(model: str | os.PathLike[str] | bytes, prefix: str | None = None) -> Model:
    """Opens a model from a path or from the bytes of its file.

    ``prefix`` precedes labels. By default labels look like fastText's: they begin with ``__label__``, or with the
    prefix that a fastText model was trained with. The label of a model of numbers is ``score``.
    """
    source = source_of(model)
    return Model(Model._open(source), prefix, source)
