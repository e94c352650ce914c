package score

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// dictionary is words that the model's names number.
type dictionary struct {
	m    *model.Model
	rows map[string]uint32
}

func newDictionary(m *model.Model) (features, error) {
	d := &dictionary{m: m, rows: make(map[string]uint32, len(m.Names))}
	for _, name := range m.Names {
		d.rows[name.Text] = name.Row
	}
	return d, nil
}

func (d *dictionary) append(b *batch, text []byte) error {
	for word := range bytes.FieldsSeq(text) {
		if row, ok := d.rows[string(word)]; ok {
			for _, key := range d.m.Keys.Between(int(row), int(row)+1) {
				b.keys, b.values = append(b.keys, key), append(b.values, 1)
			}
		}
	}
	return nil
}

func (d *dictionary) appendRow(*batch, []uint64, []float32) {} // no dataset has words

func (d *dictionary) distinct(text []byte) (all int, err error) {
	for range d.names(text, nil) {
		all++
	}
	return all, nil
}

func (d *dictionary) names(text []byte, _ func(row int) bool) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		seen := map[string]bool{}
		for field := range bytes.FieldsSeq(text) {
			word := string(field)
			if seen[word] {
				continue
			}
			seen[word] = true
			row := -1
			if known, ok := d.rows[word]; ok {
				row = int(known)
			}
			if !yield(row, word) {
				return
			}
		}
	}
}

// byHand writes a model with three features to a file, and opens it.
func byHand(t *testing.T, source string) (*Classifier, error) {
	t.Helper()
	keys, _, err := model.NewKeySet(10, []uint64{2, 5, 7})
	must.OK(t, err)
	m := &model.Model{
		Meta:     model.Meta{Labels: []string{"neg", "pos"}, Task: "binary", Link: "margin", Source: source, Values: "count"},
		Universe: 10, Keys: *keys, Outputs: 1, Dense: model.Float32s{1, -2, 4},
		Bias: []float64{0.5}, Base: []float64{0}, Threshold: []float64{0},
		Names: []model.Name{{Row: 0, Text: "good"}, {Row: 1, Text: "bad"}, {Row: 2, Text: "great"}},
	}
	path := filepath.Join(t.TempDir(), "hand.nbm")
	file, err := os.Create(path)
	must.OK(t, err)
	if _, err := m.WriteTo(file); err != nil {
		t.Fatal(err)
	}
	must.OK(t, file.Close())
	return Open(path)
}

// TestSources explains what models say that take words of a dictionary, and ready-made features.
func TestSources(t *testing.T) {
	if c, err := byHand(t, "dictionary"); err == nil || !strings.Contains(err.Error(), "dictionary") {
		t.Fatalf("a source that is not in the table: %v, %v", c, err)
	}
	sources["dictionary"] = newDictionary
	defer delete(sources, "dictionary")
	for source, x := range map[string]struct {
		text  string
		names []string
	}{
		"dictionary": {"good great  good so bad", []string{"great", "good", "bad"}},
		"svmlight":   {"2:2 3:1 5:1 7:1", []string{"feature 7", "feature 2", "feature 5"}},
	} {
		c, err := byHand(t, source)
		must.OK(t, err)
		s, err := c.NewScorer()
		must.OK(t, err)
		e, err := s.ExplainText([]byte(x.text))
		must.OK(t, err)
		want := &explain.Text{
			Label: "pos", Score: 4.5, Margin: 4.5, Bias: 0.5, Unknown: 1,
			Contributions: []explain.Contribution{
				{Name: x.names[0], Value: 1, Weight: 4, Margin: 4},
				{Name: x.names[1], Value: 2, Weight: 1, Margin: 2},
				{Name: x.names[2], Value: 1, Weight: -2, Margin: -2},
			},
		}
		if !reflect.DeepEqual(e, want) {
			t.Errorf("%s: %+v, want %+v", source, e, want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
