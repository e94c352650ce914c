"""Training models, and searching for the best options."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from ctypes import byref, c_int32
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from . import _native
from ._documents import PREFIX, Classes, Label, Labels, documents, request_input
from ._model import Model

if TYPE_CHECKING:
    from typing_extensions import Unpack

Progress = Callable[[str], None]


class Options(TypedDict, total=False):
    """Options of training. They have the names of ``nbsvm train``'s options; omitted ones keep the preset's value."""

    preset: str  #: default, sentiment, language, paper or tfidf
    #: a range of orders, (1, 2) or "1-2"; with tokens, "char:1-5", or several, "word:1-2,char-wb:2-5"; or "auto"
    ngrams: Union[tuple[int, int], str]
    lowercase: bool
    punctuation: bool
    strip_html: bool
    bits: int
    min_df: int
    max_df: float
    values: Literal["binary", "count", "log-count", "tfidf", "log-tfidf"]
    prenormalize: bool
    normalize: bool
    #: nbsvr, svr, ridge and ordinal predict numbers, the others classes
    model: Literal[
        "nbsvm", "svm", "logistic", "mnb", "bnb", "cnb", "perceptron", "pa", "rocchio", "gbdt", "knn",
        "nbsvr", "svr", "ridge", "ordinal",
    ]  # fmt: skip
    loss: Literal["hinge", "squared-hinge", "logistic", "epsilon-insensitive", "squared-epsilon-insensitive"]
    epsilon: float  #: for nbsvr and svr: how far a prediction may be from a number without loss
    clip: bool  #: for nbsvr, svr and ridge: keep predictions in the range of the numbers
    #: for nbsvr, svr, ridge and ordinal: the least and the largest number that there can be, (0, 5) or "0,5"
    range: Union[tuple[float, float], str]
    C: float
    alpha: float
    alpha_by_size: bool
    beta: Union[float, Literal["auto"]]
    bias: float
    class_weight: Union[Literal["balanced"], Mapping[Label, float]]
    calibrate: bool  #: fit probabilities on held-out documents
    max_model: Union[int, str]  #: largest size of the file, such as "100KB": what matters most is kept
    tree: Literal["auto", "always", "never"]  #: grow a tree over the classes, and train each node against its siblings
    tol: float
    max_epochs: int
    neighbours: int  #: for knn: number of documents that vote
    hold_out: float  #: for perceptron, pa and gbdt: share of documents that chooses the number of epochs or rounds
    rounds: int  #: for gbdt: number of trees for each class
    depth: int  #: for gbdt: maximum depth of a tree
    rate: float  #: for gbdt: learning rate
    hierarchy: str  #: labels are paths in a tree; this separates their parts
    seed: int
    names: int  #: number of n-grams to name in the model, for ``explain``
    memory: int | str  #: approximate memory limit, in bytes or as text such as "8GiB"; 0 for no limit
    threads: int  #: 0 for all processors


class Reading(TypedDict, total=False):
    """How files are read. The names are those of ``nbsvm train``'s options."""

    format: str  #: of files; for texts in memory "svmlight" (ready-made features)
    text_field: str
    label_field: str
    target: str  #: field of a number to predict in place of a label; the model is nbsvr unless ``model`` names another
    weight_field: str
    label_sep: str  #: documents have any number of labels, joined by this
    allow_many_classes: bool
    skip_bad: bool  #: skip bad records


class _Arguments(Options, Reading, total=False):  # type: ignore[misc]
    pass


_OPTIONS = frozenset(Options.__annotations__)
_native.known_keywords |= {*_OPTIONS, *Reading.__annotations__, "time", "trials", "metric", "folds", "min_speed"}


