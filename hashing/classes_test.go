package hashing

import (
	"hash/crc32"
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
