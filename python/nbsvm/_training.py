"""Training models, and searching for the options with which they are best."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from . import _native
from ._documents import Labels, documents, request_input
from ._fasttext import PREFIX
from ._model import Model

if TYPE_CHECKING:
    from typing_extensions import Unpack

Progress = Callable[[str], None]


class Options(TypedDict, total=False):
    """Options of training, called as the flags of ``nbsvm train``. What is not given keeps the preset's value."""

    preset: str  #: default, sentiment, language, paper or tfidf
    tokenizer: Literal["word", "char", "char-wb", "space"]
    ngrams: Union[tuple[int, int], str]  #: orders, (1, 2) or "1-2", or "auto"
    features: str  #: several kinds of n-grams, such as "word:1-2,char-wb:2-5"
    lowercase: bool
    punctuation: bool
    strip_html: bool
    bits: int
    min_df: int
    max_df: float
    values: Literal["binary", "count", "tfidf"]
    sublinear_tf: bool
    prenormalize: bool
    normalize: bool
    model: Literal["nbsvm", "svm", "logistic", "mnb", "bnb", "cnb", "perceptron", "pa", "rocchio", "gbdt", "knn"]
    loss: Literal["hinge", "squared-hinge", "logistic"]
    C: float
    alpha: float
    beta: Union[float, Literal["auto"]]
    bias: float
    class_weight: Union[Literal["balanced"], Mapping[str, float]]
    calibrate: bool  #: fit probabilities, on documents that are held out
    tol: float
    max_epochs: int
    gamma: float  #: of rocchio: weight of the mean of other classes
    normalize_weights: bool  #: of cnb: divide the weights of a class by the sum of their magnitudes
    neighbours: int  #: of knn: how many documents vote
    similarity: Literal["cosine", "bm25"]  #: of knn
    votes: Literal["count", "similarity"]  #: of knn: what the vote of a document counts
    hold_out: float  #: of perceptron, pa and gbdt: share of documents on which the number of epochs or rounds is chosen
    rounds: int  #: of gbdt: trees of every class
    depth: int  #: of gbdt: splits between the root of a tree and a leaf, at most
    rate: float  #: of gbdt: learning rate
    reg_lambda: float  #: of gbdt: L2 regularisation of leaves' values, ``--lambda``
    min_gain: float  #: of gbdt: what a split gains at least
    min_child_weight: float  #: of gbdt: least sum of second derivatives on either side of a split
    subsample: float  #: of gbdt: share of the documents that each tree is trained on
    colsample: float  #: of gbdt: share of the features that each tree may split on
    bins: int  #: of gbdt: values of a feature that are told apart, at most
    patience: int  #: of gbdt: rounds that don't lower the loss on held-out documents, until training stops
    hierarchy: str  #: labels are paths of a tree, whose parts this separates
    hierarchy_method: Literal["sum", "top-down"]
    hierarchy_beam: int  #: find paths from so many nodes of each depth; 0 for all
    hierarchy_stop: float  #: predict an inner node where no child has this share of its probability
    seed: int
    keep_ratio: bool
    names: int  #: n-grams to name in the model, for ``explain``
    memory: int  #: bytes to take, about; 0 for as many as it does
    threads: int  #: 0 for all processors


class Reading(TypedDict, total=False):
    """How files are read, as by the flags of ``nbsvm train``."""

    format: str  #: of files; of texts in memory "svmlight", for ready-made features, or "vw"
    text_field: str
    label_field: str
    weight_field: str
    label_sep: str  #: documents have any number of labels, joined by it
    allow_many_classes: bool
    skip_bad: bool  #: leave bad records out


class _Arguments(Options, Reading, total=False):  # type: ignore[misc]
    pass


_OPTIONS = frozenset(Options.__annotations__)


