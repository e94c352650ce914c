#!/bin/sh
# Fails if a package's statement coverage is below a bar.
# Usage: coverage.sh PERCENT PACKAGE...
set -eu
bar=$1
shift
bad=0
for package; do
	line=$(go test -cover "./$package" | tail -n 1)
	percent=$(echo "$line" | sed -n 's/.*coverage: \([0-9.]*\)%.*/\1/p')
	printf '%-18s %s %%\n' "$package" "${percent:-none}"
	if [ -z "$percent" ] || [ "$(printf '%.0f' "$percent")" -lt "$bar" ]; then
		bad=1
	fi
done
[ $bad = 0 ] || { echo "below $bar %" >&2; exit 1; }
