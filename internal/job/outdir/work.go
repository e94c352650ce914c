package outdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// Work is a file that is being made: it takes the checksums of what is written. It is for one goroutine at a time.
type Work struct {
	*File
	job   *Job
	files map[string]*provenance.Summer // by the flags of their folders
	Entry *Entry                        // when it is done
}

// Work begins to make what is made of an input.
func (j *Job) Work(f *File) *Work {
	return &Work{File: f, job: j, files: map[string]*provenance.Summer{}}
}

// Summed is the writer to what becomes the file in the folder of a flag, with a checksum of what is written. Files that
// are written in another way are read once more for it, and are to be in their place before Done.
func (w *Work) Summed(flag string, to io.Writer) io.Writer {
	w.files[flag] = provenance.NewSummer(to)
	return w.files[flag]
}

// Done is to be called when all is written, and before the output takes its name. It adds the entry to the record.
func (w *Work) Done(counts Counts) error {
	now, err := w.job.store().Stat(w.Input)
	if err != nil {
		return err
	}
	e := &Entry{Input: w.key, Bytes: w.info.Size(), Modified: w.info.ModTime(), Counts: counts, Files: map[string]provenance.Fingerprint{}}
	if e.changed(now) {
		return fmt.Errorf("%s changed while it was read: run the same command again, and leave input files alone meanwhile", w.Input)
	}
	for k, folder := range w.job.Folders {
		var of provenance.Fingerprint
		if sum := w.files[folder.Flag]; sum != nil {
			of = sum.Fingerprint()
		} else if of, err = fingerprint(w.job.store(), w.paths[k]); errors.Is(err, fs.ErrNotExist) && !folder.Always {
			continue
		} else if err != nil {
			return err
		}
		of.Path = w.names[k]
		e.Files[folder.Flag] = of
	}
	w.Entry = e
	return w.job.record.Add(e)
}

// There returns the entry of a file whose output exists, and nil if there is no output. The error is for what the user
// has to put right: an output of another input, or one that is no longer what was written.
func (j *Job) There(f *File) (*Entry, error) {
	s, output := j.store(), f.Output()
	if f.info == nil {
		if err := j.look(f); err != nil {
			return nil, err
		}
	}
	switch info, err := s.Stat(output); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s exists and is not a regular file: remove it", output)
	}
	e, err := j.record.Entry(f.names[0])
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		return nil, fmt.Errorf("%s exists, but is not in %s: name another folder, or remove the file", output, Join(j.outDir(), RecordName))
	case e.changed(f.info):
		return nil, fmt.Errorf("%s has changed since %s was written: remove that file to write it again", f.Input, output)
	}
	for k, folder := range j.Folders {
		if what := e.damage(s, folder.Flag, f.paths[k]); what != "" && (folder.Always || k == 0) {
			return nil, fmt.Errorf("%s %s: remove %s to write it again", f.paths[k], what, output)
		}
	}
	return e, nil
}

// damage says in what a file is not that of the entry; empty if it has its size.
func (e *Entry) damage(s Store, flag, path string) string {
	want, made := e.Files[flag]
	switch info, err := s.Stat(path); {
	case !made:
		return ""
	case errors.Is(err, fs.ErrNotExist):
		return "is missing"
	case err != nil:
		return err.Error()
	case !info.Mode().IsRegular():
		return "is not a regular file"
	case info.Size() != want.Bytes:
		return fmt.Sprintf("has %d bytes, but had %d when it was written", info.Size(), want.Bytes)
	}
	return ""
}

// fingerprint reads a file.
func fingerprint(s Store, path string) (provenance.Fingerprint, error) {
	f, err := s.Open(path)
	if err != nil {
		return provenance.Fingerprint{}, err
	}
	defer f.Close()
	sum := provenance.NewSummer(io.Discard)
	_, err = io.CopyBuffer(sum, f, make([]byte, 1<<18))
	return sum.Fingerprint(), err
}