def _split(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of training, and how files are read. None stands for what is not given."""
    options = {name: value for name, value in arguments.items() if name in _OPTIONS and value is not None}
    reading = {name: value for name, value in arguments.items() if name not in _OPTIONS}
    if "class_weight" in options and not isinstance(options["class_weight"], str):
        options["class_weight"] = dict(options["class_weight"])
    return options, request_input(reading)


def without_effect(arguments: Mapping[str, Any]) -> list[str]:
    """Those of options that have no effect on the kind of model that they ask for."""
    data = _native.to_json(_split(arguments)[0])
    return json.loads(_native.reply("nbsvm_ignored", data, len(data)))


def train(
    data: Any,
    labels: Labels | None = None,
    *,
    sample_weight: Any = None,
    progress: Progress | None = None,
    prefix: str = PREFIX,
    **arguments: Unpack[_Arguments],
) -> Model:
    """Trains a model on files, or on texts in memory.

    ``data`` is a path, or several, of files in any format that ``nbsvm train`` reads; or a list of texts (or an Arrow
    array) with ``labels``: one of each, or a list of any number of each. Keywords are called as the flags of
    ``nbsvm train``: ``train("reviews.tsv", preset="sentiment", C=2)``. One that has no effect on the kind of model is
    an error, as ``alpha`` with ``model="svm"``. ``progress`` is called with a line of text now
    and then. ``Model.made`` tells how training went. Ctrl-C ends it.

    Labels are named without ``prefix`` in the model, and with it by ``predict``, as by fastText.
    """
    options, reading = _split(arguments)
    request, held = documents(data, labels, sample_weight, prefix)
    request.update({"do": "train", "options": options})
    request["input"].update(reading)
    return Model(_native.run(request, held, progress)[0], prefix)


@dataclass(frozen=True)
class Outcome:
    """What a search has found."""

    model: Model  #: trained with the chosen options, on all documents
    options: dict[str, Any]  #: the chosen ones, as the model records them
    flags: list[str]  #: of ``nbsvm train``, that make the same model
    metric: str  #: by which settings were compared
    score: float  #: of the chosen setting, its mean over the folds
    standard_error: float
    why: str  #: it was chosen
    trials: list[dict[str, Any]]  #: all that were tried, those on all folds first, the best first


def tune(
    data: Any,
    labels: Labels | None = None,
    *,
    time: float | None = None,
    trials: int | None = None,
    metric: str = "",
    folds: int = 5,
    max_model: int = 0,
    min_speed: float = 0,
    log: str = "",
    models: Sequence[str] | None = None,
    sample_weight: Any = None,
    progress: Progress | None = None,
    prefix: str = PREFIX,
    **arguments: Unpack[_Arguments],
) -> Outcome:
    """Searches for the options with which models cross-validate best, and trains with them.

    ``time`` is a limit in seconds (300 unless there is one of ``trials``), ``trials`` one of settings. ``max_model``
    leaves out larger models, in bytes, and ``min_speed`` slower ones, in bytes of text a second on one thread. ``log``
    is a file from which an interrupted search goes on. ``models`` are kinds of model to search among, as for ``model``;
    None for those that are usually best, or for the one that ``model`` names if no solver trains it. Documents and other keywords are those of ``train``.
    """
    options, reading = _split(arguments)
    request, held = documents(data, labels, sample_weight, prefix)
    if time is None:
        time = 300.0 if trials is None else 0.0
    search = {
        "seconds": time, "trials": trials or 0, "metric": metric.replace("-", "_"), "folds": folds,
        "max_model": max_model, "min_speed": min_speed, "log": log,
        "models": None if models is None else list(models),
    }  # fmt: skip
    request.update({"do": "tune", "options": options, "tune": search})
    request["input"].update(reading)
    handle, result = _native.run(request, held, progress)
    found, chosen = result["search"], result["search"]["chosen"]
    return Outcome(
        Model(handle, prefix), result["report"]["options"], chosen["flags"], found["metric"], chosen["mean"],
        chosen["standard_error"], found["why"], found["trials"],
    )  # fmt: skip
