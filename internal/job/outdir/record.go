package outdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// ownPrefix is what the names of hidden files in the folders begin with; those of temporary ones have it in them.
const ownPrefix = ".nbsvm-"

// SummaryName is the name of a summary of what a job has made, which is no record.
const SummaryName = ownPrefix + "summary.json"

// recordName is the name of the record in each folder.
func (j *Job) recordName() string { return ownPrefix + j.Command + ".json" }

// Record tells of which run the files of a folder are: a later one must be of the same model and options. It passes
// over what is there, and would replace what stands beside outputs of another.
type Record struct {
	provenance.Run
	// Of folders of what stands beside outputs: what it is, and where the folder of the outputs is, from this one.
	Flag   string `json:"flag,omitempty"`
	OutDir string `json:"out-dir,omitempty"`
	// Inputs is the folder of inputs, from this one, below which files keep the folders of their inputs.
	Inputs string `json:"inputs,omitempty"`
}

// record is that of the k-th folder.
func (j *Job) record(k int, run provenance.Run) (*Record, error) {
	folder := j.Folders[k]
	of := &Record{Run: run, Inputs: inputsFrom(folder.Path, j.base)}
	if k > 0 {
		path, err := between(folder.Path, j.outDir())
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", folder.Flag, folder.Path, err)
		}
		of.Flag, of.OutDir = folder.Flag, path
	}
	return of, nil
}

// differs says in what the files of a folder are of another run; empty if they are of the same.
func (r *Record) differs(o *Record, outputs string) string {
	switch {
	case r.Flag != o.Flag && r.Flag == "":
		return fmt.Sprintf("they belong to %s", outputs)
	case r.Flag != o.Flag:
		return fmt.Sprintf("they belong to %s", r.Flag)
	case r.OutDir != o.OutDir:
		return fmt.Sprintf("they belong to the outputs in %s, not to those in %s", r.OutDir, o.OutDir)
	case r.Inputs != o.Inputs:
		return "they keep folders of other inputs"
	}
	return r.Run.Differs(&o.Run)
}

// check makes sure that what is in the folders is of this run.
func (p *part) check(run provenance.Run) error {
	for k := range p.Folders {
		record, err := p.record(k, run)
		if err != nil {
			return err
		}
		err = p.checkFolder(k, record, p.files)
		if _, is := errors.AsType[otherRun](err); is && p.unused(p.Folders[k].Path) {
			continue // it made nothing: its record is replaced
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// otherRun says that a folder has the record of another run.
type otherRun struct{ error }

// unused tells whether a folder has records of this command and nothing else, in folders in it neither: a run that made
// nothing must not keep the folder from the corrected command.
func (j *Job) unused(folder string) bool {
	if IsLocal(folder) {
		sweep(folder)
		return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && !j.ofNothing(path) {
				err = fs.ErrExist
			}
			return err
		}) == nil
	}
	record, err := readRecord(j.store(), Join(folder, j.recordName()))
	if err != nil || record.Inputs != "" { // folders in it can't be listed
		return false
	}
	names, err := j.store().Names(folder)
	made, madeErr := j.store().Names(Join(folder, MadeFolder))
	return err == nil && madeErr == nil && len(made) == 0 && len(names) == 1 && names[0] == j.recordName()
}

// ofNothing tells whether a file is the record of a run, or of an input of which nothing could be made.
func (j *Job) ofNothing(path string) bool {
	name, is := strings.CutSuffix(filepath.Base(path), ".json")
	if folder := filepath.Dir(path); is && filepath.Base(folder) == MadeFolder {
		made, err := readMade(j.store(), filepath.Join(filepath.Dir(folder), name))
		return err == nil && len(made.Files) == 0
	}
	return filepath.Base(path) == j.recordName()
}

// removeRecords removes those of a run that made nothing, in the folders in its folder.
func (j *Job) removeRecords(folder string) error {
	if !IsLocal(folder) {
		return nil // there are no others than that which is replaced
	}
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && j.ofNothing(path) {
			err = os.Remove(path)
		}
		return err
	})
}

// claim records in the folders of which run they are.
func (p *part) claim(run provenance.Run) error {
	for k, folder := range p.Folders {
		path := Join(folder.Path, p.recordName())
		record, err := p.record(k, run)
		if err != nil {
			return err
		}
		switch theirs, err := readRecord(p.store(), path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case theirs.differs(record, p.Folders[0].Flag) == "":
			continue
		case !p.unused(folder.Path): // another run has begun since check looked
			return p.checkFolder(k, record, nil)
		default:
			if err := p.removeRecords(folder.Path); err != nil {
				return err
			}
		}
		if err := p.store().WriteJSON(path, "  ", record); err != nil {
			return err
		}
		// Another run may have been faster.
		if err := p.checkFolder(k, record, nil); err != nil {
			return err
		}
	}
	return nil
}

// checkFolder refuses a folder that has files of another run, or those whose run is not known, which would be replaced.
func (j *Job) checkFolder(k int, mine *Record, files []File) error {
	folder := j.Folders[k]
	path := Join(folder.Path, j.recordName())
	names, err := j.store().Names(folder.Path) // before the record, which another run may be about to write
	if err != nil {
		return err
	}
	if other := slices.IndexFunc(names, func(name string) bool { return isRecord(name) && name != j.recordName() }); other >= 0 {
		return fmt.Errorf("%s %s has files of another command, according to %s: name another folder", folder.Flag, folder.Path, Join(folder.Path, names[other]))
	}
	theirs, err := readRecord(j.store(), path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		there := map[string]bool{}
		for _, name := range names {
			there[name] = true
		}
		for _, f := range files {
			if there[filepath.Base(f.paths[k])] {
				return fmt.Errorf("%s exists, but not %s, which records the run: name another folder, or remove the file", f.paths[k], path)
			}
		}
		return nil
	case err != nil:
		return err
	}
	if what := theirs.differs(mine, j.Folders[0].Flag); what != "" {
		return otherRun{fmt.Errorf("%s %s has files of another run: %s; name another folder, or remove this one", folder.Flag, folder.Path, what)}
	}
	return nil
}

// isRecord tells whether a name is that of the record of a folder, of any command.
func isRecord(name string) bool {
	return strings.HasPrefix(name, ownPrefix) && strings.HasSuffix(name, ".json") && name != SummaryName
}

// readRecord reads the record of a folder.
func readRecord(s Store, path string) (*Record, error) {
	text, err := readFile(s, path)
	if err != nil {
		return nil, err
	}
	of := new(Record)
	if err := json.Unmarshal(text, of); err != nil {
		return nil, fmt.Errorf("%s is damaged, so it is unknown which run the files in its folder are from: remove them all, or name another folder", path)
	}
	return of, nil
}

// between is where a folder is, from another one, so that both may be moved together. Elsewhere than on this machine, or
// on another volume, it is its path.
func between(folder, to string) (string, error) {
	if !IsLocal(folder) || !IsLocal(to) {
		return to, nil
	}
	from, err := realPath(folder)
	if err != nil {
		return "", err
	}
	at, err := realPath(to)
	if err != nil {
		return "", err
	}
	if path, err := filepath.Rel(from, at); err == nil {
		return filepath.ToSlash(path), nil
	}
	return at, nil
}

// realPath is the path of what is there, from the root, without links.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
