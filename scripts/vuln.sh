#!/bin/sh
# Looks for known vulnerabilities in code that nbsvm and nbsvm-beam call, the standard library included,
# and fails if there are any. If Go's database of them can't be reached, says so and succeeds.
set -eu
cd "$(dirname "$0")/.."
tools=$PWD/tools/go.mod
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for module in . distributed/beam; do
	if (cd "$module" && "${GO:-go}" tool -modfile="$tools" govulncheck ./...) >"$log" 2>&1; then
		echo "$module: $(tail -n 1 "$log")"
	elif grep -q 'fetching vulnerabilities' "$log"; then
		echo "SKIPPED: the database can't be reached, so known vulnerabilities are not looked for: $(tail -n 1 "$log")"
		exit
	else
		cat "$log"
		exit 1
	fi
done
