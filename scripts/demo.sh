#!/bin/sh
# The main job on text that every machine with Go has: the doc comments of Go's
# standard library. Downloads nothing.
set -eu
nbsvm=${NBSVM:-nbsvm}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "Which part of Go's standard library is a doc comment from? Trained on the comments in four files"
echo "of five, tested on those in the fifth."
sh scripts/godoc.sh "$folder"
echo
echo '$ nbsvm train train.tsv -o godoc.nbm'
"$nbsvm" train "$folder/train.tsv" -o "$folder/godoc.nbm" | sed "s|$folder/||"
echo
echo '$ nbsvm eval godoc.nbm test.tsv'
"$nbsvm" eval "$folder/godoc.nbm" "$folder/test.tsv"
echo
echo '$ nbsvm explain godoc.nbm --top 6 -        # three comments from files it has never seen'
awk -F '\t' 'NR % 211 == 7 && length($2) < 200 && n++ < 3 { print $2 }' "$folder/test.tsv" |
	tee "$folder/some.txt" | sed 's/^/  /'
echo
"$nbsvm" explain "$folder/godoc.nbm" --top 6 - <"$folder/some.txt"
