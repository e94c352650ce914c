package dataset

import (
	"fmt"
	"math"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
)

// Options say how documents become rows.
type Options struct {
	// Text says how text becomes n-grams. Its Bits are the width of a key; 0 for DefaultBits. N-grams of words that have
	// no orders get 1 to 3 where there are at least 3 MB of text a class, else 1 to 2, and beside them n-grams of 2 to 5
	// characters where there are 10 kB to 4 MB of text in all, unless Text has several families.
	Text   hashing.Options
	MinDF  int  // leave out n-grams of fewer documents
	Counts bool // keep how often a document has an n-gram
	Names  bool // keep the texts of n-grams
	// MinDFOf, if not nil, tells MinDF of documents that have been read, whose rows are not yet made.
	MinDFOf func(d *Dataset) int
	// Memory is about how many bytes to take at most for n-grams and texts that wait; what does not
	// fit waits in files in Temp. To read takes some 50 MiB besides. 0 is for no bound, or, of Pack,
	// for DefaultMemory. With a bound, the rows of Build are in Temp, too.
	Memory int64
	// Temp is the folder for these files; "" is the system's.
	Temp     string
	Sample   int // takes one in so many documents, chosen by their texts; 0 takes all
	Threads  int // 0 for all processors; they do not change the result
	Progress func(corpus.Progress)
}

// DefaultBits is the width of a key: with a million n-grams, two have the same key in one of three corpora.
const DefaultBits = hashing.MaxKeyBits

// DefaultMemory is 2 GiB.
const DefaultMemory = 2 << 30

// MinMemory is the least Memory: with less, most of the time would go into waiting.
const MinMemory = 8 << 20

// Longer n-grams need more text to be learned from: cross-validated on parts of one
// training set, orders 1 to 3 are better than 1 to 2 from 4.1 MB of text a class on, and
// no better with 2.1 MB; this lies between. docs/explanation/defaults.md has the figures.
const trigramBytes = 3_000_000

// From so much text on, and below so much, n-grams of characters are taken beside words: few words are frequent enough
// to learn from, but their parts are. docs/explanation/defaults.md has the figures. With less text nothing can be
// measured, and words are easier to explain.
const leastCharBytes, charBytes = 10_000, 4_000_000

// Validate reports the first option that is out of its range.
func (o *Options) Validate() error {
	if b := o.Text.Bits; b < hashing.MinBits || b > hashing.MaxKeyBits {
		return fmt.Errorf("nbsvm: bits must be %d to %d, got %d", hashing.MinBits, hashing.MaxKeyBits, b)
	}
	if err := o.ordered().Validate(); err != nil {
		return err
	}
	switch {
	case o.MinDF < 1 || o.MinDF > math.MaxInt32:
		return fmt.Errorf("nbsvm: Options.MinDF must be 1 document or more, got %d", o.MinDF)
	case o.Memory != 0 && o.Memory < MinMemory:
		return fmt.Errorf("nbsvm: %d bytes of memory are too few, it must be %d or more", o.Memory, int64(MinMemory))
	case o.Threads < 0:
		return fmt.Errorf("nbsvm: threads must be 1 or more, or 0 for all processors, got %d", o.Threads)
	}
	return nil
}

// automatic reports whether the orders of n-grams follow from how much text there is.
func (o *Options) automatic() bool {
	return o.Text.Families[0].Tokenizer == hashing.Word && o.Text.Families[0].NgramHi == 0
}

// ordered returns Text with orders 1 to 2 of words that have none.
func (o *Options) ordered() hashing.Options {
	text := o.Text
	if o.automatic() {
		text.Families[0].NgramLo, text.Families[0].NgramHi = 1, 2
	}
	return text
}

// SettleOrders sets the orders of n-grams to those for so many bytes of text of so many classes.
func (o *Options) SettleOrders(text int64, classes int) {
	if o.Text.Families[0].NgramLo, o.Text.Families[0].NgramHi = 1, 2; text/int64(max(classes, 1)) >= trigramBytes {
		o.Text.Families[0].NgramHi = 3
	}
	if LittleText(text) && len(o.Text.Families.List()) == 1 {
		o.Text.Families[1] = hashing.Family{Tokenizer: hashing.CharWB, NgramLo: 2, NgramHi: 5}
	}
}

// LittleText reports whether a training set with so many bytes of text gains from n-grams of characters beside words.
func LittleText(bytes int64) bool { return bytes >= leastCharBytes && bytes < charBytes }
