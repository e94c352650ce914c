package fasttext

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func openTiny(t testing.TB, name string) *File {
	t.Helper()
	f, err := OpenFile(filepath.Join("testdata", name))
	must.OK(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// TestFile: the vector of a line, times the output, gives the probabilities of the model; the vector of a word is the
// mean of the rows that are listed for it.
func TestFile(t *testing.T) {
	softmax := 0
	for _, name := range []string{"words.bin", "bigrams.bin", "subwords.bin", "several.bin", "tree.bin", "sure.bin", "whole.ftz", "pruned.ftz"} {
		f, m := openTiny(t, name), readTiny(t, name)
		labels := len(f.counts) - f.words
		var words []string
		f.Words(func(word []byte, count int64) {
			if words = append(words, string(word)); count < 1 || f.ID(word) != len(words)-1 {
				t.Errorf("%s: word %d, %q, is number %d, %d times", name, len(words)-1, word, f.ID(word), count)
			}
		})
		if shape := f.Shape(); len(words) != shape.Words || shape.Quantized != strings.HasSuffix(name, "ftz") || shape.Dim != m.Dim {
			t.Errorf("%s: %d words, %+v", name, len(words), shape)
		}
		line, scores := []byte(strings.Join(words[:len(words)-1], " ")+" unseen "+words[len(words)-1]), make([]float64, labels)
		_, err := m.NewScorer().Score(line, scores, nil)
		must.OK(t, err)
		vector, outputs := make([]float32, f.Dim), make([]float32, labels*f.Dim)
		must.OK(t, f.LineVector(vector, line))
		must.OK(t, f.Rows(outputs, true, 0))
		if m.Loss == Softmax {
			softmax++
			exps, sum := make([]float64, labels), 0.
			for i := range exps {
				for k, x := range vector {
					exps[i] += float64(x) * float64(outputs[i*f.Dim+k])
				}
				exps[i] = math.Exp(exps[i])
				sum += exps[i]
			}
			for i, e := range exps {
				if p := e / sum; math.Abs(p+1e-5-scores[m.number[i]]) > 1e-6 {
					t.Errorf("%s: label %d has the probability %v, and its vector %v", name, i, scores[m.number[i]], p)
				}
			}
		}
		for _, word := range append(words, "unseen") {
			must.OK(t, f.WordVector(vector, []byte(word)))
			parts, row, mean := f.Subwords([]byte(word)), make([]float32, f.Dim), make([]float64, f.Dim)
			for _, part := range parts {
				must.OK(t, f.Rows(row, false, int64(part.Row)))
				for k, x := range row {
					mean[k] += float64(x) / float64(len(parts))
				}
				text := []byte("<" + word + ">")[part.Begin:part.End]
				if at, err := f.Bucket(text); !f.pruned && int(part.Row) >= f.words && (err != nil || at != int(part.Row)) {
					t.Errorf("%s: part %q has row %d, and bucket %d, %v", name, text, part.Row, at, err)
				}
			}
			for k, x := range vector {
				if math.Abs(float64(x)-mean[k]) > 1e-6 {
					t.Errorf("%s: %q: %v, the mean of its rows is %v", name, word, vector, mean)
					break
				}
			}
		}
	}
	if softmax < 3 {
		t.Errorf("%d models of softmax", softmax)
	}
}

// TestFileSubwords: they are fastText's, in its order.
func TestFileSubwords(t *testing.T) {
	f := openTiny(t, "subwords.bin")
	f.MinN, f.MaxN = 2, 3
	var got []string
	for _, part := range f.Subwords([]byte("né水")) {
		got = append(got, "<né水>"[part.Begin:part.End])
	}
	if want := []string{"<n", "<né", "né", "né水", "é水", "é水>", "水>"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFileCopyAndErrors(t *testing.T) {
	f, path := openTiny(t, "words.bin"), filepath.Join(t.TempDir(), "copy.bin")
	must.OK(t, f.Save(path))
	data, err := os.ReadFile(path)
	must.OK(t, err)
	if !bytes.Equal(data, tinyFile(t, "words.bin")) {
		t.Error("the copy differs")
	}
	vector := make([]float32, f.Dim)
	for _, first := range []int64{-1, f.Shape().Input, math.MaxInt64} {
		if err := f.Rows(vector, false, first); err == nil || !strings.Contains(err.Error(), "from 0 on") {
			t.Errorf("row %d: %v", first, err)
		}
	}
	f.parsed.Bucket = 0
	if _, err := f.Bucket([]byte("x")); err == nil {
		t.Error("a model without buckets has one")
	}
	must.OK(t, os.WriteFile(path, data[:len(data)-1], 0o600))
	for _, wrong := range []string{path, filepath.Join(t.TempDir(), "none")} {
		if _, err := OpenFile(wrong); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
