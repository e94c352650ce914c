#!/bin/sh
# Runs every fuzz target for a while, those of two packages at a time, each on one core. A package is built once.
# Usage: fuzz.sh TIME [FOLDER], 10s for instance.
#
# Go's fuzzer sometimes fails with "context deadline exceeded" when its time ends
# while a worker is at an input; that is no finding. A finding names the input that
# fails, and always ends this with an error.
set -eu
if [ $# = 1 ]; then
	files=$(go list -f '{{$dir := .Dir}}{{range .TestGoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}' ./...)
	# Without targets, xargs would call this with no more than TIME, over and over.
	folders=$(echo "$files" | xargs grep -lE '^func Fuzz' | xargs -n 1 dirname | sort -u)
	[ -n "$folders" ] || { echo "fuzz.sh: no fuzz targets found" >&2; exit 1; }
	echo "$folders" | xargs -n 1 -P 2 sh "$0" "$1"
	exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
where="${2#"$PWD"/}"
cd "$2"
inputs="$(go env GOCACHE)/fuzz/$(go list .)"
go test -c -fuzz . -o "$work/fuzz.test" .
for target in $("$work/fuzz.test" -test.list '^Fuzz'); do
	if "$work/fuzz.test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$1" -test.fuzzminimizetime 10x -test.parallel 1 \
		-test.fuzzcachedir "$inputs" >"$work/log" 2>&1; then
		echo "$where $target: $(grep -a '^fuzz: elapsed' "$work/log" | tail -n 1)"
	elif grep -q 'context deadline exceeded' "$work/log" && ! grep -qE 'Failing input|panic:' "$work/log"; then
		echo "$where $target: ended at its deadline, nothing found"
	else
		echo "$where $target:"
		cat "$work/log"
		exit 1
	fi
done
