"""Estimators for scikit-learn."""

from __future__ import annotations

import numbers
import os
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ._documents import as_numbers, label_kinds, not_labels
from ._model import Model
from ._native import keywords
from ._texts import as_list, not_texts
from ._training import doubts, of_numbers, train, without_effect

__all__ = ["NBSVMClassifier", "NBSVMRegressor"]


class _Estimator(BaseEstimator):  # type: ignore[misc]
    """What estimators of texts have in common: X is a list of str, and parameters are options of training."""

    def _keep(self, parameters: dict[str, Any]) -> None:
        """Keeps the parameters of __init__, which are its locals(), where scikit-learn looks for them."""
        vars(self).update({name: value for name, value in parameters.items() if name not in ("self", "__class__")})

    def _options(self, **changes: Any) -> dict[str, Any]:
        """Returns the options of training, without those that have no effect, which it warns of."""
        options = {**self.get_params(), **changes}
        options["seed"] = _seed(options.pop("random_state"))
        options["threads"] = _threads(options.pop("n_jobs"))
        if of_numbers(options) != isinstance(self, RegressorMixin):
            if isinstance(self, RegressorMixin):
                raise ValueError(f"model must be nbsvr, svr, ridge or ordinal, for numbers; got {self.model!r}")
            raise ValueError(f"model {self.model!r} predicts numbers: use NBSVMRegressor, or another model")
        weighs = options.get("class_weight") is not None  # by labels that are not yet those of the model
        ignored = without_effect({**options, "class_weight": "balanced" if weighs else None})
        if ignored:
            have = "has" if len(ignored) == 1 else "have"
            warnings.warn(f"{' and '.join(ignored)} {have} no effect on this kind of model", UserWarning, stacklevel=3)
            options.update(dict.fromkeys(ignored))
        return options

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": ["string"], "requires_y": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.target_tags.required = True
        return tags


