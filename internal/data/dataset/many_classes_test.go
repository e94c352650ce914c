package dataset

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestTooManyClasses: what is likely to be a mistake is refused with its cause, and small sets of many classes are not.
func TestTooManyClasses(t *testing.T) {
	for _, test := range []struct {
		documents int
		label     func(i int) string
		says      string // empty if they are good
	}{
		{3, func(i int) string { return fmt.Sprint(i) }, ""},
		{39, func(i int) string { return fmt.Sprint(i) }, ""},
		{150 * 20, func(i int) string { return fmt.Sprint("intent ", i%150) }, ""},
		{77 * 2, func(i int) string { return fmt.Sprint("intent ", i%77) }, ""},
		{1000, func(i int) string { return fmt.Sprint(i % 500) }, ""},
		{1000, func(i int) string { return fmt.Sprintf("%.1f", 1+float64(i%41)/10) }, ""}, // ratings
		{5452, func(i int) string { return fmt.Sprint("question ", i%5381) }, "is it the right column"},
		{40, func(i int) string { return fmt.Sprint("x", i) }, "is it the right column"},
		{1000, func(i int) string { return fmt.Sprint(i) }, "is it the right column"},
		{1000, func(i int) string { return fmt.Sprintf("%.3f", float64(i%60)/7) }, "is it the right column"},
		{1000, func(i int) string { return []string{"?", fmt.Sprintf("%.3f", float64(i)/7)}[min(1, i%100)] }, "is it the right column"},
	} {
		c := NewClasses()
		for i := range test.documents {
			must.OK(t, c.Add([][]byte{[]byte(test.label(i))}))
		}
		err := c.tooMany(corpus.Input{Paths: []string{"a.tsv"}})
		if test.says == "" && err != nil {
			t.Errorf("%d documents: %v", test.documents, err)
		}
		if test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "Input.ManyClasses")) {
			t.Errorf("%d documents: %v, want %q", test.documents, err, test.says)
		}
	}
}

// TestWarnings: labels that are written where there is none, and few documents of several labels.
func TestWarnings(t *testing.T) {
	train := func(in corpus.Input, several int, labels ...string) string {
		c, counts := NewClasses(), labelCounts{}
		for i := range 100 {
			of := [][]byte{[]byte(labels[i%len(labels)])}
			if i < several {
				of = append(of, []byte("more"))
			}
			if of[0][0] == '-' {
				of = nil
			}
			must.OK(t, c.Add(of))
			counts.add(len(of), "a.ft", int64(i+1))
		}
		return strings.Join(c.warnings(in, false, counts), "; ")
	}
	for _, test := range []struct {
		in      corpus.Input
		several int
		labels  string
		want    string // empty for none
	}{
		{corpus.Input{}, 0, "pos neg", ""},
		{corpus.Input{}, 0, "pos neg nan", `the label "nan", .*: 33 documents`},
		{corpus.Input{}, 1, "pos neg", "any number of labels: 1 of 100, the first is a.ft:1"},
		{corpus.Input{}, 50, "pos neg", ""},
		{corpus.Input{LabelSep: ","}, 1, "pos neg", ""},
		{corpus.Input{LabelSep: ","}, 0, "pos - neg", "the others have one each: 33 of 100, the first is a.ft:2;"},
		{corpus.Input{LabelSep: ","}, 50, "pos - neg", ""},
		{corpus.Input{}, 0, "York,NY Rome", ""},
	} {
		got := train(test.in, test.several, strings.Fields(test.labels)...)
		if ok, _ := regexp.MatchString(test.want, got); !ok || (test.want == "") != (got == "") {
			t.Errorf("%d of %s: %q, want %q", test.several, test.labels, got, test.want)
		}
	}
}
