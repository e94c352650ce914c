#!/bin/sh
# Runs every fuzz target for a while, two at a time, each on one core.
# Usage: fuzz.sh TIME [FOLDER TARGET], 10s for instance.
#
# Go's fuzzer sometimes fails with "context deadline exceeded" when its time ends
# while a worker is at an input; that is no finding. A finding names the input that
# fails, and always ends this with an error.
set -eu
if [ $# = 1 ]; then
	files=$(go list -f '{{$dir := .Dir}}{{range .TestGoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}' ./...)
	# Without targets, xargs would call this with no more than TIME, over and over.
	targets=$(echo "$files" | xargs grep -HoE '^func Fuzz[A-Za-z0-9_]+' | sed -E 's|/[^/]*:func | |' | sort)
	[ -n "$targets" ] || { echo "fuzz.sh: no fuzz targets found" >&2; exit 1; }
	echo "$targets" | xargs -n 2 -P 2 sh "$0" "$1"
	exit
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
target="${2#"$PWD"/} $3"
if go test -run '^$' -fuzz "^$3\$" -fuzztime "$1" -fuzzminimizetime 10x -parallel 1 "$2" >"$log" 2>&1; then
	echo "$target: $(tail -n 1 "$log")"
elif grep -q 'context deadline exceeded' "$log" && ! grep -qE 'Failing input|panic:' "$log"; then
	echo "$target: ended at its deadline, nothing found"
else
	echo "$target:"
	cat "$log"
	exit 1
fi
