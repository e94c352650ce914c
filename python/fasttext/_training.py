"""Training with fastText's parameters."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import nbsvm
from nbsvm import _native
from nbsvm._documents import PREFIX

# The parameters in fastText's order, with its defaults, which stand for those of nbsvm.
_DEFAULTS: dict[str, Any] = {
    "input": None, "lr": 0.1, "dim": 100, "ws": 5, "epoch": 5, "minCount": 1, "minCountLabel": 0, "minn": 0, "maxn": 0,
    "neg": 5, "wordNgrams": 1, "loss": "softmax", "bucket": 2_000_000, "thread": None, "lrUpdateRate": 100, "t": 1e-4,
    "label": PREFIX, "verbose": 2, "pretrainedVectors": "", "seed": 0, "autotuneValidationFile": "",
    "autotuneMetric": "f1", "autotunePredictions": 1, "autotuneDuration": 300, "autotuneModelSize": "",
}  # fmt: skip

_ALIASES = {
    "min_count": "minCount", "word_ngrams": "wordNgrams", "lr_update_rate": "lrUpdateRate", "label_prefix": "label",
    "pretrained_vectors": "pretrainedVectors",
}  # fmt: skip

# Parameters of fastText's own way of training.
_WITHOUT_EFFECT = ("lr", "dim", "ws", "epoch", "neg", "bucket", "lrUpdateRate")

_REFUSED = {
    "label": f"labels begin with {PREFIX}; replace the prefix in the file",
    "pretrainedVectors": "models of nbsvm have no vectors; train with fastText to start from some",
    "autotuneValidationFile": "use nbsvm.tune(path, …), or the command nbsvm tune --valid FILE",
}
_LOSSES = ("softmax", "hs", "ns", "ova", "one-vs-all")


def train(args: Sequence[Any], kwargs: dict[str, Any]) -> nbsvm.Model:
    """Trains a model with the options that stand for fastText's parameters."""
    given = _given(args, kwargs)
    for name, reason in _REFUSED.items():
        if name in given:
            raise NotImplementedError(f"fasttext: train_supervised can't take {name}={given[name]!r}: {reason}")
    if given.get("minCountLabel", 0) > 1:
        raise NotImplementedError(
            "fasttext: train_supervised can't take minCountLabel: remove lines of rare labels from the file beforehand"
        )
    loss = given.get("loss", "softmax")
    if loss not in _LOSSES:
        raise ValueError(f"fasttext: loss must be one of {', '.join(_LOSSES)}, got {loss!r}")
    ignored = [f"{name}={given[name]!r}" for name in _WITHOUT_EFFECT if name in given]
    if ignored:
        _native.warn(f"{', '.join(ignored)}: without effect, because nbsvm trains linear models until they converge")
    if "input" not in given:
        raise TypeError("fasttext: train_supervised needs input, the path of a file of __label__x text")
    return nbsvm.train(os.fsdecode(given["input"]), format="fasttext", calibrate=True, **_options(given, loss))


def _given(args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Returns the parameters that have another value than fastText's default."""
    given: dict[str, Any] = {}
    for name, value in [*zip(_DEFAULTS, args), *kwargs.items()]:
        name = _ALIASES.get(name, name)
        if name not in _DEFAULTS:
            raise TypeError(f"fasttext: train_supervised has no parameter {name!r}; it has {', '.join(_DEFAULTS)}")
        if name in given:
            raise TypeError(f"fasttext: train_supervised got {name!r} twice")
        given[name] = value
    return {name: value for name, value in given.items() if value is not None and value != _DEFAULTS[name]}


def _options(given: dict[str, Any], loss: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    words, least, most = given.get("wordNgrams"), given.get("minn", 0), given.get("maxn", 0)
    if words or most:
        options["ngrams"] = "word" + (f":1-{words}" if words else "")
        if most >= max(least, 1):
            options["ngrams"] += f",char-wb:{max(least, 1)}-{most}"
    if loss in ("ova", "one-vs-all"):
        options["label_sep"] = ","  # says that lines have any number of labels
    for theirs, ours in (("minCount", "min_df"), ("thread", "threads"), ("seed", "seed")):
        if theirs in given:
            options[ours] = given[theirs]
    return options
