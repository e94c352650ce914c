"""Tags for the words of sentences, such as parts of speech.

>>> from nbsvm import tag
>>> model = tag.train("train.conllu")
>>> model.tag(["The", "dog", "barks"])
['DET', 'NOUN', 'VERB']

A sentence in memory is a list of words. If the model was trained on files with further columns, or on such sentences,
each word is a tuple of its columns without the tag: ("dog", "NN").
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

from . import _native
from ._model import Evaluation
from ._opened import Opened, source_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Model", "load", "train"]

#: A word, or its columns.
Word = Union[str, Sequence[str]]
Sentence = Sequence[Word]
#: One path or several.
Paths = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]


class Options(TypedDict, total=False):
    """Options of training. They have the names of ``nbsvm tag train``'s options; omitted ones keep their defaults."""

    model: Literal["perceptron", "window", "crf"]
    templates: str
    min_count: int
    scheme: Literal["auto", "none", "iob2", "iobes"]
    epochs: int
    C: float  #: for window
    l2: float  #: for crf
    seed: int
    threads: int  #: 0 for all processors


class Reading(TypedDict, total=False):
    """How files are read. The names are those of ``nbsvm tag train``'s options."""

    format: Literal["auto", "conll", "conllu", "slash", "words"]
    column: int
    word_column: int


_native.known_keywords |= {*Options.__annotations__, *Reading.__annotations__}


class _Arguments(Options, Reading, total=False):  # type: ignore[misc]
    pass


def _columns(sentences: Iterable[Iterable[Word]], tagged: bool, least: int = 1) -> str:
    """Writes sentences as lines of CoNLL, with a tag that stands for none if they have no tags.

    Words without tags need at least so many columns.
    """
    lines: list[str] = []
    for n, sentence in enumerate(sentences):
        for word in sentence:
            columns = (word,) if isinstance(word, str) else tuple(word)
            if not all(isinstance(column, str) for column in columns):
                raise TypeError(f"nbsvm: sentence {n + 1}: a word must be a str, or a tuple of str; got {word!r}")
            if tagged and len(columns) < 2:
                raise _native.Error(f"nbsvm: sentence {n + 1}: a tagged word must be (word, tag), got {word!r}")
            if any(not column or set(column) & {"\t", "\n", "\r"} for column in columns) or not columns:
                raise _native.Error(
                    f"nbsvm: sentence {n + 1}: a word must not be empty or have tabs or line ends, got {word!r}"
                )
            if not tagged and len(columns) < least:
                raise _native.Error(
                    f"nbsvm: sentence {n + 1}: {word!r} has too few columns: the model takes column {least} of its "
                    f"files; give each word as a tuple of {least} columns"
                )
            if columns[0].startswith("-DOCSTART-"):
                raise _native.Error(
                    f"nbsvm: sentence {n + 1}: {columns[0]!r} stands between documents and is no word; leave it out"
                )
            lines.append("\t".join(columns if tagged else (*columns, "_")))
        lines.append("")
    return "\n".join(lines) + "\n"


def _input(data: Any, tagged: bool) -> dict[str, Any]:
    """Builds the part of a request that has the sentences: names of files, or sentences in memory."""
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    data = list(data)
    if data and all(isinstance(item, (str, os.PathLike)) for item in data):
        return {"paths": [os.fspath(path) for path in data]}
    return {"text": _columns(data, tagged), "format": "conll"}


