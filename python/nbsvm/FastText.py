"""Names that programs import from fasttext.FastText."""

from __future__ import annotations

import sys
from typing import Any

from ._model import Model as _FastText
from ._model import load_model

__all__ = ["_FastText", "eprint", "load_model", "tokenize"]


def eprint(*args: Any, **kwargs: Any) -> None:
    """Prints to standard error. fastText calls it when it loads a model; nbsvm does not."""
    print(*args, file=sys.stderr, **kwargs)


def tokenize(text: str) -> list[str]:
    """Splits a text into words at blanks, as fastText does."""
    for blank in "\t\v\f\r\0\n":
        text = text.replace(blank, " ")
    return [word for word in text.split(" ") if word]
