package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/seed-167f963f/nbsvm/internal/par"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// Corpus describes a generated corpus of labelled documents. The same description gives the same bytes on every machine
// and for any number of threads.
type Corpus struct {
	Documents  int
	Words      int     // mean number of words per document
	Lengths    lengths // distribution of the number of words
	Vocabulary int     // distinct words that all classes share
	Classes    int     // each has as many words of its own again
	Zipf       float64 // exponent s of the law by which the word of rank r has frequency r^-s
	Signal     float64 // share of words that are of the document's class
	Seed       uint64
}

// defaultCorpus returns two classes of 10,000 documents, 60 words each, hard enough not
// to be separable at a glance.
func defaultCorpus() Corpus {
	return Corpus{
		Documents: 10_000, Words: 60, Lengths: evenly, Vocabulary: 50_000, Classes: 2, Zipf: 1.05,
		Signal: 0.1, Seed: 1,
	}
}

// validate reports the first setting out of its range.
func (c Corpus) validate() error {
	for _, setting := range []struct {
		what             string
		value, low, high float64
	}{
		{"documents", float64(c.Documents), 0, math.MaxInt64},
		{"words per document", float64(c.Words), 1, 1 << 20},
		{"vocabulary", float64(c.Vocabulary), 2, 1 << 28},
		{"classes", float64(c.Classes), 1, 1 << 24},
		{"zipf", c.Zipf, 0, 5},
		{"signal", c.Signal, 0, 1},
	} {
		if !(setting.value >= setting.low && setting.value <= setting.high) {
			must := fmt.Sprintf("from %.10g to %.10g", setting.low, setting.high)
			if setting.high == math.MaxInt64 {
				must = fmt.Sprintf("%.10g or more", setting.low)
			}
			return fmt.Errorf("bench: %s must be %s, got %.10g", setting.what, must, setting.value)
		}
	}
	if int64(c.Vocabulary)*int64(c.Classes+1) > math.MaxUint32 {
		return fmt.Errorf("bench: vocabulary times (classes + 1) must be less than 2^32, got %d words and %d classes",
			c.Vocabulary, c.Classes)
	}
	if !slices.Contains(allLengths, c.Lengths) {
		return fmt.Errorf("bench: lengths must be one of %v, got %q", allLengths, c.Lengths)
	}
	return nil
}

// WriteTSV streams the corpus as label<TAB>text lines; labels are c0, c1, … in
// turn. Memory does not grow with the number of documents.
func (c Corpus) WriteTSV(ctx context.Context, w io.Writer, threads int) error {
	if err := c.validate(); err != nil {
		return ConfigError{err}
	}
	ranks, next := newRanks(c.Vocabulary, c.Zipf), 0
	return par.Run(ctx, par.Threads(threads), func(context.Context) (int, error) {
		if next >= c.Documents {
			return 0, io.EOF
		}
		start := next
		next += blockDocuments
		return start, nil
	}, func(_, start int) (text []byte, err error) {
		for i := start; i < min(start+blockDocuments, c.Documents); i++ {
			text = c.appendDocument(text, i, &ranks)
		}
		return text, nil
	}, func(text []byte) error {
		_, err := w.Write(text)
		return err
	})
}

// blockDocuments is how many documents are generated at a time.
const blockDocuments = 512

// appendDocument appends the i-th document, made from random numbers that depend on the seed and on i alone, so that
// several threads can work side by side.
func (c *Corpus) appendDocument(dst []byte, i int, ranks *ranks) []byte {
	// One generator's numbers, hashed, are the seeds of the documents' own.
	own := xmath.SplitMix(c.Seed + uint64(i)*0x632be59bd9b4e019)
	random := xmath.SplitMix(own.Uint64())
	class := i % c.Classes
	dst = append(strconv.AppendInt(append(dst, 'c'), int64(class), 10), '\t')
	for k := range c.Lengths.draw(&random, c.Words) {
		if k > 0 {
			dst = append(dst, ' ')
		}
		word := ranks.draw(&random)
		if uniform(&random) < c.Signal {
			word = c.Vocabulary + word*c.Classes + class
		}
		dst = appendWord(dst, word)
	}
	return append(dst, '\n')
}

// uniform returns a number from 0 to below 1.
func uniform(s *xmath.SplitMix) float64 { return float64(float64(s.Uint64()>>11) / (1 << 53)) }

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

// lengths names a distribution of the number of words a document has, given their
// mean m.
type lengths string

// The distributions of lengths.
const (
	evenly    lengths = "uniform"   // evenly m/2 to 3m/2
	logNormal lengths = "lognormal" // as of web pages and reviews: sigma 0.6
)

var allLengths = []lengths{evenly, logNormal}

// sigma of the logarithm of lengths; 0.57 is that of IMDB's reviews.
const sigma = 0.6

// draw gives a document's length, at least 1.
func (l lengths) draw(s *xmath.SplitMix, mean int) int {
	if l == logNormal {
		return max(int(0.5+xmath.Exp(logMean(mean)+float64(sigma*normal(s)))), 1)
	}
	return max(mean/2+s.IntN(mean+1), 1)
}

// logMean returns the mean of the logarithms of lengths whose mean is m.
func logMean(m int) float64 { return xmath.Log(float64(m)) - sigma*sigma/2 }

// normal returns a standard normal deviate (Marsaglia's polar method).
func normal(s *xmath.SplitMix) float64 {
	for {
		x, y := 2*uniform(s)-1, 2*uniform(s)-1
		if r := float64(x*x) + float64(y*y); r > 0 && r < 1 {
			return x * math.Sqrt(-2*xmath.Log(r)/r)
		}
	}
}

// ranks draws ranks 0 to n-1 by the continuous power law x^-exponent on [1, n+1),
// cut into unit steps, by inverting its distribution function.
type ranks struct {
	n    int
	rise float64 // 1 - exponent
	log  float64 // of n+1
	span float64 // (n+1)^rise - 1
}

func newRanks(n int, exponent float64) ranks {
	r := ranks{n: n, rise: 1 - exponent, log: xmath.Log(float64(n + 1))}
	r.span = xmath.Exp(r.rise*r.log) - 1
	return r
}

func (r *ranks) draw(s *xmath.SplitMix) int { return r.at(uniform(s)) }

// at returns the rank at a probability. Where x^rise is nearly 1, its limit is taken, a logarithm.
func (r *ranks) at(u float64) int {
	log := u * r.log
	if math.Abs(r.rise) > 1e-9 {
		log = xmath.Log(1+float64(u*r.span)) / r.rise
	}
	return min(max(int(xmath.Exp(log))-1, 0), r.n-1)
}
