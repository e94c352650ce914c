package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

func TestOnBad(t *testing.T) {
	for _, text := range []string{"fail", "skip", "quarantine=a=b"} {
		var on OnBad
		if err := on.UnmarshalText([]byte(text)); err != nil || string(on) != text {
			t.Errorf("%q is %q, %v", text, on, err)
		}
	}
	for _, text := range []string{"", "quarantine", "quarantine=", "Fail", "skip "} {
		var on OnBad
		if err := on.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "quarantine=FILE") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := NewBadRecords("Fail", nil); err == nil {
		t.Error("policy Fail is accepted")
	}
}

// badDocs are n bad documents with good ones between.
func badDocs(t *testing.T, n int) []Document {
	t.Helper()
	all, err := readString("a\tb\n"+strings.Repeat("bad\r\nc\td\n", n), labelled(TSV))
	if err != nil || len(all) != 2*n+1 {
		t.Fatalf("%d documents, %v", len(all), err)
	}
	return all
}

func report(t *testing.T, b *BadRecords, all []Document) {
	t.Helper()
	for _, d := range all {
		must.OK(t, b.Report(d))
	}
}

func TestFail(t *testing.T) {
	b, err := NewBadRecords(fail, nil)
	must.OK(t, err)
	all := badDocs(t, 1)
	if err := b.Report(all[0]); err != nil {
		t.Errorf("a good document: %v", err)
	}
	var re *RecordError
	if err := b.Report(all[1]); !errors.As(err, &re) || re.Line != 2 {
		t.Errorf("a bad document: %v", err)
	}
	if err := b.Close(false); err != nil || b.Count() != 0 {
		t.Errorf("closed with %d bad records, %v", b.Count(), err)
	}
}

func TestSkip(t *testing.T) {
	for _, n := range []int{0, 1, 20, 21, 500} {
		var log bytes.Buffer
		b, err := NewBadRecords(skip, &log)
		must.OK(t, err)
		report(t, b, badDocs(t, n))
		if err := b.Close(true); err != nil || b.Count() != int64(n) {
			t.Errorf("%d bad records counted, want %d; %v", b.Count(), n, err)
		}
		if err := b.Close(true); err != nil {
			t.Error(err)
		}
		want := 0 // lines: messages, that more follow, the sum
		switch {
		case n > maxMessages:
			want = maxMessages + 2
		case n > 0:
			want = n + 1
		}
		if got := strings.Count(log.String(), "\n"); got != want {
			t.Errorf("%d bad records give %d lines, want %d:\n%s", n, got, want, log.String())
		}
		if n > 1 && !strings.HasSuffix(log.String(), fmt.Sprintf("\n%d bad records skipped: %d wrong columns\n", n, n)) {
			t.Errorf("%d bad records end with %q", n, log.String())
		}
	}
}

func TestQuarantine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.tsv")
	for _, test := range []struct {
		n    int
		keep bool
		want string
	}{{3, true, "bad\nbad\nbad\n"}, {2, false, "bad\nbad\nbad\n"}, {0, true, ""}} {
		var log bytes.Buffer
		b, err := NewBadRecords(OnBad("quarantine="+path), &log)
		must.OK(t, err)
		report(t, b, badDocs(t, test.n))
		must.OK(t, b.Close(test.keep))
		got, err := os.ReadFile(path)
		if err != nil || string(got) != test.want {
			t.Errorf("quarantine of %d is %q, %v; want %q", test.n, got, err, test.want)
		}
		if test.n > 0 && test.keep && !strings.Contains(log.String(), path) {
			t.Errorf("the sum does not name the file: %q", log.String())
		}
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files are left, want 1", len(files))
	}
	if _, err := NewBadRecords(OnBad("quarantine="+filepath.Join(path, "x")), nil); err == nil {
		t.Error("a quarantine in no folder is accepted")
	}
}

// TestReasons: every fault that records have, in every format, is counted under its name.
func TestReasons(t *testing.T) {
	weighted := Input{WeightField: "w"}
	for _, test := range []struct {
		text string
		o    Input
		want Reason
	}{
		{`{"text":"x","label":"y"}` + "\n" + `{"label":"y"}`, Input{Format: JSONL}, noText},
		{`{"text":"x","label":"y"}` + "\n" + `{"label":"y","text":null}`, Input{Format: JSONL}, nullText},
		{`{"text":"x","label":"y"}` + "\n" + `{"label":"y","text":["x"]}`, Input{Format: JSONL}, wrongText},
		{`{"text":"x","label":"y"}` + "\n" + `{"text":"x"}`, Input{Format: JSONL}, noLabel},
		{`{"text":"x","label":"y"}` + "\n" + `{"text":"x","label":null}`, Input{Format: JSONL}, noLabel},
		{`{"text":"x","label":"y"}` + "\n" + `{"text":"x","label":{}}`, Input{Format: JSONL}, wrongLabel},
		{`{"text":"x","label":"y"}` + "\n" + `{"text":"x",}`, Input{Format: JSONL}, notJSON},
		{`{"text":"x","label":"y"}` + "\n[]", Input{Format: JSONL}, notJSON},
		{`{"text":"x","label":"y","w":1}` + "\n" + `{"text":"x","label":"y"}`, weighted, wrongWeight},
		{`{"text":"x","label":"y","w":1}` + "\n" + `{"text":"x","label":"y","w":-1}`, weighted, wrongWeight},
		{`{"text":"x","id":1}` + "\n" + `{"text":"x"}`, Input{Format: JSONL, Unlabelled: true, ID: "id"}, noID},
		{"y\tx\nx", Input{Format: TSV}, wrongColumns},
		{"y\tx\n\tx", Input{Format: TSV}, noLabel},
		{"y\tx\n\xff\tx", Input{Format: TSV}, wrongLabel},
		{"y\tx\ny\tlonger than that", Input{Format: TSV, MaxRecord: 8}, longRecord},
		{"label,text\ny,x\ny,x,z\n", Input{}, wrongColumns},
		{"label,text\ny,x\ny,\"x\" z\n", Input{}, wrongColumns},
		{"label,text\ny,x\ny,\"x\n", Input{Format: CSV}, openQuote},
		{"__label__y x\n__label__ x\n", Input{Format: FastText}, wrongLabel},
		{"label\ttext\ny\tx\nlabel\ttext\n", Input{}, filesJoined},
	} {
		all := readDocuments(t, test.text, test.o)
		b, err := NewBadRecords(skip, nil)
		must.OK(t, err)
		for _, d := range all {
			must.OK(t, b.Report(d))
		}
		if got := b.Reasons(); got[test.want] != 1 || b.Count() != got.Sum() {
			t.Errorf("%q: %v, want %s", test.text, got, test.want)
		}
	}
	if got := (Reasons{nullText: 12000, longRecord: 1, noText: 1}).String(); got != "12,000 null text, 1 no text, 1 too long" {
		t.Error(got)
	}
}
