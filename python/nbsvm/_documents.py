"""Labelled documents in the form of the library: names of files, or texts in memory with their labels."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from typing import Any, Union

import numpy as np

from ._native import Documents, Error
from ._texts import joined

#: One label for each text, or a list of any number of them.
Labels = Union[Sequence[str], Sequence[Iterable[str]], np.ndarray]

_READING = ("format", "text_field", "label_field", "weight_field", "label_sep", "allow_many_classes", "skip_bad")


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


def documents(data: Any, labels: Any, weights: Any, prefix: str) -> tuple[dict[str, Any], Documents | None]:
    """Builds a request with the input, and the documents in memory unless data names files."""
    if labels is None:
        if weights is not None:
            raise TypeError("nbsvm: sample_weight is for texts in memory; for files use weight_field")
        if isinstance(data, (str, os.PathLike)):
            data = [data]
        paths = [os.fspath(path) for path in data]
        if not paths:
            raise Error("nbsvm: there are no files to read")
        return {"input": {"paths": paths}}, None
    listed = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if hasattr(data, "__len__") and len(data) != len(listed):
        raise Error(f"nbsvm: there are {len(data)} texts and {len(listed)} labels")
    if weights is not None:
        weights = np.ascontiguousarray(weights, np.float32)
        if weights.shape != (len(listed),):
            raise Error(
                f"nbsvm: sample_weight must have one number for each of {len(listed)} texts, got shape {weights.shape}"
            )
        if not weights.all():  # a document of weight 0 does not count
            data = data if isinstance(data, list) else list(data)
            data = [text for text, weight in zip(data, weights) if weight]
            listed = [label for label, weight in zip(listed, weights) if weight]
            weights = weights[weights != 0]
    several = any(not isinstance(label, str) for label in listed)
    names: dict[str, int] = {}
    numbers: list[int] = []
    ends = [0]
    for label in listed:
        for name in label if several and not isinstance(label, str) else (label,):
            if not isinstance(name, str):
                raise TypeError(f"nbsvm: a label must be a str, got {type(name).__name__}")
            numbers.append(names.setdefault(name.removeprefix(prefix) if prefix else name, len(names)))
        ends.append(len(numbers))
    packed = joined(data)
    if packed.count != len(listed):
        raise Error(f"nbsvm: there are {packed.count} texts and {len(listed)} labels")
    held = Held()
    of, until = np.array(numbers, np.int32), np.array(ends, np.int64)
    held.texts, held.labels, held.ends = packed.texts, of.ctypes.data, until.ctypes.data
    held.weights = None if weights is None else weights.ctypes.data
    held.held = (packed, of, until, weights)
    return {"input": {"multi_label": several}, "names": list(names)}, held
