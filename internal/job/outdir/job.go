// Package outdir makes an output of every input, in folders where files have the names of the inputs and, where these
// alone would be the same, keep their folders.
//
// Outputs appear whole or not at all. What is there already is passed over: the same command goes on with what an
// earlier run has left. Runs at the same time share the work. A hidden record in each folder tells of which run its
// files are, so that those of another are neither taken for done nor replaced. A record of each output, [Made], tells
// of what it was made and what it is: one whose input has changed is made again, and [Verify] finds what is lost or
// damaged. No file is written by more than one run, so that hundreds of machines may share a folder. What is computed
// of an input is the caller's:
//
//	job := &outdir.Job{Command: "score", Folders: []outdir.Folder{{Flag: "--out-dir", Path: "out", Name: name}}}
//	inputs, passed := job.Inputs(arguments)   // without what runs before have made
//	files, err := job.Files(inputs, shard)    // those of this run, by name
//	err = job.Begin(run, files)               // makes the folders, or refuses those of another run
//	result := job.Make(ctx, files, outdir.Maker{Workers: 8, Make: func(i int, w *outdir.Work) error {
//		return atomicfile.WriteFile(w.Output(), func(to io.Writer) error {
//			counts, err := score(w.Input, w.Raw, w.Summed("--out-dir", to))
//			if err != nil {
//				return err
//			}
//			return w.Done(counts)
//		})
//	}})
package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/file/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/file/scratch"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// Job is what is made of inputs, and where.
type Job struct {
	Command string // of which the records in the folders are
	// Folders are different ones. The first has the outputs, others have what is made beside them, such as records
	// that are rejected. An output takes its name last: where it is, the others are.
	Folders []Folder
	Store   Store // of inputs, outputs and records; nil for [Disk]

	run   string // by which Begin tells runs apart
	begun bool   // there is a record
	base  string // below which inputs keep their folders, with the slash behind it; empty if they do not
}

// Flags of folders, as messages and records have them.
const (
	OutputFlag     = "--out-dir"
	RejectsFlag    = "--rejects"
	QuarantineFlag = "--on-bad quarantine"
)

// NewJob is a job with the folders that have a path. It names outputs, and what stands beside them.
func NewJob(command, outDir, rejects, quarantine string, output, beside func(input string) string) *Job {
	j := &Job{Command: command, Folders: []Folder{{Flag: OutputFlag, Path: outDir, Name: output}}}
	if rejects != "" {
		j.Folders = append(j.Folders, Folder{Flag: RejectsFlag, Path: rejects, Name: beside, Always: true})
	}
	if quarantine != "" {
		j.Folders = append(j.Folders, Folder{Flag: QuarantineFlag, Path: quarantine, Name: beside})
	}
	return j
}

// NewPackJob is a job that packs inputs into parts of a corpus.
func NewPackJob(outDir, quarantine string) *Job {
	part := func(input string) string { return corpus.Stem(input) + ".nbc" }
	return NewJob("pack", outDir, "", quarantine, part, func(input string) string { return input })
}

// Folder is one in which files have the names of inputs.
type Folder struct {
	Flag   string // as messages call it
	Path   string
	Name   func(input string) string // of the file that is made of an input, given its name
	Always bool                      // there is a file beside every output
}

// File is an input and what is made of it.
type File struct {
	Input string
	Bytes int64 // of the input

	info    fs.FileInfo // of the input
	sub     string      // the folder that is kept, or "."
	folders []Folder    // with it
	paths   []string    // of the files, one in each folder
}

// Output is where the output goes.
func (f *File) Output() string { return f.paths[0] }

// In is where the file in the folder of a flag goes; empty if there is no such folder.
func (f *File) In(flag string) string {
	for k := range f.folders {
		if f.folders[k].Flag == flag {
			return f.paths[k]
		}
	}
	return ""
}

// Misuse is a mistake in what is asked for.
type Misuse struct{ error }

func (m Misuse) Unwrap() error { return m.error }

func misuse(format string, args ...any) error { return Misuse{fmt.Errorf(format, args...)} }

// File says where what is made of an input goes, once a run has begun.
func (j *Job) File(input string) (*File, error) {
	if err := j.arrange(); err != nil {
		return nil, err
	}
	f, err := j.file(input)
	return &f, err
}

func (j *Job) file(input string) (File, error) {
	sub, err := subfolder(j.base, input)
	f := File{Input: input, sub: sub}
	for _, folder := range j.Folders {
		if sub != "." {
			folder.Path = Join(folder.Path, sub)
		}
		f.folders = append(f.folders, folder)
		f.paths = append(f.paths, Join(folder.Path, folder.Name(filepath.Base(input))))
	}
	return f, err
}

func (j *Job) store() Store {
	if j.Store == nil {
		return Disk{}
	}
	return j.Store
}

// outDir is the folder of the outputs.
func (j *Job) outDir() string { return j.Folders[0].Path }

// place says where what is made of inputs goes. The same place for two is an error, and equal tells of it.
func (j *Job) place(inputs []string) (files []File, equal bool, err error) {
	from := map[string]string{}
	for _, input := range inputs {
		f, err := j.file(input)
		if err != nil {
			return nil, false, err
		}
		for k, path := range f.paths {
			switch first := from[path]; {
			case path == input:
				return nil, false, replaces(&f, k, input)
			case first == "":
			case whole(first) == whole(input):
				return nil, false, misuse("%s is given twice: give every input once", input)
			default:
				advice := "use a folder for each"
				if j.begun && folderOf(first) != folderOf(input) {
					advice = "name a new folder, which keeps theirs"
				}
				return nil, true, misuse("the outputs of %s and %s would both be %s: %s", first, input, path, advice)
			}
		}
		for _, path := range f.paths {
			from[path] = input
		}
		files = append(files, f)
	}
	return files, false, nil
}

