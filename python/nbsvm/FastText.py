"""The names that programs take from fasttext.FastText."""

from __future__ import annotations

import sys
from typing import Any

from ._model import Model as _FastText
from ._model import load_model

__all__ = ["_FastText", "eprint", "load_model", "tokenize"]


def eprint(*args: Any, **kwargs: Any) -> None:
    """Prints to standard error. fastText warns by it when a model is loaded; nbsvm does not call it."""
    print(*args, file=sys.stderr, **kwargs)


def tokenize(text: str) -> list[str]:
    """The words of a text, as fastText cuts it: at blanks."""
    for blank in "\t\v\f\r\0\n":
        text = text.replace(blank, " ")
    return [word for word in text.split(" ") if word]
