package nbsvm

import "github.com/seed-167f963f/nbsvm/internal/model/fasttext"

// FastText has what a fastText model has beyond other classifiers. Fields are named after fastText's options.
type FastText struct {
	// Version of the file format.
	Version int
	// Dim is the number of dimensions of a vector, Loss the name of the loss, WordNgrams the length of the longest
	// word n-gram, and MinN and MaxN are the lengths of the shortest and longest character n-gram.
	Dim        int
	Loss       string
	WordNgrams int
	MinN, MaxN int
	// Bucket is the number of buckets into which n-grams are hashed.
	Bucket int

	m *fasttext.Model
}

// FastText returns what is particular to a fastText model, and nil for a model of nbsvm.
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

// LabelsByFrequency returns the numbers of the labels, the most frequent first, and how often they occurred in the
// training set.
func (f *FastText) LabelsByFrequency() (labels []int, counts []int64) { return f.m.ByFrequency() }

// Words calls visit for each word of the dictionary, the most frequent first. The word is valid until visit returns.
func (f *FastText) Words(visit func(word []byte) error) error { return f.m.Words(visit) }
