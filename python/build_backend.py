"""Builds the wheels: nbsvm, the Python files and the library, which Go builds; and nbsvm-fasttext, Python files alone.

    python3 build_backend.py FOLDER    # both; pip wheel . builds nbsvm's

nbsvm's is for this machine, or for GOOS and GOARCH, if CC is a C compiler for them. This file is also a PEP 517 backend
without dependencies.
"""

import ast
import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
GO = os.environ.get("GO", "go")
PYTHON = ">=3.9"
MACOS = "12.0"  # the oldest that Go supports
# What Python calls the systems and CPUs of Go.
PLATFORMS = {
    ("linux", "amd64"): "linux_x86_64", ("linux", "arm64"): "linux_aarch64",
    ("darwin", "amd64"): f"macosx_{MACOS}_x86_64", ("darwin", "arm64"): f"macosx_{MACOS}_arm64",
    ("windows", "amd64"): "win_amd64", ("windows", "arm64"): "win_arm64",
}  # fmt: skip
LIBRARIES = {"darwin": "libnbsvm.dylib", "windows": "nbsvm.dll"}


def version():
    source = (HERE.parent / "internal" / "container" / "version.go").read_text()
    return re.search(r'const Version = "(.+)"', source).group(1)


def target():
    """The system and the CPU that are built for, as Go names them."""
    names = subprocess.run([GO, "env", "GOOS", "GOARCH"], check=True, capture_output=True, text=True).stdout
    return tuple(names.split())


def build_library(path, system):
    """Builds the library, and returns its bytes."""
    environment = {"MACOSX_DEPLOYMENT_TARGET": MACOS, **os.environ, "CGO_ENABLED": "1"}
    if system == "linux":
        flags = environment.get("CGO_CFLAGS", "-O2 -g")
        environment["CGO_CFLAGS"] = f"{flags} -include '{HERE / 'lib' / 'glibc.h'}'"
    # Without a build ID, which depends on the folder. Nothing looks up names of hosts, and the C library's way to do so
    # would ask for glibc 2.34.
    flags = ["-buildmode=c-shared", "-trimpath", "-tags=netgo", "-ldflags=-s -w -buildid="]
    subprocess.run([GO, "build", "-C", str(HERE), *flags, "-o", str(path.resolve()), "./lib"], check=True, env=environment)
    path.with_suffix(".h").unlink(missing_ok=True)  # Go writes it beside
    return path.read_bytes()


def platform_tag(platform, library):
    """The platform of the wheel. On Linux, it has the version of the C library that the library asks for."""
    platform = PLATFORMS.get(platform, sysconfig.get_platform()).replace("-", "_").replace(".", "_")
    versions = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)[.\d]*\0", library)]
    if platform.startswith("linux_") and versions:
        # No Python that can use the wheel runs on an older one than 2.17, and on arm64 there is none.
        return f"manylinux_2_{max(17, *versions)}_{platform.removeprefix('linux_')}"
    return platform


def sources(package):
    """The Python files of a package, by their place in its wheel."""
    files = sorted(path for path in (HERE / package).glob("*.py*") if path.is_file())
    return {f"{package}/{path.name}": path.read_bytes() for path in files}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = Path(wheel_directory)
    folder.mkdir(parents=True, exist_ok=True)
    platform = target()
    library_name = LIBRARIES.get(platform[0], "libnbsvm.so")
    built = folder / f".{library_name}"
    try:
        library = build_library(built, platform[0])
    finally:
        built.unlink(missing_ok=True)
    fields = [
        "Summary: Fast text classification on a CPU: train, predict, explain; also runs fastText models",
        "Requires-Dist: numpy", "Provides-Extra: sklearn", 'Requires-Dist: scikit-learn>=1.0; extra == "sklearn"',
    ]  # fmt: skip
    files = {**sources("nbsvm"), f"nbsvm/{library_name}": library}
    about, licences = (HERE / "README.md").read_text(), ("LICENSE", "THIRD_PARTY_NOTICES")
    return _write(folder, "nbsvm", platform_tag(platform, library), files, fields, about, licences)


def build_fasttext_wheel(wheel_directory):
    fields = ["Summary: The Python module fasttext over nbsvm", f"Requires-Dist: nbsvm =={version()}"]
    files = sources("fasttext")
    about = ast.get_docstring(ast.parse(files["fasttext/__init__.py"]))
    return _write(Path(wheel_directory), "nbsvm-fasttext", "any", files, fields, about + "\n", ("LICENSE",))


def _write(folder, name, platform, files, fields, about, licences):
    """Writes a wheel, and returns the name of its file."""
    begin, tag = f"{name.replace('-', '_')}-{version()}", f"py3-none-{platform}"
    info, pure = f"{begin}.dist-info", "true" if platform == "any" else "false"
    files[f"{info}/METADATA"] = "\n".join([
        "Metadata-Version: 2.1", f"Name: {name}", f"Version: {version()}", "License: MIT", f"Requires-Python: {PYTHON}",
        *fields, "Description-Content-Type: text/markdown", "", about,
    ]).encode()  # fmt: skip
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: nbsvm\nRoot-Is-Purelib: {pure}\nTag: {tag}\n".encode()
    for licence in licences:
        files[f"{info}/{licence}"] = (HERE.parent / licence).read_bytes()
    record = [f"{path},{_digest(data)},{len(data)}" for path, data in files.items()]
    files[f"{info}/RECORD"] = ("\n".join([*record, f"{info}/RECORD,,"]) + "\n").encode()
    name = f"{begin}-{tag}.whl"
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)  # with a fixed date: the same source gives the same wheel
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            wheel.writestr(entry, data)
    return name


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    destination = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    print(destination / build_wheel(destination))
    print(destination / build_fasttext_wheel(destination))
