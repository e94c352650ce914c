package packed_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/packed"
)

// TestOptions: empty options say where to start, and others what is out of range.
func TestOptions(t *testing.T) {
	if err := nbsvm.DefaultOptions().Pack().Validate(); err != nil {
		t.Error(err)
	}
	wrong := nbsvm.DefaultOptions().Pack()
	wrong.MinDF = -1
	in := corpus.Input{Stdin: strings.NewReader("pos\tlovely\nneg\tdull\n")}
	for want, o := range map[string]packed.Options{"nbsvm.DefaultOptions().Pack()": {}, "Options.MinDF": wrong} {
		if _, err := packed.Pack(t.Context(), in, o, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

// TestInfo: a corpus says what it holds.
func TestInfo(t *testing.T) {
	path := t.TempDir() + "/c.nbc"
	o := nbsvm.DefaultOptions().Pack()
	o.MinDF = 1
	var b bytes.Buffer
	report, err := packed.Pack(t.Context(), corpus.Input{Stdin: strings.NewReader("pos\tlovely film\nneg\tdull\n")}, o, &b)
	must.OK(t, err)
	must.OK(t, os.WriteFile(path, b.Bytes(), 0o600))
	info, err := packed.Inspect(path)
	must.OK(t, err)
	if is, err := packed.Is(path); err != nil || !is || info.Documents != 2 || info.Source != "text" || len(info.Sections) == 0 {
		t.Fatalf("%+v, %v", info, err)
	}
	if report.Documents != 2 || report.Classes[1] != (corpus.ClassCount{Label: "pos", Documents: 1}) {
		t.Errorf("%+v", report)
	}
	if err := packed.Verify(t.Context(), path); err != nil {
		t.Error(err)
	}
}

// packFile packs records of label<TAB>text, those that are bad left out.
func packFile(t *testing.T, text string, o packed.Options) string {
	t.Helper()
	bad, err := corpus.NewBadRecords("skip", nil)
	must.OK(t, err)
	var b bytes.Buffer
	if _, err := packed.Pack(t.Context(), corpus.Input{Stdin: strings.NewReader(text), Format: corpus.TSV, Bad: bad, ManyClasses: true}, o, &b); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "c.nbc")
	must.OK(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// plain are options of uni- and bigrams, none of which is left out.
func plain() packed.Options {
	o := nbsvm.DefaultOptions().Pack()
	o.MinDF = 1
	return o
}

// TestInspect: a corpus says what was packed, and how.
func TestInspect(t *testing.T) {
	o := plain()
	o.Text.Families[0].NgramLo, o.Text.Families[0].NgramHi, o.Counts, o.Names = 1, 1, true, true
	info, err := packed.Inspect(packFile(t, "a\tx y x\nno tab\nb\tx \xff\na\tz\n", o))
	must.OK(t, err)
	if info.Source != "text" || *info.Text != o.Text || !info.Counts || !info.Named || info.Weighted || info.MultiLabel || info.MinDF != 1 {
		t.Errorf("%+v", info)
	}
	if r := info.Report; r.Documents != 3 || r.Bad != 1 || r.Invalid != 1 || r.Columns != 3 || r.NonZeros != 4 || fmt.Sprint(r.Classes) != "[{a 2} {b 1}]" {
		t.Errorf("%+v", r)
	}
}

// TestMerge: corpora become the one that their documents together would be, if they were packed alike.
func TestMerge(t *testing.T) {
	texts := []string{strings.Repeat("a\tx y\nb\ty z\n", 10), strings.Repeat("b\tx w\nc\tv\n", 7)}
	paths := []string{packFile(t, texts[0], plain()), packFile(t, texts[1], plain())}
	merged, err := packed.Inspect(packFile(t, texts[0]+texts[1], plain()))
	must.OK(t, err)
	var b bytes.Buffer
	if r, err := packed.Merge(t.Context(), paths, packed.MergeOptions{Temp: t.TempDir()}, &b); err != nil || r.Parts != 2 || r.Columns != merged.Columns || r.Took <= 0 {
		t.Errorf("%+v, %v, want %+v", r, err, merged.Report)
	}
	other := plain()
	other.Text.Lowercase = false
	paths[1] = packFile(t, texts[1], other)
	if _, err := packed.Merge(t.Context(), paths, packed.MergeOptions{Temp: t.TempDir()}, &b); err == nil || !strings.Contains(err.Error(), "lowercase false") {
		t.Errorf("parts that do not go together: %v", err)
	}
}
