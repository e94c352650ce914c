#!/bin/sh
# Fails if a package's statement coverage is below a bar.
# Usage: coverage.sh PERCENT LOG PACKAGE..., of which LOG is what go test -cover says.
set -eu
bar=$1 log=$2
shift 2
bad=0
for package; do
	percent=$(sed -nE "s|^ok[[:space:]]+[^[:space:]]*/$package[[:space:]].*coverage: ([0-9.]+)%.*|\1|p" "$log")
	printf '%-20s %s %%\n' "$package" "${percent:-none}"
	if [ -z "$percent" ] || [ "$(printf '%.0f' "$percent")" -lt "$bar" ]; then
		bad=1
	fi
done
[ $bad = 0 ] || { echo "below $bar %" >&2; exit 1; }
