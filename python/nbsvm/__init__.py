"""Fast text classification on a CPU.

>>> import nbsvm
>>> model = nbsvm.load("reviews.nbm")
>>> model.predict("a lovely film, and not a minute too long")
(('__label__good',), array([0.9731]))

``scores`` returns an array of all scores. ``train`` and ``tune`` make models. ``nbsvm.sklearn`` has estimators for
scikit-learn, ``nbsvm.tag`` tags the words of sentences. The package nbsvm-fasttext has a module ``fasttext`` for
programs that use fastText's.
"""

from typing import Any

from ._model import Evaluation, Model, load
from ._native import Error, __version__
from ._training import Outcome, train, tune

__all__ = [
    "Error", "Evaluation", "Model", "Outcome", "__version__", "load", "train", "tune",
]  # fmt: skip

_ELSEWHERE = {
    **dict.fromkeys(
        ("load_model", "tokenize", "train_supervised", "train_unsupervised", "FastText"),
        "install nbsvm-fasttext and import fasttext; or use nbsvm.load and nbsvm.train",
    ),
    **dict.fromkeys(("NBSVMClassifier", "NBSVMRegressor"), "import it from nbsvm.sklearn"),
}


def __getattr__(name: str) -> Any:
    hint = f": {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
    raise AttributeError(f"module 'nbsvm' has no attribute {name!r}{hint}")
