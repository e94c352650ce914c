package nbsvm

import (
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestTable: each option has a field, a name of its own, and a default that it parses.
func TestTable(t *testing.T) {
	named := map[string]bool{}
	usual := DefaultOptions().forKind()
	for _, p := range table {
		if named[p.Name] || !p.field(&usual).CanSet() || !strings.HasSuffix(p.help(), ".") || p.isSwitch() != (p.Placeholder == "") {
			t.Errorf("%+v", p)
		}
		named[p.Name] = true
		text := p.format(&usual)
		if text == "" && p.Name != "class-weight" {
			continue // of several families, a hierarchy or a loss
		}
		if o, err := usual.With(map[string]string{p.Name: text}); err != nil || p.format(&o) != text {
			t.Errorf("%s=%s: %v", p.Name, text, err)
		}
	}
}

// TestKindDefaults: what is left to the kind of model suits it, whichever way the kind is named.
func TestKindDefaults(t *testing.T) {
	for _, kind := range Kinds() {
		o := DefaultOptions()
		o.Kind = kind
		named, err := DefaultOptions().With(map[string]string{"model": string(kind)})
		must.OK(t, err)
		a, b := o.forKind(), named.forKind()
		if a.Text != b.Text || a.Values != b.Values || a.C != b.C || a.MaxEpochs != b.MaxEpochs {
			t.Errorf("%s: %+v, and by its name %+v", kind, a, b)
		}
		if tfidf := kind == KNN || kind == Rocchio; (a.Values == LogTFIDF) != tfidf {
			t.Errorf("%s has values %s", kind, a.Values)
		}
		if (a.MaxEpochs == 10) != kind.Online() || (a.C == 16) != (kind == Logistic) {
			t.Errorf("%s has C %v and %d epochs", kind, a.C, a.MaxEpochs)
		}
		if back := a.leftToKind(); back.Values != "" || back.C != 0 || back.MaxEpochs != 0 {
			t.Errorf("%s: %+v", kind, back)
		}
	}
}

func TestOrders(t *testing.T) {
	for _, of := range []hashing.Tokenizer{hashing.Char, hashing.CharWB} {
		o := DefaultOptions()
		o.Text.Families[0].Tokenizer = of
		named, err := DefaultOptions().With(map[string]string{"ngrams": of.String()})
		if named = named.forKind(); err != nil || o.forKind().Text != named.Text || named.Text.Families[0].NgramHi != longestOfChars {
			t.Errorf("%s: %+v, and by its name %+v, %v", of, o.forKind().Text, named.Text, err)
		}
		if o.Text.Families[0].NgramHi = 2; o.forKind().Text.Families[0].NgramHi != 2 {
			t.Errorf("%s: orders that were asked for became %+v", of, o.forKind().Text)
		}
	}
	for text, want := range map[string][2]int{"1-3": {1, 3}, "1": {1, 1}, "2": {2, 2}, "4-4": {4, 4}} {
		if o, err := DefaultOptions().With(map[string]string{"ngrams": text}); err != nil || o.Text.Families[0].NgramLo != want[0] || o.Text.Families[0].NgramHi != want[1] {
			t.Errorf("%s gives %+v, %v", text, o.Text, err)
		}
	}
	for _, text := range []string{"", "-", "1-", "-2", "one", "1-2-3", "1,2", "1 - 2", "99999999999999999999"} {
		if o, err := DefaultOptions().With(map[string]string{"ngrams": text}); err == nil {
			t.Errorf("%q gives %+v", text, o.Text)
		}
	}
}

// TestWith: an option says what goes with it, and nothing else changes.
func TestWith(t *testing.T) {
	for _, test := range []struct {
		values map[string]string
		set    func(o *Options)
	}{
		{nil, func(*Options) {}},
		{map[string]string{"ngrams": "char"}, func(o *Options) {
			o.Text.Families[0].Tokenizer = hashing.Char
		}},
		{map[string]string{"normalize": "true"}, func(o *Options) { o.Kind = NBSVM }},
		{map[string]string{"alpha": "0.5"}, func(o *Options) { o.Alpha = 0.5 }},
		{map[string]string{"beta": "0.5"}, func(o *Options) { o.Beta = 0.5 }},
		{map[string]string{"memory": "8GiB"}, func(o *Options) { o.Memory = 8 << 30 }},
		{map[string]string{"model": "knn", "values": "tfidf"}, func(o *Options) { o.Kind, o.Values = KNN, TFIDF }},
	} {
		want := DefaultOptions()
		test.set(&want)
		got, err := DefaultOptions().With(test.values)
		if p, q := strings.Join(got.flags(), " "), strings.Join(want.flags(), " "); err != nil || p != q || got.Kind != want.Kind || got.Values != want.Values {
			t.Errorf("%v: %s, %v, want %s", test.values, p, err, q)
		}
	}
	for want, values := range map[string]map[string]string{
		"unknown option": {"gama": "1"},
		"Options.Text.Families: hashing: the tokenizer char": {"ngrams": "char:1-2,char:3-4"},
		`C must be from 1e-12 to 1e12, or auto, got "much"`:  {"C": "much"},
		"C must be from 1e-12 to 1e12, got 0":                {"C": "0"},
		"Options.MaxEpochs must be 1 or more, got 0":         {"max-epochs": "0"},
		`Options.Normalize must be true or false, got "few"`: {"normalize": "few"},
		"such as 512MiB or 8GiB":                             {"memory": "-1"},
		"Options.Text.Families must be auto, a range":        {"ngrams": "much"},
		"Options.ClassWeight: ":                              {"class-weight": "a=b"},
	} {
		if _, err := DefaultOptions().With(values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", values, err, want)
		}
	}
}
