#!/bin/bash -eu
# Builds the fuzz targets of tests/hostile for libFuzzer into $OUT, each with seeds and a dictionary, from the root of
# the repository. OSS-Fuzz and ClusterFuzzLite set the variables; by hand, with clang and libFuzzer:
#
#   OUT=FOLDER CXX=clang++ CXXFLAGS=-fsanitize=address LIB_FUZZING_ENGINE=-fsanitize=fuzzer .clusterfuzzlite/build.sh

builder=github.com/AdamKorcz/go-118-fuzz-build version=v0.0.0-20250520111509-a70c2aa677fa
root=$PWD work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

NBSVM_SEEDS=$work/seeds go test -count 1 -run Fuzz ./tests/hostile
mkdir "$work/bin" "$work/nbsvm"
GOBIN=$work/bin go install $builder@$version
# The builder changes go.mod and the file of the targets.
tar --exclude=./.git --exclude=./bin -cf - . | tar -xf - -C "$work/nbsvm"
cd "$work/nbsvm"
go get $builder/testing@$version
for target in $(grep -oE '^func Fuzz[A-Za-z]+' tests/hostile/fuzz_test.go | cut -d ' ' -f 2); do
	"$work/bin/go-118-fuzz-build" -tags gofuzz -o "$target.a" -func "$target" "$PWD/tests/hostile"
	rm tests/hostile/*
	cp "$root/tests/hostile/fuzz_test.go" tests/hostile
	# shellcheck disable=SC2086
	$CXX $CXXFLAGS $LIB_FUZZING_ENGINE "$target.a" -o "$OUT/$target"
	cp "$root/.clusterfuzzlite/formats.dict" "$OUT/$target.dict"
	(cd "$work/seeds/$target" && zip -q -r "$OUT/${target}_seed_corpus.zip" .)
done
