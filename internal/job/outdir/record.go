package outdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// ownPrefix is what the names of hidden files in the folders begin with; those of temporary ones have it in them.
const ownPrefix = ".nbsvm-"

// RecordName is the name of the record that a command has in a folder.
func RecordName(command string) string { return ownPrefix + command + ".json" }

// recordName is the name of the record in each folder.
func (j *Job) recordName() string { return RecordName(j.Command) }

// Record tells of which run the files of a folder are: a later one must be of the same model and options. It passes
// over what is there, and would replace what stands beside outputs of another.
type Record struct {
	provenance.Run
	// Of folders of what stands beside outputs: what it is, and where the folder of the outputs is, from this one.
	Flag   string `json:"flag,omitempty"`
	OutDir string `json:"out-dir,omitempty"`
}

// records are those of the folders.
func (j *Job) records(run provenance.Run) []Record {
	all := make([]Record, len(j.Folders))
	for k, folder := range j.Folders {
		if all[k].Run = run; k > 0 {
			all[k].Flag, all[k].OutDir = folder.Flag, From(folder.Path, j.outDir())
		}
	}
	return all
}

// Differs says in what the files of a folder are of another run; empty if they are of the same.
func (r *Record) Differs(o *Record, outputs string) string {
	switch {
	case r.Flag != o.Flag && r.Flag == "":
		return fmt.Sprintf("they belong to %s", outputs)
	case r.Flag != o.Flag:
		return fmt.Sprintf("they belong to %s", r.Flag)
	case r.OutDir != o.OutDir:
		return fmt.Sprintf("they belong to the outputs in %s, not to those in %s", r.OutDir, o.OutDir)
	}
	return r.Run.Differs(&o.Run)
}

// claim makes sure that what is in the folders is of this run. Nothing is written if one has files of another.
func (j *Job) claim(run provenance.Run, files []File) error {
	records := j.records(run)
	for k := range records {
		if err := j.check(k, &records[k], files); err != nil {
			return err
		}
	}
	for k, folder := range j.Folders {
		path := filepath.Join(folder.Path, j.recordName())
		if exists(path) {
			continue
		}
		if err := atomicfile.WriteJSON(path, "  ", records[k]); err != nil {
			return err
		}
		// Another run may have been faster.
		if err := j.check(k, &records[k], nil); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a folder that has files of another run, or those whose run is not known, which would be replaced.
func (j *Job) check(k int, mine *Record, files []File) error {
	folder := j.Folders[k]
	path := filepath.Join(folder.Path, j.recordName())
	for _, other := range recordsIn(folder.Path) {
		if other != path {
			return fmt.Errorf("%s %s has files of another command, according to %s: %s", folder.Flag, folder.Path, other, j.otherFolders())
		}
	}
	theirs, err := readRecord(path)
	if errors.Is(err, fs.ErrNotExist) {
		return checkUnknown(k, path, files)
	}
	if err != nil {
		return err
	}
	if what := theirs.Differs(mine, j.Folders[0].Flag); what != "" {
		return fmt.Errorf("%s %s has files of another run: %s; %s, or remove this one", folder.Flag, folder.Path, what, j.otherFolders())
	}
	return nil
}

// recordsIn are where the records in a folder are, of all commands.
func recordsIn(folder string) []string {
	paths, _ := filepath.Glob(filepath.Join(escape(folder), ownPrefix+"*.json"))
	return paths
}

// readRecord reads the record in a folder.
func readRecord(path string) (*Record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	of := new(Record)
	if err := json.Unmarshal(text, of); err != nil {
		return nil, fmt.Errorf("%s is damaged, so it is unknown which run the files in its folder are from: remove them all, or name another folder", path)
	}
	return of, nil
}

// checkUnknown refuses files in the k-th folder, which has no record.
func checkUnknown(k int, record string, files []File) error {
	for _, f := range files {
		if _, err := os.Lstat(f.paths[k]); err == nil {
			return fmt.Errorf("%s exists, but not %s, which records the run: name another folder, or remove the file", f.paths[k], record)
		}
	}
	return nil
}

// otherFolders is the advice to name others.
func (j *Job) otherFolders() string {
	advice := "name another folder"
	switch others := j.Folders[1:]; len(others) {
	case 0:
	case 1:
		advice += ", and another for " + others[0].Flag
	default:
		advice += ", and others for " + others[0].Flag + " and " + others[1].Flag
	}
	return advice
}

// From is where a folder is, from another one, so that both may be moved together.
func From(folder, to string) string {
	folder, to = realPath(folder), realPath(to)
	if path, err := filepath.Rel(folder, to); err == nil {
		return filepath.ToSlash(path)
	}
	return to
}

// realPath is a path from the root, without links.
func realPath(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return path
}
