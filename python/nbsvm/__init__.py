"""Text classifiers that are trained and run at the speed of the CPU.

>>> import nbsvm
>>> model = nbsvm.load("reviews.nbm")
>>> model.predict("a lovely film, and not a minute too long")
(('__label__good',), array([0.9731]))

``predict`` takes and returns what fastText's does, so that a program changes its import and nothing else:
``import nbsvm as fasttext``. ``scores`` gives an array of all scores, ``train`` and ``tune`` make models, and
``nbsvm.sklearn`` has an estimator for scikit-learn.
"""

from ._model import Evaluation, Model, load, load_model
from ._native import Error, __version__
from ._training import Outcome, train, tune

__all__ = ["Error", "Evaluation", "Model", "Outcome", "__version__", "load", "load_model", "train", "tune"]
