// This file writes the assembly of the text kernels, and of what models do with their
// hashes.

package main

import (
	"encoding/binary"
	"strconv"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Of package kernels.
const (
	textWord, textInner, textAlone, textStop = 0, 1, 2, 3 // bits of a class
	textLead                                 = 64
	textSize                                 = 2048 + 64 + 128
	positions                                = 2048 + 128
	maxWord                                  = 16
	golden                                   = 0x9e3779b97f4a7c15
	mix1, mix2                               = 0xbf58476d1ce4e5b9, 0x94d049bb133111eb
)

// writeText writes what all CPUs with assembly run.
func writeText() {
	splitWords()
	hashWords()
	hashChars()
	mixSums256()
	interleave256()
	addRows()
	addWholeRows()
	placeHashes()
	findRows()
	distinct("keepDistinctVector", "func(kept []uint32, seen []uint8, document uint32, rows, queries []uint32, entries [][3]uint32) (n, done int)", false)
	distinct("sumDistinctVector", "func(seen []uint8, document uint32, rows, queries []uint32, entries [][3]uint32, weights, squares float64) (w, q float64, n, done int)", true)
	findSpans()
	countKeys()
}

func ref(name string) operand.LabelRef { return operand.LabelRef(name) }

// constant returns memory that holds the given words.
func constant(name string, words ...uint64) operand.Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i, v := range words {
		DATA(8*i, operand.U64(v))
	}
	return m
}

// packed returns bytes as constant takes them.
func packed(bytes []byte) (words []uint64) {
	for ; len(bytes) > 0; bytes = bytes[8:] {
		words = append(words, binary.LittleEndian.Uint64(bytes))
	}
	return words
}

// param returns an argument where it was passed.
func param(name string) operand.Mem { return address(Param(name)) }

func address(c gotypes.Component) operand.Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// set64 returns a number in every lane.
func set64(v uint64, z reg.VecVirtual) reg.VecVirtual {
	t := GP64()
	MOVQ(operand.U64(v), t)
	VMOVQ(t, z.AsX())
	VPBROADCASTQ(z.AsX(), z)
	return z
}

var shared = map[uint64]operand.Mem{}

// every has a number in each of four lanes, in memory: AVX2 has 16 registers.
func every(v uint64) operand.Mem {
	if _, ok := shared[v]; !ok {
		shared[v] = constant("every"+strconv.Itoa(len(shared)), v, v, v, v)
	}
	return shared[v]
}

// eight returns a number eight times.
func eight(n uint64) operand.Mem { return every(n * 0x0001000100010001) }

var labels int

// label returns a label that is used once.
func label(name string) string {
	labels++
	return name + strconv.Itoa(labels)
}
