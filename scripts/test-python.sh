#!/bin/sh
# The Python packages: their wheels are built, installed in a fresh virtual environment that has numpy and scikit-learn
# of the system, and tested there. Nothing is downloaded. Without what it takes, it says so and does nothing.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
go=${GO:-go}

skip() {
	echo "SKIPPED: $1, so the Python package is not tested"
	exit 0
}
command -v "$python" >/dev/null || skip "no $python here"
"$python" -c 'import venv, ensurepip' 2>/dev/null || skip "$python has no venv (Debian: python3-venv)"
"$python" -c 'import numpy' 2>/dev/null || skip "$python has no numpy (Debian: python3-numpy)"
command -v "$("$go" env CC)" >/dev/null || skip "no C compiler here"
"$python" -c 'import sklearn' 2>/dev/null || echo "$python has no scikit-learn (Debian: python3-sklearn): tests of the estimator are skipped"
"$python" -c 'import fasttext' 2>/dev/null || echo "$python has no fasttext (Debian: python3-fasttext): nothing is compared with it"

(cd python && "$go" mod tidy -diff && export CGO_ENABLED=1 && "$go" vet ./... &&
	"$go" tool -modfile=../tools/go.mod staticcheck ./...)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
backend=$PWD/python/build_backend.py
(cd "$work" && GO=$go "$python" "$backend" wheel) # a relative folder, as make python has it
"$python" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --no-index --find-links "$work/wheel" --disable-pip-version-check nbsvm-fasttext
CGO_ENABLED=0 "$go" build -trimpath -o "$work/nbsvm" ./cmd/nbsvm # to compare with
cp -r python/tests python/examples docs/how-to/from-pipelines.md "$work"
cd "$work"
NBSVM=$work/nbsvm FASTTEXT_PYTHON=$python venv/bin/python -m unittest discover tests
venv/bin/python examples/reviews.py
