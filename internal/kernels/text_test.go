package kernels

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// textClasses are those of words, apostrophes and some marks.
func textClasses() (classes [128]uint8) {
	for c := range classes {
		switch b := byte(c); {
		case '0' <= b && b <= '9', 'a' <= b|0x20 && b|0x20 <= 'z':
			classes[c] = TextWord
		case b == '\'':
			classes[c] = TextInner
		case strings.ContainsRune(".,!", rune(b)):
			classes[c] = TextAlone
		case b == '<':
			classes[c] = TextStop
		}
	}
	return classes
}

// randomClasses give every character any class, or several words' share of them.
func randomClasses(r *rand.Rand) (classes [128]uint8) {
	for c := range classes {
		classes[c] = []uint8{0, TextWord, TextInner, TextAlone, TextStop}[r.IntN(5)]
	}
	return classes
}

// textWord is a word as the reference finds it: where it is, and its hash, unless it
// is left to the caller.
type textWord struct {
	start, end int
	hash       uint64
	left       bool
}

// referenceWords goes through the text byte by byte.
func referenceWords(text []byte, classes [128]uint8, lower uint8, a, b uint64) (words []textWord) {
	class := func(i int) uint8 {
		switch {
		case i < 0 || i >= len(text):
			return 0
		case text[i] >= 0x80:
			return TextWord
		}
		return classes[text[i]]
	}
	for i := 0; i < len(text); {
		w := textWord{start: i, end: i + 1}
		switch class(i) {
		case TextWord:
			for class(w.end) == TextWord || class(w.end) == TextInner && class(w.end-1) == TextWord && class(w.end+1) == TextWord {
				w.end++
			}
		case TextStop:
			w.left = true
		case TextAlone:
		default:
			i++
			continue
		}
		i = w.end
		var half [2]uint64
		for k, c := range text[w.start:w.end] {
			if w.left = w.left || c >= 0x80 || k >= 16; w.left {
				break
			}
			half[k/8] |= uint64(c|lower) << (8 * (k % 8))
		}
		hi, lo := bits.Mul64(a^half[0], b^half[1])
		if w.hash = hi ^ lo + uint64(w.end-w.start)*0x9e3779b97f4a7c15; w.left {
			w.hash = 0
		}
		words = append(words, w)
	}
	return words
}

// allWords is what Split and Hash make of a text, at most room hashes at a time.
func allWords(t *testing.T, w *Words, text []byte, room int) (words []textWord) {
	t.Helper()
	const guard = 1 << 60
	for base := 0; base < len(text); {
		n, size := w.Split(text[base:])
		if size == 0 && len(text) > base+TextBlock {
			// A word that is longer than a block: its end is found byte by byte.
			size = TextBlock
			rest := append([]byte{0x80}, text[base:]...)
			for _, long := range referenceWords(rest, w.class, 0, 0, 0)[:1] {
				size = long.end - 1
			}
			words = append(words, textWord{start: base, end: base + size, left: true})
			base += size
			continue
		}
		if size <= 0 || size > len(text)-base {
			t.Fatalf("%d bytes of %d, text %q", size, len(text)-base, text)
		}
		for i := 0; i < n; {
			dst, intact := guarded[uint64](room, guard)
			k := w.Hash(dst, i)
			if !intact() {
				t.Fatal("a hash was written outside the slice")
			}
			for _, h := range dst[:k] {
				start, end := w.Word(i)
				words = append(words, textWord{start: base + start, end: base + end, hash: h})
				i++
			}
			if k < room && i < n {
				start, end := w.Word(i)
				words = append(words, textWord{start: base + start, end: base + end, left: true})
				i++
			}
		}
		base += size
	}
	return words
}

// checkWords compares all that an implementation finds with the reference.
func checkWords(t *testing.T, text []byte, classes [128]uint8, lower uint8, a, b uint64, room int) {
	t.Helper()
	want := referenceWords(text, classes, lower, a, b)
	got := allWords(t, NewWords(classes, lower, a, b), text, room)
	if slices.Equal(got, want) {
		return
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%d words, want %d, and they differ from word %d on: %s, want %s; text %.300q",
				len(got), len(want), i, show(got, i), show(want, i), text)
		}
	}
}

func show(words []textWord, i int) string {
	if i >= len(words) {
		return "none"
	}
	return fmt.Sprintf("%+v", words[i])
}

// textPieces are what random texts are made of.
var textPieces = []string{
	" ", " ", " ", " ", "'", "'", "''", ".", "!", "<", "\x00", "\n", "\xff", "é", "\x80", "\xc3",
	"a", "I", "it", "Word", "don't", "42", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghijklmno", "abcdefghijklmnop", "abcdefghijklmnopq",
}

func randomText(r *rand.Rand, pieces int) (text []byte) {
	kinds := 1 + r.IntN(len(textPieces))
	for range pieces {
		text = append(text, textPieces[r.IntN(kinds)]...)
		if r.IntN(40) == 0 {
			text = append(text, strings.Repeat(textPieces[r.IntN(len(textPieces))], r.IntN(80))...)
		}
	}
	return text
}

func TestWords(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(41, 42))
		for i := range 4000 {
			pieces, room := r.IntN(100), 1+r.IntN(20)
			if i%50 == 0 {
				pieces, room = 3000, TextBlock
			}
			checkWords(t, randomText(r, pieces), textClasses(), uint8(r.IntN(2)*0x20), r.Uint64(), r.Uint64(), room)
		}
	})
}

