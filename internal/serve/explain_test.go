package serve

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// kinds are classifiers of every kind of model and task.
func kinds(t testing.TB) map[string]*nbsvm.Classifier {
	t.Helper()
	all := map[string]*nbsvm.Classifier{}
	train := func(name, lines, sep string, change func(*nbsvm.Options)) {
		o := nbsvm.DefaultOptions()
		o.MinDF, o.Text.Bits = 1, 14
		change(&o)
		c, _, err := nbsvm.Train(t.Context(), corpus.Input{Stdin: strings.NewReader(lines), Format: corpus.TSV, LabelSep: sep}, o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = c
	}
	for _, kind := range nbsvm.Kinds() {
		lines := reviews
		if kind.Numbers() {
			lines = strings.NewReplacer("good\t", "1\t", "bad\t", "-0.5\t", "\"odd\"\t", "3\t").Replace(reviews)
		}
		train(string(kind), lines, "", func(o *nbsvm.Options) { o.Kind = kind })
	}
	train("any number of labels", strings.ReplaceAll(reviews, "good\ta", "good,film\ta"), ",", func(o *nbsvm.Options) { o.Loss = "logistic" })
	train("paths", strings.NewReplacer("good\t", "opinion/good\t", "bad\t", "opinion/bad\t").Replace(reviews), "", func(o *nbsvm.Options) {
		o.Hierarchy = "/"
	})
	train("a tree", strings.Repeat(reviews, 3), "", func(o *nbsvm.Options) { o.Tree = "always" })
	files, err := filepath.Glob("../model/fasttext/testdata/*.*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no models of fastText: %v", err)
	}
	for _, path := range files {
		c, err := nbsvm.Open(path)
		must.OK(t, err)
		all[filepath.Base(path)] = c
	}
	return all
}

// TestExplain: of every kind of model, the explained class is the predicted one, what is listed and what is not add up
// to the margin, and the parts of a text are the text.
func TestExplain(t *testing.T) {
	for name, c := range kinds(t) {
		server := httptest.NewServer(New(one(c), limits(Options{})))
		for _, text := range []string{"a lovely film, and a dull one", "é\u2028 <b>\x00 \U0001f600 good", "", "the of and"} {
			body, err := json.Marshal(map[string]any{"text": text, "top": 2})
			must.OK(t, err)
			status, reply := ask(t, server, http.MethodPost, "/explain", string(body))
			var got explanation
			if err := json.Unmarshal([]byte(reply), &got); err != nil || status != http.StatusOK {
				t.Fatalf("%s: %q: %d, %v: %s", name, text, status, err, reply)
			}
			want, err := c.Predict([]byte(text))
			must.OK(t, err)
			if len(want.Labels) > 0 && !c.MultiLabel() && got.Label != c.Labels()[want.Labels[0]] {
				t.Errorf("%s: %q: explains %s, predicts %s", name, text, got.Label, c.Labels()[want.Labels[0]])
			}
			sum, size, whole := got.Bias+got.OthersMargin, math.Abs(got.Bias)+math.Abs(got.OthersMargin), ""
			for _, c := range got.Contributions {
				sum, size = sum+c.Margin, size+math.Abs(c.Margin)
			}
			for _, p := range got.Parts {
				whole += p.Text
			}
			if math.Abs(sum-got.Margin) > 1e-6*max(size, 1) || len(got.Contributions) > 2 || whole != text {
				t.Errorf("%s: %q: the parts of %+v have %v and %q", name, text, got, sum, whole)
			}
		}
		server.Close()
	}
}

// TestExplainLong: texts are explained up to a length.
func TestExplainLong(t *testing.T) {
	server := httptest.NewServer(New(one(trained(t, reviews)), limits(Options{})))
	defer server.Close()
	for n, want := range map[int]int{longestExplained: http.StatusOK, longestExplained + 1: http.StatusRequestEntityTooLarge} {
		if status, text := ask(t, server, http.MethodPost, "/explain", `{"text":"`+strings.Repeat("a", n)+`"}`); status != want {
			t.Errorf("%d bytes: %d %.100s", n, status, text)
		}
	}
}
