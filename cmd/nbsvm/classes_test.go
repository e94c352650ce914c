package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// labelledText is a row of these tests.
type labelledText struct {
	Label string  `parquet:"label" json:"label"`
	Text  string  `parquet:"text" json:"text"`
	W     float64 `parquet:"w" json:"w"`
}

// TestClasses: whatever the format of the files of classes, and whatever labels their records have, commands make the
// same bytes as from one file with the labels in that order.
func TestClasses(t *testing.T) {
	t.Chdir(t.TempDir())
	do := func(line string) {
		t.Helper()
		var errs bytes.Buffer
		args := strings.Fields(line)
		if code := run(t.Context(), args, streams{strings.NewReader(""), io.Discard, &errs}); code != 0 {
			t.Errorf("nbsvm %s: exit code %d: %s", line, code, &errs)
		}
	}
	same := func(what, got, want string) {
		t.Helper()
		a, err := os.ReadFile(got)
		must.OK(t, err)
		b, err := os.ReadFile(want)
		must.OK(t, err)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: %s and %s differ", what, got, want)
		}
	}

	var files [2][]labelledText // of classes
	for i := range 240 {
		_, text := document(i, 2)
		files[i%2] = append(files[i%2], labelledText{[]string{"a", "b"}[i%2], text, float64(1 + i%3)})
	}
	formats := map[string]func(d labelledText) string{
		"jsonl": func(d labelledText) string {
			line, err := json.Marshal(d)
			must.OK(t, err)
			return string(line)
		},
		"tsv":      func(d labelledText) string { return d.Label + "\t" + d.Text },
		"csv":      func(d labelledText) string { return fmt.Sprintf("%s,%q,%v", d.Label, d.Text, d.W) },
		"fasttext": func(d labelledText) string { return "__label__" + d.Label + " " + d.Text },
		"txt":      func(d labelledText) string { return d.Text },
		"json": func(d labelledText) string {
			return fmt.Sprintf(`{"w":%v,"label":{"no":[null]},"text":%q}`, d.W, d.Text)
		},
	}
	write := func(name string, docs []labelledText) {
		var b strings.Builder
		if filepath.Ext(name) == ".csv" {
			b.WriteString("label,text,w\n")
		}
		for _, d := range docs {
			b.WriteString(formats[filepath.Ext(name)[1:]](d) + "\n")
		}
		must.OK(t, os.WriteFile(name, []byte(b.String()), 0o600))
	}
	all := append(files[0][:len(files[0]):len(files[0])], files[1]...)
	write("all.jsonl", all)
	write("all.csv", all)
	writeParquet(t, "all.parquet", all, 30)
	for class := range files {
		for i := range files[class] {
			files[class][i].Label = []string{"b", "c"}[i%2] // which do not count
		}
		writeParquet(t, fmt.Sprintf("%d.parquet", class), files[class], 30)
		for format := range formats {
			write(fmt.Sprintf("%d.%s", class, format), files[class])
		}
	}
	const train = "train -q --bits 14 -o "
	do(train + "want.nbm all.jsonl")
	do(train + "memory.nbm --memory 64MiB --ngrams 1-2 all.jsonl")
	do("pack -q --bits 14 -o want.nbc all.jsonl")
	for _, format := range []string{"jsonl", "tsv", "csv", "fasttext", "txt", "json", "parquet"} {
		classes := fmt.Sprintf("--class a=0.%s --class b=1.%[1]s", format)
		for threads := 1; threads < 4; threads += 2 {
			do(fmt.Sprintf("%sgot.nbm --threads %d %s", train, threads, classes))
			same(classes, "got.nbm", "want.nbm")
		}
		do("pack -q --bits 14 -o got.nbc " + classes)
		same("pack "+classes, "got.nbc", "want.nbc")
		if format == "jsonl" || format == "csv" || format == "parquet" { // the model records of which the field is
			do(train + "got.nbm --weight-field w " + classes)
			do(train + "weighted.nbm --weight-field w all." + format)
			same("weighted "+classes, "got.nbm", "weighted.nbm")
		}
	}
	// Beside each other, with files that have labels, in limited memory, and through everything that reads labels.
	do(train + "got.nbm --memory 64MiB --ngrams 1-2 --class a=0.txt --class b=1.csv")
	same("memory", "got.nbm", "memory.nbm")
	write("a.jsonl", []labelledText{{"a", files[0][0].Text, 1}})
	write("rest.txt", files[0][1:])
	do(train + "got.nbm a.jsonl --class a=rest.txt --class b=1.csv")
	same("mixed", "got.nbm", "want.nbm")
	for _, command := range []string{
		"eval --json want.nbm", "cv --json --folds 3 --bits 14 --no-group --wrong wrong.jsonl", "export --label b want.nbm",
	} {
		var all [2]string
		for i, input := range []string{" all.jsonl", " --class a=0.txt --class b=1.parquet"} {
			var out bytes.Buffer
			if code := run(t.Context(), strings.Fields(command+input), streams{strings.NewReader(""), &out, io.Discard}); code != 0 {
				t.Errorf("nbsvm %s: exit code %d", command+input, code)
			}
			all[i] = string(untimed(out.Bytes()))
		}
		if all[0] != all[1] || len(all[0]) < 100 {
			t.Errorf("nbsvm %s: with --class\n%s\nwant\n%s", command, all[1], all[0])
		}
	}
}
