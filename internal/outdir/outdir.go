// Package outdir makes an output of every input, in a folder where files have the names of the inputs and, where these
// are of several folders, keep them.
//
// Outputs appear whole or not at all. A run skips outputs that exist, so that the same command continues what an
// earlier run left. The folder has one small record: which run its outputs are from. A run with another model or other
// options is refused, and so is the output of an input that is younger. Runs at the same time share the work: a run
// locks an output while it makes it, and the lock ends with the process. What is computed of an input is the caller's:
//
//	job := outdir.NewJob("score", "out", "", "", name, beside)
//	files, passed, err := job.Files(arguments, shard) // those of this run, by name, and what runs before have made
//	err = job.Begin(ctx, run, files)                  // makes the folders, or refuses those of another run
//	result := job.Make(ctx, files, outdir.Maker{Workers: 8, Make: func(i int, f *outdir.File) error {
//		return osfile.WriteFile(f.Output, func(to io.Writer) error {
//			counts, err := score(f.Input, to)
//			if err != nil {
//				return err
//			}
//			return f.Done(counts)
//		})
//	}, …})
package outdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Job is what is made of inputs, and where.
type Job struct {
	Command string
	// Folders are different ones. The first has the outputs, others have what is made beside them, such as records
	// that are rejected. An output takes its name last: where it is, the others are.
	Folders []Folder

	begun bool   // there is a record
	base  string // below which inputs keep their folders, with the slash behind it; empty on several volumes
}

// Flags of folders, as messages and records have them.
const (
	OutputFlag     = "--out-dir"
	RejectsFlag    = "--rejects"
	AttributesFlag = "--attributes"
	QuarantineFlag = "--on-bad quarantine"
)

// Folder is one in which files have the names of inputs.
type Folder struct {
	Flag string // as messages call it
	Path string
	Name func(input string) string // of the file that is made of an input, given its name
}

// NewJob returns a job with the folders that have a path. It names outputs, and what is beside them.
func NewJob(command, outDir, rejects, quarantine string, output, beside func(input string) string) *Job {
	j := &Job{Command: command, Folders: []Folder{{OutputFlag, outDir, output}}}
	if rejects != "" {
		j.Folders = append(j.Folders, Folder{RejectsFlag, rejects, beside})
	}
	if quarantine != "" {
		j.Folders = append(j.Folders, Folder{QuarantineFlag, quarantine, func(input string) string {
			if corpus.FormatOfName(input) == corpus.Parquet { // whose rows are JSON lines there
				input += ".jsonl"
			}
			return beside(input)
		}})
	}
	return j
}

// Misuse is a mistake in what is asked for.
type Misuse struct{ error }

func (m Misuse) Unwrap() error { return m.error }

func misuse(format string, args ...any) error { return Misuse{fmt.Errorf(format, args...)} }

// whole returns a path from the root, with slashes. Links are not followed: outputs have the names that were given.
func whole(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil { // the working directory can't be read: the shell's word for it is what Abs had gone by
		abs = filepath.Join(os.Getenv("PWD"), path)
	}
	return filepath.ToSlash(abs)
}

// from returns where a path is, from a folder, with slashes, so that both may be moved together; the path itself on
// another volume.
func from(folder, path string) string {
	if path == "" {
		return ""
	}
	if below, err := filepath.Rel(filepath.FromSlash(whole(folder)), filepath.FromSlash(whole(path))); err == nil {
		return filepath.ToSlash(below)
	}
	return whole(path)
}

// folderOf returns the whole path of the folder of a file, with the slash behind it.
func folderOf(file string) string {
	path := whole(file)
	return path[:strings.LastIndexByte(path, '/')+1]
}

// common returns the folder that all files are in, at whatever depth; empty if there is none.
func common(files []string) string {
	base := folderOf(files[0])
	for _, file := range files[1:] {
		for folder := folderOf(file); !strings.HasPrefix(folder, base); {
			base = base[:strings.LastIndexByte(base[:len(base)-1], '/')+1]
		}
	}
	return base
}

