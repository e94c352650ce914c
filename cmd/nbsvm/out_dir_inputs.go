package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// findInputs puts files in the place of patterns, and passes over what runs before have made: outputs may be in the
// folder of the inputs. It returns what it passes over.
func (s *scoreCmd) findInputs() (passed []string) {
	var given []string
	for _, path := range s.Input {
		given = append(given, expand(path)...)
	}
	s.Input = given
	made := s.madeBefore()
	s.Input = nil
	for _, path := range given {
		if made(path) {
			passed = append(passed, path)
		} else {
			s.Input = append(s.Input, path)
		}
	}
	if len(s.Input) == 0 { // then there is something else that is wrong
		s.Input, passed = given, nil
	}
	return passed
}

// expand lists the files of a pattern, as a shell does, which takes only so many. What matches nothing stays.
func expand(path string) []string {
	if exists(path) {
		return []string{path}
	}
	found, _ := filepath.Glob(path) // what is no pattern is no file, either
	if !hidden(path) {
		found = slices.DeleteFunc(found, hidden)
	}
	if len(found) == 0 {
		return []string{path}
	}
	return found
}

func hidden(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") }

// madeBefore tells which inputs are folders of outputs or, where a run has begun, what it makes there of other inputs.
func (s *scoreCmd) madeBefore() func(path string) bool {
	folders := s.outFolders()
	infos := make([]fs.FileInfo, len(folders))
	for k, folder := range folders {
		infos[k], _ = os.Stat(folder.path) // nil if it is not there yet
	}
	outputs := map[string]int{}
	for _, input := range s.Input {
		f := s.fileOf(input)
		for _, path := range f.paths() {
			outputs[path]++
		}
	}
	begun := exists(filepath.Join(s.OutDir, folderRecord))
	parents := map[string]fs.FileInfo{}
	return func(input string) bool {
		info, err := os.Stat(input)
		if err != nil {
			return false
		}
		folder, name := filepath.Dir(input), filepath.Base(input)
		if filepath.Base(folder) == badFolder {
			folder, name = filepath.Dir(folder), badFolder
		}
		parent, known := parents[folder]
		if !known {
			parent, _ = os.Stat(folder)
			parents[folder] = parent
		}
		f := s.fileOf(input)
		for k, of := range folders {
			switch at := filepath.Join(of.path, name); {
			case infos[k] == nil:
			case os.SameFile(info, infos[k]):
				return true
			case !begun || parent == nil || !os.SameFile(parent, infos[k]):
			case hidden(name) && strings.Contains(name, ownPrefix), outputs[at] > 1, outputs[at] == 1 && !slices.Contains(f.paths(), at):
				return true
			}
		}
		return false
	}
}
