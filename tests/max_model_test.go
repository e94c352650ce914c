package tests

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestMaxModel: the file is as small as was asked for and not much smaller, the same for any number of threads, and the
// same classifier when it is opened; the report tells what is left.
func TestMaxModel(t *testing.T) {
	must.SkipUnderRace(t)
	two := small.with(func(s *shape) { s.docs, s.vocabulary = 900, 3000 })
	many := small.with(func(s *shape) { s.classes, s.docs, s.vocabulary = 25, 1000, 2000 })
	several := small.with(func(s *shape) { s.classes, s.multi, s.docs, s.vocabulary = 4, true, 600, 2000 })
	for name, test := range map[string]struct {
		s   shape
		set func(*nbsvm.Options)
	}{
		"tfidf":       {two, func(o *nbsvm.Options) { o.Values, o.Prenormalize, o.Normalize = nbsvm.TFIDF, true, false }},
		"svm":         {two, func(o *nbsvm.Options) { o.Kind, o.Normalize = nbsvm.SVM, false }},
		"calibrated":  {two, func(o *nbsvm.Options) { o.Calibrate = true }},
		"many":        {many, func(*nbsvm.Options) {}},
		"tree":        {many, func(o *nbsvm.Options) { o.Tree = nbsvm.AlwaysTree }},
		"multi-label": {several, func(*nbsvm.Options) {}},
	} {
		t.Run(name, func(t *testing.T) {
			whole, r := mustTrain(t, test.s.input(), options(test.set))
			if r.Shrinking != nil {
				t.Fatalf("without a limit: %+v", r.Shrinking)
			}
			bytesOf := func(c *nbsvm.Classifier) int64 { return int64(len(encode(t, c))) }
			limit := 2600 + bytesOf(whole)/6
			limited := options(test.set, func(o *nbsvm.Options) { o.MaxModel = limit })
			c, r := mustTrain(t, test.s.input(), limited)
			if n := bytesOf(c); n > limit || n < limit-1500-limit/8 {
				t.Errorf("%d bytes, and the limit is %d", n, limit)
			}
			features := modelOf(t, c).Keys.Size()
			if k := r.Shrinking; k == nil || k.Kept != features || k.Features <= k.Kept {
				t.Errorf("%d features, but the report says %+v", features, k)
			}
			limited.Threads = 1
			if again, _ := mustTrain(t, test.s.input(), limited); !bytes.Equal(encode(t, again), encode(t, c)) {
				t.Error("one thread makes another model")
			}
			path := filepath.Join(t.TempDir(), "small.nbm")
			must.OK(t, c.Save(path))
			opened, err := nbsvm.Open(path)
			must.OK(t, err)
			defer opened.Close()
			sameClassifiers(t, test.s, c, opened)
		})
	}
}

// TestMaxModelRetrains: the small model is that of documents which have the features alone that it keeps.
func TestMaxModelRetrains(t *testing.T) {
	s := small.with(func(s *shape) { s.classes, s.docs, s.vocabulary = 3, 400, 800 })
	words := map[string]int{}
	lines := func(kept func(id int) bool) []byte {
		var text strings.Builder
		for _, r := range s.records() {
			seen := map[int]bool{}
			for _, word := range strings.Fields(r.text) {
				if words[word] == 0 {
					words[word] = len(words) + 1
				}
				seen[words[word]] = true
			}
			text.WriteString(r.label[len(r.label)-2:])
			for id := range len(words) + 1 {
				if seen[id] && kept(id) {
					fmt.Fprintf(&text, " %d:1", id)
				}
			}
			text.WriteByte('\n')
		}
		return []byte(text.String())
	}
	ofWords := func(o *nbsvm.Options) { o.Kind = nbsvm.NBSVM }
	all := func() corpus.Input { return input(lines(func(int) bool { return true }), corpus.SVMLight) }
	whole, _ := mustTrain(t, all(), options(ofWords))
	limit := int64(3000 + len(encode(t, whole))/4)
	c, _ := mustTrain(t, all(), options(ofWords, func(o *nbsvm.Options) { o.MaxModel = limit }))
	m := modelOf(t, c)
	some, _ := mustTrain(t, input(lines(func(id int) bool { _, ok := m.Keys.Rank(uint64(id)); return ok }), corpus.SVMLight), options(ofWords))
	want := modelOf(t, quantize(t, some))
	if want.Keys.Size() != m.Keys.Size() {
		t.Fatalf("%d features, want %d", m.Keys.Size(), want.Keys.Size())
	}
	got, wanted := make([]float64, m.Outputs), make([]float64, m.Outputs)
	for row := range m.Keys.Size() {
		m.RowWeights(row, got)
		want.RowWeights(row, wanted)
		for k := range got {
			if got[k] != wanted[k] {
				t.Fatalf("row %d has the weights %v, want %v", row, got, wanted)
			}
		}
	}
}

// TestMaxModelCalibrated: probabilities of many labels have numbers of their own, for which there must be room, too.
func TestMaxModelCalibrated(t *testing.T) {
	must.SkipUnderRace(t)
	s := small.with(func(s *shape) { s.classes, s.multi, s.docs, s.vocabulary = 99, true, 1200, 900 })
	for _, limit := range []int64{20_000} {
		c, _ := mustTrain(t, s.input(), options(func(o *nbsvm.Options) { o.Calibrate, o.MaxModel, o.NamesLimit = true, limit, 0 }))
		if n := int64(len(encode(t, c))); n > limit || n < limit*4/5 {
			t.Errorf("%d bytes, and the limit is %d", n, limit)
		}
	}
}

// TestMaxModelIsLarge: a model that is small enough is as it is without a limit.
func TestMaxModelIsLarge(t *testing.T) {
	whole, _ := mustTrain(t, small.input(), options())
	c, r := mustTrain(t, small.input(), options(func(o *nbsvm.Options) { o.MaxModel = 1 << 30 }))
	if r.Shrinking != nil || !bytes.Equal(unmade(t, c), unmade(t, whole)) {
		t.Errorf("the limit changes a small model: %+v", r.Shrinking)
	}
}
