package outdir

import (
	"context"
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
		file, err := job.file(input)
		must.OK(t, err)
		must.OK(t, file.look())
		files = append(files, file)
	}
	tried, told := 0, 0
	must.OK(t, job.Begin(t.Context(), Run{Version: "1"}, files))
	m := maker(func(f *File) error {
		tried++
		return &fs.PathError{Op: "write", Path: f.Output, Err: syscall.ENOSPC}
	})
	m.Workers, m.Ended = 1, func(int, *File) { told++ }
	got := job.Make(t.Context(), files, m)
	if tried != 1 || told != 1 {
		t.Errorf("%d files were tried, %d told of", tried, told)
	}
	if !got.Full || len(got.Failed) != 30 {
		t.Errorf("%+v", got)
	}
}

// fill makes what is missing of inputs.
func fill(
	ctx context.Context, job *Job, inputs []string, shard Shard, make func(f *File) error,
) (files []File, r Result, err error) {
	if files, _, err = job.Files(inputs, shard); err == nil {
		err = job.Begin(ctx, Run{Version: "1"}, files)
	}
	if err == nil {
		r = job.Make(ctx, files, maker(make))
	}
	return files, r, err
}

// maker makes two files at a time, and tells nobody.
func maker(make func(f *File) error) Maker {
	return Maker{
		Workers: 2, Make: func(_ int, f *File) error { return make(f) },
		Ended: func(int, *File) {}, Wait: func() {}, PassOver: func(error) bool { return false },
	}
}

// write makes the output of a file, which is what its input holds, a document.
func write(f *File) error { return writeCounts(f, Counts{Documents: 1, Written: 1}) }

func writeCounts(f *File, counts Counts) error {
	file, err := os.Open(f.Input)
	if err != nil {
		return err
	}
	defer file.Close()
	return osfile.WriteFile(f.Output, func(to io.Writer) error {
		if _, err := io.Copy(to, file); err != nil {
			return err
		}
		return f.Done(counts)
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
		{Flag: "--rest", Path: at("rest"), Name: upper},
	}}
	files, passed, err := job.Files(inputs, Shard{})
	must.OK(t, err)
	if len(files) != 3 || len(passed) != 0 {
		t.Fatalf("files %v, passed over %q", files, passed)
	}
	if files[0].Output != at("out/A.TXT") || files[0].In("--rest") != at("rest/A.TXT") || files[0].In("--other") != "" {
		t.Errorf("the first file is %+v", files[0])
	}
	run := Run{Version: "1", Options: map[string]string{"top": "2"}}
	must.OK(t, job.Begin(t.Context(), run, files))
	m := maker(nil)
	m.Make = func(i int, f *File) error {
		if filepath.Base(f.Input) == "c.txt" {
			return fs.ErrInvalid
		}
		return errors.Join(os.WriteFile(f.In("--rest"), nil, 0o600), writeCounts(f, Counts{Documents: 5, Written: 5 - int64(i), Bad: int64(i)}))
	}
	sum := Counts{Documents: 10, Written: 9, Bad: 1}
	makes := func(want Result) []File {
		t.Helper()
		if got := job.Make(t.Context(), files, m); !reflect.DeepEqual(got, want) {
			t.Errorf("it made %+v, want %+v", got, want)
		}
		return files
	}
	first := makes(Result{Written: 2, Failed: []string{at("c.txt")}, Counts: sum})
	if of := first[0]; of.State != Written || of.Input != at("a.txt") || of.Output != at("out/A.TXT") || of.Bytes != 5 ||
		!reflect.DeepEqual(of.Counts, &Counts{Documents: 5, Written: 5}) {
		t.Errorf("the first file is %+v, %+v", of, of.Counts)
	}
	if of := first[2]; of.State != Failed || of.Reason != fs.ErrInvalid.Error() || of.Counts != nil {
		t.Errorf("the last file is %+v", of)
	}
	m.PassOver = func(err error) bool { return errors.Is(err, fs.ErrInvalid) }
	makes(Result{There: 2, PassedOver: []string{at("c.txt")}})
	found, passed, err := job.Files(append(inputs, at("out"), at("rest"), at("rest/A.TXT")), Shard{})
	if len(found) != 3 || !slices.Equal(passed, []string{at("out"), at("rest"), at("rest/A.TXT")}) || err != nil {
		t.Errorf("files %v, passed over %q, %v", found, passed, err)
	}

	run.Options = map[string]string{"top": "3"}
	if err := job.Begin(t.Context(), run, files); err == nil || !strings.Contains(err.Error(), `has files of another run: with --top "2", not with --top "3"; name another folder`) {
		t.Errorf("another run: %v", err)
	}
	if own, _, err := job.Files(inputs, Shard{Number: 2, Of: 2}); err != nil || len(own) != 1 || own[0].Input != at("b.txt") {
		t.Errorf("the second shard has %v, %v", own, err)
	}
	job.Folders[1].Path = at("out")
	err = job.Begin(t.Context(), run, files)
	if _, is := errors.AsType[Misuse](err); !is || !strings.Contains(err.Error(), "--out-dir and --rest must be different folders") {
		t.Errorf("one folder: %v", err)
	}
}

// TestNames: an input is given once, by a name that records can hold.
func TestNames(t *testing.T) {
	s := newWorkshop(t, "a")
	files := func(inputs ...string) string {
		_, _, err := s.job.Files(inputs, Shard{})
		return fmt.Sprint(err)
	}
	if got, want := files(s.at("a"), s.at("a")), s.at("a")+" is given twice: give every input once"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
