package fasttext

import (
	"fmt"

	"github.com/seed-167f963f/nbsvm/internal/display"
)

// Facts are what there is to say of a model.
type Facts struct {
	Settings
	LossName string `json:"loss"`
	Words    int    `json:"words"`
	Ngrams   int    `json:"ngrams"`  // n-grams of characters or words, or buckets of them, that have numbers
	Numbers  int    `json:"numbers"` // of each word and n-gram
	Folded   bool   `json:"folded"`  // the numbers are for outputs, not dimensions
	Pruned   bool   `json:"pruned"`

	Memory int64 `json:"memory"` // bytes that all numbers take when the model is in use
}

// Facts returns what the model is.
func (m *Model) Facts() Facts {
	numbers := len(m.table) + len(m.outputs) + len(m.columns)
	return Facts{
		m.Settings, m.Loss.String(), m.words, m.ngramRows(), m.width, m.Folded, m.kept != nil,
		4 * int64(numbers),
	}
}

// Lines describe the model to its users, each by a name and a text.
func (f *Facts) Lines() [][2]string {
	text := "words of up to " + display.Some(max(f.WordNgrams, 1), "token")
	if f.MaxN > 0 {
		text += fmt.Sprintf(", n-grams of %d to %d characters", f.MinN, f.MaxN)
	}
	features := fmt.Sprintf("%s, %s with numbers", display.Some(f.Words, "word"), display.Some(f.Ngrams, "n-gram"))
	if f.Pruned {
		features += " of " + display.Some(f.Bucket, "bucket")
	}
	return [][2]string{
		{"model", fmt.Sprintf("fastText, format version %d, loss %s; scores are probabilities, as fastText shows them",
			f.Version, f.LossName)},
		{"text", text},
		{"features", features},
		{"numbers", fmt.Sprintf("%s; %d dimensions", f.DescribeNumbers(), f.Dim)},
		{"memory", display.Bytes(f.Memory) + " of numbers when it is in use"},
	}
}

// DescribeNumbers returns what the numbers of a feature are.
func (f *Facts) DescribeNumbers() string {
	are := "vectors"
	if f.Folded {
		are = "input times output"
	}
	return fmt.Sprintf("%s a feature: %s", display.Some(f.Numbers, "number"), are)
}