// TestWordsOfAnyBytes has other classes, of every character.
func TestWordsOfAnyBytes(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(43, 44))
		for range 2000 {
			text := make([]byte, r.IntN(300))
			mask := byte(0xff >> r.IntN(2))
			for i := range text {
				text[i] = byte(r.Uint32()) & mask
			}
			checkWords(t, text, randomClasses(r), uint8(r.Uint32()), r.Uint64(), r.Uint64(), 1+r.IntN(70))
		}
	})
}

// TestWordsEverywhere puts words of every length, apostrophes and what is left over at
// every place relative to vectors and blocks.
func TestWordsEverywhere(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 5
	}
	eachImplementation(t, func(t *testing.T) {
		for _, piece := range []string{"'", "a'b", "'a", "a'", "''", "a''b", "é", "é'a", "a'é", "<", "<b>", ".", "a.", ".a", "...", "\x00"} {
			for at := 0; at < 140; at += step {
				for _, around := range []string{" ", "x", ".", "'", "é"} {
					text := strings.Repeat(around, at) + piece
					checkWords(t, []byte(text), textClasses(), 0x20, 1, 2, 9)
					checkWords(t, []byte(text+around), textClasses(), 0x20, 1, 2, 9)
					checkWords(t, []byte(text+strings.Repeat(around, 70)), textClasses(), 0x20, 1, 2, 9)
				}
			}
		}
		for n := range 41 {
			for at := 0; at < 140; at += step {
				text := strings.Repeat("ab. ", 35)[:at] + " " + strings.Repeat("Xyz0123", 6)[:n]
				for _, after := range []string{"", " ", "'", "!a", "é", "'s and on it goes, for more than sixty-four bytes after the word"} {
					checkWords(t, []byte(text+after), textClasses(), 0x20, 1, 2, 500)
				}
			}
		}
		// About the end of a block.
		for at := TextBlock - 70; at < TextBlock+70; at += step {
			for _, piece := range []string{"'", "a'b", "a' b", "é", "<", ".", "abcdefghijklmnopqrst"} {
				text := []byte(strings.Repeat("ab.d ", at/5+1)[:at] + piece + strings.Repeat(" word", 30))
				checkWords(t, text, textClasses(), 0, 3, 4, TextBlock)
			}
		}
		for _, unit := range []string{"a", "é", "'", "a'", ".", "<", " ", "a."} {
			for _, size := range []int{TextBlock - 1, TextBlock, TextBlock + 1, 3*TextBlock + 7} {
				text := []byte(strings.Repeat(unit, size))[:size]
				checkWords(t, text, textClasses(), 0, 3, 4, TextBlock)
				checkWords(t, append(text, " and more"...), textClasses(), 0, 3, 4, TextBlock)
			}
		}
	})
}

// TestSums holds the n-gram kernels against their definitions, at every length, with
// slices where nothing but them may be touched.
func TestSums(t *testing.T) {
	const guard = 1 << 60
	eachImplementation(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(47, 48))
		random := func(n int) []uint64 {
			p := make([]uint64, n)
			for i := range p {
				p[i] = r.Uint64() >> (r.IntN(3) * 20)
			}
			return p
		}
		for n := range 70 {
			a, b, key := random(n), random(n), r.Uint64()
			dst, intact := guarded[uint64](n, guard)
			MixSums(dst, a, b, key)
			for i, got := range dst {
				x := a[i] + b[i] + key
				x ^= x >> 30
				x *= 0xbf58476d1ce4e5b9
				x ^= x >> 27
				x *= 0x94d049bb133111eb
				x ^= x >> 31
				if got != x {
					t.Fatalf("sum %d of %d is mixed to %#x, want %#x", i, n, got, x)
				}
			}
			if !intact() {
				t.Fatal("MixSums wrote outside the slice")
			}
			for count := 1; count <= 5; count++ {
				columns := make([][]uint64, count)
				for k := range columns {
					columns[k] = random(n)
				}
				dst, intact := guarded[uint64](n*count, guard)
				Interleave(dst, columns...)
				for i, got := range dst {
					if want := columns[i%count][i/count]; got != want {
						t.Fatalf("%d columns of %d: entry %d is %#x, want %#x", count, n, i, got, want)
					}
				}
				if !intact() {
					t.Fatal("Interleave wrote outside the slice")
				}
			}
		}
	})
}

// FuzzWords holds every implementation against the reference, over any text and any
// classes.
func FuzzWords(f *testing.F) {
	f.Add([]byte("It's a text; with 'quotes', naïve words and <b>tags</b> and averylongwordindeed."), []byte(nil), uint8(7))
	f.Add([]byte(strings.Repeat("a word ", 400)), []byte("'"), uint8(255))
	f.Add([]byte("\xbf"+strings.Repeat(" word a", 400)), []byte(" wo\xe1rd"), uint8(165)) // one word longer than a block
	f.Fuzz(func(t *testing.T, text, special []byte, choice uint8) {
		if len(text) > 4*TextBlock {
			return
		}
		classes := textClasses()
		for i, c := range special {
			classes[c%128] = []uint8{0, TextWord, TextInner, TextAlone, TextStop}[i%5]
		}
		before := Active()
		defer mustUse(t, before)
		for _, name := range Implementations() {
			mustUse(t, name)
			checkWords(t, text, classes, choice&0x20, uint64(choice), 3, 1+int(choice))
		}
	})
}
