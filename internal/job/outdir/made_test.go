package outdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/file/pattern"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// sumOf is the CRC-32C of a text, as records have it.
func sumOf(text string) string {
	return fmt.Sprintf("%08x", crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli)))
}

// workshop is a folder with inputs, of which files are made.
type workshop struct {
	*testing.T
	folder string
	inputs []string
	job    *Job
}

func newWorkshop(t *testing.T, inputs ...string) *workshop {
	s := &workshop{T: t, folder: t.TempDir()}
	for _, name := range inputs {
		must.OK(t, os.MkdirAll(filepath.Dir(s.at(name)), 0o700))
		s.write(name, "text of "+name)
		s.inputs = append(s.inputs, s.at(name))
	}
	name := func(input string) string { return input + ".out" }
	s.job = &Job{Command: "test", Folders: []Folder{{Flag: OutputFlag, Path: s.at("out"), Name: name}}}
	return s
}

func (s *workshop) at(name string) string { return filepath.Join(s.folder, name) }

func (s *workshop) write(name, text string) {
	s.Helper()
	if err := os.WriteFile(s.at(name), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

// make makes what is missing, and returns what was written and what failed, in a line.
func (s *workshop) make() string {
	s.Helper()
	files, err := s.job.Files(s.inputs, corpus.Shard{})
	if err != nil {
		s.Fatal(err)
	}
	if err := s.job.Begin(provenance.Run{Version: "1"}, files); err != nil {
		s.Fatal(err)
	}
	r := s.job.Make(s.Context(), files, Maker{Workers: 2, Make: func(_ int, w *Work) error {
		return write(w, Counts{Documents: 1, Written: 1})
	}})
	var all []string
	for _, of := range r.Each {
		if of.State == There {
			continue
		}
		what := string(of.State)
		if of.Changed {
			what += " again"
		}
		if of.Reason != "" {
			what += ": " + strings.ReplaceAll(of.Reason, s.folder+string(filepath.Separator), "")
		}
		all = append(all, filepath.Base(of.Input)+" "+what)
	}
	return strings.Join(all, "; ")
}

func (s *workshop) want(want string) {
	s.Helper()
	if got := filepath.ToSlash(s.make()); got != want {
		s.Errorf("it made %q, want %q", got, want)
	}
}

// verify compares what Verify says.
func (s *workshop) verify(want string, inputs ...string) {
	s.Helper()
	v, err := Verify(s.Context(), s.at("out"), inputs, 2)
	if err != nil {
		s.Fatal(err)
	}
	var all []string
	for _, fault := range v.Faults {
		all = append(all, filepath.ToSlash(strings.ReplaceAll(fault, s.folder+string(filepath.Separator), "")))
	}
	slices.Sort(all)
	if got := strings.Join(all, "\n"); got != want {
		s.Errorf("it found\n%s\nwant\n%s", got, want)
	}
}

// expand lists the files of a pattern.
func (s *workshop) expand(of string) []string {
	s.Helper()
	found, err := pattern.Expand([]string{s.at(of)})
	if err != nil {
		s.Fatal(err)
	}
	return found
}

// TestChanged: an output is made again if its input has changed, whatever its times say, and not if only these have.
func TestChanged(t *testing.T) {
	s := newWorkshop(t, "a", "b", "c", "d")
	s.want("a written; b written; c written; d written")
	s.want("")
	s.verify("", s.expand("*")...)
	s.write("a", "a longer text of a")
	s.write("b", "Text of b")
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"b", "c"} {
		must.OK(t, os.Chtimes(s.at(name), old, old))
	}
	s.verify("a has changed since out/a.out was written: run the command again\n"+
		"b has changed since out/b.out was written: run the command again", s.inputs...)
	s.want("a written again; b written again")
	for _, name := range []string{"a", "b", "c", "d"} {
		in, err := os.ReadFile(s.at(name))
		out, also := os.ReadFile(s.at("out/" + name + ".out"))
		if err := errors.Join(err, also); err != nil || string(in) != string(out) {
			t.Errorf("%s is %q, and its output %q (%v)", name, in, out, err)
		}
	}
	s.verify("", s.inputs...)
	made, err := readMade(Disk{}, s.at("out/c.out"))
	if err != nil || !made.Modified.Equal(old) {
		t.Errorf("the record of c has %v, %v: it would be read each time", made.Modified, err)
	}
	if made.Input.CRC32C != sumOf("text of c") || made.Input.Bytes != 9 || made.Files[OutputFlag].CRC32C != sumOf("text of c") {
		t.Errorf("the record is %+v", made)
	}
}

// TestOtherBytes: an input with other bytes is found, whatever its size and time say.
func TestOtherBytes(t *testing.T) {
	s := newWorkshop(t, "a", "b")
	s.make()
	before, err := os.Stat(s.at("a"))
	must.OK(t, err)
	s.write("a", "text of A")
	must.OK(t, os.Chtimes(s.at("a"), time.Time{}, before.ModTime()))
	s.verify("")
	s.verify("a has changed since out/a.out was written: remove the output, since the size and time are the same, and run the command again", s.inputs...)
}

// TestDamaged: what is not what its record says is told, and never taken for done.
func TestDamaged(t *testing.T) {
	s := newWorkshop(t, "a", "b", "c", "d", "e", "f", "g")
	s.make()
	s.write("out/a.out", "short")
	s.write("out/b.out", "Text of b")
	os.Remove(s.at("out/c.out"))
	os.Remove(s.at("out/.nbsvm-made/d.out.json"))
	s.write("out/.nbsvm-made/e.out.json", "{")
	record, err := os.ReadFile(s.at("out/.nbsvm-made/f.out.json"))
	must.OK(t, err)
	var made map[string]any
	must.OK(t, json.Unmarshal(record, &made))
	made["run"] = "another"
	record, _ = json.Marshal(made)
	s.write("out/.nbsvm-made/f.out.json", string(record))
	s.write("out/stray", "")
	s.write("out/.g.out.nbsvm-00000000-0.tmp", "")
	s.write("h", "")
	s.inputs = append(s.inputs, s.at("h"))
	faults := `d has no output: run the command again
e has no output: run the command again
h has no output: run the command again
out/.nbsvm-made/e.out.json is damaged: remove it and out/e.out, and run the same command again
out/a.out has 5 bytes, but had 9 when it was written: remove out/a.out if it exists, and run the command again
out/b.out is damaged (CRC-32C ` + sumOf("Text of b") + ` instead of ` + sumOf("text of b") + `): remove out/b.out, and run the command again
out/c.out is missing: remove out/c.out if it exists, and run the command again
out/d.out has no record of its input: unless it is an input itself, remove it and run the command again
out/f.out is from another run: remove it, and run the command again
out/stray has no record of its input: unless it is an input itself, remove it and run the command again`
	s.verify(faults, s.inputs...)
	s.want("a failed: out/a.out has 5 bytes, but had 9 when it was written: remove out/a.out to write it again; " +
		"c written; " +
		"d failed: out/d.out exists, but not out/.nbsvm-made/d.out.json, which records its input: remove the output to write it again; " +
		"e failed: out/.nbsvm-made/e.out.json is damaged: remove it and out/e.out, and run the same command again; " +
		"f failed: out/f.out is from another run, according to out/.nbsvm-made/f.out.json: remove it to write it again; " +
		"h written")
	for _, name := range []string{"out/a.out", "out/b.out", "out/d.out", "out/e.out", "out/.nbsvm-made/e.out.json", "out/f.out", "out/stray"} {
		os.Remove(s.at(name))
	}
	s.make()
	os.Remove(s.at("out/.g.out.nbsvm-00000000-0.tmp"))
	s.verify("", s.inputs...)
}

// TestNotParquet: an output that is named as Parquet and is not is bad, whatever its record says.
func TestNotParquet(t *testing.T) {
	s := newWorkshop(t, "a.parquet")
	s.job.Folders[0].Name = func(input string) string { return input }
	s.make()
	s.verify("out/a.parquet is named as Parquet, but is not a Parquet file: remove out/a.parquet, and run the command again")
}

// TestBesideInputs: where outputs are in the folder of inputs, these are no outputs without a record.
func TestBesideInputs(t *testing.T) {
	s := newWorkshop(t, "out/a", "out/b")
	s.make()
	s.verify("")
	s.write("out/c", "")
	s.verify("out/c has no record of its input: unless it is an input itself, remove it and run the command again")
	s.verify("out/c has no output: run the command again", s.expand("out/*")...)
	s.verify("out/c has no output: run the command again", append(s.inputs, s.at("out/c"))...)
}

// TestInputs: what is given as an input and is none is told.
func TestInputs(t *testing.T) {
	s := newWorkshop(t, "a")
	s.make()
	s.verify("", s.expand("*")...) // the folder of outputs is beside its inputs
	must.OK(t, os.Mkdir(s.at("more"), 0o700))
	s.verify("b: no such file or directory: check the name and the current folder\n"+
		"more is a folder: name its files, as in 'more/*'", s.at("b"), s.at("more"), s.at("out"))
}

// TestChangedMeanwhile: an input that changes while it is read makes no output.
func TestChangedMeanwhile(t *testing.T) {
	s := newWorkshop(t, "a")
	files, err := s.job.Files(s.inputs, corpus.Shard{})
	must.OK(t, err)
	must.OK(t, s.job.Begin(provenance.Run{Version: "1"}, files))
	r := s.job.Make(t.Context(), files, Maker{Workers: 1, Make: func(_ int, w *Work) error {
		s.write("a", "another text")
		return write(w, Counts{Documents: 1})
	}})
	if len(r.Failed) != 1 || !strings.Contains(r.Each[0].Reason, "changed while it was read") {
		t.Errorf("%+v", r)
	}
	if there(s.at("out/a.out")) || there(s.at("out/.nbsvm-made")) {
		t.Error("there is an output, or its record")
	}
	s.want("a written")
}

// TestMadeElsewhere: an output that another machine has made meanwhile is not removed on the way to the same one, and
// what was read or written past the work is read once more.
func TestMadeElsewhere(t *testing.T) {
	s := newWorkshop(t, "a")
	s.make()
	before, err := os.Stat(s.at("out/a.out"))
	must.OK(t, err)
	files, err := s.job.Files(s.inputs, corpus.Shard{})
	must.OK(t, err)
	w := s.job.Work(&files[0])
	w.Summed(OutputFlag, new(strings.Builder)).Write([]byte("text of a"))
	must.OK(t, w.Done(Counts{Documents: 1, Written: 1}))
	if now, err := os.Stat(s.at("out/a.out")); err != nil || !os.SameFile(now, before) {
		t.Errorf("the output has gone: %v", err)
	}
	s.write("out/a.out", "not whole")
	if err := w.Done(Counts{Documents: 1, Written: 1}); err != nil || !there(s.at("out/a.out")) {
		t.Errorf("an output was removed that is about to be replaced by another machine's: %v", err)
	}
}

// TestChangedKilled: of an input that has changed, a run that is killed leaves the output of before, or the new one
// that the next run makes again. No output is ever removed: it may be what another machine has just made.
func TestChangedKilled(t *testing.T) {
	for _, named := range []bool{false, true} { // whether the output took its name before the run was killed
		s := newWorkshop(t, "a")
		s.make()
		s.write("a", "TEXT OF A")
		must.OK(t, os.Chtimes(s.at("a"), time.Time{}, time.Now().Add(time.Hour)))
		files, err := s.job.Files(s.inputs, corpus.Shard{})
		must.OK(t, err)
		w := s.job.Work(&files[0])
		want := "text of a"
		if named {
			err, want = write(w, Counts{Documents: 1, Written: 1}), "TEXT OF A"
		} else {
			w.Summed(OutputFlag, new(strings.Builder)).Write([]byte("TEXT OF A"))
			err = w.Done(Counts{Documents: 1, Written: 1})
		}
		if got, also := os.ReadFile(s.at("out/a.out")); err != nil || also != nil || string(got) != want {
			t.Errorf("the output is %q, want %q; %v, %v", got, want, err, also)
		}
		s.want("a written again")
		s.verify("", s.inputs...)
	}
}

func there(path string) bool {
	is, _ := exists(Disk{}, path)
	return is
}
