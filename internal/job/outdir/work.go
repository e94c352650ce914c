package outdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// Work is a file that is being made: it takes the checksums of what is read and written, for the record of the output.
// It is for one goroutine at a time.
type Work struct {
	*File
	store Store
	run   string
	input *provenance.Summer            // what was read of the input; nil if that was not told
	files map[string]*provenance.Summer // by the flags of their folders
	made  *Made                         // when it is done
	late  bool                          // the record is written behind the output
}

// Raw is [corpus.Input.Raw] of the input: the checksum is taken as the input is read. What is read in another way is
// read once more for it.
func (w *Work) Raw(string) io.Writer {
	w.input = provenance.NewSummer(io.Discard) // an input that is read again is the same
	return w.input
}

// Summed is the writer to what becomes the file in the folder of a flag, with a checksum of what is written. Files that
// are written in another way are read once more for it, and are to be in their place before Done.
func (w *Work) Summed(flag string, to io.Writer) io.Writer {
	w.files[flag] = provenance.NewSummer(to)
	return w.files[flag]
}

// Done is to be called when all is written, and before the output takes its name. It writes the record, unless that of
// an output which is there would be lost: of an input that has changed, the output of before stays until the new one
// takes its name, and its record until [Work.Finish]. Whoever is killed between the two leaves the new output beside a
// record of the input as it was, so that the next run makes it again.
func (w *Work) Done(counts Counts) error {
	made := &Made{Run: w.run, Modified: w.info.ModTime(), Counts: counts, Files: map[string]provenance.Fingerprint{}}
	var err error
	if made.Input, err = w.sumOfInput(); err != nil {
		return err
	}
	for k, folder := range w.folders {
		var of provenance.Fingerprint
		if sum := w.files[folder.Flag]; sum != nil {
			of = sum.Fingerprint()
		} else if of, err = fingerprint(w.store, w.paths[k]); errors.Is(err, fs.ErrNotExist) && !folder.Always {
			continue
		} else if err != nil {
			return err
		}
		of.Path = filepath.Base(w.paths[k])
		made.Files[folder.Flag] = of
	}
	w.made = made
	before, err := readMade(w.store, w.Output())
	there, statErr := exists(w.store, w.Output())
	switch {
	case statErr != nil:
		return statErr
	case err != nil || !there:
		return w.writeRecord()
	case !before.same(made): // or else another machine has made it meanwhile, or is about to
		w.late = true
	}
	return nil
}

// Finish is to be called when the output has its name. It writes the record that Done did not.
func (w *Work) Finish() error {
	if !w.late {
		return nil
	}
	return w.writeRecord()
}

// Bad records why nothing can be made of an input that is a bad file, so that [Verify] tells of it. An output that was
// made of the input as it was before stays.
func (j *Job) Bad(f *File, why error) error {
	s, output := j.store(), f.Output()
	made, err := readMade(s, output)
	there, statErr := exists(s, output)
	if statErr != nil {
		return statErr
	}
	if err != nil || !there || made.Run != j.run {
		made = &Made{Run: j.run, Input: provenance.Fingerprint{Path: f.Input, Bytes: f.Bytes}, Modified: f.info.ModTime()}
	}
	made.Fault = wording.Plain(why.Error())
	return s.WriteJSON(recordOf(output), "", made)
}

func (w *Work) writeRecord() error { return w.store.WriteJSON(recordOf(w.Output()), "", w.made) }

// Made is the record of the output, once it is done.
func (w *Work) Made() *Made { return w.made }

// sumOfInput is the fingerprint of the input, which must still be what it was when the work began.
func (w *Work) sumOfInput() (sum provenance.Fingerprint, err error) {
	if w.input != nil {
		sum = w.input.Fingerprint()
	}
	if w.info.Mode().IsRegular() && (w.input == nil || sum.Bytes != w.info.Size()) {
		if sum, err = fingerprint(w.store, w.Input); err != nil {
			return sum, err
		}
	}
	sum.Path = w.Input
	now, err := w.store.Stat(w.Input)
	if err != nil || !w.info.Mode().IsRegular() {
		return sum, err
	}
	if now.Size() != w.info.Size() || !now.ModTime().Equal(w.info.ModTime()) || sum.Bytes != now.Size() {
		err = fmt.Errorf("%s changed while it was read: run the same command again, and leave input files alone meanwhile", w.Input)
	}
	return sum, err
}
