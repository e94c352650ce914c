package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestVW(t *testing.T) {
	multi := Input{Format: VW, LabelSep: ","}
	for _, test := range []struct {
		name, in string
		o        Input
		want     string
	}{
		{"labels", "1 |t a b\n-1 |t c\r\n+1.0 | d\nspam | e\n\n3 |t f", labelled(VW), "1:|t a b;-1:|t c;1:| d;spam:| e;3:|t f"},
		{"weights and tags", "1 2.5 |t a\n1 0.5 'x|t b\n1 'y |t c\n1 z|t d\n-1 3 tag|t e\n", labelled(VW), "1:|t a;1:|t b;1:|t c;1:|t d;-1:|t e"},
		{"bars and values", "1 |a:2 x:.5 y|b z:-1e3 || |c\n", labelled(VW), "1:|a:2 x:.5 y|b z:-1e3 || |c"},
		{"no features", "1 |\n1 |t\n", labelled(VW), "1:|;1:|t"},
		{"tab between features", "1 |t a\tb\n", labelled(VW), "1:|t a\tb"},
		{"no label", "|t a\n1|t b\n'x |t c\n1 |t d\n", labelled(VW), "ERR;ERR;ERR;1:|t d"},
		{"unlabelled", "|t a\n1 2 0.5 x|t b\n1:3 2:1 |t c\n\n1 |t d\n-1 -2 |t e\n", unlabelled(VW), ":|t a;1:|t b;1:3:|t c;:;1:|t d;-1:|t e"},
		{"several labels", "1,3 |t a\n |t b\n2 |t c\n", multi, "1|3:|t a;:|t b;2:|t c"},
		{"several labels without a separator", "1,3 |t a\n2 |t c\n", labelled(VW), "ERR;2:|t c"},
		{"initial prediction", "1 2 0.5 |t a\n1 2 0.5 7 |t a\n2 |t c\n", labelled(VW), "ERR;ERR;2:|t c"},
		{"costs", "1:0 2:1 |t a\n1:2:0.5 |t a\nshared |t a\n2 |t c\n", labelled(VW), "ERR;ERR;ERR;2:|t c"},
		{"bad values", "1 |t a:\n1 |t a:x\n1 |t :3\n1 |t a:nan\n1 |t a:1e99\n1 |t a:1:2\n1 |t:z a\n1 |t a:0x1p2\n2 |t c\n", labelled(VW), strings.Repeat("ERR;", 8) + "2:|t c"},
		{"bad weights", "1 x |t a\n1 -1 |t a\n1 inf |t a\n2 |t c\n", labelled(VW), "ERR;ERR;ERR;2:|t c"},
		{"no bar", "1 a b\n# comment\n2 |t c\n", labelled(VW), "ERR;ERR;2:|t c"},
		{"a tab in front", "1\t|t a\n2 |t c\n", labelled(VW), "ERR;2:|t c"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := brief(mustRead(t, test.in, test.o)); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// TestVWSays: refusals name line, cause and remedy.
func TestVWSays(t *testing.T) {
	for in, want := range map[string]string{
		"1:0 2:1 |t a":    "write one label",
		"1,2 |t a":        "Input.LabelSep ,",
		"1|t a":           "with spaces between",
		"1\t|t a":         "with spaces between",
		"shared |t a":     "write one label",
		"1 |t http://x":   "write another character for :",
		"1 many words":    "as in: 1 |text some words",
		"1 -2 |t a":       "a weight must be 0, or from 1e-20 to 1e+20",
		"1 2 3 4 'x |t a": "write one label, perhaps a weight",
		"1 |t :2":         "a name stands in front of :",
	} {
		docs := mustRead(t, "1 |t good\n"+in+"\n", labelled(VW))
		if len(docs) != 2 || docs[1].Err == "" {
			t.Errorf("%q is good", in)
			continue
		}
		if !strings.Contains(docs[1].Err, ":2 ") || !strings.Contains(docs[1].Err, want) {
			t.Errorf("%q: %s, which has no %q", in, docs[1].Err, want)
		}
	}
}

// TestVWRandom compares with what the records were written from.
func TestVWRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(some ...string) string { return some[r.IntN(len(some))] }
	var in strings.Builder
	var want []string
	weights := []float64{}
	for range 2000 {
		label, weight := pick("1", "-1", "7", "dog"), 1.0
		head := label
		if r.IntN(2) == 0 {
			weight = math.Floor(r.Float64()*64) / 8
			head += strings.Repeat(" ", 1+r.IntN(2)) + strconv.FormatFloat(weight, 'g', -1, 64)
		}
		head += pick(" ", "  ", " 'tag ", " 'tag", " tag", "   '")
		var text string
		for range 1 + r.IntN(3) {
			text += "|" + pick("", "t", "title", "t:2")
			for range r.IntN(4) {
				text += pick(" ", "  ", "\t") + pick("a", "é", "x:1.5", "y:-2", "z:1e-3", "don't", "a,b")
			}
			text += pick("", " ")
		}
		fmt.Fprintf(&in, "%s%s%s", head, text, pick("\n", "\r\n"))
		want, weights = append(want, label+":"+text), append(weights, weight)
	}
	docs := mustRead(t, in.String(), labelled(VW))
	if got := brief(docs); got != strings.Join(want, ";") {
		for i, d := range docs {
			if one := brief([]doc{d}); one != want[i] {
				t.Fatalf("record %d: %q, want %q", i, one, want[i])
			}
		}
		t.Fatalf("%d documents of %d", len(docs), len(want))
	}
	for i, d := range docs {
		if float64(d.Weight) != weights[i] {
			t.Fatalf("record %d (%s): weight %v, want %v", i, d.Record, d.Weight, weights[i])
		}
	}
}
