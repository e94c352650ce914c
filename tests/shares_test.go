package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// voted are documents whose labels four raters gave, in several forms.
type voted struct {
	records                          int
	objects, raters, columns, copies strings.Builder
	documents                        []corpus.Document
}

func newVoted(classes int) *voted {
	v := &voted{}
	v.columns.WriteString("a,b,c,text,d\n")
	v.copies.WriteString("label,weight,text\n")
	rng := rand.New(rand.NewPCG(3, 9))
	for _, r := range small.with(func(s *shape) { s.classes = classes }).records() {
		votes := []string{r.label, r.label, r.label, r.label}
		for k := rng.IntN(3); k < 2; k++ { // the majority is the first
			votes[1+rng.IntN(3)] = fmt.Sprintf("class%02d", rng.IntN(classes))
		}
		d := corpus.Document{Text: []byte(r.text)}
		for _, vote := range votes {
			k := 0
			for k < len(d.Labels) && string(d.Labels[k]) != vote {
				k++
			}
			if k == len(d.Labels) {
				d.Labels, d.Shares = append(d.Labels, []byte(vote)), append(d.Shares, 0)
			}
			d.Shares[k] += 0.25
		}
		shares := ""
		for k, label := range d.Labels {
			shares += fmt.Sprintf(",%q:%v", label, d.Shares[k])
			fmt.Fprintf(&v.copies, "%s,%v,%s\n", label, d.Shares[k], r.text)
		}
		fmt.Fprintf(&v.objects, "{\"text\":%q,\"label\":{%s}}\n", r.text, shares[1:])
		fmt.Fprintf(&v.raters, "{\"text\":%q,\"a\":%q,\"by\":{\"b\":%q,\"c\":%q},\"d\":%q,\"e\":null}\n",
			r.text, votes[0], votes[1], votes[2], votes[3])
		fmt.Fprintf(&v.columns, "%s,%s,%s,%s,%s\n", votes[0], votes[1], votes[2], r.text, votes[3])
		v.documents = append(v.documents, d)
		v.records++
	}
	return v
}

func (v *voted) inputs() map[string]corpus.Input {
	raters, columns, copies := as(corpus.JSONL, v.raters.String()), as(corpus.CSV, v.columns.String()), as(corpus.CSV, v.copies.String())
	raters.LabelField, columns.LabelField, copies.WeightField = "a,by.b,by.c,d,e", "a,b,c,5", "weight"
	return map[string]corpus.Input{
		"objects": as(corpus.JSONL, v.objects.String()), "raters": raters, "columns": columns, "copies": copies,
		"in memory": {Documents: values(v.documents...)},
	}
}

// TestShares: a record whose labels have shares makes the same model as a copy of it for each label, weighted by its
// share. It is judged once, by the label with the largest share.
func TestShares(t *testing.T) {
	for _, classes := range []int{2, 3} {
		v := newVoted(classes)
		o := options(func(o *nbsvm.Options) { o.MinDF, o.NamesLimit, o.HoldOut, o.Calibrate = 1, 0, 0, true })
		copies, _ := mustTrain(t, v.inputs()["copies"], o)
		want := encode(t, copies)
		for name, in := range v.inputs() {
			for _, threads := range []int{1, 3} {
				o := o
				o.Threads = threads
				if c, _ := mustTrain(t, in, o); !bytes.Equal(encode(t, c), want) {
					t.Errorf("%d classes, %s, %d threads: another model than of weighted copies", classes, name, threads)
				}
				in = v.inputs()[name]
			}
			if name == "copies" {
				continue
			}
			right, counted := 0, 0
			r, err := copies.Evaluate(t.Context(), in, nbsvm.ScoreOptions{Judge: func(j nbsvm.Judgement) {
				if counted++; copies.Labels()[j.Labels[0]] == string(v.documents[counted-1].Majority()[0]) {
					right++
				}
			}})
			must.OK(t, err)
			if r.N != v.records || !near(r.Accuracy, float64(right)/float64(v.records), 1e-12) {
				t.Errorf("%s: %d documents, accuracy %v; want %d, %d of them right", name, r.N, r.Accuracy, v.records, right)
			}
		}

		pack := func(objects string) string { return pack(t, as(corpus.JSONL, objects), o.Pack(), 0) }
		lines := strings.SplitAfterN(v.objects.String(), "\n", 101)
		first, second := pack(strings.Join(lines[:100], "")), pack(lines[100])
		for name, in := range map[string]corpus.Input{
			"packed": {Paths: []string{pack(v.objects.String())}}, "merged": {Paths: []string{first, second}},
		} {
			if c, _ := mustTrain(t, in, o); !bytes.Equal(encode(t, c), want) {
				t.Errorf("%d classes, %s: another model than of weighted copies", classes, name)
			}
			cv, err := nbsvm.CrossValidate(t.Context(), in, o, 3)
			must.OK(t, err)
			judged := 0
			for _, fold := range cv.Folds {
				judged += fold.N
			}
			if judged != v.records {
				t.Errorf("%s: %d documents are judged, want %d", name, judged, v.records)
			}
		}
	}
}

