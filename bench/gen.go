package bench

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/seed-167f963f/nbsvm/internal/splitmix"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Corpus describes a generated corpus of labelled documents. The same description
// gives the same bytes on every machine.
type Corpus struct {
	Documents  int
	Words      int     // mean words a document; lengths are spread evenly from half to one and a half of it
	Vocabulary int     // distinct words that all classes share
	Classes    int     // each has as many words of its own again
	Zipf       float64 // exponent s of the law by which the word of rank r has frequency r^-s
	Signal     float64 // share of words that are of the document's class
	Seed       uint64
}

// DefaultCorpus is two classes of 10,000 documents, 60 words each, hard enough not
// to be separable at a glance.
func DefaultCorpus() Corpus {
	return Corpus{Documents: 10_000, Words: 60, Vocabulary: 50_000, Classes: 2, Zipf: 1.05, Signal: 0.1, Seed: 1}
}

// Validate reports the first number out of its range.
func (c Corpus) Validate() error {
	switch {
	case c.Documents < 0 || c.Words < 1 || c.Vocabulary < 2 || c.Classes < 1:
		return fmt.Errorf("bench: a corpus of %d documents, %d words each, a vocabulary of %d and %d classes is none", c.Documents, c.Words, c.Vocabulary, c.Classes)
	case !(c.Zipf >= 0 && c.Zipf <= 5):
		return fmt.Errorf("bench: Zipf exponent %v, want 0 to 5", c.Zipf)
	case !(c.Signal >= 0 && c.Signal <= 1):
		return fmt.Errorf("bench: signal %v, want a share from 0 to 1", c.Signal)
	}
	return nil
}

// WriteTSV streams the corpus as label<TAB>text lines; labels are c0, c1, … in
// turn. Memory does not grow with the number of documents.
func (c Corpus) WriteTSV(w io.Writer) error {
	if err := c.Validate(); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<18)
	random := splitmix.Source(c.Seed)
	var line []byte
	for i := range c.Documents {
		class := i % c.Classes
		line = append(strconv.AppendInt(append(line[:0], 'c'), int64(class), 10), '\t')
		words := c.Words/2 + random.IntN(c.Words+1)
		for k := range max(words, 1) {
			if k > 0 {
				line = append(line, ' ')
			}
			rank := c.rank(&random)
			if uniform(&random) < c.Signal {
				rank = c.Vocabulary + rank*c.Classes + class
			}
			line = appendWord(line, rank)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// uniform is a number from 0 to below 1.
func uniform(s *splitmix.Source) float64 { return float64(s.Uint64()>>11) / (1 << 53) }

// rank draws a rank from 0 to Vocabulary-1 by inverting the distribution function
// of the continuous power law on 1 to Vocabulary.
func (c Corpus) rank(s *splitmix.Source) int {
	u, v := uniform(s), float64(c.Vocabulary)
	var x float64
	if e := 1 - c.Zipf; e > -1e-9 && e < 1e-9 {
		x = xmath.Exp(u * xmath.Log(v))
	} else {
		x = xmath.Exp(xmath.Log(1+float64(u*(xmath.Exp(e*xmath.Log(v))-1))) / e)
	}
	return min(max(int(x)-1, 0), c.Vocabulary-1)
}

// appendWord spells a rank with syllables, so that frequent words are short.
func appendWord(dst []byte, rank int) []byte {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	for {
		dst = append(dst, consonants[rank%len(consonants)])
		rank /= len(consonants)
		dst = append(dst, vowels[rank%len(vowels)])
		rank /= len(vowels)
		if rank == 0 {
			return dst
		}
	}
}
