"""Fast text classification on a CPU.

>>> import nbsvm
>>> model = nbsvm.load("reviews.nbm")
>>> model.predict("a lovely film, and not a minute too long")
(('__label__good',), array([0.9731]))

``predict`` takes and returns the same as fastText's, so a program only changes its import: ``import nbsvm as fasttext``.
``scores`` returns an array of all scores. ``train`` and ``tune`` make models. ``nbsvm.sklearn`` has an estimator for
scikit-learn, ``nbsvm.tag`` tags the words of sentences.
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
    "train_supervised": "use nbsvm.train(path, …); its models and options differ, see docs/how-to/from-fasttext.md",
    "train_unsupervised": "nbsvm has no word vectors; use fastText for them",
    "supervised": "use nbsvm.train(path, …)",
    "NBSVMClassifier": "import it from nbsvm.sklearn",
}


def __getattr__(name: str) -> Any:
    hint = f": {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
    raise AttributeError(f"module 'nbsvm' has no attribute {name!r}{hint}")