// TestSharesWrong: what can't be meant is refused, with what to do.
func TestSharesWrong(t *testing.T) {
	for _, test := range []struct{ records, fields, sep, want string }{
		{`{"text":"a","label":{"x":0.9,"y":0.8}}`, "", "", "the shares of the labels add up to 1.7, not to 1"},
		{`{"text":"a","label":{"x":2,"y":1}}`, "", "", "must have a number from 0 to 1 for each label"},
		{`{"text":"a","label":{"name":"x"}}`, "", "", "such as label.name"},
		{`{"text":"a","label":{"":1}}`, "", "", "a label is empty"},
		{`{"text":"a","label":{}}`, "", "", "add up to 0, not to 1"},
		{`{"text":"a","label":{"x":0.5,"y":0.5}}`, "", ";", "without Input.LabelSep"},
		{`{"text":"a","p":{"x":1},"q":"x"}`, "p,q", "", "is for documents of one label field"},
		{`{"text":"a","p":"x","q":{"x":1}}`, "p,q", "", `field "q" must be one label`},
		{`{"text":"a","p":["x"],"q":"x"}`, "p,q", "", `field "p" must be one label`},
		{`{"text":"a","p":"x"}`, "p,q", "", `no field "q"`},
		{`{"text":"a","p":null,"q":" "}`, "p,q", "", "no label"},
		{`{"text":"a","p":"x","q":"y"}`, "p,q", ";", "leave one of them out"},
		{`{"text":"a","p":"x","q":"y"}`, "p,,q", "", "has an empty name"},
		{`{"text":"a","label":["x","y"]}` + "\n" + `{"text":"b","label":{"x":0.5,"z":0.5}}`, "", "", "train a model on each kind"},
	} {
		in := as(corpus.JSONL, test.records+"\n"+`{"text":"b","label":"y","p":"y","q":"y"}`+"\n")
		in.LabelField, in.LabelSep = test.fields, test.sep
		_, _, err := nbsvm.Train(t.Context(), in, options(func(o *nbsvm.Options) { o.MinDF = 1 }))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.records, err, test.want)
		}
	}
	var wrong corpus.Input
	wrong.Documents = values(corpus.Document{Text: []byte("a"), Labels: [][]byte{[]byte("x")}, Shares: []float64{0.5, 0.5}})
	if _, _, err := nbsvm.Train(t.Context(), wrong, nbsvm.DefaultOptions()); err == nil || !strings.Contains(err.Error(), "for each label") {
		t.Errorf("shares without labels: error %v", err)
	}
}

// TestSharesOfNumbers: shares of numbers make their mean, and raters' numbers have a ceiling.
func TestSharesOfNumbers(t *testing.T) {
	o := ofNumbers(nbsvm.NBSVR, "")
	a, _ := mustTrain(t, as(corpus.JSONL, `{"text":"good film","label":{"3":0.25,"5":0.75}}`+"\n"+`{"text":"bad film","label":1}`+"\n"), o)
	b, _ := mustTrain(t, as(corpus.TSV, "4.5\tgood film\n1\tbad film\n"), o)
	if !bytes.Equal(encode(t, a), encode(t, b)) {
		t.Error("shares of numbers make another model than their mean")
	}
	in := as(corpus.CSV, "text,p,q,r\ngood film,4,5,5\nbad film,1,,0\nfilm,3,3,2\n")
	in.LabelField = "p,q,r"
	r, err := b.Evaluate(t.Context(), in, nbsvm.ScoreOptions{})
	must.OK(t, err)
	if c := r.Regression.Ceiling; c == nil || c.Documents != 3 || c.Ratings != 8 {
		text, _ := json.Marshal(c)
		t.Errorf("ceiling %s, want that of 3 documents with 8 ratings", text)
	}
}
