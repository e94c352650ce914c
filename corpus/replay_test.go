package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// passed is what a reading of a replay gave: the chunks' lengths, and the documents.
type passed struct {
	chunks []int
	docs   []doc
}

// pass reads a replay; no more than so many chunks, unless negative.
func pass(replay *Replay, most int) (p passed, err error) {
	r, err := replay.Open()
	if err != nil {
		return p, err
	}
	defer r.Close()
	r.block = 1 << 10
	var all []Document
	for len(p.chunks) != most {
		c, err := r.Next()
		if err != nil {
			p.docs = flatten(all)
			if err == io.EOF {
				err = nil
			}
			return p, err
		}
		p.chunks = append(p.chunks, len(c.Append(nil)))
		all = c.Append(all)
	}
	return p, nil
}

// lines are so many records, of which every hundredth is bad.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		if i%100 == 99 {
			fmt.Fprintf(&b, "bad record %d\n", i)
		} else {
			fmt.Fprintf(&b, "label%d\ttext %d\n", i%3, i*i)
		}
	}
	return b.String()
}

// wantEmpty demands that a folder holds nothing.
func wantEmpty(t *testing.T, folder string) {
	t.Helper()
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("%v is left in the folder for copies (%v)", entries, err)
	}
}

// TestReplay: every reading gives the documents of Open, even if
// what can be read only once comes in small pieces, and if a reading before ended early.
func TestReplay(t *testing.T) {
	text := lines(3000)
	plain, other := writeFile(t, "a.tsv", text), writeFile(t, "b.jsonl", `{"label":"x","text":"y"}`+"\n")
	packed, zipped := writeFile(t, "c.tsv.zst", zst(t, text)), writeFile(t, "d.tsv.gz", gz(t, text))
	for name, test := range map[string]struct {
		paths []string
		stdin string
	}{
		"file":           {paths: []string{plain}},
		"zst":            {paths: []string{packed}},
		"gz":             {paths: []string{zipped}},
		"several":        {paths: []string{plain, other, packed, zipped, plain}},
		"stdin":          {stdin: text},
		"stdin named":    {[]string{"-"}, text},
		"stdin between":  {[]string{plain, "-", other}, text},
		"gz of stdin":    {stdin: gz(t, text)},
		"zst of stdin":   {stdin: zst(t, text)},
		"empty stdin":    {[]string{plain, "-"}, ""},
		"no end of line": {stdin: text + "a\tb"},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := readWith(test.paths, strings.NewReader(test.stdin), Input{}, chunkSize, chunkLimit)
			must.OK(t, err)
			temp := t.TempDir()
			for _, first := range []int{-1, 0, 1, 7} {
				replay := NewReplay(Input{Paths: test.paths, Stdin: iotest.HalfReader(strings.NewReader(test.stdin))}, temp)
				if _, err := pass(replay, first); err != nil {
					t.Fatal(err)
				}
				for k := range 2 {
					got, err := pass(replay, -1)
					must.OK(t, err)
					if !reflect.DeepEqual(got.docs, flatten(want)) {
						t.Errorf("reading %d, after %d chunks, gave %d documents, not those of Open", k, first, len(got.docs))
					}
				}
				r, err := replay.Open()
				must.OK(t, err)
				if _, total := r.Progress(); total < 0 {
					t.Error("how many bytes there are is not known after a whole reading")
				}
				if err := errors.Join(r.Close(), replay.Close(), replay.Close()); err != nil {
					t.Error(err)
				}
				wantEmpty(t, temp)
			}
		})
	}
}

// TestReplayFiles: files are not copied.
func TestReplayFiles(t *testing.T) {
	temp := t.TempDir()
	replay := NewReplay(Input{Paths: []string{writeFile(t, "a.tsv", "a\tb\n")}}, temp)
	if _, err := pass(replay, -1); err != nil {
		t.Fatal(err)
	}
	wantEmpty(t, temp)
}

