#!/bin/sh
# Runs every fuzz target for a while. Usage: fuzz.sh TIME, 10s for instance.
#
# Go's fuzzer sometimes fails with "context deadline exceeded" when its time ends
# while a worker is at an input; that is no finding. A finding names the input that
# fails, and always ends this with an error.
set -eu
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "$package $target"
		if go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" -fuzzminimizetime 10x "$package" >"$log" 2>&1; then
			tail -n 1 "$log"
		elif grep -q 'context deadline exceeded' "$log" && ! grep -qE 'Failing input|panic:' "$log"; then
			echo "ended at its deadline, nothing found"
		else
			cat "$log"
			exit 1
		fi
	done
done