class NBSVMClassifier(ClassifierMixin, _Estimator):
    """A classifier of texts. X is a list of str; there is no vectorizer, since the model extracts its own n-grams.

    Parameters have the names of ``nbsvm.train``'s options; None means the preset's value. ``n_jobs`` is the number of
    threads, None or -1 for all processors; results are the same for any number. ``calibrate`` is True by default,
    because ``predict_proba`` needs probabilities; without it, and with a loss that has none, there is only
    ``decision_function``. A parameter that has no effect on the model is ignored with a warning. y may also be an
    indicator matrix, for any number of labels a text.

    Attributes: ``classes_``, and ``model_``, the ``nbsvm.Model``.
    """

    def __init__(
        self, preset: str | None = None, *, model: str | None = None, ngrams: Any = None,
        lowercase: bool | None = None, punctuation: bool | None = None, strip_html: bool | None = None,
        bits: int | None = None, min_df: int | None = None,
        max_df: float | None = None, values: str | None = None,
        prenormalize: bool | None = None, normalize: bool | None = None, loss: str | None = None,
        C: float | None = None, alpha: float | None = None, alpha_by_size: bool | None = None, beta: Any = None,
        bias: float | None = None,
        class_weight: Any = None, calibrate: bool = True,
        max_model: Any = None, tree: str | None = None, tol: float | None = None,
        max_epochs: int | None = None,
        hold_out: float | None = None,
        rounds: int | None = None, depth: int | None = None, rate: float | None = None,
        neighbours: int | None = None,
        random_state: int | None = None, names: int | None = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self._keep(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NBSVMClassifier:
        """Trains on texts and their labels."""
        texts = _texts(X)
        y = _targets(y)
        _check_lengths(texts, y, "labels")
        options = self._options(calibrate=None if self._has_them_anyway() else self.calibrate)
        self.multilabel_ = y.ndim == 2
        labels: Any
        if self.multilabel_:
            self.classes_ = np.arange(y.shape[1])
            labels = [[_name(k) for k in np.flatnonzero(row)] for row in y]
        else:
            self.classes_, numbers, counts = np.unique(y, return_inverse=True, return_counts=True)
            if len(self.classes_) < 2:
                raise ValueError(f"There is only one class, {self.classes_[0]!r}; training needs two")
            labels = [_name(k) for k in numbers]
            named = {label: n for label, n in zip(self.classes_.tolist(), counts.tolist()) if isinstance(label, str)}
            for doubt in doubts(named):
                warnings.warn(f"y {keywords(doubt)}", UserWarning, stacklevel=2)
        if isinstance(self.class_weight, dict) and options["class_weight"] is not None:
            unknown = [label for label in self.class_weight if label not in self.classes_.tolist()]
            if unknown:
                warnings.warn(f"class_weight has {unknown[0]!r}, but no text has this label", UserWarning, stacklevel=2)
            options["class_weight"] = {_name(k): self.class_weight.get(c, 1) for k, c in enumerate(self.classes_)}
        self.model_: Model = train(
            texts, labels, sample_weight=sample_weight, prefix="", allow_many_classes=True, **options
        )
        # The model numbers its classes in the order of their names; it does not know classes without a document.
        self._columns = np.array([int(name) for name in self.model_.labels])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Returns the class of each text, or an indicator matrix."""
        check_is_fitted(self)
        decided = self.model_._scores(_texts(X), _threads(self.n_jobs), True)[1]
        if not self.multilabel_:
            return self.classes_[self._columns[decided.argmax(axis=1)]]
        return self._spread(decided.astype(np.int64))

    def _has_probabilities(self) -> bool:
        return self.calibrate or self._has_them_anyway()

    def _has_them_anyway(self) -> bool:
        return self.model in ("mnb", "bnb", "cnb", "gbdt", "knn", "logistic") or self.loss == "logistic" or self.preset == "tfidf"

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Returns the probability of each class, a row for each text."""
        check_is_fitted(self)
        return self._spread(self.model_.scores(_texts(X), _threads(self.n_jobs)))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Returns the logarithm of the probability of each class, a row for each text."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """Returns the scores of the classes; with two classes that of the second, positive if it is predicted.

        Scores are margins, or the log-odds of probabilities if the model has them.
        """
        check_is_fitted(self)
        scores = self.model_.scores(_texts(X), _threads(self.n_jobs))
        if self.model_.probabilities:
            tiny, others = np.finfo(scores.dtype).tiny, 1 - scores
            if not self.multilabel_ and len(scores):
                # Sum up the others where 1 - p rounds to 0: probabilities near 1 stay apart.
                rows, best = np.arange(len(scores)), scores.argmax(axis=1)
                without = scores.copy()
                without[rows, best] = 0
                others[rows, best] = without.sum(axis=1)
            scores = np.log(np.maximum(scores, tiny)) - np.log(np.maximum(others, tiny))
        if not self.multilabel_ and len(self.classes_) == 2:
            return scores[:, 1]
        return self._spread(scores)

    def _spread(self, columns: np.ndarray) -> np.ndarray:
        """Maps the columns of the model's classes to those of classes_."""
        spread = np.zeros((len(columns), len(self.classes_)), columns.dtype)
        spread[:, self._columns] = columns
        return spread

    def _more_tags(self) -> dict[str, Any]:
        return {"multilabel": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class NBSVMRegressor(RegressorMixin, _Estimator):
    """Predicts a number for each text, such as a score from 0 to 5. X is a list of str, y has their numbers.

    Parameters are those of ``NBSVMClassifier``, without those that are about classes, and ``epsilon``, ``clip`` and
    ``range`` of ``nbsvm.train``'s options. ``model`` is nbsvr, svr, ridge or ordinal. A parameter that has no effect on the model is
    ignored with a warning.

    Attribute: ``model_``, the ``nbsvm.Model``.
    """

    def __init__(
        self, preset: str | None = None, *, model: str = "nbsvr", ngrams: Any = None,
        lowercase: bool | None = None, punctuation: bool | None = None, strip_html: bool | None = None,
        bits: int | None = None, min_df: int | None = None,
        max_df: float | None = None, values: str | None = None,
        prenormalize: bool | None = None, normalize: bool | None = None, loss: str | None = None,
        epsilon: float | None = None, clip: bool | None = None, range: tuple[float, float] | None = None,
        C: float | None = None, alpha: float | None = None, alpha_by_size: bool | None = None,
        bias: float | None = None,
        max_model: Any = None, tol: float | None = None, max_epochs: int | None = None,
        random_state: int | None = None, names: int | None = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self._keep(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NBSVMRegressor:
        """Trains on texts and their numbers."""
        texts = _texts(X)
        numbers = _numbers(y)
        _check_lengths(texts, numbers, "numbers")
        if min(numbers) == max(numbers):
            samples = "1 sample" if len(numbers) == 1 else f"{len(numbers)} samples"
            raise ValueError(
                f"y is {numbers[0]:g} throughout ({samples}): there is nothing to learn; add texts with other numbers"
            )
        self.model_: Model = train(texts, numbers, sample_weight=sample_weight, **self._options())
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Returns the number of each text."""
        check_is_fitted(self)
        return self.model_.scores(_texts(X), _threads(self.n_jobs))[:, 0]


def _name(k: int) -> str:
    """The name of a class in the model: names sort like numbers."""
    return f"{k:06d}"


def _texts(X: Any) -> Any:
    if isinstance(X, (str, bytes)):
        raise ValueError("X is one text; pass a list of texts")
    if hasattr(X, "__arrow_c_array__") or isinstance(X, list):
        return X
    if problem := not_texts(X):
        raise ValueError(f"X: {problem}")
    if getattr(X, "ndim", 1) != 1:
        raise ValueError(f"X has {X.ndim} dimensions; pass a list of texts or a single column, such as X['text']")
    return as_list(X)


def _check_lengths(texts: Any, y: Any, what: str) -> None:
    if not len(texts):
        raise ValueError("There are no texts to train on")
    if len(y) != len(texts):
        raise ValueError(f"There are {len(texts)} texts and {len(y)} {what}")


def _given(y: Any, estimator: str) -> None:
    if y is None:
        raise ValueError(f"{estimator} requires y to be passed, but the target y is None")
    if problem := not_labels(y):
        raise ValueError(f"y {problem}")


def _numbers(y: Any) -> list[float]:
    """Targets of a regression."""
    _given(y, "NBSVMRegressor")
    if getattr(y, "ndim", 1) == 2:
        if y.shape[1] != 1:
            raise ValueError(f"y has {y.shape[1]} columns; pass one of them: a model predicts one number for each text")
        y = column_or_1d(y, warn=True)
    return as_numbers(y)


def _targets(y: Any) -> np.ndarray:
    """Labels as an array: one dimension, or an indicator matrix."""
    _given(y, "NBSVMClassifier")
    if hasattr(y, "toarray"):  # of scipy
        y = y.toarray()
    if not hasattr(y, "__array__"):
        y = list(y)
        if any(isinstance(label, (list, tuple, set, frozenset, np.ndarray)) for label in y):
            sizes = {len(label) for label in y if isinstance(label, (list, tuple, np.ndarray))}
            if len(sizes) != 1 or not all(isinstance(label, (list, tuple, np.ndarray)) for label in y):
                raise ValueError(f"y has lists of different lengths, or sets; {_BINARIZE}")
        else:
            label_kinds(enumerate(y, 1))  # before they become one type without a word
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=True)
    if y.ndim == 2 and (y.dtype.kind in "SU" or not np.isin(y, (0, 1)).all()):
        raise ValueError(f"y has two dimensions, so it must be an indicator matrix of 0 and 1; {_BINARIZE}")
    if y.ndim not in (1, 2):
        raise ValueError(f"y must have 1 dimension, or 2 for several labels a text; it has {y.ndim}")
    if y.ndim == 2:
        return y
    if y.dtype == object:  # also of pandas' own types
        kinds = label_kinds(enumerate(y, 1))
        for kind, (text, label) in kinds.items():
            if kind not in ("str", "bytes", "bool", "int", "float"):
                raise ValueError(f"the label of text {text} is {label!r:.40} of type {kind}; a label must be a str, a number or a bool")
        if not {"str", "bytes"} & set(kinds):
            y = np.array(y.tolist())
    missing = np.isnat(y) if y.dtype.kind in "mM" else y != y
    if missing.any():
        raise ValueError(f"text {missing.argmax() + 1} has no label, but {y[missing.argmax()]}; leave the text out")
    if y.dtype.kind == "f" and not (np.isfinite(y) & (y == np.floor(y))).all():
        raise ValueError(
            "Unknown label type: continuous. Labels are names of classes: convert them, for instance with str(); "
            "NBSVMRegressor predicts numbers"
        )
    return y


_BINARIZE = "for several labels a text, make one with MultiLabelBinarizer"


def _threads(n_jobs: int | None) -> int:
    """The number of threads by joblib's rules: -1 is all processors, -2 all but one."""
    if n_jobs is None:
        return 0
    if not isinstance(n_jobs, numbers.Integral):
        raise TypeError(f"n_jobs must be a whole number of threads, or -1 for all processors; got {n_jobs!r}")
    if n_jobs == 0:
        raise ValueError("n_jobs must be a number of threads, or -1 for all processors; got 0")
    return n_jobs if n_jobs > 0 else max((os.cpu_count() or 1) + 1 + n_jobs, 1)


def _seed(random_state: Any) -> int | None:
    """None means the preset's seed: training is deterministic unless a generator is given."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return random_state
