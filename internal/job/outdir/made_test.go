package outdir

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
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
	must.OK(s, os.WriteFile(s.at(name), []byte(text), 0o600))
}

// make makes what is missing, and returns what was written and what failed, in a line.
func (s *workshop) make() string {
	s.Helper()
	s.job.record = nil // as another process
	files, _, err := fill(s.Context(), s.job, s.inputs, corpus.Shard{}, write)
	must.OK(s, err)
	var all []string
	for _, of := range files {
		if of.State == There {
			continue
		}
		what := string(of.State)
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

// complete wants every input to have its output, with the same text.
func (s *workshop) complete() {
	s.Helper()
	s.want("")
	for _, input := range s.inputs {
		f, err := s.job.File(input)
		must.OK(s, err)
		in, err := os.ReadFile(input)
		must.OK(s, err)
		if out, err := os.ReadFile(f.Output); err != nil || string(out) != string(in) {
			s.Errorf("the output of %s is %q, %v, want %q", input, out, err, in)
		}
	}
}

// expand lists the files of a pattern.
func (s *workshop) expand(of string) []string {
	s.Helper()
	found, err := osfile.Expand([]string{s.at(of)})
	must.OK(s, err)
	return found
}

// TestChanged: an output whose input has another size or time is refused, until it is removed.
func TestChanged(t *testing.T) {
	s := newWorkshop(t, "a", "b", "c", "d")
	s.want("a written; b written; c written; d written")
	s.complete()
	s.write("a", "a longer text of a")
	s.write("b", "Text of b")
	old := time.Now().Add(-time.Hour)
	must.OK(t, os.Chtimes(s.at("b"), old, old)) // it was replaced by an older file
	s.want("a failed: a has changed since out/a.out was written: remove that file to write it again; " +
		"b failed: b has changed since out/b.out was written: remove that file to write it again")
	os.Remove(s.at("out/a.out"))
	os.Remove(s.at("out/b.out"))
	s.want("a written; b written")
	s.complete()
}

// TestDamaged: what is not what the record says is told, and never taken for done.
func TestDamaged(t *testing.T) {
	s := newWorkshop(t, "a", "b", "c", "d", "e")
	s.make()
	s.write("out/a.out", "short")
	os.Remove(s.at("out/c.out"))
	s.write("out/f.out", "of something else")
	s.write("f", "")
	s.write("g", "")
	s.inputs = append(s.inputs, s.at("f"), s.at("g"))
	s.want("a failed: out/a.out has 5 bytes, but had 9 when it was written: remove out/a.out to write it again; c written; " +
		"f failed: out/f.out exists, but is not in out/.nbsvm-outputs.jsonl: name another folder, or remove the file; g written")
	for _, name := range []string{"out/a.out", "out/f.out"} {
		os.Remove(s.at(name))
	}
	s.make()
	s.complete()
}

// TestRecord: a line that a killed process began counts for nothing, and damaged ones are refused, with what to do.
func TestRecord(t *testing.T) {
	s := newWorkshop(t, "a", "b")
	s.make()
	whole, err := os.ReadFile(s.at("out/" + RecordName))
	must.OK(t, err)
	lines := strings.SplitAfter(string(whole), "\n")
	for _, test := range []struct{ record, want, says string }{
		{string(whole), "", ""},
		{string(whole[:len(whole)-1]), "failed: out/", ""}, // the line of an output that exists is lost
		{string(whole) + `{"input":"b`, "", ""},
		{"", "", "out/a.out exists, but not"},
		{lines[0][:20], "", "out/a.out exists, but not"},
		{"{\n", "", ":1 is damaged"},
		{strings.Replace(string(whole), `"version":1`, `"version":2`, 1), "", "format version 2 instead of 1"},
		{lines[0] + "\n", "", ":2 is damaged"},
		{lines[0] + "[]\n" + lines[1], "", ":2 is damaged"},
		{lines[0] + `{"input":"a","bytes":1}` + "\n", "", "no input or output"},
		{lines[0] + `{"output":"a","bytes":1}` + "\n", "", "no input or output"},
	} {
		s.write("out/"+RecordName, test.record)
		s.job.record = nil
		files, err := s.job.Files(s.inputs, corpus.Shard{})
		if err == nil {
			err = s.job.Begin(provenance.Run{Version: "1"}, files)
		}
		if test.says != "" {
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "name another folder") {
				t.Errorf("%q: %v, want %q", test.record, err, test.says)
			}
			continue
		}
		must.OK(t, err)
		if got := s.make(); got != "" && test.want == "" || !strings.Contains(got, test.want) {
			t.Errorf("%q: it made %q, want %q", test.record, got, test.want)
		}
	}
}

// TestOutputElsewhere: a record may have outputs with paths from the root, as another volume has them.
func TestOutputElsewhere(t *testing.T) {
	s := newWorkshop(t, "a", "b")
	s.make()
	e, err := s.job.record.Entry("a.out")
	must.OK(t, err)
	e.Output = filepath.ToSlash(s.at("c"))
	must.OK(t, s.job.record.Add(e))
	if _, passed := s.job.Inputs([]string{s.at("b"), s.at("c")}); !slices.Equal(passed, []string{s.at("c")}) {
		t.Errorf("left out: %v", passed)
	}
}

// TestBesideInputs: outputs may be in the folder of inputs.
func TestBesideInputs(t *testing.T) {
	s := newWorkshop(t, "out/a", "out/b")
	s.make()
	s.complete()
	s.write("out/c", "")
	if inputs, _ := s.job.Inputs(s.expand("out/*")); !slices.Equal(inputs, append(s.inputs, s.at("out/c"))) {
		t.Errorf("the inputs are %q", inputs)
	}
	s.inputs = append(s.inputs, s.at("out/c"))
	s.want("c written")
}

// TestChangedMeanwhile: an input that changes while it is read makes no output.
func TestChangedMeanwhile(t *testing.T) {
	s := newWorkshop(t, "a")
	files, r, err := fill(t.Context(), s.job, s.inputs, corpus.Shard{}, func(f *File) error {
		s.write("a", "another text")
		return write(f)
	})
	if err != nil || len(r.Failed) != 1 || !strings.Contains(files[0].Reason, "changed while it was read") {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := os.Stat(s.at("out/a.out")); err == nil {
		t.Error("there is an output")
	}
	s.want("a written")
}

// TestKilled: whatever a run has done when it is killed, the next one makes what is missing and nothing else, also
// where the record has the output already, of this input or of an earlier one.
func TestKilled(t *testing.T) {
	for _, changed := range []bool{false, true} { // whether the record has an output of another input, which was removed
		for _, named := range []bool{false, true} { // whether the output took its name before the run was killed
			s := newWorkshop(t, "a")
			if changed {
				s.make()
				must.OK(t, os.Remove(s.at("out/a.out")))
			}
			s.write("a", "TEXT OF A")
			must.OK(t, os.Chtimes(s.at("a"), time.Time{}, time.Now().Add(time.Hour)))
			s.job.record = nil
			files, err := s.job.Files(s.inputs, corpus.Shard{})
			must.OK(t, err)
			must.OK(t, s.job.Begin(provenance.Run{Version: "1"}, files))
			f, want, then := &files[0], "none", "a written"
			if named {
				must.OK(t, write(f))
				want = "TEXT OF A"
			} else {
				f.Summed(new(strings.Builder)).Write([]byte("TEXT OF A"))
				must.OK(t, f.Done(Counts{Documents: 1, Written: 1}))
			}
			got, err := os.ReadFile(s.at("out/a.out"))
			if err != nil {
				got = []byte("none")
			}
			if string(got) != want {
				t.Errorf("the output is %q, want %q", got, want)
			}
			if named {
				then = ""
			}
			s.want(then)
			s.complete()
		}
	}
}

// FuzzRecord reads records of anything: an output counts as made only if a line has its name and its size.
func FuzzRecord(f *testing.F) {
	f.Add(`{"input":"a","bytes":1,"documents":1,"output":"a.out","output_bytes":4,"crc32c":"1"}`)
	f.Add(`{"input":"a","output":"../b","output_bytes":4}`)
	f.Add("[]")
	f.Fuzz(func(t *testing.T, line string) {
		s := newWorkshop(t, "a")
		must.OK(t, os.Mkdir(s.at("out"), 0o700))
		s.write("out/"+RecordName, `{"version":1,"command":"test","nbsvm":"1"}`+"\n"+line+"\n")
		s.write("out/a.out", "text")
		file, err := s.job.File(s.inputs[0])
		if err != nil {
			return
		}
		there, err := file.There()
		if there != (err == nil) || there && (!strings.Contains(line, "a.out") || file.OutputBytes != 4) {
			t.Fatalf("%q: %+v, %v", line, file.Made, err)
		}
	})
}
