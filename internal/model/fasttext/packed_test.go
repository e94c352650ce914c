package fasttext

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// sameModel compares models that were decoded in all but the seed of the dictionary.
func sameModel(a, b *Model) bool {
	x, y := *a, *b
	y.vocab.seed, y.vocab.slots = x.vocab.seed, x.vocab.slots
	y.norms = x.norms
	return reflect.DeepEqual(&x, &y)
}

// TestZeros: rows of zeros are not stored where that makes the file smaller, and count nonetheless.
func TestZeros(t *testing.T) {
	for name := range tiny {
		m := readTiny(t, name)
		rows := len(m.table) / m.pitch
		for i := range rows {
			if i%3 > 0 {
				clear(m.row32(i))
			}
		}
		form := m.Encode()
		if n := len(form); n >= len(readTiny(t, name).Encode()) || binary.LittleEndian.Uint32(form) != formPacked {
			t.Errorf("%s: with zeros in two thirds of its rows it has %d bytes", name, n)
		}
		got, err := Decode(form)
		must.OK(t, err)
		if !sameModel(m, got) {
			t.Errorf("%s: decoded it is another", name)
		}
	}
}

// TestPackedRefused: what is wrong with a packed table is found before memory is taken.
func TestPackedRefused(t *testing.T) {
	m := readTiny(t, "bigrams.bin")
	rows := len(m.table) / m.pitch
	for i := range rows {
		if i%3 > 0 {
			clear(m.row32(i))
		}
	}
	form := m.Encode()
	begin := formHeader + padded(4*len(m.vocab.ends)) + padded(len(m.vocab.text)) + padded(8*len(m.counts))
	for what, change := range map[string]func(data []byte){
		"a row beyond the last": func(data []byte) { data[begin+rows/8] |= 1 << (rows % 8) },
		"a row less":            func(data []byte) { clear(data[begin:][:8]) },
		"a number that is none": func(data []byte) {
			binary.LittleEndian.PutUint32(data[begin+padded(8*((rows+63)/64)):], math.Float32bits(float32(math.Inf(1))))
		},
		"flags of a later form": func(data []byte) { data[28] |= 32 },
	} {
		data := bytes.Clone(form)
		change(data)
		if _, err := Decode(data); err == nil || !strings.Contains(err.Error(), "the file is damaged") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if mayExpand(mostExpansion*1000+mostExpansion, 1000) || !mayExpand(mostExpansion*1000, 1000) {
		t.Error("a file may become another number of bytes")
	}
}
