package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/provenance"
)

// folderRecord stands in the folders of outputs, hidden, and tells of which run their files are: a later one must be
// of the same model and options. It passes over what is there, and would replace rejects and bad records of another.
const folderRecord = ownPrefix + "score.json"

// folderNote is what the record in a folder says.
type folderNote struct {
	provenance.Run
	// Of rejects and bad records: what they are, and where the folder of --out-dir is, from this one.
	Flag   string `json:"flag,omitempty"`
	OutDir string `json:"out-dir,omitempty"`
}

// differs says in what the files of a folder are of another run; empty if they are of the same.
func (n *folderNote) differs(o *folderNote) string {
	switch {
	case n.Flag != o.Flag:
		return fmt.Sprintf("they are those of %s", n.of())
	case n.OutDir != o.OutDir:
		return fmt.Sprintf("they belong to those in %s, not in %s", n.OutDir, o.OutDir)
	}
	return n.Run.Differs(&o.Run)
}

// of is the flag that names the folder.
func (n *folderNote) of() string {
	if n.Flag == "" {
		return "--out-dir"
	}
	return n.Flag
}

// claimFolders makes sure that what is in the folders is of this run. Nothing is written if one has files of another.
func (s *scoreCmd) claimFolders(files []folderFile) error {
	run, err := provenance.NewRun(s.Model, s.outputOptions())
	if err != nil {
		return err
	}
	if s.Rejects != "" {
		run.Options["rejects"] = provenance.Folder
	}
	folders := s.outFolders()
	notes := make([]folderNote, len(folders))
	for i, folder := range folders {
		notes[i].Run = run
		if i > 0 {
			notes[i].Flag, notes[i].OutDir = folder.flag, from(folder.path, s.OutDir)
		}
		if err := s.checkNote(folder, &notes[i], files); err != nil {
			return err
		}
	}
	for i, folder := range folders {
		path := filepath.Join(folder.path, folderRecord)
		if exists(path) {
			continue
		}
		if err := atomicfile.WriteJSON(path, "  ", notes[i]); err != nil {
			return err
		}
		// Another run may have been faster.
		if err := s.checkNote(folder, &notes[i], nil); err != nil {
			return err
		}
	}
	return nil
}

// checkNote refuses a folder that has files of another run, or those whose run is not known, which would be replaced.
func (s *scoreCmd) checkNote(folder outFolder, mine *folderNote, files []folderFile) error {
	path := filepath.Join(folder.path, folderRecord)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s.checkUnknown(folder, path, files)
	}
	if err != nil {
		return err
	}
	var theirs folderNote
	if err := json.Unmarshal(text, &theirs); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	if what := theirs.differs(mine); what != "" {
		return fmt.Errorf("%s %s holds files of another run: %s; %s, or remove that one", folder.flag, folder.path, what, s.otherFolders())
	}
	return nil
}

// checkUnknown refuses files in a folder without a record.
func (s *scoreCmd) checkUnknown(folder outFolder, record string, files []folderFile) error {
	for _, f := range files {
		if folder.path != s.OutDir && exists(f.output) {
			continue // nothing is written
		}
		for _, path := range f.paths() {
			if path == "" || filepath.Dir(path) != filepath.Clean(folder.path) {
				continue
			}
			if _, err := os.Lstat(path); err == nil {
				return fmt.Errorf("%s is there already, but no %s that tells of what run it is: name another folder, or remove the file", path, record)
			}
		}
	}
	return nil
}

// otherFolders is the advice to name others.
func (s *scoreCmd) otherFolders() string {
	advice := "name another folder"
	switch folders := s.outFolders()[1:]; len(folders) {
	case 0:
	case 1:
		advice += ", and another for " + folders[0].flag
	default:
		advice += ", and others for " + folders[0].flag + " and " + folders[1].flag
	}
	return advice
}

// from is where a folder is, from another one, so that both may be moved together.
func from(folder, to string) string {
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
