package outdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// TestFull fills the disk: no other file is tried.
func TestFull(t *testing.T) {
	job := &Job{Command: "test", Folders: []Folder{{Flag: "--out-dir", Path: t.TempDir(), Name: filepath.Base}}}
	folder := t.TempDir()
	var files []File
	for i := range 30 {
		input := filepath.Join(folder, fmt.Sprintf("%02d.jsonl", i))
		must.OK(t, os.WriteFile(input, nil, 0o600))
		must.OK(t, job.arrange())
		file, err := job.file(input)
		must.OK(t, err)
		files = append(files, file)
	}
	tried, told := 0, 0
	must.OK(t, job.Begin(provenance.Run{Version: "1"}, files))
	got := job.Make(t.Context(), files, Maker{
		Workers: 1,
		Make: func(i int, _ *Work) error {
			tried++
			return &fs.PathError{Op: "write", Path: files[i].Output(), Err: syscall.ENOSPC}
		},
		Failed: func(int, error) { told++ },
	})
	if tried != 1 || told != 1 {
		t.Errorf("%d files were tried, %d told of", tried, told)
	}
	if !got.Full || len(got.Failed) != 30 || got.Files != 30 {
		t.Errorf("%+v", got)
	}
}

// write makes the output of a file, which is what its input holds.
func write(w *Work, counts Counts) error {
	file, err := os.Open(w.Input)
	if err != nil {
		return err
	}
	defer file.Close()
	return osfile.WriteFile(w.Output(), func(to io.Writer) error {
		if _, err := io.Copy(w.Summed("--out-dir", to), file); err != nil {
			return err
		}
		return w.Done(counts)
	})
}

// TestJob makes outputs of inputs, with what stands beside them, and goes on where files are missing.
func TestJob(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	var inputs []string
	for _, name := range []string{"b.txt", "a.txt", "c.txt"} {
		inputs = append(inputs, at(name))
		must.OK(t, os.WriteFile(at(name), []byte(name), 0o600))
	}
	upper := func(name string) string { return strings.ToUpper(name) }
	job := &Job{Command: "test", Folders: []Folder{
		{Flag: "--out-dir", Path: at("out"), Name: upper},
		{Flag: "--rest", Path: at("rest"), Name: upper, Always: true},
	}}
	found, passed := job.Inputs(inputs)
	if len(found) != 3 || len(passed) != 0 {
		t.Fatalf("inputs %q, passed over %q", found, passed)
	}
	files, err := job.Files(inputs, corpus.Shard{})
	must.OK(t, err)
	if files[0].Output() != at("out/A.TXT") || files[0].In("--rest") != at("rest/A.TXT") || files[0].In("--other") != "" {
		t.Errorf("the first file is %+v", files[0])
	}
	run := provenance.Run{Version: "1", Options: map[string]string{"top": "2"}}
	must.OK(t, job.Begin(run, files))
	m := Maker{
		Workers: 2,
		Make: func(i int, w *Work) error {
			f := &files[i]
			if filepath.Base(f.Input) == "c.txt" {
				return fs.ErrInvalid
			}
			return errors.Join(os.WriteFile(f.In("--rest"), nil, 0o600), write(w, Counts{Documents: 5, Written: 5 - int64(i), Bad: int64(i)}))
		},
	}
	sum := Counts{Documents: 10, Written: 9, Bad: 1}
	makes := func(want Result) []Outcome {
		t.Helper()
		got := job.Make(t.Context(), files, m)
		each := got.Each
		if got.Each = nil; !reflect.DeepEqual(got, want) {
			t.Errorf("it made %+v, want %+v", got, want)
		}
		return each
	}
	first := makes(Result{Files: 3, Written: 2, Failed: []string{at("c.txt")}, Counts: sum})
	if of := first[0]; of.State != Written || of.Input != at("a.txt") || of.Output != at("out/A.TXT") || of.Bytes != 5 || of.Counts == nil ||
		!reflect.DeepEqual(*of.Counts, Counts{Documents: 5, Written: 5}) || of.Files["--out-dir"] != (provenance.Fingerprint{Path: "A.TXT", Bytes: 5, CRC32C: sumOf("a.txt")}) || of.Files["--rest"].Bytes != 0 {
		t.Errorf("the first file is %+v, %+v", of, of.Counts)
	}
	if of := first[2]; of.State != Failed || of.Reason != fs.ErrInvalid.Error() || of.Counts != nil {
		t.Errorf("the last file is %+v", of)
	}
	m.PassOver = func(err error) bool { return errors.Is(err, fs.ErrInvalid) }
	makes(Result{Files: 3, There: 2, PassedOver: []string{at("c.txt")}, Bad: 1, Lacking: []string{at("out/B.TXT")}, Counts: sum})
	if found, passed := job.Inputs(append(inputs, at("out"), at("rest"))); len(found) != 3 || !slices.Equal(passed, []string{at("out"), at("rest")}) {
		t.Errorf("inputs %q, passed over %q", found, passed)
	}

	run.Options = map[string]string{"top": "3"}
	if err := job.Begin(run, files); err == nil || !strings.Contains(err.Error(), `has files of another run: with --top "2", not with --top "3"; name another folder`) {
		t.Errorf("another run: %v", err)
	}
	if own, err := job.Files(inputs, corpus.Shard{Number: 2, Of: 2}); err != nil || len(own) != 1 || own[0].Input != at("b.txt") {
		t.Errorf("the second shard has %v, %v", own, err)
	}
	job.Folders[1].Path = at("out")
	err = job.Begin(run, files)
	if _, is := errors.AsType[Misuse](err); !is || !strings.Contains(err.Error(), "--out-dir and --rest must be different folders") {
		t.Errorf("one folder: %v", err)
	}
}

// TestNames: an input is given once, by a name that records can hold.
func TestNames(t *testing.T) {
	s := newWorkshop(t, "a")
	files := func(inputs ...string) string {
		_, err := s.job.Files(inputs, corpus.Shard{})
		return fmt.Sprint(err)
	}
	if got, want := files(s.at("a"), s.at("a")), s.at("a")+" is given twice: give every input once"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	if err := os.WriteFile(s.at("\xff"), nil, 0o600); err != nil {
		t.Skip(err)
	}
	if got, want := files(s.at("\xff")), s.at("\xff")+": the file name is not valid UTF-8, so it can't be recorded: rename the file"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
