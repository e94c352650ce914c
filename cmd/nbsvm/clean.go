package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/file/scratch"
)

type cleanCmd struct {
	Folder    []string `file:"folder" arg:"" help:"Folders of outputs, or of temporary files."`
	Recursive bool     `group:"output" short:"r" help:"Include all folders within."`
	DryRun    bool     `group:"output" short:"n" help:"Only print what would be removed."`
	All       bool     `group:"output" help:"Also remove files of other machines and of old versions of nbsvm. Make sure that nothing is writing there."`
}

func (k *cleanCmd) Help() string {
	return `A run that was killed (kill -9, out of memory, power failure) may leave temporary files: .FILE.nbsvm-….tmp
beside an output FILE, and a folder .nbsvm-pack-… in the folder of --temp or of the output. The next run that writes the
same output removes them. This command removes those of all runs, but never files that a running process uses. It lists
files of other machines and containers, and removes them only with --all.

    nbsvm clean --dry-run --recursive out
    nbsvm clean out /tmp`
}

// cleaned is what was found of a leftover.
type cleaned struct {
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	Removed bool   `json:"removed"`
	Why     string `json:"why,omitempty"` // it was not
}

func (k *cleanCmd) Run(c *call) error {
	var found []cleaned
	var errs []error
	for _, root := range k.Folder {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist) && path != root:
				return nil // it has gone meanwhile
			case err != nil:
				errs = append(errs, err)
				return nil
			case !e.IsDir() && path == root:
				return fmt.Errorf("%s is not a folder: name the folder that contains the files", path)
			case !e.IsDir():
				return c.ctx.Err()
			case path != root && !k.Recursive:
				return fs.SkipDir
			}
			left, _ := scratch.Find(path) // that it can't be read is told by the next call
			for _, l := range left {
				one, err := k.clean(l)
				if err != nil {
					errs = append(errs, err)
				} else if one.Path != "" {
					found = append(found, one)
				}
			}
			return c.ctx.Err()
		})
		errs = append(errs, err)
	}
	if err := k.report(c, found); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// clean removes what is left, if it may. It returns nothing if its process has finished it.
func (k *cleanCmd) clean(l scratch.Leftover) (one cleaned, err error) {
	foreign := !l.Ours() && !k.All
	bytes, err := l.Remove(k.DryRun || foreign)
	one = cleaned{Path: l.Path, Bytes: bytes, Removed: err == nil && !k.DryRun && !foreign}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cleaned{}, nil
	case errors.Is(err, scratch.ErrInUse):
		one.Why = "in use"
	case err != nil:
		return one, err
	case foreign:
		one.Why = "made by another machine or version; --all removes it"
	}
	return one, nil
}

// report prints what was removed, or left.
func (k *cleanCmd) report(c *call, found []cleaned) error {
	var bytes int64
	n := 0
	for _, one := range found {
		if one.Why == "" {
			bytes += one.Bytes
			n++
		}
	}
	if c.JSON {
		return printJSON(c.out, struct {
			DryRun bool      `json:"dry_run"`
			Bytes  int64     `json:"bytes"`
			Found  []cleaned `json:"found"`
		}{k.DryRun, bytes, append([]cleaned{}, found...)})
	}
	if c.Quiet {
		return nil
	}
	did := "removed"
	if k.DryRun {
		did = "would remove"
	}
	for _, one := range found {
		if one.Why != "" {
			fmt.Fprintf(c.out, "left %s, %s: %s\n", printable.Label(one.Path), wording.Bytes(one.Bytes), one.Why)
		} else {
			fmt.Fprintf(c.out, "%s %s, %s\n", did, printable.Label(one.Path), wording.Bytes(one.Bytes))
		}
	}
	what := "temporary files and folders"
	if n == 1 {
		what = "temporary file or folder"
	}
	_, err := fmt.Fprintf(c.out, "%s %s %s, %s\n", did, wording.Count(int64(n)), what, wording.Bytes(bytes))
	return err
}
