#!/bin/sh
# Makes the files of README.md's table that are missing, each by the program of its commit, and records its scores.
set -eu
cd "$(dirname "$0")"
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT

# program COMMIT builds nbsvm of a commit, in a worktree of its own.
program() {
	git worktree add -q --detach "$built/tree" "$1"
	(cd "$built/tree" && CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$built/$1" ./cmd/nbsvm)
	git worktree remove --force "$built/tree"
}

grep '^| v\|^| first' README.md | tr -d ' ' | cut -d '|' -f 2 | while read -r file; do
	[ ! -e "$file" ] || continue
	row=$(grep -F "| $file |" README.md)
	cell() { echo "$row" | cut -d '|' -f "$1" | sed 's/^ *//; s/ *$//'; }
	commit=$(cell 4) command=$(cell 5) scored=$(cell 6)
	nbsvm=$built/$commit
	[ -e "$nbsvm" ] || program "$commit"
	# shellcheck disable=SC2086
	"$nbsvm" $command -q -o "$file"
	case $scored,$file in
	,* | refused,*) ;;
	*.nbt) "$nbsvm" tag score -q "$file" "$scored" >"$file.scores" ;;
	*) "$nbsvm" score -q --output-format jsonl --all-scores "$file" "$scored" >"$file.scores" ;;
	esac
	echo "$file"
done
