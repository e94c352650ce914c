package corpus

import (
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// keptTexts are the texts of the kept values of all documents, "-" for those that have none.
func keptTexts(t *testing.T, text string, o Input) string {
	t.Helper()
	o.Unlabelled = true
	var all []string
	for _, d := range readDocuments(t, text, o) {
		if d.Kept == nil {
			all = append(all, "-")
		}
		for _, v := range d.Kept {
			raw, is := v.JSON()
			if all = append(all, string(v.AppendText(nil))); is {
				all[len(all)-1] += "=" + string(raw)
			}
		}
	}
	return strings.Join(all, ";")
}

func readDocuments(t *testing.T, text string, o Input) []Document {
	t.Helper()
	all, err := readWith(nil, strings.NewReader(text), o, chunkSize, chunkLimit)
	must.OK(t, err)
	return all
}

func TestKept(t *testing.T) {
	for _, test := range []struct {
		text, id, keep, want string
		format               Format
	}{
		{`{"text":"t","a":1.50,"b":{"c":"x\u0041"}}`, "a", "b.c,b,z", `1.50=1.50;xA="x\u0041";{"c":"x\u0041"}={"c":"x\u0041"};=null`, JSONL},
		{`{"text":"t","a":1,"a":2,"b.c":3,"b":{"c":null}}`, "", "a,b.c", `2=2;=null`, JSONL},
		{`{"text":"t","b":{"c":null},"b.c":3}`, "", "b.c,text", `3=3;t="t"`, JSONL},
		{`{"text":"t"}`, "a", "b", `-`, JSONL},
		{"\n{\"text\":\"t\",\"a\":true}\n", "a", "", `-;true=true`, JSONL},
		{"text,a,b\nt,\"1\"\"2\",\nt,,x\n", "a", "b", `1"2;;-`, CSV},
		{"text,a,b\nt,1,x\n", "A", "3,text", `1;x;t`, CSV},
		{"l\tt\tx\n", "3", "1,1", `x;l;l`, TSV},
		{"a\ttext\n7\tt\n", "a", "", `7`, TSV},
	} {
		o := Input{Format: test.format, ID: test.id}
		if test.keep != "" {
			o.Keep = strings.Split(test.keep, ",")
		}
		if test.format == TSV && test.id == "a" {
			o.TextField = "text"
		}
		if got := keptTexts(t, test.text, o); got != test.want {
			t.Errorf("%q: %s\nwant %s", test.text, got, test.want)
		}
	}
	for _, o := range []Input{{Format: Lines, ID: "a"}, {Format: CSV, Keep: []string{"0"}}, {Format: FastText, Keep: []string{"a"}}} {
		o.Unlabelled = true
		if err := o.Validate(); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// FuzzKept: a kept field is what the same field is as text.
func FuzzKept(f *testing.F) {
	for _, record := range []string{`{"a":{"b":"x\n"}}`, `{"a.b":"x","a":{"b":1}}`, `{"a":{"b":"y"},"a":{}}`, `{"a":{"b":`, `{"\u0061":{"b":"\ud800"}}`} {
		f.Add(record)
	}
	f.Fuzz(func(t *testing.T, record string) {
		record = strings.NewReplacer("\n", " ", "\r", " ").Replace(record)
		first := `{"a":{"b":"first"}}` + "\n" // keeps the file from being refused
		all := readDocuments(t, first+record+"\n", Input{Format: JSONL, TextField: "a.b", Keep: []string{"a.b", "a"}, Unlabelled: true})
		for _, d := range all {
			if d.Err == nil && d.Kept != nil {
				if got := string(d.Kept[0].AppendText(nil)); got != string(d.Text) {
					t.Fatalf("%q: kept %q, text %q", record, got, d.Text)
				}
			}
		}
	})
}
