package nbsvm

import "github.com/seed-167f963f/nbsvm/internal/model/fasttext"

// FastText is what a model of fastText has beside what all classifiers have. Its names are those of fastText's options.
type FastText struct {
	// Version is that of the file format.
	Version int
	// Dim is the dimension of vectors, Loss the name of the loss, WordNgrams the largest order of n-grams of words, and
	// MinN and MaxN are the smallest and largest orders of n-grams of characters.
	Dim        int
	Loss       string
	WordNgrams int
	MinN, MaxN int
	// Bucket is the number of buckets of n-grams.
	Bucket int

	m *fasttext.Model
}

// FastText returns what is particular to a model of fastText, and nil for models of nbsvm.
func (c *Classifier) FastText() *FastText {
	m := c.c.FastText()
	if m == nil {
		return nil
	}
	f := m.Facts()
	return &FastText{
		Version: int(f.Version), Dim: int(f.Dim), Loss: f.LossName, WordNgrams: int(f.WordNgrams),
		MinN: int(f.MinN), MaxN: int(f.MaxN), Bucket: int(f.Bucket), m: m,
	}
}

// LabelsByFrequency returns the numbers of the labels in fastText's order, the most frequent first, and how often they
// occurred in the training set.
func (f *FastText) LabelsByFrequency() (labels []int, counts []int64) { return f.m.ByFrequency() }

// Words visits the words of the dictionary in fastText's order, the most frequent first. What is visited is valid until
// visit returns.
func (f *FastText) Words(visit func(word []byte) error) error { return f.m.Words(visit) }
