package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// invoke runs a command, without input, in this process.
func invoke(ctx context.Context, args ...string) (code int, out, said string) {
	var stdout, stderr bytes.Buffer
	code = run(ctx, args, streams{strings.NewReader(""), &stdout, &stderr})
	return code, stdout.String(), stderr.String()
}

// output runs a command that must succeed, and returns what it prints.
func output(t testing.TB, args ...string) string {
	t.Helper()
	code, out, said := invoke(t.Context(), args...)
	if code != exitDone {
		t.Fatalf("nbsvm %s: exit code %d: %s", strings.Join(args, " "), code, said)
	}
	return out
}

// TestLabelsOfOneRecord: they take time that grows with their number, not with its square.
func TestLabelsOfOneRecord(t *testing.T) {
	folder := t.TempDir()
	labels := make([]string, 200_000)
	for k := range labels {
		labels[k] = fmt.Sprint("l", k%60_000)
	}
	path := filepath.Join(folder, "one.tsv")
	must.OK(t, os.WriteFile(path, []byte("l1\tother text\n"+strings.Join(labels, ",")+"\tsome text\n"), 0o600))
	start := time.Now()
	if code, _, said := invoke(t.Context(), "pack", "-q", "--allow-many-classes", "--format", "tsv", "--label-sep", ",", "-o", filepath.Join(folder, "out.nbc"), path); code != exitDone {
		t.Fatal(said)
	}
	if took := time.Since(start); took > 5*time.Second && !must.RaceEnabled {
		t.Errorf("it took %v", took)
	}
}

// TestHostileNames shows labels, tags, fields and files whose names hold what a terminal obeys, or ends of lines, and
// wants none of it in what people read, on a pipe either.
func TestHostileNames(t *testing.T) {
	const evil = "a\x1b[31m\a\u202eb\nEVIL\tc"
	folder := t.TempDir()
	t.Chdir(folder)
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		must.OK(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	var records, unknown strings.Builder
	for i := range 60 {
		label := []string{evil, "z" + evil}[i%2]
		record := map[string]string{"text": fmt.Sprintf("w%d %s v%d", i%2, evil, i%7), "label": label, evil: label}
		for b, k := range map[*strings.Builder]int{&records: 0, &unknown: 1} {
			if k == 1 {
				record["label"] = "unknown" + evil
			}
			line, err := json.Marshal(record)
			must.OK(t, err)
			b.Write(append(line, '\n'))
			record["label"] = label
		}
	}
	name := strings.ReplaceAll(evil, "\n", "")
	data, strange := file("d"+name+".jsonl", records.String()), file("u"+name+".jsonl", unknown.String())
	bad := file("bad"+name+".jsonl", records.String()+`{"text": 1, "`+"\u202e"+`": "`+"\x1b[31m"+`"}`+"\n")
	tag := strings.NewReplacer("\n", "", "\t", "").Replace(evil)
	tagged := file("t"+name+".conll", strings.Repeat("w\x1b[31m\u202e\tB-"+tag+"\nv\tO\n\n", 20))
	model, packed, tags := file("m"+name, ""), file("p"+name, ""), file("n"+name, "")
	page, review, wrong := filepath.Join(folder, "page.html"), filepath.Join(folder, "review.txt"), filepath.Join(folder, "wrong.jsonl")
	for _, args := range [][]string{
		{"train", "--min-df", "1", "-o", model, data},
		{"train", "--min-df", "1", "--report", review, "-o", model, data},
		{"train", "--label-field", evil, "--min-df", "1", "-o", model, data},
		{"train", "--json", "--min-df", "1", "-o", model, data},
		{"train", "--on-bad", "skip", "--min-df", "1", "-o", model, bad},
		{"train", "--label-field", "no" + evil, "-o", model, data},
		{"train", "--class-weight", evil + "=1,no" + evil + "=2", "-o", model, data},
		{"train", "-o", model, bad},
		{"train", "-o", model, filepath.Join(folder, "gone"+name)},
		{"inspect", model},
		{"inspect", "--json", model},
		{"inspect", "no" + name},
		{"verify", model},
		{"verify", data},
		{"explain", model},
		{"explain", "--json", model},
		{"explain", model, data},
		{"explain", "--json", model, data},
		{"eval", model, data},
		{"eval", "--json", model, data},
		{"eval", model, strange},
		{"eval", model, bad},
		{"eval", "--at-precision", "0.9", "--label", evil, model, data},
		{"eval", "--at-precision", "0.9", "--label", "no" + evil, model, data},
		{"eval", "--wrong", wrong, model, strange},
		{"cv", "--folds", "2", "--min-df", "1", data},
		{"cv", "--folds", "2", "--grid", "min-df=1,2", data},
		{"cv", "--grid", evil, data},
		{"cv", "--grid", "min-df=" + evil, data},
		{"tune", "--folds", "2", "--settings", "2", "--min-df", "1", "-o", model, data},
		{"pack", "-o", packed, data},
		{"inspect", packed},
		{"verify", packed},
		{"merge", "-o", packed + "2", packed, packed},
		{"quantize", "-o", model + "2", model},
		{"score", "--where", evil, model, data},
		{"score", "--label", "no" + evil, model, data},
		{"score", "--format", evil, model, data},
		{"score", "--add-field", evil + "..", model, data},
		{"export", "--label", "no" + evil, model, data},
		{"report", "-o", page, model, data},
		{"tag", "train", "-o", tags, tagged},
		{"tag", "eval", tags, tagged},
		{"tag", "eval", "--json", tags, tagged},
		{"tag", "inspect", tags},
		{"inspect", tags},
		{"tag", "explain", tags, tagged},
		{"tag", "explain", "--json", tags, tagged},
		{"tag", "eval", tags, data},
		{"tag", "train", "--templates", evil, "-o", tags, tagged},
		{"tag", "report", "-o", page, tags, tagged},
		{"inspect", evil},
		{"train", "-o", evil, data},
		{"eval", model, evil},
		{"tag", "eval", tags, evil},
		{evil},
		{"train", "--" + evil},
		{"train", "--model", evil, data},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), args, streams{strings.NewReader(""), &stdout, &stderr})
		said := stdout.String() + stderr.String()
		for _, path := range []string{page, review} {
			written, _ := os.ReadFile(path)
			said += strings.ReplaceAll(string(written), "\nEVIL", "") // which is a space in HTML
			os.Remove(path)
		}
		if at := strings.IndexAny(said, "\x1b\a\u202e"); at >= 0 || strings.Contains(said, "\nEVIL") {
			at = max(at, strings.Index(said, "\nEVIL"))
			t.Errorf("%q: exit code %d, and it says %q", args, code, said[max(0, at-60):min(len(said), at+60)])
		}
	}
}
