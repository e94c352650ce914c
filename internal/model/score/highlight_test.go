package score

import (
	"testing"

	"github.com/seed-167f963f/nbsvm/explain"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestHighlight(t *testing.T) {
	options := func(change func(*hashing.Options)) hashing.Options {
		o := hashing.DefaultOptions()
		change(&o)
		return o
	}
	families := func(all ...hashing.Family) hashing.Options {
		o, err := hashing.DefaultOptions(), error(nil)
		o.Families, err = hashing.NewFamilies(all...)
		must.OK(t, err)
		return o
	}
	for name, test := range map[string]struct {
		o       hashing.Options
		text    string
		margins map[string]float64
		want    string // [for it], (against it)
	}{
		"words":          {options(func(*hashing.Options) {}), "Not a GOOD film, good?", map[string]float64{"good": 1, "not a": -1}, "(Not) (a) [GOOD] film, [good]?"},
		"parts of words": {options(func(*hashing.Options) {}), "cart art", map[string]float64{"art": 1}, "cart [art]"},
		"punctuation":    {options(func(*hashing.Options) {}), "Well… “yes”!", map[string]float64{`"`: 1, "…": -1, "!": 1}, "Well(…) [“]yes[”!]"},
		"apostrophes":    {options(func(*hashing.Options) {}), "I don’t", map[string]float64{"don't": 1}, "I [don’t]"},
		"Chinese":        {options(func(*hashing.Options) {}), "很好吃。", map[string]float64{"好 吃": 1}, "很[好吃]。"},
		"tags":           {options(func(o *hashing.Options) { o.StripHTML = true }), "a<br class=b/>b", map[string]float64{"b": 1, "a": -1}, "(a)<br class=b/>[b]"},
		"spaces":         {options(func(o *hashing.Options) { o.Families[0].Tokenizer = hashing.Space }), "a <b> c", map[string]float64{"<b>": 1}, "a [<b>] c"},
		"characters":     {options(func(o *hashing.Options) { o.Families[0].Tokenizer, o.Families[0].NgramHi = hashing.Char, 3 }), "Über  alles", map[string]float64{"übe": 1, " a": -1}, "[Übe]r(  a)lles"},
		"families": {
			families(hashing.Family{Tokenizer: hashing.Word, NgramLo: 1, NgramHi: 1}, hashing.Family{Tokenizer: hashing.CharWB, NgramLo: 3, NgramHi: 3}),
			"good goods",
			map[string]float64{"good": -1, "char-wb:ods": 1},
			"(good) go[ods]",
		},
		"dots":    {options(func(*hashing.Options) {}), "xx İstanbul good", map[string]float64{"istanbul": 1}, "xx [İstanbul] good"},
		"invalid": {options(func(*hashing.Options) {}), "a\xffb", map[string]float64{"b": 1}, "a\xff[b]"},
		"nothing": {options(func(*hashing.Options) {}), "", nil, ""},
	} {
		var all []explain.Contribution
		for ngram, margin := range test.margins {
			all = append(all, explain.Contribution{Name: ngram, Margin: margin})
		}
		got := ""
		extract, err := hashing.NewExtractor(test.o)
		must.OK(t, err)
		added, err := highlight([]byte(test.text), all, func(text []byte, visit func([]byte, []hashing.Span)) error {
			for name, tokens := range extract.Spans(text) {
				visit(name, tokens)
			}
			return nil
		})
		must.OK(t, err)
		for from, to := 0, 0; from < len(test.text); from = to {
			for to = from + 1; to < len(test.text) && (added[to] > 0) == (added[from] > 0) && (added[to] < 0) == (added[from] < 0); {
				to++
			}
			brackets := map[bool]string{added[from] > 0: "[]", added[from] < 0: "()"}[true]
			if brackets == "" {
				got += test.text[from:to]
			} else {
				got += brackets[:1] + test.text[from:to] + brackets[1:]
			}
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
