package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"

	"github.com/seed-167f963f/nbsvm/internal/ordered"
	"github.com/seed-167f963f/nbsvm/internal/splitmix"
)

// Corpus describes a generated corpus of labelled documents of made-up words. The
// same description gives the same bytes on every machine, for any number of threads.
type Corpus struct {
	Documents  int
	Words      int     // mean words a document
	Lengths    Lengths // how the words a document are distributed
	Vocabulary int     // distinct words that all classes share
	Classes    int     // each has as many words of its own again
	Zipf       float64 // exponent s of the law by which the word of rank r has frequency r^-s
	Signal     float64 // share of words that are of the document's class
	Seed       uint64
}

// DefaultCorpus is two classes of 10,000 documents, 60 words each, hard enough not
// to be separable at a glance.
func DefaultCorpus() Corpus {
	return Corpus{Documents: 10_000, Words: 60, Lengths: Uniform, Vocabulary: 50_000, Classes: 2, Zipf: 1.05, Signal: 0.1, Seed: 1}
}

// Validate reports the first setting out of its range.
func (c Corpus) Validate() error {
	switch {
	case c.Documents < 0:
		return fmt.Errorf("bench: a corpus of %d documents is none", c.Documents)
	case c.Words < 1 || c.Words > 1<<20:
		return fmt.Errorf("bench: %d words a document, want 1 to %d", c.Words, 1<<20)
	case c.Vocabulary < 2 || c.Vocabulary > 1<<28:
		return fmt.Errorf("bench: a vocabulary of %d words, want 2 to %d", c.Vocabulary, 1<<28)
	case c.Classes < 1 || c.Classes > 1<<16:
		return fmt.Errorf("bench: %d classes, want 1 to %d", c.Classes, 1<<16)
	case int64(c.Vocabulary)*int64(c.Classes+1) > math.MaxUint32:
		return fmt.Errorf("bench: %d words of the vocabulary and as many for each of %d classes are more than 2^32", c.Vocabulary, c.Classes)
	case !(c.Zipf >= 0 && c.Zipf <= 5):
		return fmt.Errorf("bench: Zipf exponent %v, want 0 to 5", c.Zipf)
	case !(c.Signal >= 0 && c.Signal <= 1):
		return fmt.Errorf("bench: signal %v, want a share from 0 to 1", c.Signal)
	}
	return c.Lengths.Validate()
}

// WriteTSV streams the corpus as label<TAB>text lines; labels are c0, c1, … in
// turn. Memory does not grow with the number of documents. census, where not nil, is
// told of every word.
func (c Corpus) WriteTSV(ctx context.Context, w io.Writer, threads int, census *Census) error {
	if err := c.Validate(); err != nil {
		return err
	}
	ranks := newRanks(c.Vocabulary, c.Zipf)
	return stream(ctx, w, c.Documents, c.Seed, threads, census, func(b *block, i int, random *splitmix.Source) {
		class := i % c.Classes
		b.text = append(strconv.AppendInt(append(b.text, 'c'), int64(class), 10), '\t')
		words := c.Lengths.draw(random, c.Words)
		for k := range words {
			if k > 0 {
				b.text = append(b.text, ' ')
			}
			word := ranks.draw(random)
			if uniform(random) < c.Signal {
				word = c.Vocabulary + word*c.Classes + class
			}
			b.text = appendWord(b.text, word)
			if census != nil {
				b.words = append(b.words, uint32(word))
			}
		}
		b.text = append(b.text, '\n')
		b.lengths = append(b.lengths, words)
	})
}

// block is a run of generated documents.
type block struct {
	text    []byte
	lengths []int    // words of each document
	words   []uint32 // of all documents, for a census
}

// blockDocuments is how many documents are generated at a time.
const blockDocuments = 512

// stream writes documents in order: document makes the i-th from random numbers that
// depend on the seed and on i alone, so that several threads can work side by side.
func stream(ctx context.Context, w io.Writer, documents int, seed uint64, threads int, census *Census, document func(b *block, i int, random *splitmix.Source)) error {
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	next := 0
	return ordered.Run(ctx, threads, func() (int, error) {
		if next >= documents {
			return 0, io.EOF
		}
		start := next
		next += blockDocuments
		return start, nil
	}, func(_, start int) (*block, error) {
		b := &block{}
		for i := start; i < min(start+blockDocuments, documents); i++ {
			// One generator's numbers, hashed, are the seeds of the documents' own.
			own := splitmix.Source(seed + uint64(i)*0x632be59bd9b4e019)
			random := splitmix.Source(own.Uint64())
			document(b, i, &random)
		}
		return b, nil
	}, func(b *block) error {
		if census != nil {
			census.add(b)
		}
		_, err := w.Write(b.text)
		return err
	})
}

// uniform is a number from 0 to below 1.
func uniform(s *splitmix.Source) float64 { return float64(s.Uint64()>>11) / (1 << 53) }

// appendWord spells a number with syllables, so that frequent words are short.
func appendWord(dst []byte, number int) []byte {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	for {
		dst = append(dst, consonants[number%len(consonants)])
		number /= len(consonants)
		dst = append(dst, vowels[number%len(vowels)])
		number /= len(vowels)
		if number == 0 {
			return dst
		}
	}
}
