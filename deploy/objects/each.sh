#!/bin/bash
# Scores or packs this task's share of the objects in a bucket: downloads an object, processes it and uploads the
# output. Objects that have an output are skipped unless they have changed since.
#
#   each.sh IN OUT I/N COMMAND [FLAGS] [MODEL]
#   each.sh s3:corpus/web s3:corpus/good 3/13 score --where 'p("good") >= 0.9' quality.nbm
#   each.sh s3:corpus/web s3:corpus/parts 3/13 pack --min-df 1 --ngrams 1-2
#
# IN and OUT are folders as rclone names them, in any storage that it knows. An output appears when all its bytes have
# arrived, and after it OUT/.made/NAME.json, the record of how it was made. Temporary files go to $TMPDIR. If inputs
# fail, the exit code is that of the last one; it is 4 if only bad files were left out (--on-bad-file skip), and 3 if only
# bad records were.
set -uo pipefail
shopt -s dotglob # names may begin with a dot
if ! [[ $# -ge 4 && $3 =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ && ${BASH_REMATCH[1]} -le ${BASH_REMATCH[2]} ]]; then
	echo "each.sh: want IN OUT I/N COMMAND [FLAGS] [MODEL], I being 1 to N; got $*" >&2
	exit 2
fi
in=$1 out=$2 number=${3%/*} of=${3#*/}
shift 3

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# The times when the storage got objects, with their names, which may hold separators.
list() { rclone lsf --files-only --use-server-modtime --format tp --separator '|' "$1"; }
all=$(list "$in") || exit 1
declare -A made
while IFS='|' read -r time name; do
	[ -z "$name" ] || made[$name]=$time
done < <(list "$out/.made" 2>/dev/null) # there is no such folder at first

code=0 k=0
while IFS='|' read -r time name; do
	[ -n "$name" ] && [ $((k++ % of)) = $((number - 1)) ] || continue
	[[ ${made[$name.json]:-} > $time ]] && continue
	rm -rf "$work/in" "$work/out"
	rclone copyto "$in/$name" "$work/in/$name" || { code=1; continue; }
	"${NBSVM:-nbsvm}" "$@" --out-dir "$work/out" "$work/in/$name"
	case $? in
	0) ;;
	3) [ $code = 0 ] && code=3 ;;
	4) [[ $code = [03] ]] && code=4; continue ;; # a bad file was left out
	*) code=$?; continue ;;
	esac
	rclone copy --exclude '/.nbsvm-*' "$work/out" "$out" &&
		rclone copyto "$work/out/.nbsvm-outputs.json" "$out/.made/$name.json" || code=1
done < <(LC_ALL=C sort -t'|' -k2 <<<"$all")
exit $code
