package packed_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
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
	for want, o := range map[string]packed.Options{"nbsvm.DefaultOptions().Pack()": {}, "min-df": wrong} {
		if _, err := packed.Pack(t.Context(), in, o, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

// TestInfo: a corpus says what it holds, and gives the options to append to it.
func TestInfo(t *testing.T) {
	path := t.TempDir() + "/c.nbc"
	pack := func(text string, write func(in corpus.Input, b *bytes.Buffer) (*packed.Report, error)) *packed.Report {
		t.Helper()
		var b bytes.Buffer
		report, err := write(corpus.Input{Stdin: strings.NewReader(text)}, &b)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return report
	}
	o := nbsvm.DefaultOptions().Pack()
	o.MinDF = 1
	pack("pos\tlovely film\nneg\tdull\n", func(in corpus.Input, b *bytes.Buffer) (*packed.Report, error) {
		return packed.Pack(t.Context(), in, o, b)
	})
	info, err := packed.Inspect(path)
	if err != nil || !packed.Is(path) || info.Documents != 2 || info.Source != "text" || len(info.Sections) == 0 {
		t.Fatalf("%+v, %v", info, err)
	}
	report := pack("pos\tlovely\n", func(in corpus.Input, b *bytes.Buffer) (*packed.Report, error) {
		return packed.Append(t.Context(), path, in, info.Options(), b)
	})
	if report.Documents != 3 || report.Classes[1] != (corpus.ClassCount{Label: "pos", Documents: 2}) {
		t.Errorf("%+v", report)
	}
	if err := packed.Verify(t.Context(), path); err != nil {
		t.Error(err)
	}
	whole, parts, err := packed.InspectParts(t.Context(), []string{path, path})
	if err != nil || whole.Documents != 6 || len(parts) != 2 {
		t.Errorf("%+v, %d parts, %v", whole, len(parts), err)
	}
}