// arrange finds out where outputs go, if a run has begun.
func (j *Job) arrange() error {
	outDir := j.Folders[0].Path
	r, err := readRecord(outDir)
	switch j.begun, j.base = err == nil, ""; {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR): // of which Begin tells
		return nil
	case err != nil:
		return err
	case r.Inputs != "":
		j.base = strings.TrimRight(whole(filepath.Join(outDir, filepath.FromSlash(r.Inputs))), "/") + "/"
	}
	if empty, err := isEmpty(outDir); err == nil && empty { // that run made nothing
		j.begun, j.base = false, ""
	}
	return nil
}

// file returns where what is made of an input goes.
func (j *Job) file(input string) (File, error) {
	f, sub := File{Input: input}, "."
	if j.base != "" {
		below, is := strings.CutPrefix(folderOf(input), j.base)
		if !is {
			return f, misuse("%s can't keep its folder, as it is not below %s, where all other inputs are: name another folder", input, j.base)
		}
		sub = path.Join(".", below)
	}
	for _, folder := range j.Folders {
		f.paths = append(f.paths, filepath.Join(folder.Path, filepath.FromSlash(sub), folder.Name(filepath.Base(input))))
	}
	f.job, f.Output = j, f.paths[0]
	return f, nil
}

// place returns where what is made of inputs goes. The same place for two is an error.
func (j *Job) place(inputs []string) (files []File, err error) {
	given, at := map[string]bool{}, map[string]string{}
	for _, input := range inputs {
		if given[whole(input)] {
			return nil, misuse("%s is given twice: give every input once", input)
		}
		given[whole(input)] = true
		f, err := j.file(input)
		if err != nil {
			return nil, err
		}
		for _, path := range f.paths {
			if first := at[path]; first != "" && first != input {
				return nil, misuse("the outputs of %s and %s would both be %s: use a folder for each", first, input, path)
			}
			at[path] = input
		}
		files = append(files, f)
	}
	return files, nil
}

// Files returns the inputs of this run or shard, by name, and the paths that are passed over as they are the folders of
// this job, or what a run before has made there.
//
// Outputs keep the folders of their inputs below the one that all inputs of the first run have in common: web/01/a.tsv
// and web/02/b.tsv become out/01/a.tsv and out/02/b.tsv. Later runs keep to that, so that an output that exists is not
// taken for that of another input of the same name.
func (j *Job) Files(given []string, shard Shard) (files []File, passed []string, err error) {
	if err := j.arrange(); err != nil {
		return nil, nil, err
	}
	inputs := given
	if j.begun {
		inputs, passed = j.others(given)
	}
	if !j.begun {
		j.base = common(inputs)
	}
	if files, err = j.place(inputs); err != nil {
		return nil, nil, err
	}
	folders := j.folders(inputs)
	for _, f := range files {
		if flag := folders[folderOf(f.Input)]; flag != "" {
			return nil, nil, misuse("%s is in the folder of %s, where outputs would be taken for inputs: name another folder",
				f.Input, flag)
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Output, b.Output) })
	if shard.Of > 0 {
		var own []File
		for i := shard.Number - 1; i < len(files); i += shard.Of {
			own = append(own, files[i])
		}
		files = own
	}
	for i := range files {
		if err := files[i].look(); err != nil {
			return nil, nil, err
		}
	}
	return files, passed, nil
}

// folders returns the flags of the folders where files are made of inputs.
func (j *Job) folders(inputs []string) map[string]string {
	folders := map[string]string{}
	for _, folder := range j.Folders {
		folders[strings.TrimRight(whole(folder.Path), "/")+"/"] = folder.Flag + " " + folder.Path
	}
	for _, input := range inputs {
		f, _ := j.file(input) // without paths if they have no place
		for k, path := range f.paths {
			folders[folderOf(path)] = j.Folders[k].Flag + " " + j.Folders[k].Path
		}
	}
	return folders
}

