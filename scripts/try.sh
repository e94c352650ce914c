#!/bin/sh
# Trains the model of the page to try one on, of at most 1 MB: on IMDB reviews in FOLDER/imdb or, if they are not there,
# on the doc comments of Go's standard library.
# Usage: scripts/try.sh FOLDER MODEL
set -eu
nbsvm=${NBSVM:-nbsvm}
train=$(ls "$1"/imdb/train.tsv* 2>/dev/null | head -n 1)
if [ -z "$train" ]; then
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
	sh scripts/godoc.sh "$folder"
	train=$folder/train.tsv
fi
"$nbsvm" train --quiet --max-model 1MB --calibrate "$train" -o "$2"
