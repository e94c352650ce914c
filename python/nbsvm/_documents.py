"""Labelled documents in the form of the library: names of files, or texts in memory with their labels."""

from __future__ import annotations

import difflib
import errno
import glob
import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Union

import numpy as np

from ._native import Documents, Error
from ._texts import as_list, is_missing, joined, not_texts

#: A label is a str or a whole number, which stands for its digits.
Label = Union[str, int]
#: One label for each text, or a list of any number of them, or a dict of labels and their shares.
Labels = Union[Sequence[Label], Sequence[Iterable[Label]], Sequence[Mapping[Label, float]], np.ndarray]

#: Files whose documents all have the label: a path, or several.
Classes = Mapping[Label, Any]

#: What fastText writes before a label.
PREFIX = "__label__"

_READING = (
    "format", "text_field", "label_field", "target", "weight_field", "label_sep", "allow_many_classes", "skip_bad",
)  # fmt: skip


def request_input(reading: dict[str, Any], others: Iterable[str] = ()) -> dict[str, Any]:
    """Checks the names of options that say how files are read. Others are options that could have been meant."""
    for name in reading:
        if name not in _READING:
            known = sorted({*_READING, *others})
            near = difflib.get_close_matches(name, known, 1)
            meant = f"did you mean {near[0]!r}?" if near else "options are " + ", ".join(known)
            raise TypeError(f"nbsvm: unknown option {name!r}; {meant}")
    return {name: value for name, value in reading.items() if value is not None}


class Held(Documents):
    """Documents that keep their memory alive."""

    held: Any


def _paths(data: Any) -> list[str]:
    """Lists the paths that data names. Texts without labels are an error."""
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    if isinstance(data, (bytes, bytearray)) or not isinstance(data, Iterable):
        raise TypeError(f"nbsvm: data must be paths of files, or texts with labels; got {data!r:.40}")
    if hasattr(data, "read"):
        raise TypeError("nbsvm: data is an open file; pass its path, or texts with labels")
    listed = list(data)
    for k, path in enumerate(listed):
        if isinstance(path, tuple):
            raise TypeError(
                f"nbsvm: item {k + 1} of data is a tuple; pass texts and labels as two lists: texts, labels = zip(*data)"
            )
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"nbsvm: item {k + 1} of data is {path!r:.40} of type {type(path).__name__}, not a path")
    paths = [os.fspath(path) for path in listed]
    if not paths:
        raise Error("nbsvm: there are no files to read")
    if not any(path == "-" or glob.has_magic(path) or os.path.lexists(path) for path in paths):
        raise FileNotFoundError(
            errno.ENOENT, "nbsvm: no such file; data without labels names files, so pass the labels of texts, too",
            paths[0] if len(paths[0]) <= 80 else paths[0][:80] + "…",
        )  # fmt: skip
    return paths


def not_labels(labels: Any) -> str | None:
    """Explains why something is no labels of texts in their order; None if it may be."""
    if isinstance(labels, (set, frozenset)):
        return f"must be in the order of the texts, which a {type(labels).__name__} has not; pass a list"
    ordered = isinstance(labels, Iterable) and getattr(labels, "ndim", 1) > 0 or hasattr(labels, "toarray")
    if isinstance(labels, (str, bytes, Mapping)) or not ordered:
        return f"must be a list with a label for each text, got {labels!r:.40}"
    return None


def label_kinds(labels: Iterable[tuple[int, Any]]) -> dict[str, tuple[int, Any]]:
    """The types that labels have, by name, and the first label of each. Missing and mixed ones are errors.

    Labels come with the numbers of their texts, from 1.
    """
    kinds: dict[str, tuple[int, Any]] = {}
    seen: set[type] = set()
    for text, label in labels:
        if type(label) not in seen or isinstance(label, float) and label != label:
            if is_missing(label):
                raise Error(f"nbsvm: text {text} has no label, but {label!r}; leave the text out")
            seen.add(type(label))
            kinds.setdefault(_kind(label), (text, label))
    for kind, (text, label) in kinds.items():
        first, (one, other) = next(iter(kinds.items()))
        if kind != first and {kind, first} != {"int", "float"}:
            raise Error(
                f"nbsvm: labels have several types: that of text {one} is {other!r:.40} ({first}), that of text {text} is "
                f"{label!r:.40} ({kind}); make them one type, for instance with str()"
            )
    return kinds


def _kind(label: Any) -> str:
    for kind, types in (
        ("str", str), ("bytes", bytes), ("bool", (bool, np.bool_)), ("int", (int, np.integer)), ("float", (float, np.floating)),
    ):  # fmt: skip
        if isinstance(label, types):
            return kind
    return type(label).__name__


