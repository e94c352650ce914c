package page

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
	"github.com/seed-167f963f/nbsvm/tag"
)

// sentencesOf reads sentences of a text in columns.
func sentencesOf(t *testing.T, text string) *tag.Reader {
	t.Helper()
	r, err := tag.NewReader(tag.Input{Stdin: strings.NewReader(text), Reading: tag.Reading{Format: tag.CoNLL}})
	must.OK(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// tagPageOf is the page of a model that was trained on a text, and of how it does on another; "" for none.
func tagPageOf(t *testing.T, kind tag.Kind, text, on string, o TagOptions) string {
	t.Helper()
	m, err := tag.Train(context.Background(), sentencesOf(t, text), tag.DefaultOptions(kind))
	must.OK(t, err)
	var r *tag.Reader
	if on != "" {
		r = sentencesOf(t, on)
	}
	var b bytes.Buffer
	must.OK(t, WriteTags(context.Background(), m, r, o, &b))
	return b.String()
}

// hostileTags is a page of hostile tags and words.
func hostileTags(t *testing.T, kind tag.Kind, threads int) string {
	var b strings.Builder
	random := xmath.SplitMix(3)
	name := func(k int) string { return cmp.Or(strings.Join(strings.Fields(hostile[k]), "_"), "blank") }
	for i := range 400 {
		k := random.IntN(len(hostile) - 1)
		fmt.Fprintf(&b, "%s %s\n", name((k+random.IntN(2))%len(hostile)), name(k))
		if i%5 == 4 {
			b.WriteByte('\n')
		}
	}
	text := b.String()
	return tagPageOf(t, kind, text, text+"\nword "+name(0)+"other\n", TagOptions{Words: 25, Features: 20, Threads: threads})
}

// TestTags: a page of a model of tags tells what was evaluated, and is the same with any number of threads.
func TestTags(t *testing.T) {
	for _, kind := range tag.Kinds() {
		page := tagPageOf(t, kind, testkit.Chunked(200, 3), testkit.Chunked(300, 9), TagOptions{Words: 3, Features: 7, Threads: 1})
		data := dataOf(t, page)
		words, trained := int64(0), uint64(0)
		for k, row := range data.Classes {
			words, trained = words+row.Support, trained+data.Trained[k]
		}
		if n := data.Curves[0].Decisions; int64(n) != words || trained == 0 {
			t.Errorf("%s: %d words, a curve of %d, trained on %d", kind, words, n, trained)
		}
		if got := data.Curves[0].Calibration != nil; got != (kind == tag.CRF) {
			t.Errorf("%s: calibration: %t", kind, got)
		}
		if got := data.Follows != nil; got == (kind == tag.Window) {
			t.Errorf("%s: transitions: %t", kind, got)
		}
		for _, s := range data.Features {
			if len(s.Names) > 7 || !slices.IsSortedFunc(s.Weights, func(a, b float64) int { return int(b*1e6) - int(a*1e6) }) {
				t.Errorf("%s: features %q with weights %v", kind, s.Names, s.Weights)
			}
		}
		if n := strings.Count(page, `<article class="document">`); n < 3 || n > 6 {
			t.Errorf("%s: %d words are shown", kind, n)
		}
		for _, part := range []string{"By kind of chunk", "F1 of chunks", "Strongest features of a tag", "true tag"} {
			if !strings.Contains(page, part) {
				t.Errorf("%s: the page has no %q", kind, part)
			}
		}
		for _, word := range []string{"n-gram", "documents with", "class</"} {
			if body, _, _ := strings.Cut(page, "<script"); strings.Contains(body, word) {
				t.Errorf("%s: the page speaks of %q", kind, word)
			}
		}
		if hostileTags(t, kind, 1) != hostileTags(t, kind, 3) {
			t.Errorf("%s: with three threads the page is another one", kind)
		}
	}
}

// TestTagsAlone: a model alone has facts and transitions, and nothing of sentences.
func TestTagsAlone(t *testing.T) {
	page := tagPageOf(t, tag.Perceptron, testkit.Chunked(200, 3), "", TagOptions{Words: 3, Features: 7})
	data := dataOf(t, page)
	if len(data.Trained) != len(data.Labels) || data.Follows == nil || data.Features != nil || data.Curves != nil {
		t.Errorf("the data is %+v", data)
	}
	if strings.Contains(page, `id="wrong"`) || strings.Contains(page, `id="sizes"`) || !strings.Contains(page, `id="follows"`) {
		t.Error("the page has other sections")
	}
}
