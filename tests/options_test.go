package tests

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// TestProgress: calls come one at a time, tell of every stage, and reach the end.
func TestProgress(t *testing.T) {
	for kind, s := range agreementShapes() {
		var stages []string
		last := map[string]corpus.Progress{}
		inside := make(chan bool, 1)
		o := options(func(o *nbsvm.Options) {
			o.Calibrate = true
			o.Progress = func(p corpus.Progress) {
				select {
				case inside <- true:
				default:
					t.Error("two calls at once")
				}
				if !slices.Contains(stages, p.Stage) {
					stages = append(stages, p.Stage)
				}
				if p.Done < last[p.Stage].Done {
					t.Errorf("%s: %s goes back from %d to %d", kind, p.Stage, last[p.Stage].Done, p.Done)
				}
				last[p.Stage] = p
				<-inside
			}
		})
		mustTrain(t, s.input(), o)
		if !slices.Equal(stages, []string{"read", "layout", "hold out", "solve"}) {
			t.Errorf("%s: stages %q", kind, stages)
		}
		for _, p := range last {
			if p.Total >= 0 && p.Done != p.Total || p.Unit == "" {
				t.Errorf("%s: the last of it was %+v", kind, p)
			}
		}
	}
}

// TestNames: each is an n-gram of the corpus that has the key of its row, and long ones are cut at a character.
func TestNames(t *testing.T) {
	c, _ := mustTrain(t, small.input(), options(func(o *nbsvm.Options) { o.Text.Bits, o.NamesLimit = 10, 200 }))
	m := modelOf(t, c)
	names := m.Names
	for _, n := range names {
		if int(n.Row) >= m.Keys.Size() || n.Text == "" || !bytes.Contains(tsv(small.records()), []byte(strings.Fields(n.Text)[0])) {
			t.Errorf("name %+v", n)
		}
	}
	if len(names) == 0 || len(names) > 220 {
		t.Errorf("%d names", len(names))
	}
	none, _ := mustTrain(t, small.input(), options(func(o *nbsvm.Options) { o.NamesLimit = 0 }))
	if len(modelOf(t, none).Names) != 0 {
		t.Error("names in spite of a limit of 0")
	}
	word := strings.Repeat("é", 150)
	in := as(corpus.TSV, "a\t"+word+" x\nb\ty z\na\t"+word+"\nb\ty\n")
	c, _ = mustTrain(t, in, options())
	if got, want := strongest(t, c, 1)[0].Features[0].Name, strings.Repeat("é", 100)+"…"; got != want {
		t.Errorf("a long name is %q, want %q", got, want)
	}
}

// TestChosenIsTaken: orders of n-grams that were chosen go before what DefaultOptions leave to the documents.
func TestChosenIsTaken(t *testing.T) {
	o := nbsvm.DefaultOptions()
	o.Text.Families[0].NgramHi, o.Beta = 3, 0.25
	got, made := mustTrain(t, small.input(), o)
	if o := made.Options; o.Text.Families.String() != "word:1-3" || o.Beta != 0.25 {
		t.Errorf("trained with %s and beta %v", o.Text, o.Beta)
	}
	again, remade := mustTrain(t, small.input(), made.Options)
	if remade.Options.Beta != 0.25 || !bytes.Equal(encode(t, again), encode(t, got)) {
		t.Error("the options of a model make another")
	}
	left, made := mustTrain(t, small.input(), nbsvm.DefaultOptions())
	if again, _ := mustTrain(t, small.input(), made.Options); !bytes.Equal(encode(t, again), encode(t, left)) {
		t.Error("options that were left to the documents make another model")
	}
}

