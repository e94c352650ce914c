package kernels

import "fmt"

// What an ASCII character is where words are looked for; nothing of it separates.
const (
	TextWord  = 1 << iota // part of a word
	TextInner             // part of a word between two characters that are
	TextAlone             // a word by itself
	TextStop              // a word by itself that is left to the caller
)

// TextBlock is how many bytes of a text [Words.Split] looks at.
const TextBlock = 2048

// maxWord is the length of the longest word that Hash hashes.
const maxWord = 16

const (
	// leftOver marks the end of a word that is left to the caller.
	leftOver = 1 << 15
	// Assembly writes a vector of positions, and reads one, past the last word; it
	// writes the first bytes of a short text together with as many before them.
	textLead, textSlack = 64, 128
)

// What the assembly of splitting and hashing takes.
type (
	lowered   = [textLead + TextBlock + textSlack]uint8
	positions = [TextBlock + textSlack]uint16
	columns   = [4][16]uint8 // of [Words]
)

// Words finds the words of a text and makes their hashes. Bytes beyond ASCII are part
// of a word here, but the caller has to look at such a word: it may be several, or none.
type Words struct {
	a, b   uint64 // keys of the hash
	lower  uint8  // or-ed to every byte
	class  [128]uint8
	spread [256]uint64 // for the Go loop, see spreadClasses
	column columns     // by the low half of a byte: a bit for every high half in a class
	runs   int
	text   lowered
	starts positions
	ends   positions
}

// NewWords takes what each ASCII character is, the bits that are set in every byte
// before it is hashed, and the two keys of the hash.
func NewWords(classes [128]uint8, lower uint8, a, b uint64) *Words {
	w := &Words{a: a, b: b, lower: lower, class: classes, spread: spreadClasses(&classes)}
	for c, class := range classes {
		for k := range w.column {
			w.column[k][c%16] |= class >> k & 1 << (c / 16)
		}
	}
	return w
}

// Split finds the words at the beginning of a text, as many as are complete in its
// first [TextBlock] bytes. It says how many there are, and where to go on. That is 0
// where the text begins with a word that is longer; an empty text apart.
func (w *Words) Split(text []byte) (words, size int) {
	w.runs = 0
	if len(text) == 0 {
		return 0, 0
	}
	final := len(text) <= TextBlock
	if !final {
		text = text[:TextBlock]
	}
	switch {
	case useVectors && len(text) < textLead:
		// The first bytes are read with those before them.
		var lead [textLead]uint8
		k := textLead - len(text)
		copy(lead[k:], text)
		words, size = splitWordsVector(lead[k:], &w.column, w.lower, &w.text, &w.starts, &w.ends, final)
	case useVectors:
		words, size = splitWordsVector(text, &w.column, w.lower, &w.text, &w.starts, &w.ends, final)
	default:
		words, size = w.split(text, final)
	}
	w.runs = words
	return words, min(size, len(text)) // whole turns may be more
}

// Word returns where in the text the i-th word of the last Split begins and ends.
func (w *Words) Word(i int) (start, end int) {
	if i >= w.runs {
		panic("kernels: there is no such word")
	}
	return int(w.starts[i]), int(w.ends[i] &^ leftOver)
}

// Left reports whether the i-th word is left to the caller, and not for its length.
func (w *Words) Left(i int) bool { return w.ends[i] >= leftOver }

// Hash makes the hashes of the words from the i-th on, as many as dst holds, and says
// how many it made: it stops at a word that is left to the caller, for it is longer
// than 16 bytes, not ASCII, or of TextStop. dst behind them may be overwritten.
//
// With x and y the first and last eight of a word's bytes, zeros behind them, its hash
// is the exclusive or of the halves of (a^x)·(b^y), plus n·0x9e3779b97f4a7c15.
func (w *Words) Hash(dst []uint64, i int) int {
	if i < 0 || i > w.runs {
		panic("kernels: there is no such word")
	}
	dst = dst[:min(len(dst), w.runs-i)]
	if len(dst) == 0 {
		return 0
	}
	if useVectors {
		return hashWordsVector(dst, &w.text, &w.starts[i], &w.ends[i], w.a, w.b)
	}
	return w.hash(dst, i)
}

// MixSums sets dst[i] to Mix(a[i] + b[i] + key). The slices may not overlap.
func MixSums(dst, a, b []uint64, key uint64) {
	checkColumn(len(dst), len(a))
	checkColumn(len(dst), len(b))
	done := 0
	if useVectors {
		done = mixSumsVector(dst, a, b, key)
	}
	mixSums(dst[done:], a[done:], b[done:], key)
}

// Interleave sets dst to the first entries of the columns, then the second ones, and
// so on.
func Interleave(dst []uint64, columns ...[]uint64) {
	for _, c := range columns {
		checkColumn(len(dst), len(c)*len(columns))
	}
	done := 0
	if onAMD64 && useVectors && len(columns) == 4 {
		done = interleave4Vector(dst, columns[0], columns[1], columns[2], columns[3])
	}
	switch {
	case useVectors && len(columns) == 2:
		done = interleave2Vector(dst, columns[0], columns[1])
	case useVectors && len(columns) == 3:
		done = interleave3Vector(dst, columns[0], columns[1], columns[2])
	}
	interleave(dst, columns, done)
}

func checkColumn(dst, entries int) {
	if dst != entries {
		panic(fmt.Sprintf("kernels: %d entries for %d", entries, dst))
	}
}