def as_labels(labels: Any) -> list[Any]:
    """Turns labels into a list with an item for each text: of numpy, pandas, polars, Arrow or any other iterable."""
    if problem := not_labels(labels):
        raise TypeError(f"nbsvm: labels {problem}")
    if hasattr(labels, "toarray"):  # of scipy
        labels = labels.toarray()
    elif hasattr(labels, "columns") and hasattr(labels, "to_numpy"):
        columns, labels = list(labels.columns), labels.to_numpy()
        if len(columns) > 1 and not np.isin(labels, (0, 1)).all():
            named = ", ".join(f"{column!r:.40}" for column in columns[:10])
            raise TypeError(f"nbsvm: labels are a table with the columns {named}; pass one of them, such as labels[{columns[-1]!r:.40}]")
    if getattr(labels, "ndim", 1) == 2 and labels.shape[1] == 1:
        labels = labels.reshape(-1)
    for method in ("tolist", "to_pylist", "to_list"):
        if hasattr(labels, method):
            return list(getattr(labels, method)())
    return list(labels)


def as_numbers(labels: Any) -> list[float]:
    """Turns labels into numbers, one for each text. What is no number is an error that names the text."""
    return [_number(x, text) for text, x in enumerate(as_labels(labels), 1)]


def as_ratings(labels: Any) -> list[list[float]]:
    """Turns labels into the numbers of each text, of which several raters may have given one each."""
    ratings = []
    for text, x in enumerate(as_labels(labels), 1):
        raters = [x] if _is_label(x) or isinstance(x, (Mapping, set, frozenset)) else list(x)
        if not raters:
            raise Error(f"nbsvm: text {text} has no number, but {x!r:.40}; leave the text out")
        ratings.append([_number(rating, text) for rating in raters])
    return ratings


def _number(x: Any, text: int) -> float:
    """Returns a number, or raises an error that names the text, counted from 1."""
    if is_missing(x):
        raise Error(f"nbsvm: text {text} has no number, but {x!r}; leave the text out")
    if not isinstance(x, Real):
        remedy = "pass their mean" if isinstance(x, (list, tuple, np.ndarray)) else "convert it with float()"
        raise Error(
            f"nbsvm: text {text} has {x!r:.40} of type {type(x).__name__} in place of a number: {remedy}; "
            "to predict names of classes, use another model"
        )
    try:
        return float(x)
    except OverflowError:
        return math.inf  # which the library refuses


def _is_label(value: Any) -> bool:
    return isinstance(value, (str, bytes)) or not isinstance(value, Iterable)


def label_name(value: Any, text: int) -> str:
    """Returns a label as a str, or raises an error that names the text, counted from 1."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if is_missing(value):
        raise Error(f"nbsvm: text {text} has no label, but {value!r}; leave the text out")
    try:
        return str(operator.index(value))
    except TypeError:
        pass
    hint = ""
    if isinstance(value, (float, np.floating)):
        hint = ": convert labels with int() or str(), or train model nbsvr to predict numbers"
    elif isinstance(value, bytes):
        hint = ": decode it"
    raise TypeError(
        f"nbsvm: the label of text {text} is {value!r:.40} of type {type(value).__name__}; a label must be a str or an int{hint}"
    )


def _refuse_indicators(rows: list[list[Any]]) -> None:
    """Raises an error for rows of an indicator matrix (multi-hot vectors), which are no lists of labels."""
    width = len(rows[0]) if rows else 0
    if width > 1 and all(
        len(row) == width and all(not isinstance(x, (str, bytes)) and x in (0, 1) for x in row) for row in rows
    ):
        raise Error(
            f"nbsvm: the labels are an indicator matrix: a 0 or 1 for each of {width} classes. Pass the names of each text's "
            "labels: [[name for name, is_set in zip(names, row) if is_set] for row in labels]; "
            "nbsvm.sklearn.NBSVMClassifier takes indicator matrices"
        )


def _shares(label: Mapping[Label, float], text: int) -> list[float]:
    """Lists the shares of a text's labels. What is no share is an error that names the text."""
    for share in label.values():
        if not isinstance(share, Real) or not 0 <= share <= 1:
            raise Error(f"nbsvm: text {text} has {label!r:.80}: a dict must have a share from 0 to 1 for each label")
    if not label:
        raise Error(f"nbsvm: text {text} has no label; leave the text out")
    return [float(share) for share in label.values()]


def _named(labels: list[Any]) -> tuple[list[list[str]], bool]:
    """Lists the labels of each text, and tells whether a text may have several."""
    several = any(not _is_label(label) and not isinstance(label, Mapping) for label in labels)
    rows = [[label] if _is_label(label) else list(label) for label in labels]
    if several:
        _refuse_indicators(rows)
    named = [[label_name(label, k + 1) for label in row] for k, row in enumerate(rows)]
    label_kinds((k + 1, label) for k, row in enumerate(rows) for label in row)
    return named, several