// others divides inputs into those of others and what runs before have made, with the folders where that is.
func (j *Job) others(given []string) (inputs, passed []string) {
	folders := j.folders(given)
	for _, input := range given {
		if folders[folderOf(input)] != "" || folders[whole(input)+"/"] != "" {
			passed = append(passed, input)
		} else {
			inputs = append(inputs, input)
		}
	}
	if len(inputs) == 0 { // then they are refused
		return given, nil
	}
	return inputs, passed
}

// Begin makes the folders, which must be different ones, and claims them for this run. Make is to be called after it.
func (j *Job) Begin(ctx context.Context, run Run, files []File) error {
	for k, folder := range j.Folders {
		for _, other := range j.Folders[:k] {
			if whole(other.Path) == whole(folder.Path) {
				return misuse("%s and %s must be different folders, got %s for both",
					other.Flag, folder.Flag, folder.Path)
			}
		}
		if err := os.MkdirAll(folder.Path, 0o777); err != nil {
			return fmt.Errorf("%s: %w", folder.Flag, err)
		}
		if err := osfile.CheckWritable(filepath.Join(folder.Path, "file")); err != nil {
			return fmt.Errorf("%s: can't write files to %s: %w", folder.Flag, folder.Path, errors.Unwrap(err))
		}
	}
	for k, folder := range j.Folders {
		stray := slices.IndexFunc(files, func(f File) bool {
			_, err := os.Lstat(f.paths[k])
			return err == nil
		})
		if stray < 0 {
			continue
		}
		// A run that begins now writes its record first, so there is one if the file is its own.
		if _, err := readRecord(folder.Path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s exists, but not %s, which records the run: name another folder, or remove the file",
				files[stray].paths[k], filepath.Join(folder.Path, RecordName))
		}
	}
	outDir := j.Folders[0].Path
	for k, folder := range j.Folders {
		r := record{Version: 1, Command: j.Command, Run: run, Inputs: from(outDir, j.base)}
		if k > 0 {
			r.Flag, r.OutDir, r.Inputs = folder.Flag, from(folder.Path, outDir), ""
		}
		if err := r.claim(ctx, folder); err != nil {
			return err
		}
	}
	for _, f := range files {
		for _, path := range f.paths {
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return err
			}
		}
	}
	return nil
}

// File is an input, where what is made of it goes, and what became of it.
type File struct {
	Input   string  `json:"input"`
	Output  string  `json:"output"`
	State   State   `json:"state"`
	Reason  string  `json:"reason,omitempty"` // why it failed, or was passed over
	Bytes   int64   `json:"bytes"`            // of the input
	Seconds float64 `json:"seconds,omitempty"`
	*Counts         // of what this run has made
	Err     error   `json:"-"`

	job   *Job
	info  fs.FileInfo // of the input
	paths []string    // of the files, one in each folder
}

// Counts are how many records of an input there are, bad ones too, and what became of them.
type Counts struct {
	Documents int64 `json:"documents"`
	Written   int64 `json:"written"`
	Bad       int64 `json:"bad"`
	// Reasons are those of the bad records.
	Reasons corpus.Reasons `json:"bad_reasons,omitempty"`
}

// In returns where the file in the folder of a flag goes; empty if there is no such folder.
func (f *File) In(flag string) string {
	if k := slices.IndexFunc(f.job.Folders, func(of Folder) bool { return of.Flag == flag }); k >= 0 {
		return f.paths[k]
	}
	return ""
}

// look looks at the input.
func (f *File) look() error {
	info, err := os.Stat(f.Input)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder: name its files, as in '%s'", f.Input, filepath.Join(f.Input, "*"))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file, so it can't be read again: save it to a file", f.Input)
	}
	f.Bytes, f.info = info.Size(), info
	return nil
}