// TestAutoKind: of ready-made features, cross-validation tells which kind of model suits them, unless an option tells
// that ratios are meant.
func TestAutoKind(t *testing.T) {
	of := func(row func(class int, r *rand.Rand) string) func() corpus.Input {
		var text strings.Builder
		r := rand.New(rand.NewPCG(1, 1))
		for i := range 400 {
			fmt.Fprintf(&text, "%d%s\n", i%2, row(i%2, r))
		}
		return func() corpus.Input { return input([]byte(text.String()), corpus.SVMLight) }
	}
	// What tells the classes apart is how large features are; unit length would take that away.
	sizes := of(func(class int, r *rand.Rand) string {
		size := 1 + float64(class) + 0.8*r.Float64()
		return fmt.Sprintf(" 1:%.3f 2:%.3f", size, 2*size)
	})
	// What tells them apart is a direction, and rows are of very different length.
	directions := of(func(class int, r *rand.Rand) string {
		size, x := math.Exp(6*r.Float64()-3), 0.1+float64(class)*0.2-0.6*r.Float64()*r.Float64()
		return fmt.Sprintf(" 1:%.4f 2:%.4f", size*x, size)
	})
	// Each class has many rare words of its own, and there are common ones.
	words := of(func(class int, r *rand.Rand) string {
		all := map[int]bool{}
		for range 10 {
			all[1+r.IntN(20)] = true
		}
		for range 2 {
			all[100+100*class+r.IntN(100)] = true
		}
		var row strings.Builder
		for _, f := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(&row, " %d:1", f)
		}
		return row.String()
	})
	few := func() corpus.Input { return input([]byte("1 1:2 2:1\n2 1:4 2:1\n1 1:2\n2 1:4\n"), corpus.SVMLight) }
	kind := func(kind nbsvm.Kind, normalize bool) func(o *nbsvm.Options) {
		return func(o *nbsvm.Options) { o.Kind, o.Normalize = kind, normalize }
	}
	usual := func(*nbsvm.Options) {}
	for name, c := range map[string]struct {
		in           func() corpus.Input
		change, want func(o *nbsvm.Options)
		candidates   int
	}{
		"sizes":           {sizes, usual, kind(nbsvm.SVM, false), 3},
		"directions":      {directions, usual, kind(nbsvm.SVM, true), 2}, // some features are negative
		"words":           {words, usual, kind(nbsvm.NBSVM, true), 3},
		"few":             {few, usual, kind(nbsvm.NBSVM, true), 0},
		"texts":           {small.input, usual, kind(nbsvm.NBSVM, true), 0},
		"ratios of sizes": {sizes, kind(nbsvm.NBSVM, true), kind(nbsvm.NBSVM, true), 0},
		"a loss": {sizes, func(o *nbsvm.Options) { o.Loss = "hinge" }, func(o *nbsvm.Options) {
			o.Kind, o.Loss = nbsvm.NBSVM, "hinge"
		}, 0},
		"another kind": {sizes, func(o *nbsvm.Options) { o.Kind = nbsvm.Multinomial }, func(o *nbsvm.Options) {
			o.Kind = nbsvm.Multinomial
		}, 0},
	} {
		got, made := mustTrain(t, c.in(), options(c.change))
		want, _ := mustTrain(t, c.in(), options(c.want))
		if !bytes.Equal(unmade(t, got), unmade(t, want)) {
			t.Errorf("%s: trained %s, normalize %t: %+v", name, made.Options.Kind, made.Options.Normalize, made.Candidates)
		}
		if len(made.Candidates) != c.candidates {
			t.Errorf("%s: compared %+v", name, made.Candidates)
		}
		for _, candidate := range made.Candidates {
			best := slices.MaxFunc(made.Candidates, func(a, b nbsvm.Candidate) int { return cmp.Compare(a.MicroF1, b.MicroF1) })
			if candidate.MicroF1 <= 0 || best.Kind != made.Options.Kind || best.Normalize != made.Options.Normalize {
				t.Errorf("%s: chose %s of %+v", name, made.Options.Kind, made.Candidates)
			}
		}
		if again, _ := mustTrain(t, c.in(), made.Options); !bytes.Equal(unmade(t, again), unmade(t, got)) {
			t.Errorf("%s: the options of the model make another", name)
		}
	}
}
