#!/bin/sh
# Prints the licences of all code of others that is linked into nbsvm and the library of the Python
# package. Fails if a licence is unknown or forbids use.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
go=${GO:-go}

save() { # MODULE PACKAGE
	(cd "$root/$1" && "$go" tool -modfile="$root/tools/go.mod" go-licenses save "$2" --save_path "$found/new" \
		--ignore github.com/seed-167f963f/nbsvm) 2>"$found/log" || { cat "$found/log" >&2; exit 1; }
	cp -R "$found/new/." "$found/all"
	rm -rf "$found/new"
}
mkdir "$found/all"
save . ./cmd/nbsvm # which has all that the Python package's library has
mkdir "$found/all/go" "$found/all/echarts"
cp "$("$go" env GOROOT)/LICENSE" "$found/all/go"
cp "$root"/internal/page/assets/*-echarts "$found/all/echarts"

echo "nbsvm and the Python package contain code of others, under the licences below."
cd "$found/all"
find . -type f | LC_ALL=C sort | while read -r file; do
	printf '\n======== %s\n\n' "${file#./}"
	tr -d '\r' <"$file"
done
