package outdir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// RecordName is the name of the record in each folder, which is hidden.
const RecordName = ".nbsvm-outputs.json"

// record tells which run the files of a folder are from.
type record struct {
	Version int    `json:"version"` // of the format: 1
	Command string `json:"command"`
	Run
	// Of folders beside that of the outputs: what the files are, and where the folder of the outputs is, from this one.
	Flag   string `json:"flag,omitempty"`
	OutDir string `json:"out-dir,omitempty"`
	// Inputs is the folder of inputs, from this one, below which files keep the folders of their inputs.
	Inputs string `json:"inputs,omitempty"`
}

// differs says in what the files of a folder are of another run; empty if they are of the same.
func (r *record) differs(o *record) string {
	switch {
	case r.Command != o.Command:
		return fmt.Sprintf("they were made by nbsvm %s, not by nbsvm %s", r.Command, o.Command)
	case r.Flag != o.Flag && r.Flag == "":
		return "they belong to " + OutputFlag
	case r.Flag != o.Flag:
		return "they belong to " + r.Flag
	case r.OutDir != o.OutDir:
		return fmt.Sprintf("they belong to the outputs in %s, not to those in %s", r.OutDir, o.OutDir)
	case r.Inputs != o.Inputs:
		return "they keep folders of other inputs"
	}
	return r.Run.Differs(&o.Run)
}

// mostRecord is how many bytes a record may have.
const mostRecord = 1 << 20

// readRecord reads the record of a folder. The error is [fs.ErrNotExist] if there is none.
func readRecord(folder string) (*record, error) {
	path := filepath.Join(folder, RecordName)
	text, err := osfile.ReadRegular(path, mostRecord)
	if err != nil {
		return nil, err
	}
	r := new(record)
	if err = json.Unmarshal(text, r); err == nil && (r.Version != 1 || r.Command == "") {
		err = fmt.Errorf("format version %d instead of 1", r.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged (%w), so it is unknown what the files in its folder are: remove them all, or name another folder", path, err)
	}
	return r, nil
}

// claim writes the record of a folder, unless it has one: then that must be the same. The record of a run which made
// nothing is replaced.
func (r *record) claim(ctx context.Context, folder Folder) error {
	path := filepath.Join(folder.Path, RecordName)
	alone, err := osfile.AwaitFile(ctx, path, func() {})
	if err != nil {
		return err
	}
	defer alone.Release()
	theirs, err := readRecord(folder.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r.write(path)
	case err != nil:
		return err
	}
	what := theirs.differs(r)
	if what == "" {
		return nil
	}
	if theirs.Flag == r.Flag {
		if empty, err := isEmpty(folder.Path); err != nil || empty {
			return errors.Join(err, r.write(path))
		}
	}
	return fmt.Errorf("%s %s has files of another run: %s; name another folder, or remove this one",
		folder.Flag, folder.Path, what)
}

func (r *record) write(path string) error {
	return osfile.WriteFile(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(r)
	})
}

// isEmpty reports whether there is nothing in a folder but hidden files, and folders without others.
func isEmpty(folder string) (bool, error) {
	err := filepath.WalkDir(folder, func(_ string, of fs.DirEntry, err error) error {
		if err == nil && !of.IsDir() && !strings.HasPrefix(of.Name(), ".") {
			return fs.ErrExist
		}
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}