// TestReplayChanged: a file that was changed in some way between or during the readings
// is an error that names it.
func TestReplayChanged(t *testing.T) {
	text := lines(3000)
	for name, change := range map[string]func(path string) error{
		"appended":  func(path string) error { return appendFile(path, "a\tb\n") },
		"truncated": func(path string) error { return os.Truncate(path, int64(len(text)/2)) },
		"touched":   func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)) },
		"removed":   os.Remove,
		"replaced": func(path string) error {
			if err := os.WriteFile(path+"2", []byte(text), 0o600); err != nil {
				return err
			}
			return os.Rename(path+"2", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, content := range []string{text, gz(t, text), zst(t, text)} {
				path := writeFile(t, "a.tsv", content)
				replay := NewReplay(Input{Paths: []string{writeFile(t, "b.tsv", "a\tb\n"), path}}, t.TempDir())
				if _, err := pass(replay, -1); err != nil {
					t.Fatal(err)
				}
				must.OK(t, change(path))
				_, err := pass(replay, -1)
				wantFileError(t, err, path)
				if err := replay.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	path := writeFile(t, "a.tsv", strings.Repeat(text, 10))
	replay := NewReplay(Input{Paths: []string{path}}, "")
	defer replay.Close()
	r, err := replay.Open()
	must.OK(t, err)
	defer r.Close()
	r.block = 1 << 10
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	must.OK(t, appendFile(path, "a\tb\n"))
	for err == nil {
		_, err = r.Next()
	}
	wantFileError(t, err, path, "changed between two readings")
}

// TestReplayErrors: the errors of Open; those of the source, in every reading; and of
// copies, which name the file or folder that is at fault. Nothing is left behind.
func TestReplayErrors(t *testing.T) {
	temp := t.TempDir()
	for _, paths := range [][]string{{"-", "-"}, {t.TempDir()}, {"missing"}} {
		replay := NewReplay(Input{Paths: paths, Stdin: strings.NewReader("")}, temp)
		_, err := pass(replay, -1)
		wantFileError(t, err)
		if err := replay.Close(); err != nil {
			t.Error(err)
		}
	}

	fault := errors.New("the line is dead")
	replay := NewReplay(Input{Stdin: io.MultiReader(strings.NewReader(lines(3000)), iotest.ErrReader(fault))}, temp)
	for range 2 {
		p, err := pass(replay, -1)
		if wantFileError(t, err, stdinName); !errors.Is(err, fault) || len(p.docs) != 3000 {
			t.Errorf("%d documents, error %v", len(p.docs), err)
		}
	}
	if err := replay.Close(); err != nil {
		t.Error(err)
	}
	wantEmpty(t, temp)

	missing := filepath.Join(temp, "missing")
	_, err := pass(NewReplay(Input{Stdin: strings.NewReader("a\tb\n")}, missing), -1)
	wantFileError(t, err, stdinName, missing, "cannot be copied")
}

// TestReplayTells: a bad record of a pipe that is copied is told of before the pipe has much more.
func TestReplayTells(t *testing.T) {
	for _, test := range []struct {
		o           Input
		record, bad string
	}{
		{Input{Format: TSV}, "pos\tsome words\n", "no tab\n"},
		{Input{Format: CSV, TextField: "2", LabelField: "1"}, "pos,some words\n", "one column\n"},
		{Input{}, "{\"text\":\"words\",\"label\":\"pos\"}\n", "{}\n"},
		{Input{}, "__label__pos some words\n", "__label__ no label\n"},
	} {
		in, out := io.Pipe()
		go func() {
			io.WriteString(out, strings.Repeat(test.record, 3)+test.bad+strings.Repeat(test.record, 10)) // and waits
		}()
		replay := NewReplay(from([]string{"-"}, in, test.o), t.TempDir())
		r, err := replay.Open()
		must.OK(t, err)
		told := make(chan error, 1)
		go func() {
			for d, err := range r.Documents() {
				if err = cmp.Or(err, d.Err); err != nil {
					told <- err
					return
				}
			}
			told <- nil
		}()
		select {
		case err := <-told:
			if record, ok := errors.AsType[*RecordError](err); !ok || record.Line != 4 {
				t.Errorf("%q: %v", test.record, err)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("%q: nothing is told", test.record)
			out.Close()
			<-told
		}
		out.Close()
		r.Close()
		replay.Close()
	}
}
