#!/bin/sh
# Makes a small labelled corpus, train.tsv and test.tsv, of the doc comments in Go's own source tree, which every machine
# with Go has: the label is the top-level folder of the standard library, a document the comment of one declaration. Of
# every label, each fifth file is held out for testing, so that nothing of it is trained on.
# Usage: scripts/godoc.sh FOLDER
set -eu
export LC_ALL=C
folder=$(cd "$1" && pwd)
cd "$(${GO:-go} env GOROOT)/src"

# Lines of label, file and comment. Comments of fewer than 8 words say too little.
find . \( -path ./cmd -o -name internal -o -name vendor -o -name testdata \) -prune -o \
	-path './*/*.go' ! -name '*_test.go' -print | sort | xargs awk '
	FNR == 1 { comment = ""; block = 0 }
	/^\/\*/ { block = 1; sub(/^\/\*/, "") }
	block { block = !sub(/\*\/.*/, ""); comment = comment " " $0; next }
	/^\/\/[a-z0-9]+:[a-z0-9]/ { next } # a directive
	/[{][{]/ { comment = ""; next } # of a template
	/^\/\// { comment = comment " " substr($0, 3); next }
	/^(package|import|const|var|type|func)[ (]/ && split(comment, words) >= 8 {
		split(FILENAME, path, "/")
		$0 = comment; $1 = $1
		print path[2] "\t" FILENAME "\t" $0
	}
	{ comment = "" }' >"$folder/all.tsv"

# Labels of fewer than 250 comments or 10 files are left out.
awk -F '\t' -v folder="$folder" '
	{ label[NR] = $1; text[NR] = $3; size[$1]++ }
	$2 != last { last = $2; files[$1]++ }
	{ file[NR] = files[$1] }
	END {
		for (i = 1; i <= NR; i++)
			if (size[label[i]] >= 250 && files[label[i]] >= 10)
				print label[i] "\t" text[i] >(folder (file[i] % 5 ? "/train.tsv" : "/test.tsv"))
	}' "$folder/all.tsv"
for part in train test; do sort -u -o "$folder/$part.tsv" "$folder/$part.tsv"; done
rm "$folder/all.tsv"