class Model(Opened):
    """A model of tags, made by ``load`` or ``train``. Any number of threads may use it at once.

    ``with tag.load(path) as model:`` closes it at the end. Otherwise it is closed when nothing refers to it any more.
    """

    _kind = 1
    _classes = "tags"

    def __init__(self, handle: int, source: Any = None) -> None:
        about = self._opened(handle, source)
        #: The tags, in the order of their names.
        self.tags: list[str] = about["tags"]
        #: How the model was made: kind, templates, scheme, how files were read, and options of training.
        self.made: dict[str, Any] = about
        #: How many columns of a word the templates take.
        self._width = max(map(int, re.findall(r"\bc(\d+)\[", about["templates"])), default=1)

    def __repr__(self) -> str:
        return f"<nbsvm.tag.Model {self.made['kind']} of {len(self.tags)} tags>"

    def __reduce__(self) -> Any:
        return load, (self.to_bytes(),)

    def _run(self, do: str, tagging: dict[str, Any]) -> Any:
        handle = self._handle  # which is not freed before the job is done
        return _native.run({"do": "tag " + do, "model": int(handle), "tagging": tagging}, None)[1]

    def _each(self, do: str, words: Any, empty: Any, **asked: Any) -> Any:
        """Does something with one sentence or with several. Of sentences without words nothing is asked."""
        if isinstance(words, str):
            raise TypeError("nbsvm: pass a list of words, not a str; str.split() makes one")
        listed = list(words)
        one = all(isinstance(word, (str, tuple)) for word in listed)
        sentences = [listed] if one else [list(sentence) for sentence in self._sentences(listed)]
        text = _columns([sentence for sentence in sentences if sentence], False, self._width)
        found = iter(self._run(do, {"text": text, "format": "conll", **asked}))
        results = [next(found) if sentence else empty for sentence in sentences]
        return results[0] if one else results

    @staticmethod
    def _sentences(listed: list[Any]) -> list[Any]:
        for n, sentence in enumerate(listed):
            if isinstance(sentence, (str, bytes)) or not isinstance(sentence, Iterable):
                raise TypeError(f"nbsvm: sentence {n + 1} must be a list of words, got {sentence!r:.40}")
        return listed

    def tag(self, words: Any, threads: int = 0) -> Any:
        """Returns the best tags for the words of a sentence: a list; for a list of sentences, a list of lists."""
        found = self.describe(words, threads=threads)
        return found["tags"] if isinstance(found, dict) else [sentence["tags"] for sentence in found]

    def describe(self, words: Any, marginals: bool = False, threads: int = 0) -> Any:
        """Returns a dict with ``words`` and ``tags`` for a sentence, and a list of them for several.

        ``marginals`` adds the probabilities of each word's tags (crf only). The keys are those of
        ``nbsvm tag score --json``.
        """
        empty = {"words": [], "tags": []}
        return self._each("describe", words, empty, marginals=bool(marginals), threads=threads)

    def score(
        self, paths: Paths, output: str | os.PathLike[str], *, threads: int = 0, **reading: Unpack[Reading]
    ) -> None:
        """Writes the sentences of files with predicted tags, as ``nbsvm tag score`` does. The output is not compressed.

        The file appears whole or not at all.
        """
        request = {**_input(paths, False), **_given(reading), "output": os.fspath(output), "threads": threads}
        if "paths" not in request:
            raise TypeError("nbsvm: score takes paths of files; tag takes sentences in memory")
        self._run("score", request)

    def evaluate(self, data: Any, *, threads: int = 0, **reading: Unpack[Reading]) -> Evaluation:
        """Compares predicted tags with those of files (a path or several), or of sentences of (word, tag) in memory.

        The keys are those of ``nbsvm tag eval --json``.
        """
        return Evaluation(self._run("evaluate", {**_given(reading), **_input(data, True), "threads": threads}))


def load(model: str | os.PathLike[str] | bytes) -> Model:
    """Opens a model of tags from a path or from the bytes of its file."""
    source = source_of(model)
    return Model(Model._open(source), source)


def _given(arguments: Any, known: Iterable[str] = Reading.__annotations__) -> dict[str, Any]:
    """Checks the names of arguments. None means not given."""
    unknown = set(arguments) - set(known)
    if unknown:
        raise TypeError(f"nbsvm: unknown option {min(unknown)!r}; options are {', '.join(known)}")
    return {name: value for name, value in arguments.items() if value is not None}


def train(data: Any, *, progress: Callable[[str], None] | None = None, **arguments: Unpack[_Arguments]) -> Model:
    """Trains a model of tags on files, or on sentences in memory.

    ``data`` is a path or several, in a format that ``nbsvm tag train`` reads; or a list of sentences, each a list of
    (word, tag). More columns between word and tag are features, as in files. Keywords have the names of ``nbsvm tag
    train``'s options: ``tag.train("train.conllu", model="crf")``. ``progress`` is called with a line of text now and
    then. ``Model.made`` describes the training. Ctrl-C stops it.
    """
    given = _given(arguments, (*Options.__annotations__, *Reading.__annotations__))
    tagging = {**given, **_input(data, True)}
    return Model(_native.run({"do": "tag train", "tagging": tagging}, None, progress)[0])
