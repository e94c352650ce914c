package outdir

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Inputs puts files in the place of patterns, and passes over what runs before have made: outputs may be in the folder
// of the inputs. It returns what it passes over.
func (j *Job) Inputs(given []string) (inputs, passed []string) {
	var all []string
	for _, path := range given {
		all = append(all, Expand(path)...)
	}
	made := j.madeBefore(all)
	for _, path := range all {
		if made(path) {
			passed = append(passed, path)
		} else {
			inputs = append(inputs, path)
		}
	}
	if len(inputs) == 0 { // then there is something else that is wrong
		return all, nil
	}
	return inputs, passed
}

// Expand lists the files of a pattern by name, as a shell does, which takes only so many. What matches nothing stays.
func Expand(path string) []string {
	if there, _ := exists(Disk{}, path); there || !strings.ContainsAny(path, `*?[\`) {
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
func (j *Job) madeBefore(inputs []string) func(path string) bool {
	infos := make([]fs.FileInfo, len(j.Folders))
	// Inputs may be very many: what their names tell is not asked of the file system.
	names := make([][2]string, len(j.Folders))
	for k, folder := range j.Folders {
		infos[k], _ = os.Stat(folder.Path) // nil if it does not exist yet, or is in another store
		names[k] = [2]string{filepath.Base(folder.Path), filepath.Base(realPath(folder.Path))}
	}
	outputs := map[string]int{}
	for _, input := range inputs {
		for _, path := range j.file(input).paths {
			outputs[path]++
		}
	}
	begun, _ := exists(j.store(), Join(j.outDir(), j.recordName()))
	parents := map[string]fs.FileInfo{}
	isFolder := func(path string, k int) bool {
		info, known := parents[path]
		if !known {
			info, _ = os.Stat(path)
			parents[path] = info
		}
		return strings.TrimRight(path, "/") == strings.TrimRight(j.Folders[k].Path, "/") ||
			info != nil && infos[k] != nil && os.SameFile(info, infos[k])
	}
	return func(input string) bool {
		folder, name := parent(input), filepath.Base(input)
		if filepath.Base(folder) == MadeFolder {
			folder, name = parent(folder), MadeFolder
		}
		own := j.file(input).paths
		for k, of := range j.Folders {
			switch at := Join(of.Path, name); {
			case slices.Contains(names[k][:], filepath.Base(input)) && sameFile(input, infos[k]):
				return true
			case !begun || !isFolder(folder, k):
			case hidden(name) && strings.Contains(name, ownPrefix), outputs[at] > 1, outputs[at] == 1 && !slices.Contains(own, at):
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
