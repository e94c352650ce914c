package kernels

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// testFold lowers, and leaves what is white beyond ASCII, or becomes ASCII, to the caller.
func testFold(r rune) rune {
	white := r < utf8.RuneSelf && unicode.IsSpace(r)
	switch to := unicode.ToLower(r); {
	case white:
		return ' '
	case r >= utf8.RuneSelf && (unicode.IsSpace(r) || to < utf8.RuneSelf || r == 0x307):
		return -1
	default:
		return to
	}
}

const testPlain = 0x1f000

var testFolds = NewCharFolds(testFold, testPlain)

// referenceChars is Hash by its words, to the end of the text. It tells the hashes, and how many bytes were before
// each.
func referenceChars(text []byte, stop uint8, after bool, a, b uint64) (hashes []uint64, before []int) {
	i := 0
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 || text[i] == stop || r > 0xffff && r < testPlain {
			break
		}
		to := r
		if r < 0x10000 {
			to = testFold(r)
		}
		if to < 0 {
			break
		}
		if to != ' ' || !after {
			var p [8]byte
			n := utf8.EncodeRune(p[:], to)
			hi, lo := bits.Mul64(binary.LittleEndian.Uint64(p[:])^a, b)
			hashes, before = append(hashes, hi^lo+uint64(n)*0x9e3779b97f4a7c15), append(before, i)
		}
		after = to == ' '
		i += size
	}
	return hashes, append(before, i)
}

// checkChars compares all that an implementation makes of a text, at most room hashes at a time, with the reference.
// An implementation may end a character early, but must get on then.
func checkChars(t *testing.T, c *Chars, text []byte, after bool, room int) {
	t.Helper()
	const guard = 1 << 60
	want, before := referenceChars(text, c.stop, after, c.a, c.b)
	end := before[len(want)]
	done, size := 0, 0
	for {
		dst, intact := guarded[uint64](room, guard)
		n, k := c.Hash(dst, text[size:], after)
		if !intact() {
			t.Fatal("a hash was written outside the slice")
		}
		if n < 0 || done+n > len(want) || !slices.Equal(dst[:n], want[done:done+n]) {
			t.Fatalf("%d hashes after %d are not those of the reference, %d; text %.300q", n, done, len(want), text)
		}
		done, size = done+n, size+k
		if size > 0 {
			after = after && n == 0 && k > 0 || unicode.IsSpace(rune(text[size-1]))
		}
		if size > before[done] || done > 0 && size <= before[done-1] {
			t.Fatalf("%d characters are hashed in %d bytes; text %.300q", done, size, text)
		}
		if n == 0 && k == 0 {
			break
		}
	}
	if last := len(want); done < last-1 || done < last && end == len(text) {
		t.Fatalf("%d characters of %d are hashed; text %.300q", done, last, text)
	}
}

var charPieces = []string{
	"a", "Z", "@", "[", "`", "{", "\x00", "\x7f", " ", " ", "\t", "\n", "\x1c", "<",
	"é", "É", "ÿ", "ß", "ї", "Ж", "Ω", "\u00a0", "\u0085", "İ", "\u0307", "Ⱥ",
	"中", "文", "。", "！", "Ａ", "\u3000", "ẞ", "ế", "Ꭰ", "ꭰ", "K", "한", "\u2028", "…", "\ud7ff", "\ue000", "\uffff", "\u0800",
	"😀", "𠀀", "\U0010ffff", "𐐀", "\U0001f000",
	"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe4\xb8", "\xe4", "\xf0\x80\x80\x80",
	"\xf0\x9f\x98", "\xf0\x9f", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xf8\x88\x80\x80\x80",
}

func TestChars(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(51, 52))
		for range 6000 {
			first := r.IntN(len(charPieces))
			kinds := 1 + r.IntN(len(charPieces)-first)
			var text []byte
			for range r.IntN(200) {
				text = append(text, charPieces[first+r.IntN(kinds)]...)
				if r.IntN(60) == 0 {
					text = append(text, strings.Repeat(charPieces[first+r.IntN(kinds)], r.IntN(80))...)
				}
			}
			c := NewChars(testFolds, []uint8{'<', 0xff}[r.IntN(2)], r.Uint64(), r.Uint64())
			checkChars(t, c, text, r.IntN(2) == 0, CharBlock+r.IntN(200))
		}
	})
}

