package main

// #include "nbsvm.h"
import "C"

import (
	"encoding/binary"
	"runtime/cgo"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/model/fasttext"
)

// The functions of this file take what nbsvm_open has opened as a file of fastText.

func fileOf(handle C.uintptr_t) *fasttext.File { return cgo.Handle(handle).Value().(*fasttext.File) }

// nbsvm_words returns the counts of the words in a dictionary, of 64 bits each, and then the words with a zero byte
// after each.
//
//export nbsvm_words
func nbsvm_words(handle C.uintptr_t, out **C.char, size *C.size_t) *C.char {
	return try(func() error {
		var counts, words []byte
		fileOf(handle).Words(func(word []byte, count int64) {
			counts = binary.NativeEndian.AppendUint64(counts, uint64(count))
			words = append(append(words, word...), 0)
		})
		reply(append(counts, words...), out, size)
		return nil
	})
}

// nbsvm_word_id sets id to the number of a word, or to -1.
//
//export nbsvm_word_id
func nbsvm_word_id(handle C.uintptr_t, word unsafe.Pointer, length C.size_t, id *C.int64_t) *C.char {
	return try(func() error {
		*id = C.int64_t(fileOf(handle).ID(view[byte](word, int(length))))
		return nil
	})
}

// nbsvm_bucket sets row to that of an n-gram of characters.
//
//export nbsvm_bucket
func nbsvm_bucket(handle C.uintptr_t, ngram unsafe.Pointer, length C.size_t, row *C.int64_t) *C.char {
	return try(func() error {
		found, err := fileOf(handle).Bucket(view[byte](ngram, int(length)))
		*row = C.int64_t(found)
		return err
	})
}

// nbsvm_subwords returns three numbers of 32 bits for each part of a word that has a row: where it begins and ends in
// <word>, and its row.
//
//export nbsvm_subwords
func nbsvm_subwords(handle C.uintptr_t, word unsafe.Pointer, length C.size_t, out **C.char, size *C.size_t) *C.char {
	return try(func() error {
		data, err := binary.Append(nil, binary.NativeEndian, fileOf(handle).Subwords(view[byte](word, int(length))))
		if err == nil {
			reply(data, out, size)
		}
		return err
	})
}

// nbsvm_vector writes the vector of a word or, unless line is 0, of a line.
//
//export nbsvm_vector
func nbsvm_vector(handle C.uintptr_t, text unsafe.Pointer, length C.size_t, line C.int32_t, vector *C.float) *C.char {
	return try(func() error {
		f := fileOf(handle)
		to := view[float32](unsafe.Pointer(vector), f.Dim)
		if line != 0 {
			return f.LineVector(to, view[byte](text, int(length)))
		}
		return f.WordVector(to, view[byte](text, int(length)))
	})
}

// nbsvm_rows writes rows of the input or, unless output is 0, of the output, from the first one on.
//
//export nbsvm_rows
func nbsvm_rows(handle C.uintptr_t, output C.int32_t, first, count C.int64_t, rows *C.float) *C.char {
	return try(func() error {
		f := fileOf(handle)
		return f.Rows(view[float32](unsafe.Pointer(rows), int(count)*f.Dim), output != 0, int64(first))
	})
}
