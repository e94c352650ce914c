package outdir

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
)

// Outputs are all in one folder, unless two would have the same name. Then all keep the folders of their inputs, below
// the one that the inputs have in common: web/01/a.tsv and web/02/a.tsv become out/01/a.tsv and out/02/a.tsv. Each of
// these folders is as if a job of its own had made it. The record in the folder above them says below which folder the
// inputs are. Later runs keep to that, whatever their inputs are called, so that an input has one output.

// arrange finds out where outputs go, if a run has begun.
func (j *Job) arrange() error {
	record, err := readRecord(j.store(), Join(j.outDir(), j.recordName()))
	none := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) // of which Begin tells
	switch j.begun, j.base = !none, ""; {
	case none:
		return nil
	case err != nil:
		return err
	}
	j.base = record.base(j.outDir())
	return nil
}

// base is the folder below which inputs keep their folders; empty if they do not. The record is in a folder.
func (r *Record) base(folder string) string {
	if r.Inputs == "" || !IsLocal(r.Inputs) {
		return r.Inputs
	}
	base := filepath.FromSlash(r.Inputs)
	if !filepath.IsAbs(base) {
		base = filepath.Join(folder, base)
	}
	return folderOf(filepath.Join(base, "file"))
}

// inputsFrom is what a record in a folder says of where inputs are.
func inputsFrom(folder, base string) string {
	if base == "" || !IsLocal(base) || !IsLocal(folder) {
		return base
	}
	if folder, err := filepath.Abs(folder); err == nil {
		if path, err := filepath.Rel(folder, filepath.FromSlash(base)); err == nil {
			return filepath.ToSlash(path)
		}
	}
	return base
}

// whole is a path from the root, with slashes. Links are not followed: outputs have the names that were given.
func whole(path string) string {
	if !IsLocal(path) {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.ToSlash(path)
}

// folderOf is the whole path of the folder of a file, with the slash behind it.
func folderOf(file string) string {
	path := whole(file)
	return path[:strings.LastIndexByte(path, '/')+1]
}

// common is the folder that all files are in, at whatever depth; empty if there is none.
func common(files []string) string {
	base := folderOf(files[0])
	for _, file := range files[1:] {
		for folder := folderOf(file); !strings.HasPrefix(folder, base); {
			base = base[:strings.LastIndexByte(base[:len(base)-1], '/')+1]
		}
	}
	return base
}

// subfolder is the folder of an input below another one, and "." there or if that is empty.
func subfolder(base, input string) (string, error) {
	if base == "" {
		return ".", nil
	}
	path, below := strings.CutPrefix(folderOf(input), base)
	sub := strings.TrimSuffix(path, "/")
	switch {
	case path == "" && below:
		return ".", nil
	case !below || sub == "." || !fs.ValidPath(sub): // stores may have folders of any name
		return "", misuse("%s can't keep its folder, as it is not below %s, where all other inputs are: name another folder", input, base)
	case strings.Contains("/"+sub, "/"+ownPrefix):
		return "", misuse("%s is in a folder of nbsvm's records: leave it out", input)
	}
	return sub, nil
}

// part is a subfolder of outputs as a job of its own.
type part struct {
	Job
	files []File
}

// parts are the subfolders of files, the whole job first.
func (j *Job) parts(files []File) []*part {
	all := []*part{{Job: *j}}
	of := map[string]*part{".": all[0]}
	for _, f := range files {
		p := of[f.sub]
		if p == nil {
			p = &part{Job: *j}
			p.Folders, p.base = f.folders, ""
			all, of[f.sub] = append(all, p), p
		}
		p.files = append(p.files, f)
	}
	return all
}
