package fasttext

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// sameModel compares models that were decoded in all but the seed of the dictionary.
func sameModel(a, b *Model) bool {
	x, y := *a, *b
	y.vocab.seed, y.vocab.slots = x.vocab.seed, x.vocab.slots
	y.norms = x.norms
	return reflect.DeepEqual(&x, &y)
}

// TestRounded: a rounded model has half the numbers' bytes, and is as it was when it comes back.
func TestRounded(t *testing.T) {
	for name := range tiny {
		m := readTiny(t, name)
		r, rounding := m.Round()
		*rounding = Rounding{0.125, 7, true}
		for i, x := range m.table {
			if want := xmath.FromHalf(xmath.Half(float64(x))); r.table[i] != want {
				t.Fatalf("%s: %v has become %v, want %v", name, x, r.table[i], want)
			}
		}
		plain, form := m.Encode(), r.Encode()
		if len(form) >= len(plain) {
			t.Errorf("%s: rounded it has %d bytes, before %d", name, len(form), len(plain))
		}
		got, err := Decode(form)
		must.OK(t, err)
		if !sameModel(r, got) || *got.Facts().Rounded != *rounding {
			t.Errorf("%s: decoded it is another", name)
		}
		if !bytes.Equal(got.Encode(), form) {
			t.Errorf("%s: encoded again it has other bytes", name)
		}
		if m.rounded != nil || m.Facts().Rounded != nil {
			t.Errorf("%s: rounding has changed the model itself", name)
		}
	}
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
	r, _ := m.Round()
	form := r.Encode()
	begin := formHeader + unit + padded(4*len(m.vocab.ends)) + padded(len(m.vocab.text)) + padded(8*len(m.counts))
	rows := len(m.table) / m.pitch
	for what, change := range map[string]func(data []byte){
		"a row beyond the last": func(data []byte) { data[begin+rows/8] |= 1 << (rows % 8) },
		"a row less":            func(data []byte) { clear(data[begin:][:8]) },
		"a number that is none": func(data []byte) {
			binary.LittleEndian.PutUint16(data[begin+padded(8*((rows+63)/64)):], xmath.HalfInfinity)
		},
		"an error that is none": func(data []byte) {
			binary.LittleEndian.PutUint64(data[formHeader:], math.Float64bits(math.NaN()))
		},
		"fewer texts than none":  func(data []byte) { data[formHeader+15] = 0x80 },
		"flags of a later form":  func(data []byte) { data[28] |= 32 },
		"own words without them": func(data []byte) { data[28] = data[28]&^flagRounded | flagOwnWords },
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
