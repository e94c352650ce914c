package facts

import "testing"

func TestPlain(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"corpus: a.tsv:3 (byte 17): no label", "a.tsv:3 (byte 17): no label"},
		{"nbsvm: corpus: cannot quarantine: nbsvm: cannot write x", "cannot quarantine: cannot write x"},
		{"--format: corpus: unknown format", "--format: unknown format"},
		{`corpus: x: no label, in "model: corpus: it"`, `x: no label, in "model: corpus: it"`},
		{`nbsvm: class "a: \"solver: b": solver: tol`, `class "a: \"solver: b": tol`},
		{`no end of "solver: x`, `no end of "solver: x`},
		{"a\n: corpus: b:\ncorpus:c", "a\n: b:\ncorpus:c"},
		{"corpus", "corpus"},
		{"", ""},
		{"models: two", "models: two"},
		{"nbsvm: Options.MinDF must be 1 or more", "--min-df must be 1 or more"},
		{"corpus: a.tsv: give Input.Header false, or Input.TextField.", "a.tsv: give --no-header, or --text-field."},
		{"Options.Text.Bits, Options.Trees.Rounds or Options.Text", "--bits, --rounds or --ngrams"},
		{"OtherOptions.MinDF, Options.Nothing", "OtherOptions.MinDF, Options.Nothing"},
	} {
		if got := Plain(test.text); got != test.want {
			t.Errorf("Plain(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}
