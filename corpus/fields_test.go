package corpus

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestFieldsOnly: records have fields alone, in any format, and what they lack is not there.
func TestFieldsOnly(t *testing.T) {
	for _, test := range []struct {
		name, text string
		in         Input
		want       string // the values of the kept fields, or what is wrong
		fields     string // that the file has
	}{
		{"a.jsonl", `{"s":0.50,"m":{"q":"x"},"label":{"a":1},"text":7}` + "\n\n" + `{"s":null}`, Input{}, "0.50|x, |", "s m.q label.a text"},
		{"a.csv", "id,s\n1,0.5\n2,\n", Input{}, "0.5|, |", "id s"},
		{"a.csv", "id;s;m.q\n1;0.5;\"a;b\"\n", Input{}, "0.5|a;b", "id s m.q"},
		{"a.tsv", "m.q\ts\tlabel\nx\t0.5\ty\n", Input{}, "0.5|x", "m.q s label"},
		{"a", "label\ts\ny\t0.5\n", Input{}, "0.5|", "label s"},
		{"a.tsv", "y\t0.5\nz\t1\n", Input{Keep: []string{"2", "1"}}, "0.5|y, 1|z", ""},
		{"a.csv", "y,0.5\nz,1\n", Input{Keep: []string{"2", "1"}}, "0.5|y, 1|z", ""},
		{"a.csv", "a,b\ny,0.5\n", Input{}, `a.csv: its first line names none of the fields that are looked for, but "a", "b": take fields`, ""},
		{"a.jsonl", `{"s":1}` + "\n" + `{"s":`, Input{}, "a.jsonl:2 (byte 8): the file ends within a record", ""},
		{"a.jsonl", `{"s":1,"t":2}`, Input{TextField: "t"}, `a.jsonl:1 (byte 0): field "t" must be a string, not "2"`, ""},
		{"a.jsonl", `{"s":1}`, Input{ID: "id"}, `a.jsonl:1 (byte 0): no id`, ""},
		{"a.txt", "s", Input{Format: FastText}, "corpus: format fasttext has no named or numbered fields: give a file in one that has", ""},
	} {
		in := test.in
		in.Paths, in.FieldsOnly = []string{writeFile(t, test.name, test.text)}, true
		if in.Keep == nil {
			in.Keep = []string{"s", "m.q"}
		}
		got, fields, err := readFields(in)
		if err != nil {
			got = strings.ReplaceAll(err.Error(), in.Paths[0], test.name)
		}
		if err == nil && got != test.want || !strings.Contains(got, test.want) || err == nil && strings.Join(fields, " ") != test.fields {
			t.Errorf("%s of %q: %s, fields %q; want %s, %s", test.name, test.text, got, fields, test.want, test.fields)
		}
	}
}

// readFields joins the values of the kept fields of all records, and returns the fields that the file has.
func readFields(in Input) (all string, fields []string, err error) {
	r, err := Open(in)
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	var rows []string
	for {
		chunk, err := r.Next()
		if err != nil {
			if len(rows) > 0 && strings.HasSuffix(err.Error(), "EOF") {
				err = nil
			}
			return strings.Join(rows, ", "), fields, err
		}
		if rows == nil {
			fields = chunk.Fields()
		}
		for _, d := range chunk.Append(nil) {
			if d.Err != nil {
				return "", nil, d.Err
			}
			var row []string
			for _, v := range d.Kept {
				row = append(row, string(v.AppendText(nil)))
			}
			rows = append(rows, strings.Join(row, "|"))
		}
	}
}

// TestSpoil: a record that a program finds wrong is as bad as one that the reader does.
func TestSpoil(t *testing.T) {
	r, err := Open(Input{Paths: []string{writeFile(t, "a.csv", "s\nx\n")}, FieldsOnly: true, Keep: []string{"s"}})
	must.OK(t, err)
	defer r.Close()
	chunk, err := r.Next()
	must.OK(t, err)
	d := chunk.Append(nil)[0]
	chunk.Spoil(&d, fmt.Errorf("no number"))
	if got := d.Err.Error(); !strings.HasSuffix(got, "a.csv:2 (byte 2): no number") || ReasonOf(d.Err) != otherReason {
		t.Error(got)
	}
	if e := d.Err.(*RecordError); !slices.Equal(e.header, []byte("s\n")) {
		t.Errorf("the header for a quarantine is %q", e.header)
	}
}
