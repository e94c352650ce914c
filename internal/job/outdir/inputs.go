package outdir

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Inputs passes over what runs before have made, of the files that are given: outputs may be in the folder of the
// inputs. It returns what it passes over.
func (j *Job) Inputs(given []string) (inputs, passed []string) {
	made := j.madeBefore(given)
	for _, path := range given {
		if made(path) {
			passed = append(passed, path)
		} else {
			inputs = append(inputs, path)
		}
	}
	if len(inputs) == 0 { // then there is something else that is wrong
		return given, nil
	}
	return inputs, passed
}

func hidden(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") }

// madeBefore tells which inputs are folders of outputs or, where a run has begun, what it makes there of other inputs.
func (j *Job) madeBefore(inputs []string) func(path string) bool {
	j.arrange() // Files tells of its error
	var folders []string
	infos := map[string]fs.FileInfo{}
	// Inputs may be very many: what their names tell is not asked of the file system.
	named := map[string][]fs.FileInfo{} // folders, by what they are called
	add := func(path string) {
		if _, known := infos[path]; known {
			return
		}
		info, _ := os.Stat(path) // nil if it does not exist yet, or is in another store
		real, err := realPath(path)
		if err != nil { // likewise
			real = path
		}
		folders, infos[path] = append(folders, path), info
		for _, name := range []string{filepath.Base(path), filepath.Base(real)} {
			named[name] = append(named[name], info)
		}
	}
	for _, folder := range j.Folders {
		add(folder.Path)
	}
	outputs := map[string]int{}
	for _, input := range inputs {
		f, _ := j.file(input) // Files tells of its error
		for k, path := range f.paths {
			outputs[path]++
			add(f.folders[k].Path)
		}
	}
	parents := map[string][]string{} // folders that are the parent of an input
	ours := func(path string) []string {
		of, known := parents[path]
		if !known {
			info, _ := os.Stat(path)
			for _, folder := range folders {
				if strings.TrimRight(path, "/") == strings.TrimRight(folder, "/") ||
					info != nil && infos[folder] != nil && os.SameFile(info, infos[folder]) {
					of = append(of, folder)
				}
			}
			parents[path] = of
		}
		return of
	}
	return func(input string) bool {
		for _, info := range named[filepath.Base(input)] {
			if sameFile(input, info) {
				return true
			}
		}
		if !j.begun {
			return false
		}
		folder, name := parent(input), filepath.Base(input)
		if filepath.Base(folder) == MadeFolder {
			folder, name = parent(folder), MadeFolder
		}
		f, _ := j.file(input)
		for _, of := range ours(folder) {
			switch at := Join(of, name); {
			case hidden(name) && strings.Contains(name, ownPrefix),
				outputs[at] > 1, outputs[at] == 1 && !slices.Contains(f.paths, at):
				there, _ := exists(j.store(), input)
				return there
			}
		}
		return false
	}
}

// sameFile tells whether a path is that of a file, which may be nil.
func sameFile(path string, info fs.FileInfo) bool {
	at, err := os.Stat(path)
	return err == nil && info != nil && os.SameFile(at, info)
}