def _split(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separates options of training from how files are read. None means not given."""
    options = {name: value for name, value in arguments.items() if name in _OPTIONS and value is not None}
    reading = {name: value for name, value in arguments.items() if name not in _OPTIONS}
    if "class_weight" in options and not isinstance(options["class_weight"], str):
        weights = options["class_weight"]
        if not isinstance(weights, Mapping):
            raise TypeError(f"nbsvm: class_weight must be 'balanced' or a weight for each label, got {weights!r:.40}")
        options["class_weight"] = {str(label): weight for label, weight in weights.items()}
    return options, request_input(reading, _OPTIONS)


def without_effect(arguments: Mapping[str, Any]) -> list[str]:
    """Lists the options that have no effect on the requested kind of model."""
    data = _native.to_json(_split(arguments)[0])
    return json.loads(_native.reply("nbsvm_ignored", data, len(data)))


def of_numbers(options: Mapping[str, Any]) -> bool:
    """Tells whether the requested kind of model predicts numbers."""
    data, found = _native.to_json(_split(options)[0]), c_int32()
    _native.check(_native.lib.nbsvm_numbers(data, len(data), byref(found)))
    return bool(found.value)


def doubts(labels: Mapping[str, int]) -> list[str]:
    """Says what is doubtful about labels, given how many texts have each."""
    data = _native.to_json(labels)
    return json.loads(_native.reply("nbsvm_doubts", data, len(data)))


def train(
    data: Any = None,
    labels: Labels | None = None,
    *,
    classes: Classes | None = None,
    sample_weight: Any = None,
    from_model: Model | None = None,
    progress: Progress | None = None,
    prefix: str = PREFIX,
    **arguments: Unpack[_Arguments],
) -> Model:
    """Trains a model on files or on texts in memory.

    ``data`` is a path or several paths, in any format that ``nbsvm train`` reads; or a list of texts (or an Arrow
    array) with ``labels``: one label for each text, or a list of labels for each, or a dict such as
    ``{"good": 0.7, "bad": 0.3}``: one label holds, and these are the shares of the raters that gave each, or
    probabilities; such a text is trained on as one of each label, weighted by its share. A label is a str or an int, which
    becomes a str; labels may be an array of numpy or a column of pandas. ``target="score"`` trains on numbers in that
    field of files in place of labels, and ``train(texts, numbers, model="nbsvr")`` on numbers in memory, of which
    the mean counts if a text has a list of several raters'. ``classes``
    has files whose documents all have the label, whatever their records say, beside ``data`` or in its place:
    ``train(classes={"good": "good/1.jsonl.zst", "bad": ["crawl-1.txt", "crawl-2.txt"]})``. Keywords have the names of ``nbsvm train``'s
    options: ``train("reviews.tsv", preset="sentiment", C=2)``. An option that has no effect on the
    kind of model is an error, such as ``alpha`` with ``model="svm"``. ``progress`` is called with a line of text now
    and then. ``Model.made`` describes the training. Ctrl-C stops it.

    ``from_model`` is a model to update, without the documents that it was trained on: they are taken into account
    by their number. New n-grams and labels are added. Options that are not given are those of the model. ``from_model``
    itself stays as it is.

    The model stores labels without ``prefix``; ``predict`` returns them with it, as fastText does.
    """
    options, reading = _split(arguments)
    numbers = "target" in reading or (of_numbers(options) if from_model is None else from_model.numbers)
    request, held = documents(data, labels, sample_weight, prefix, classes, numbers)
    request.update({"do": "train", "options": options})
    request["input"].update(reading)
    if from_model is not None:
        handle = from_model._handle  # which is not freed before the job is done
        request["model"] = int(handle)
        if from_model.multi_label:
            request["input"]["multi_label"] = True
    handle, _ = _native.run(request, held, progress)
    return Model(handle, None if numbers else prefix)


@dataclass(frozen=True)
class Outcome:
    """The result of a search."""

    model: Model  #: trained with the chosen options on all documents
    options: dict[str, Any]  #: the chosen options, as the model records them
    flags: list[str]  #: the options of ``nbsvm train`` that make the same model
    metric: str  #: that settings were compared by
    score: float  #: mean over the folds of the chosen setting
    standard_error: float
    why: str  #: why this setting was chosen
    trials: list[dict[str, Any]]  #: all settings that were tried, those on all folds first, best first


def tune(
    data: Any = None,
    labels: Labels | None = None,
    *,
    classes: Classes | None = None,
    time: float | None = None,
    trials: int | None = None,
    metric: str = "",
    folds: int = 5,
    min_speed: float = 0,
    models: Sequence[str] | None = None,
    sample_weight: Any = None,
    progress: Progress | None = None,
    prefix: str = PREFIX,
    **arguments: Unpack[_Arguments],
) -> Outcome:
    """Searches for the options that cross-validate best, and trains with them.

    ``time`` limits the search in seconds (300 if ``trials`` is not given), ``trials`` limits the number of settings.
    ``min_speed`` excludes models that score fewer bytes of text a second on one thread. ``models`` are the kinds of model
    to search among; None means those that are usually best, or the one that ``model`` names if no solver trains it.
    Models of numbers are searched for with ``target``, ``model`` or ``models``. Documents and other keywords are those
    of ``train``.
    """
    options, reading = _split(arguments)
    if models and of_numbers({"model": models[0]}):
        options = {**options, "model": models[0]}  # which options must suit
    numbers = "target" in reading or of_numbers(options)
    request, held = documents(data, labels, sample_weight, prefix, classes, numbers)
    if isinstance(time, str):
        raise TypeError(f"nbsvm: time must be a number of seconds, such as 5; got {time!r}")
    if time is None:
        time = 300.0 if trials is None else 0.0
    search = {
        "seconds": time, "trials": trials or 0, "metric": metric.replace("-", "_"), "folds": folds,
        "min_speed": min_speed,
        "models": None if models is None else list(models),
    }  # fmt: skip
    request.update({"do": "tune", "options": options, "tune": search})
    request["input"].update(reading)
    handle, result = _native.run(request, held, progress)
    found, chosen = result["search"], result["search"]["chosen"]
    return Outcome(
        Model(handle, None if numbers else prefix), result["report"]["options"], chosen["flags"], found["metric"],
        chosen["mean"], chosen["standard_error"], found["why"], found["trials"],
    )  # fmt: skip
