"""The C library: loading it, calling it, and raising its errors."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import shutil
import sys
import tempfile
import warnings
import weakref
from collections.abc import Mapping
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_void_p
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NoReturn

try:
    __version__ = version("nbsvm")
except PackageNotFoundError:  # run from the source, not installed
    __version__ = "0+source"


class Error(ValueError):
    """An input is wrong: a file, an option or a text."""


class Texts(ctypes.Structure):
    """Texts, anywhere in memory; see nbsvm.h."""

    _fields_ = [("starts", c_void_p), ("sizes", c_void_p), ("count", c_int64)]


class Documents(ctypes.Structure):
    """Texts with labels; see nbsvm.h."""

    _fields_ = [("texts", Texts), ("labels", c_void_p), ("ends", c_void_p), ("weights", c_void_p), ("shares", c_void_p)]


_Handle = c_size_t
_signatures: dict[str, list[Any]] = {
    "nbsvm_open": [c_char_p, c_int32, POINTER(_Handle)],
    "nbsvm_open_bytes": [c_char_p, c_size_t, c_int32, POINTER(_Handle)],
    "nbsvm_close": [_Handle],
    "nbsvm_describe": [_Handle, POINTER(c_void_p), POINTER(c_size_t)],
    "nbsvm_predict": [_Handle, c_char_p, c_size_t, c_int32, c_double, c_void_p],
    "nbsvm_predict_all": [_Handle, POINTER(Texts), c_int32, c_int32, c_double, c_void_p, c_void_p, c_void_p],
    "nbsvm_scores": [_Handle, POINTER(Texts), c_int32, c_void_p, c_void_p],
    "nbsvm_words": [_Handle, POINTER(c_void_p), POINTER(c_size_t)],
    "nbsvm_word_id": [_Handle, c_char_p, c_size_t, POINTER(c_int64)],
    "nbsvm_bucket": [_Handle, c_char_p, c_size_t, POINTER(c_int64)],
    "nbsvm_subwords": [_Handle, c_char_p, c_size_t, POINTER(c_void_p), POINTER(c_size_t)],
    "nbsvm_vector": [_Handle, c_char_p, c_size_t, c_int32, c_void_p],
    "nbsvm_rows": [_Handle, c_int32, c_int64, c_int64, c_void_p],
    "nbsvm_numbers": [c_char_p, c_size_t, POINTER(c_int32)],
    "nbsvm_ignored": [c_char_p, c_size_t, POINTER(c_void_p), POINTER(c_size_t)],
    "nbsvm_doubts": [c_char_p, c_size_t, POINTER(c_void_p), POINTER(c_size_t)],
    "nbsvm_explain": [_Handle, c_char_p, c_size_t, c_int32, POINTER(c_void_p), POINTER(c_size_t)],
    "nbsvm_save": [_Handle, c_char_p],
    "nbsvm_bytes": [_Handle, POINTER(c_void_p), POINTER(c_size_t)],
    "nbsvm_quantize": [_Handle, POINTER(c_void_p), POINTER(c_size_t)],
    "nbsvm_start": [c_char_p, c_size_t, POINTER(Documents), POINTER(_Handle)],
    "nbsvm_wait": [_Handle, c_int32, POINTER(c_int32), POINTER(_Handle), POINTER(c_void_p), POINTER(c_size_t)],
    "nbsvm_cancel": [_Handle],
}


def _file() -> Path:
    name = {"darwin": "libnbsvm.dylib", "win32": "nbsvm.dll"}.get(sys.platform, "libnbsvm.so")
    return Path(__file__).parent / name


class _Unloaded:
    """Stands for the library until its first call, so that importing the package starts no threads.

    A forked process has the memory of the library but not its threads. It loads a copy, which the system treats as
    another library.
    """

    def __init__(self, copy: bool = False) -> None:
        self._copy = copy

    def __getattr__(self, name: str) -> Any:
        if not self._copy:
            return self._load(_file(), name)
        with tempfile.TemporaryDirectory() as folder:
            return self._load(Path(shutil.copy(_file(), folder)), name)

    @staticmethod
    def _load(path: Path, name: str) -> Any:
        global lib
        try:
            loaded = ctypes.CDLL(str(path))
        except OSError as e:
            raise ImportError(f"nbsvm: the library can't be loaded: {e}; install a wheel for this platform") from e
        for function, arguments in _signatures.items():
            f = getattr(loaded, function)
            f.argtypes, f.restype = arguments, c_void_p
        loaded.nbsvm_free.argtypes, loaded.nbsvm_free.restype = [c_void_p], None
        # This function is called with Python's lock held, because it calls Python.
        collect = ctypes.PyDLL(str(path)).nbsvm_collect
        collect.argtypes, collect.restype = [ctypes.py_object, c_int64, *[c_void_p] * 5], c_int64
        loaded.nbsvm_collect = collect
        lib = loaded
        return getattr(loaded, name)


lib: Any = _Unloaded()

# Objects with handles. A handle belongs to the process that made it.
holders: weakref.WeakSet[Any] = weakref.WeakSet()


def _in_child() -> None:
    global lib
    if not isinstance(lib, _Unloaded):
        lib = _Unloaded(copy=True)
        for holder in holders:
            holder._forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


def path_bytes(path: str | os.PathLike[str]) -> bytes:
    """Encodes a path for the library."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"nbsvm: a path must be a str or a path of pathlib, got {path!r:.40}")
    data = os.fsencode(path)
    if b"\0" in data:
        raise ValueError(f"nbsvm: the path {os.fspath(path)!r} contains a null character")
    return data