def _of_classes(classes: Any, prefix: str) -> dict[str, list[str]]:
    """Lists the files of classes, and the class of each."""
    if not isinstance(classes, Mapping) or not classes:
        raise TypeError(f"nbsvm: classes must be a dict of paths by label, such as {{'good': 'a.jsonl'}}; got {classes!r:.40}")
    paths: list[str] = []
    of: list[str] = []
    for label, files in classes.items():
        if not isinstance(label, (str, int)):
            raise TypeError(f"nbsvm: a key of classes is {label!r:.40} of type {type(label).__name__}; a label must be a str or an int")
        paths += _paths(files)
        of += [str(label).removeprefix(prefix)] * (len(paths) - len(of))
    return {"paths": paths, "classes": of}


def documents(
    data: Any, labels: Any, weights: Any, prefix: str, classes: Any = None, numbers: bool = False
) -> tuple[dict[str, Any], Documents | None]:
    """Builds a request with the input, and the documents in memory unless data or classes name files.

    numbers says that labels are numbers to predict.
    """
    if problem := not_texts(data):
        raise TypeError(f"nbsvm: {problem}")
    if classes is not None:
        if labels is not None or weights is not None:
            raise TypeError("nbsvm: classes are of files, and labels and sample_weight of texts in memory; pass either")
        request = _of_classes(classes, prefix)
        if data is not None:
            labelled = _paths(data)
            request = {"paths": labelled + request["paths"], "classes": [""] * len(labelled) + request["classes"]}
        return {"input": request}, None
    if labels is None:
        if weights is not None:
            raise TypeError("nbsvm: sample_weight is for texts in memory; for files use weight_field")
        return {"input": {"paths": _paths(data)}}, None
    if not hasattr(data, "__arrow_c_array__"):
        data = as_list(data)
    shares = None
    if numbers:
        listed, several, prefix = [[repr(x) for x in ratings] for ratings in as_ratings(labels)], False, ""
    else:
        labels = as_labels(labels)
        listed, several = _named(labels)
        if any(isinstance(label, Mapping) for label in labels):
            shares = [
                _shares(label, k + 1) if isinstance(label, Mapping) else [-1.0] * len(names)  # these hold as they are
                for k, (label, names) in enumerate(zip(labels, listed))
            ]
    if hasattr(data, "__len__") and len(data) != len(listed):
        raise Error(f"nbsvm: there are {len(data)} texts and {len(listed)} labels")
    if weights is not None:
        try:
            weights = np.ascontiguousarray(weights, np.float32)
        except (TypeError, ValueError) as e:
            raise Error(f"nbsvm: sample_weight must have a number for each text: {e}") from e
        if weights.shape != (len(listed),):
            raise Error(
                f"nbsvm: sample_weight must have one number for each of {len(listed)} texts, got shape {weights.shape}"
            )
        if not weights.all():  # a document of weight 0 does not count
            data = as_list(data)
            data = [text for text, weight in zip(data, weights) if weight]
            listed = [label for label, weight in zip(listed, weights) if weight]
            shares = shares and [of for of, weight in zip(shares, weights) if weight]
            weights = weights[weights != 0]
            if not listed:
                raise Error("nbsvm: all of sample_weight is 0, which leaves no texts to train on")
    names: dict[str, int] = {}
    indices: list[int] = []
    ends = [0]
    given: dict[str, str] = {}  # by name in the model
    for label in listed:
        for name in label:
            bare = name.removeprefix(prefix) if prefix else name
            if given.setdefault(bare, name) != name:
                raise Error(
                    f"nbsvm: labels {given[bare]!r:.40} and {name!r:.40} would be one class, as the model stores labels without the "
                    f"prefix {prefix!r}; prefix='' keeps labels as they are"
                )
            indices.append(names.setdefault(bare, len(names)))
        ends.append(len(indices))
    packed = joined(data)
    if packed.count != len(listed):
        raise Error(f"nbsvm: there are {packed.count} texts and {len(listed)} labels")
    held = Held()
    of, until = np.array(indices, np.int32), np.array(ends, np.int64)
    held.texts, held.labels, held.ends = packed.texts, of.ctypes.data, until.ctypes.data
    held.weights = None if weights is None else weights.ctypes.data
    parts = None if shares is None else np.array([share for of_text in shares for share in of_text])
    held.shares = None if parts is None else parts.ctypes.data
    held.held = (packed, of, until, weights, parts)
    return {"input": {"multi_label": several}, "names": list(names)}, held
