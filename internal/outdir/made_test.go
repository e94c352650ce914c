package outdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

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
	s.job = &Job{Command: "test", Folders: []Folder{{OutputFlag, s.at("out"), name}}}
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
	files, _, err := fill(s.Context(), s.job, s.inputs, Shard{}, write)
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
		f, err := s.job.file(input)
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

// TestChanged: an output that is older than its input is refused, until it is removed.
func TestChanged(t *testing.T) {
	s := newWorkshop(t, "a", "b")
	s.want("a written; b written")
	s.complete()
	s.write("a", "a longer text of a")
	later := time.Now().Add(time.Minute)
	must.OK(t, os.Chtimes(s.at("a"), later, later))
	s.want("a failed: a has changed since out/a.out was written: remove that file to write it again")
	now := time.Now().Add(-time.Minute)
	must.OK(t, os.Chtimes(s.at("a"), now, now))
	must.OK(t, os.Remove(s.at("out/a.out")))
	s.want("a written")
	s.complete()
}

// TestRecord: records that are damaged are refused, with what to do.
func TestRecord(t *testing.T) {
	s := newWorkshop(t, "a", "b")
	s.make()
	whole, err := os.ReadFile(s.at("out/" + RecordName))
	must.OK(t, err)
	for record, says := range map[string]string{
		string(whole):      "",
		string(whole[:20]): "is damaged",
		"":                 "is damaged",
		"[]":               "is damaged",
		strings.Replace(string(whole), `"version":1`, `"version":2`, 1):                  "format version 2 instead of 1",
		strings.Replace(string(whole), `"command":"test"`, `"command":"pack"`, 1):        "they were made by nbsvm pack, not by nbsvm test",
		strings.Replace(string(whole), `"nbsvm":"1"`, `"nbsvm":"0"`, 1):                  "nbsvm 0, not 1",
		strings.Replace(string(whole), `"version":1`, `"version":1,"flag":"--other"`, 1): "they belong to --other",
	} {
		s.write("out/"+RecordName, record)
		files, _, err := s.job.Files(s.inputs, Shard{})
		if err == nil {
			err = s.job.Begin(t.Context(), Run{Version: "1"}, files)
		}
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "name another folder")) {
			t.Errorf("%q: %v, want %q", record, err, says)
		}
	}
	must.OK(t, os.Remove(s.at("out/"+RecordName)))
	if _, _, err := fill(t.Context(), s.job, s.inputs, Shard{}, write); err == nil || !strings.Contains(err.Error(), "out/a.out exists, but not ") {
		t.Errorf("without a record: %v", err)
	}
}

// TestChangedMeanwhile: an input that changes while it is read makes no output.
func TestChangedMeanwhile(t *testing.T) {
	s := newWorkshop(t, "a")
	files, r, err := fill(t.Context(), s.job, s.inputs, Shard{}, func(f *File) error {
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