def to_json(value: Any) -> bytes:
    """Encodes arguments for the library. NumPy numbers become Python's."""

    def plain(item: Any) -> Any:
        if hasattr(item, "tolist"):
            return item.tolist()
        if isinstance(item, Mapping):
            return dict(item)
        raise TypeError(f"nbsvm: an argument must be a number or a str, got {item!r} of type {type(item).__name__}")

    try:
        return json.dumps(value, default=plain, allow_nan=False).encode()
    except ValueError as e:
        raise Error("nbsvm: an argument is infinite or nan; it must be finite") from e


def take(address: int, size: int) -> bytes:
    """Copies bytes that the library returned, and frees them."""
    try:
        return ctypes.string_at(address, size)
    finally:
        lib.nbsvm_free(address)


# How messages name options of the command, with and without a value.
_FLAG = re.compile(r"--([A-Za-z](?:[a-z0-9-]*[a-z0-9])?)(?: (?=[0-9])|(?![a-z0-9-]))")

#: The keywords of the package's functions, which the modules that have them add. The command has other options, too.
known_keywords: set[str] = set()


def _keyword(flag: re.Match[str]) -> str:
    """Turns an option of the command into a keyword, if there is one: --min-df 1 into min_df=1."""
    name = flag[1].replace("-", "_")
    if name not in known_keywords:
        return f"{flag[0]} of the command" if flag[0] == flag[0].rstrip() else flag[0]
    return f"{name}=" if flag[0].endswith(" ") else name


def fail(message: int) -> NoReturn:
    """Raises the error that a function returned."""
    raw = ctypes.string_at(message)
    lib.nbsvm_free(message)
    kind, text = chr(raw[0]), raw[1:].decode("utf-8", "replace")
    if kind == "O":
        number, size, rest = raw[1:].split(b" ", 2)
        code, path, text = int(number), os.fsdecode(rest[: int(size)]), rest[int(size) :].decode("utf-8", "replace")
        if code == errno.ENOENT and path:
            raise FileNotFoundError(code, os.strerror(code), path)
        raise OSError(code, text) if code else OSError(text)
    if kind == "C":
        raise KeyboardInterrupt(text)
    if kind == "P":
        raise RuntimeError(text)
    raise Error(keywords(text))


def keywords(text: str) -> str:
    """Turns the options of the command that a message names into keywords."""
    return _FLAG.sub(_keyword, text.replace("--on-bad skip", "skip_bad=True"))


def check(message: int | None) -> None:
    """Raises an error if there is one."""
    if message:
        fail(message)


def reply(function: str, *arguments: Any) -> bytes:
    """Calls a function that returns bytes."""
    out, size = c_void_p(), c_size_t()
    check(getattr(lib, function)(*arguments, byref(out), byref(size)))
    return take(out.value or 0, size.value)


class Handle:
    """A model of the library, to be passed to its functions.

    It is freed when nothing refers to it any more. A call that is under way does.
    """

    def __init__(self, number: int, source: Any) -> None:
        self._as_parameter_ = number
        self._source = source  # if it is bytes, the library uses them in place

    def __int__(self) -> int:
        return self._as_parameter_

    def abandon(self) -> None:
        """Leaves it alone: it belongs to another process."""
        self._as_parameter_ = 0

    def __del__(self) -> None:
        if self._as_parameter_:
            message = lib.nbsvm_close(self._as_parameter_)
            if message:
                lib.nbsvm_free(message)


_POLL_MILLISECONDS = 50


def run(request: dict[str, Any], documents: Documents | None, progress: Any = None) -> tuple[int, Any]:
    """Runs a job, and returns its model (0 if it makes none) and its result. Its warnings become those of Python.

    The interpreter gets a turn every now and then, so that Ctrl-C stops the job.
    """
    data = to_json(request)
    job = c_size_t()
    check(lib.nbsvm_start(data, len(data), byref(documents) if documents is not None else None, byref(job)))
    done, model, out, size = c_int32(), c_size_t(), c_void_p(), c_size_t()
    arguments = byref(done), byref(model), byref(out), byref(size)
    try:
        while True:
            message = lib.nbsvm_wait(job, _POLL_MILLISECONDS, *arguments)
            if done.value:
                break
            if out.value:
                line = take(out.value, size.value)
                out.value = None
                if progress is not None:
                    progress(line.decode("utf-8", "replace"))
    except BaseException:
        check(lib.nbsvm_cancel(job))
        while not done.value:  # it uses the documents until it is done
            message = lib.nbsvm_wait(job, 1000, *arguments)
        if message:
            lib.nbsvm_free(message)
        if out.value:
            lib.nbsvm_free(out.value)
        if model.value:
            Handle(model.value, None)  # which frees it
        raise
    told = json.loads(take(out.value, size.value)) if out.value else {"warnings": None}
    try:
        for warning in told["warnings"] or ():
            warn(keywords(warning))
    except UserWarning:  # a filter makes warnings errors
        if model.value:
            Handle(model.value, None)  # which frees it
        if message:
            lib.nbsvm_free(message)
        raise
    check(message)
    return model.value, told["result"]


def warn(text: str) -> None:
    """Warns about the line of the user's program that called the package."""
    ours = (Path(__file__).parent, Path(__file__).parent.parent / "fasttext")
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and Path(frame.f_code.co_filename).parent in ours:
        frame, level = frame.f_back, level + 1
    warnings.warn(f"nbsvm: {text}", UserWarning, stacklevel=level)
