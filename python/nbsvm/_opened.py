"""Models of the library: opening, closing and saving them."""

from __future__ import annotations

import json
import os
from ctypes import byref, c_size_t
from typing import TYPE_CHECKING, Any, ClassVar

from . import _native

if TYPE_CHECKING:
    from typing_extensions import Self


def source_of(model: str | os.PathLike[str] | bytes) -> str | bytes:
    """Returns what a model is opened from: a path, or the bytes of its file."""
    if isinstance(model, (bytearray, memoryview)):
        model = bytes(model)
    if isinstance(model, bytes) and len(model) < 4096 and os.path.exists(model):
        raise _native.Error(f"nbsvm: bytes are read as a model itself; pass the path {os.fsdecode(model)!r} as a str")
    if not isinstance(model, (str, bytes, os.PathLike)):
        raise TypeError(f"nbsvm: a model is loaded from a path or from the bytes of its file, got {model!r:.40}")
    return model if isinstance(model, bytes) else os.path.abspath(os.fspath(model))


class Opened:
    """A model of the library."""

    #: What nbsvm_open calls it: 0 for a classifier, 1 for a model of tags, 2 for the file of a fastText model.
    _kind: ClassVar[int] = 0
    #: What of the library's description of the model must not change as long as it is in use.
    _classes: ClassVar[str] = "labels"

    def _opened(self, handle: int, source: Any) -> dict[str, Any]:
        """Takes a model over, and returns the library's description of it."""
        self._handle = _native.Handle(handle, source)
        self._source = source  # a path or bytes
        self._closed = False
        _native.holders.add(self)
        about = self._describe(handle)
        self._names: Any = about[self._classes]
        return about

    @classmethod
    def _open(cls, source: str | bytes) -> int:
        handle = c_size_t()
        if isinstance(source, bytes):
            message = _native.lib.nbsvm_open_bytes(source, len(source), cls._kind, byref(handle))
        else:
            message = _native.lib.nbsvm_open(_native.path_bytes(source), cls._kind, byref(handle))
        _native.check(message)
        return handle.value

    @classmethod
    def _describe(cls, handle: Any) -> dict[str, Any]:
        return json.loads(_native.reply("nbsvm_describe", handle))

    def close(self) -> None:
        """Gives back the memory and the file, once calls that are under way in other threads are done.

        Uses from then on raise ``nbsvm.Error``. Closing a model again does nothing.
        """
        self._closed, self._source = True, None
        self.__dict__.pop("_handle", None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _forked(self) -> None:
        """Called in a forked process: the model is opened again when it is needed."""
        handle = self.__dict__.pop("_handle", None)
        if handle is not None:
            handle.abandon()

    def __getattr__(self, name: str) -> Any:
        if name != "_handle":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if self._closed:
            raise _native.Error("nbsvm: the model is closed; load it again")
        if self._source is None:
            raise RuntimeError(
                "nbsvm: a model that was trained in the parent process can't be used in a forked one: save it and load it "
                'here, or start processes with multiprocessing.get_context("spawn")'
            )
        self._handle = handle = _native.Handle(self._open(self._source), self._source)
        if self._describe(handle)[self._classes] != self._names:
            raise _native.Error(f"nbsvm: {self._source!r} has changed since the model was loaded; load it again")
        return handle

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file. It appears whole or not at all."""
        _native.check(_native.lib.nbsvm_save(self._handle, _native.path_bytes(path)))

    def to_bytes(self) -> bytes:
        """Returns the bytes of the model file; ``load`` takes them."""
        return _native.reply("nbsvm_bytes", self._handle)