// TestCharsEverywhere puts everything at every place relative to vectors.
func TestCharsEverywhere(t *testing.T) {
	c := NewChars(testFolds, '<', 1, 2)
	eachImplementation(t, func(t *testing.T) {
		for _, around := range []string{"x", " ", "é", "中", "😀"} {
			for at := 0; at < 140; at += len(around) {
				text := strings.Repeat(around, at/len(around))
				for _, piece := range charPieces {
					checkChars(t, c, []byte(text+piece), false, CharBlock)
					checkChars(t, c, []byte(text+piece+strings.Repeat(around, 70)), true, 300)
				}
			}
		}
	})
}

// TestEveryChar has each code point, but for most beyond U+1FFFF, and each way to begin what is none.
func TestEveryChar(t *testing.T) {
	c := NewChars(testFolds, 0xff, 3, 5)
	eachImplementation(t, func(t *testing.T) {
		for r := rune(0); r <= unicode.MaxRune; r++ {
			if r > 0x20000 {
				r += 0xffe
			}
			checkChars(t, c, utf8.AppendRune([]byte("a"), r), false, CharBlock)
		}
		for lead := 0x80; lead <= 0xff; lead++ {
			for second := range 256 {
				for _, rest := range []string{"", "\xbf\xbf", "\x80a"} {
					checkChars(t, c, append([]byte{uint8(lead), uint8(second)}, rest...), false, CharBlock)
				}
			}
		}
	})
}

// FuzzChars holds every implementation against the reference.
func FuzzChars(f *testing.F) {
	f.Add([]byte("It's a text;  with 中文, naïve ÜMLAUTS and \xff <b>tags</b>."), uint8(7))
	f.Add([]byte(strings.Join(charPieces, "")), uint8(0))
	f.Fuzz(func(t *testing.T, text []byte, choice uint8) {
		before := Active()
		defer mustUse(t, before)
		for _, name := range Implementations() {
			mustUse(t, name)
			c := NewChars(testFolds, 0xff-choice&1*(0xff-'<'), uint64(choice), 3)
			checkChars(t, c, text, choice&2 == 0, CharBlock+int(choice))
		}
	})
}

// referenceWord is CharFolds.Word by its words; nil is a word that is left to the caller.
func referenceWord(text []byte, size int) []byte {
	if size > MaxFold || size+3 > len(text) {
		return nil
	}
	word := []byte{}
	for i := 0; i < size; {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 || r > 0xffff && r < testPlain {
			return nil
		}
		i += n
		if r < 0x10000 {
			r = wordFold(r)
		}
		if r < 0 || r == '\'' && (len(word) == 0 || i >= size || text[i] >= utf8.RuneSelf || text[i] == '\'') {
			return nil
		}
		word = utf8.AppendRune(word, r)
	}
	return word
}

func wordFold(r rune) rune {
	if r == '’' {
		return '\''
	}
	return testFold(r)
}

func TestFoldWord(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	pieces := append([]string{"a", "B", "'", "’", "é", "É", "Ж", "Ⱥ", "ẞ", "한"}, charPieces...)
	folds := NewCharFolds(wordFold, testPlain)
	folded := 0
	for range 100000 {
		kinds := 1 + r.IntN(len(pieces))
		var text []byte
		for range 1 + r.IntN(30) {
			piece := pieces[r.IntN(kinds)]
			if piece[0] >= utf8.RuneSelf || piece >= "A" && piece <= "Z" || piece >= "a" && piece <= "z" || piece == "'" && len(text) > 0 && text[len(text)-1] != '\'' {
				text = append(text, piece...)
			}
		}
		size := len(text)
		text = append(text, "a’ "[:r.IntN(4)]...)
		var dst [2 * MaxFold]byte
		n, want := folds.Word(&dst, text, size), referenceWord(text, size)
		if n < 0 && want != nil || n >= 0 && (want == nil || !slices.Equal(dst[:n], want)) {
			t.Fatalf("%q of %q becomes %q (%d), want %q", text[:size], text, dst[:max(n, 0)], n, want)
		}
		if n > 0 {
			folded++
		}
	}
	if folded < 1000 {
		t.Errorf("only %d words were folded", folded)
	}
}
