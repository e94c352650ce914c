"""Text classifiers that are trained and run at the speed of the CPU.

>>> import nbsvm
>>> model = nbsvm.load("reviews.nbm")
>>> model.predict("a lovely film, and not a minute too long")
(('__label__good',), array([0.9731]))

``predict`` takes and returns what fastText's does, so that a program changes its import and nothing else:
``import nbsvm as fasttext``. ``scores`` gives an array of all scores, ``train`` and ``tune`` make models, and
``nbsvm.sklearn`` has an estimator for scikit-learn.
"""

from typing import Any

from . import FastText
from ._model import Evaluation, Model, load, load_model
from ._native import Error, __version__
from ._training import Outcome, train, tune
from .FastText import tokenize

__all__ = [
    "Error", "Evaluation", "FastText", "Model", "Outcome", "__version__", "load", "load_model", "tokenize", "train", "tune",
]  # fmt: skip

_ELSEWHERE = {
    "train_supervised": "nbsvm.train(path, …) trains other models, with other options: see docs/how-to/from-fasttext.md",
    "train_unsupervised": "there are no word vectors; keep fastText for them",
    "supervised": "nbsvm.train(path, …) trains models",
    "NBSVMClassifier": "it is in nbsvm.sklearn",
}


def __getattr__(name: str) -> Any:
    hint = f": {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
    raise AttributeError(f"module 'nbsvm' has no attribute {name!r}{hint}")
