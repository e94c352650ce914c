#!/bin/sh
# Trains on the IMDB reviews in FOLDER/imdb and evaluates on the test part.
# Usage: scripts/imdb.sh FOLDER
set -eu
nbsvm=${NBSVM:-nbsvm}
folder=${1:-}
if [ -z "$folder" ] || ! ls "$folder"/imdb/train.tsv* >/dev/null 2>&1; then
	cat >&2 <<-'END'
	make imdb needs the IMDB reviews (Maas et al. 2011, "Large Movie Review Dataset v1.0",
	https://ai.stanford.edu/~amaas/data/sentiment/) as FOLDER/imdb/train.tsv and test.tsv, gzip or
	zstd welcome: label<TAB>text, one review a line. To fetch them, with other corpora:

	  make data
	  make imdb DATA=bin/data
	END
	exit 1
fi
model=$(mktemp -d)/imdb.nbm
trap 'rm -rf "$(dirname "$model")"' EXIT
train=$(ls "$folder"/imdb/train.tsv* | head -n 1)
test=$(ls "$folder"/imdb/test.tsv* | head -n 1)
for preset in default sentiment; do
	echo "== nbsvm train --preset $preset $train"
	"$nbsvm" train --preset $preset "$train" -o "$model"
	echo "== nbsvm eval on $test"
	"$nbsvm" eval "$model" "$test"
	echo
done
