package hashing

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestBasicPlane(t *testing.T) {
	p := basic()
	for r := rune(0); r < 1<<16; r++ {
		if p.class[r] != classify(r) {
			t.Errorf("class of %U is %d, want %d", r, p.class[r], classify(r))
		}
		if rune(p.fold[r]) != fold(r) {
			t.Errorf("fold of %U is %U, want %U", r, p.fold[r], fold(r))
		}
	}
}

// TestAloneHasNoCase: scanAlone does without folding, and takes any three bytes that make
// such a character for it.
func TestAloneHasNoCase(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if classify(r) == alone && fold(r) != r {
			t.Errorf("%U has a lower case", r)
		}
		if utf8.RuneLen(r) < 3 && classify(r) == alone {
			t.Errorf("%U has less than three bytes, or none", r)
		}
	}
}

func TestDecode(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var p [5]byte
	check := func(p []byte) {
		got, size := decode(p)
		if want, wantSize := utf8.DecodeRune(p); got != want || size != wantSize {
			t.Fatalf("decode(%x) is %U of %d bytes, want %U of %d", p, got, size, want, wantSize)
		}
	}
	check(nil)
	for a := range 1 << 16 {
		p[0], p[1] = byte(a>>8), byte(a)
		check(p[:1])
		check(p[:2])
		for range 4 {
			p[2], p[3], p[4] = byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())
			if r.IntN(2) == 0 {
				p[2], p[3] = 0x80|p[2]&0x3f, 0x80|p[3]&0x3f
			}
			check(p[:3])
			check(p[:])
		}
	}
}

// TestTables notices when the meaning of a character changes. The tables are
// those of the Go release; in a newer edition of Unicode, characters that used to
// separate because they were not assigned become letters.
func TestTables(t *testing.T) {
	if unicode.Version != "15.0.0" {
		t.Skipf("the sum is for Unicode 15.0.0, this is Go with %s", unicode.Version)
	}
	sum := crc32.NewIEEE()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		f := fold(r)
		sum.Write([]byte{byte(classify(r)), byte(f), byte(f >> 8), byte(f >> 16)})
	}
	if got := sum.Sum32(); got != goldenTables {
		t.Errorf("sum of classes and lower cases is %#x, want %#x: characters have changed their meaning", got, uint32(goldenTables))
	}
}
