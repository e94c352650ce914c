"""Builds the wheel: the Python files, and the library, which Go builds. A PEP 517 backend without dependencies.

    python3 build_backend.py FOLDER    # or pip wheel .

It is for this platform, or for that of GOOS and GOARCH, for which CC must be a C compiler.
"""

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
SYSTEM = os.environ.get("GOOS") or {"darwin": "darwin", "win32": "windows"}.get(sys.platform, "linux")
LIBRARY = {"darwin": "libnbsvm.dylib", "windows": "nbsvm.dll"}.get(SYSTEM, "libnbsvm.so")
PYTHON = ">=3.9"
# What wheels call a system and a CPU of Go. The library says which GLIBC it takes; macOS is the oldest that Go supports.
PLATFORMS = {
    "linux/amd64": "linux_x86_64", "linux/arm64": "linux_aarch64", "windows/amd64": "win_amd64", "windows/arm64": "win_arm64",
    "darwin/amd64": "macosx_12_0_x86_64", "darwin/arm64": "macosx_12_0_arm64",
}  # fmt: skip


def version():
    source = (HERE.parent / "internal" / "base" / "build" / "build.go").read_text()
    return re.search(r'const Version = "(.+)"', source).group(1)


def build_library(path):
    """Builds the library, and returns its bytes."""
    environment = dict(os.environ, CGO_ENABLED="1")
    if SYSTEM == "linux":
        flags = environment.get("CGO_CFLAGS", "-O2 -g")
        environment["CGO_CFLAGS"] = f"{flags} -include '{HERE / 'lib' / 'glibc.h'}'"
    go = environment.get("GO", "go")
    subprocess.run(
        [go, "build", "-C", str(HERE), "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w -buildid=", "-o", str(path.resolve()), "./lib"],
        check=True, env=environment,
    )
    path.with_suffix(".h").unlink(missing_ok=True)  # Go writes it beside
    return path.read_bytes()


def platform_tag(library):
    """The platform of the wheel. On Linux, the version of the C library that the library asks for."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if "GOOS" in os.environ or "GOARCH" in os.environ:
        target = subprocess.run([os.environ.get("GO", "go"), "env", "GOOS", "GOARCH"], check=True, capture_output=True, text=True)
        platform = PLATFORMS["/".join(target.stdout.split())]
    versions = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)[.\d]*\0", library)]
    if platform.startswith("linux_") and versions:
        return f"manylinux_2_{max(17, *versions)}_{platform.removeprefix('linux_')}"  # pip knows none before 2.17 on arm64
    return platform


def metadata():
    about = (HERE / "README.md").read_text()
    lines = [
        "Metadata-Version: 2.1", "Name: nbsvm", f"Version: {version()}",
        "Summary: Fast text classification on a CPU: train, predict, explain; also runs fastText models",
        "License: MIT", f"Requires-Python: {PYTHON}", "Requires-Dist: numpy",
        "Provides-Extra: sklearn", 'Requires-Dist: scikit-learn>=1.0; extra == "sklearn"',
        "Description-Content-Type: text/markdown", "", about,
    ]  # fmt: skip
    return "\n".join(lines)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = Path(wheel_directory)
    folder.mkdir(parents=True, exist_ok=True)
    built = folder / f".{LIBRARY}"
    try:
        library = build_library(built)
    finally:
        built.unlink(missing_ok=True)
    tag = f"py3-none-{platform_tag(library)}"
    info = f"nbsvm-{version()}.dist-info"
    files = {f"nbsvm/{path.name}": path.read_bytes() for path in sorted((HERE / "nbsvm").glob("*.py*")) if path.is_file()}
    files[f"nbsvm/{LIBRARY}"] = library
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: nbsvm\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    for name in ("LICENSE", "THIRD_PARTY_NOTICES"):
        files[f"{info}/{name}"] = (HERE.parent / name).read_bytes()
    record = [f"{name},{_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = ("\n".join([*record, f"{info}/RECORD,,"]) + "\n").encode()
    name = f"nbsvm-{version()}-{tag}.whl"
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)  # with a fixed date: the same source gives the same wheel
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            wheel.writestr(entry, data)
    return name


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    print(target / build_wheel(target))
