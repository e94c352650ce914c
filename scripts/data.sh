#!/bin/sh
# Fetches labelled corpora that their authors let anyone have, in the form that make compare and make imdb read:
# FOLDER/SET/train.tsv and test.tsv, or all.tsv, of label<TAB>text. A set that is there is not fetched again; one that
# can't be had, or has another number of documents than it had, is left out, and the exit code is 1.
# Usage: scripts/data.sh FOLDER
set -eu
export LC_ALL=C
to=$1 failed=0
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

get() { # URL
	echo "fetching $1" >&2
	curl -fsSL "$1"
}

labelled() { # LABEL: the lines of standard input with the label
	awk -v label="$1" '{ gsub(/[\t\r]/, " "); print label "\t" $0 }'
}

imdb() {
	get https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz | tar -xz -C "$made"
	for part in train test; do
		for label in neg pos; do # a review a file, without an end of line
			find "$made/aclImdb/$part/$label" -name '*.txt' | sort | xargs awk 1 | labelled $label
		done >"$made/imdb/$part.tsv"
	done
}

trec() {
	questions=https://cogcomp.seas.upenn.edu/Data/QA/QC
	get $questions/train_5500.label >"$made/train"
	get $questions/TREC_10.label >"$made/test"
	for part in train test; do # of lines LABEL:detail question
		iconv -f latin1 -t utf-8 "$made/$part" | sed "s/^\([^:]*\):[^ ]* /\1$(printf '\t')/" >"$made/trec/$part.tsv"
	done
}

rt_polarity() {
	get https://www.cs.cornell.edu/people/pabo/movie-review-data/rt-polaritydata.tar.gz | tar -xz -C "$made"
	for label in pos neg; do
		iconv -f latin1 -t utf-8 "$(find "$made" -name rt-polarity.$label)" | labelled $label
	done >"$made/rt-polarity/all.tsv"
}

banking77() {
	for part in train test; do
		get https://raw.githubusercontent.com/PolyAI-LDN/task-specific-datasets/master/banking_data/$part.csv |
			python3 -c 'import csv, sys
for text, label in list(csv.reader(sys.stdin))[1:]: print(label, text.translate({9: 32, 10: 32, 13: 32}), sep="\t")' \
				>"$made/banking77/$part.tsv"
	done
}

libsvm() {
	for part in a9a a9a.t; do
		get https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/$part >"$made/libsvm/$part"
	done
}

fetch() { # SET LINES...: of its files, by name
	name=$1
	shift
	[ ! -d "$to/$name" ] || return 0
	mkdir "$made/$name"
	"$(echo "$name" | tr - _)" || true # what is missing, the numbers of lines tell
	lines=$(for file in "$made/$name"/*; do wc -l <"$file"; done | xargs)
	if [ "$lines" = "$*" ]; then
		mkdir -p "$to" && mv "$made/$name" "$to/"
	else
		echo "$name is left out: its files have $lines documents, and had $*" >&2
		failed=1
	fi
}

fetch imdb 25000 25000
fetch trec 500 5452
fetch rt-polarity 10662
fetch banking77 3080 10003
fetch libsvm 32561 16281
exit $failed
