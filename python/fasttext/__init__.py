"""fastText's Python module over nbsvm.

Programs that ``import fasttext`` run unchanged: they load the models that fastText has trained, predict the same labels
and probabilities, and do so several times as fast. Models that ``train_supervised`` makes are of nbsvm's kind. What
nbsvm can't do, such as training vectors of words, raises NotImplementedError, which says what to use instead.

The package nbsvm-fasttext can't be installed beside fasttext or fasttext-wheel, whose module has the same name:
uninstall these first.
"""

from nbsvm import __version__

from .FastText import (
    BOW, EOS, EOW, cbow, load_model, skipgram, supervised, tokenize, train_supervised, train_unsupervised,
)  # fmt: skip

__all__ = [
    "BOW", "EOS", "EOW", "__version__", "cbow", "load_model", "skipgram", "supervised", "tokenize", "train_supervised",
    "train_unsupervised",
]  # fmt: skip
