package corpus

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestClasses: documents of a file have its class, in every reading of the input and by whatever path it is chosen.
func TestClasses(t *testing.T) {
	files := fstest.MapFS{"a.txt": {Data: []byte("one\n\ntwo\n")}, "b.tsv": {Data: []byte("x\tthree\n")}}
	in := Input{Files: files, Paths: []string{"b.tsv", "a.txt"}, Classes: []string{"", "p,q,p"}}
	several := in
	several.LabelSep = ","
	for _, test := range []struct {
		in   Input
		want string // labels and texts, or a part of the error
	}{
		{in, "x: three; p,q,p: one; p,q,p: two; "},
		{several, "x: three; p q: one; p q: two; "},
		{in.With("a.txt"), "p,q,p: one; p,q,p: two; "},
		{Input{Files: files, Paths: in.Paths, Classes: []string{"a"}}, "Input.Classes must have a label for each path: there are 1 for 2 paths"},
		{Input{Files: files, Paths: in.Paths}, "a.txt: looks like no known format"},
		{Input{Files: files, Paths: []string{"a.txt", "a.txt"}, Classes: []string{"a", "b"}}, `a.txt: is given with the label "a" and with the label "b"`},
		{Input{Files: files, Paths: in.Paths, Classes: []string{"\xff", "b"}}, "of b.tsv is not valid UTF-8"},
		{Input{Files: files, Paths: in.Paths, Classes: []string{"a", "b"}, Unlabelled: true}, "x: three; : one; : ; : two; "},
	} {
		replay := NewReplay(test.in, t.TempDir())
		for range 2 {
			var got strings.Builder
			r, err := replay.Open()
			if err == nil {
				for d, failed := range r.Documents() {
					if err = failed; err == nil {
						for k, label := range d.Labels {
							got.WriteString(strings.Repeat(" ", min(k, 1)) + string(label))
						}
						got.WriteString(": " + string(d.Text) + "; ")
					}
				}
				r.Close()
			}
			if err == nil && got.String() != test.want || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v of %q: %q, %v; want %q", test.in.Paths, test.in.Classes, &got, err, test.want)
			}
		}
		replay.Close()
	}
}