// Files are the inputs of this run or shard, by name. What is wrong with any of these is known before the work begins.
func (j *Job) Files(inputs []string, shard corpus.Shard) ([]File, error) {
	if err := j.arrange(); err != nil {
		return nil, err
	}
	if j.begun && j.unused(j.outDir()) {
		j.begun, j.base = false, ""
	}
	files, equal, err := j.place(inputs)
	if equal && !j.begun {
		if j.base = common(inputs); j.base != "" {
			files, _, err = j.place(inputs)
		}
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Output(), b.Output()) })
	if shard.Of > 0 {
		var own []File
		for i := shard.Number - 1; i < len(files); i += shard.Of {
			own = append(own, files[i])
		}
		files = own
	}
	for i := range files {
		if !IsLocal(files[i].Input) {
			continue // to look at each takes long, and is done when it is its turn
		}
		if err := j.look(&files[i]); err != nil {
			return nil, err
		}
	}
	return files, keepInputs(files)
}

// look looks at an input.
func (j *Job) look(f *File) error {
	info, err := j.store().Stat(f.Input)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder: name its files, as in '%s'", f.Input, filepath.Join(f.Input, "*"))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file, so it can't be read again to check its output: save it to a file", f.Input)
	case !utf8.ValidString(filepath.Base(f.Input)):
		return fmt.Errorf("%s: the file name is not valid UTF-8, so it can't be recorded: rename the file", f.Input)
	}
	f.Bytes, f.info = info.Size(), info
	return nil
}

// replaces is the error for an input that is where the k-th file that is made of one goes.
func replaces(f *File, k int, input string) error {
	return misuse("%s %s and input %s are the same file: name another folder", f.folders[k].Flag, f.paths[k], input)
}

// keepInputs makes sure that no input is replaced.
func keepInputs(files []File) error {
	type looks struct { // what is the same of a file by whatever name
		bytes int64
		time  int64
	}
	of := func(info fs.FileInfo) looks { return looks{info.Size(), info.ModTime().UnixNano()} }
	alike := map[looks][]int{}
	for i := range files {
		info := files[i].info
		if info == nil {
			continue
		}
		alike[of(info)] = append(alike[of(info)], i)
	}
	for _, f := range files {
		for k, path := range f.paths {
			there, err := os.Stat(path)
			if err != nil {
				continue
			}
			for _, i := range alike[of(there)] {
				if os.SameFile(there, files[i].info) {
					return replaces(&f, k, files[i].Input)
				}
			}
		}
	}
	return nil
}

// Begin makes the folders, and makes sure that what is in them is of this run. It removes what runs that were killed
// have left there. Job.Make is to be called behind it.
func (j *Job) Begin(run provenance.Run, files []File) error {
	parts := j.parts(files)
	for _, p := range parts {
		if err := p.makeFolders(); err != nil {
			return err
		}
	}
	// Nothing is written if a folder has files of another run.
	for _, p := range parts {
		if err := p.check(run); err != nil {
			return err
		}
	}
	for _, p := range parts {
		if err := p.claim(run); err != nil {
			return err
		}
	}
	j.run = run.ID()
	for _, p := range parts {
		for _, folder := range p.Folders {
			sweep(folder.Path)
		}
		sweep(Join(p.outDir(), MadeFolder))
	}
	return nil
}

// Resume takes part in a run that has begun, perhaps on another machine.
func (j *Job) Resume(run provenance.Run) error {
	now := *j
	if err := now.arrange(); err != nil {
		return err
	}
	j.run = run.ID()
	record, err := now.record(0, run)
	if err != nil {
		return err
	}
	return now.checkFolder(0, record, nil)
}

// sweep removes what killed runs of this machine have left in a folder.
func sweep(folder string) {
	left, _ := scratch.Find(folder)
	for _, l := range left {
		if l.Ours() {
			l.Remove(false) // the next run may be able to
		}
	}
}

// makeFolders makes the folders, which must be different ones.
func (j *Job) makeFolders() error {
	infos := make([]fs.FileInfo, len(j.Folders))
	for k, folder := range j.Folders {
		if IsLocal(folder.Path) {
			if err := os.MkdirAll(folder.Path, 0o777); err != nil {
				return fmt.Errorf("%s: %w", folder.Flag, err)
			}
			if err := atomicfile.Check(filepath.Join(folder.Path, "file")); err != nil {
				return fmt.Errorf("%s: can't write files to %s: %w", folder.Flag, folder.Path, errors.Unwrap(err))
			}
			var err error
			if infos[k], err = os.Stat(folder.Path); err != nil {
				return err
			}
		}
		for i, other := range j.Folders[:k] {
			if strings.TrimRight(other.Path, "/") == strings.TrimRight(folder.Path, "/") ||
				infos[i] != nil && infos[k] != nil && os.SameFile(infos[i], infos[k]) {
				return misuse("%s and %s must be different folders, got %s for both", other.Flag, folder.Flag, folder.Path)
			}
		}
	}
	return nil
}
