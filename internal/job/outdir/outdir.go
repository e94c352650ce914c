// Package outdir makes an output of every input, in a folder where files have the names of the inputs and, where these
// alone would be the same, keep their folders.
//
// Outputs appear whole or not at all. A run skips outputs that exist, so that the same command continues what an
// earlier run left. The folder has one [Record]: which run its outputs are from, and a line for each of them, with the
// size and time of its input. A run with another model or other options is refused, and so is the output of an input
// that has changed. Runs at the same time share the work: a run locks an output while it makes it, and the record while
// it adds a line, and both locks end with the process. What is computed of an input is the caller's:
//
//	job := outdir.NewJob("score", "out", "", "", name, beside)
//	inputs, passed := job.Inputs(arguments)   // without what runs before have made
//	files, err := job.Files(inputs, shard)    // those of this run, by name
//	err = job.Begin(run, files)               // makes the folders, or refuses those of another run
//	result := job.Make(ctx, files, outdir.Maker{Workers: 8, Make: func(i int, f *outdir.File) error {
//		return osfile.WriteFile(f.Output, func(to io.Writer) error {
//			counts, err := score(f.Input, f.Summed(to))
//			if err != nil {
//				return err
//			}
//			return f.Done(counts)
//		})
//	}, …})
package outdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// Job is what is made of inputs, and where.
type Job struct {
	Command string
	// Folders are different ones. The first has the outputs, others have what is made beside them, such as records
	// that are rejected. An output takes its name last: where it is, the others are.
	Folders []Folder
	Store   Store // of inputs, outputs and records; nil for this machine's files

	record Record
	begun  bool   // there is a record
	base   string // below which inputs keep their folders, with the slash behind it; empty if they do not
}

// Flags of folders, as messages and records have them.
const (
	OutputFlag     = "--out-dir"
	RejectsFlag    = "--rejects"
	QuarantineFlag = "--on-bad quarantine"
)

// Folder is one in which files have the names of inputs.
type Folder struct {
	Flag   string // as messages call it
	Path   string
	Name   func(input string) string // of the file that is made of an input, given its name
	Always bool                      // there is a file beside every output
}

// Store is where inputs and outputs are. The error for what does not exist is [fs.ErrNotExist].
type Store interface {
	Stat(path string) (fs.FileInfo, error)
	// Record returns the record of a folder, which need not exist yet.
	Record(folder string) Record
}

// disk is the store of this machine's files.
type disk struct{}

func (disk) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }
func (disk) Record(folder string) Record           { return DiskRecord(folder) }

// NewJob returns a job with the folders that have a path. It names outputs, and what is beside them.
func NewJob(command, outDir, rejects, quarantine string, output, beside func(input string) string) *Job {
	j := &Job{Command: command, Folders: []Folder{{Flag: OutputFlag, Path: outDir, Name: output}}}
	if rejects != "" {
		j.Folders = append(j.Folders, Folder{Flag: RejectsFlag, Path: rejects, Name: beside, Always: true})
	}
	if quarantine != "" {
		j.Folders = append(j.Folders, Folder{Flag: QuarantineFlag, Path: quarantine, Name: func(input string) string {
			if corpus.FormatOfName(input) == corpus.Parquet { // whose rows are JSON lines there
				input += ".jsonl"
			}
			return beside(input)
		}})
	}
	return j
}

// NewPackJob returns a job that packs inputs into parts of a corpus.
func NewPackJob(outDir, quarantine string) *Job {
	part := func(input string) string { return flags.Stem(input) + ".nbc" }
	return NewJob("pack", outDir, "", quarantine, part, func(input string) string { return input })
}

// Misuse is a mistake in what is asked for.
type Misuse struct{ error }

func (m Misuse) Unwrap() error { return m.error }

func misuse(format string, args ...any) error { return Misuse{fmt.Errorf(format, args...)} }

// With returns the job in another store, which has the same files.
func (j *Job) With(s Store) *Job {
	job := *j
	if job.Store = s; !IsLocal(job.outDir()) {
		job.record = nil
	}
	return &job
}

func (j *Job) outDir() string { return j.Folders[0].Path }

// arrange finds out where outputs go, if a run has begun.
func (j *Job) arrange() error {
	if j.Store == nil {
		j.Store = disk{}
	}
	if j.record == nil {
		j.record = j.Store.Record(j.outDir())
	}
	head, err := j.record.Head()
	switch j.begun, j.base = err == nil, ""; {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR): // of which Begin tells
		return nil
	case err == nil && head.Inputs != "":
		j.base = strings.TrimRight(whole(Join(j.outDir(), head.Inputs)), "/") + "/"
	}
	return err
}

// Inputs returns the inputs without the folders of the job and what runs before have written there, and those that it
// leaves out. Outputs may be in the folder of the inputs.
func (j *Job) Inputs(given []string) (inputs, passed []string) {
	made := map[string]bool{}
	if j.arrange() == nil && j.begun { // Files returns its error
		outputs, _ := j.record.Outputs()
		for _, name := range outputs {
			for ; name != "." && name != "/"; name = path.Dir(name) { // with the folders that it is in
				made[whole(Join(j.outDir(), name))] = true
			}
		}
	}
	ours := func(input string) bool {
		input = whole(input)
		for k, folder := range j.Folders {
			below, is := strings.CutPrefix(input+"/", strings.TrimSuffix(whole(folder.Path), "/")+"/")
			if is && (below == "" || j.begun && (k > 0 || strings.Contains(filepath.Base(input), ownPrefix))) {
				return true
			}
		}
		return made[input]
	}
	for _, input := range given {
		if ours(input) {
			passed = append(passed, input)
		} else {
			inputs = append(inputs, input)
		}
	}
	if len(inputs) == 0 { // then there is something else that is wrong
		return given, nil
	}
	return inputs, passed
}

// File returns where what is made of an input goes, once a run has begun.
func (j *Job) File(input string) (*File, error) {
	if err := j.arrange(); err != nil {
		return nil, err
	}
	f, err := j.file(input)
	return &f, err
}

func (j *Job) file(input string) (File, error) {
	sub, err := subfolder(j.base, input)
	name := filepath.Base(input)
	f := File{Input: input, job: j, key: path.Join(sub, name), name: path.Join(sub, j.Folders[0].Name(name))}
	for _, folder := range j.Folders {
		f.paths = append(f.paths, Join(folder.Path, path.Join(sub, folder.Name(name))))
	}
	f.Output = f.paths[0]
	return f, err
}

// place returns where what is made of inputs goes. The same place for two is an error, and equal tells of it.
func (j *Job) place(inputs []string) (files []File, equal bool, err error) {
	given, at := map[string]string{}, map[string]string{}
	for _, input := range inputs {
		if given[whole(input)] != "" {
			return nil, false, misuse("%s is given twice: give every input once", input)
		}
		given[whole(input)] = input
	}
	for _, input := range inputs {
		f, err := j.file(input)
		if err != nil {
			return nil, false, err
		}
		for k, path := range f.paths {
			if other := given[whole(path)]; other != "" {
				return nil, false, misuse("%s %s and input %s are the same file: name another folder",
					j.Folders[k].Flag, path, other)
			}
			if first := at[path]; first != "" && first != input {
				advice := "use a folder for each"
				if j.begun && folderOf(first) != folderOf(input) {
					advice = "name a new folder, which keeps theirs"
				}
				return nil, true, misuse("the outputs of %s and %s would both be %s: %s", first, input, path, advice)
			}
			at[path] = input
		}
		files = append(files, f)
	}
	return files, false, nil
}

// Files returns the inputs of this run or shard, by name. Outputs are all in one folder, unless two would have the same
// name. Then all keep the folders of their inputs, below the one that the inputs have in common: web/01/a.tsv and
// web/02/a.tsv become out/01/a.tsv and out/02/a.tsv. Later runs keep to that, so that an input has one output.
func (j *Job) Files(inputs []string, shard corpus.Shard) ([]File, error) {
	if err := j.arrange(); err != nil {
		return nil, err
	}
	if j.begun {
		if outputs, err := j.record.Outputs(); err == nil && len(outputs) == 0 { // that run made nothing
			j.begun, j.base = false, ""
		}
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
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Output, b.Output) })
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
		if err := files[i].look(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Begin makes the folders, which must be different ones, and claims them for this run. It removes temporary files that
// killed runs have left there. Make is to be called after it.
func (j *Job) Begin(run provenance.Run, files []File) error {
	for k, folder := range j.Folders {
		for _, other := range j.Folders[:k] {
			if strings.TrimSuffix(whole(other.Path), "/") == strings.TrimSuffix(whole(folder.Path), "/") {
				return misuse("%s and %s must be different folders, got %s for both",
					other.Flag, folder.Flag, folder.Path)
			}
		}
		if !IsLocal(folder.Path) {
			continue
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
			return err == nil && IsLocal(f.paths[k])
		})
		if stray < 0 {
			continue
		}
		// A run that begins now writes its record first, so there is one if the file is its own.
		if _, err := j.Store.Record(folder.Path).Head(); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s exists, but not %s, which records the run: name another folder, or remove the file",
				files[stray].paths[k], Join(folder.Path, RecordName))
		}
	}
	for k := range j.Folders {
		if err := j.claim(k, run, Record.Claim); err != nil {
			return err
		}
	}
	swept := map[string]bool{}
	for _, f := range files {
		for _, path := range f.paths {
			if folder := filepath.Dir(path); IsLocal(path) && !swept[folder] {
				swept[folder] = true
				if err := os.MkdirAll(folder, 0o777); err != nil {
					return err
				}
				osfile.SweepFolder(folder)
			}
		}
	}
	return nil
}

// Resume takes part in a run that has begun, perhaps on another machine. It refuses folders of another one.
func (j *Job) Resume(run provenance.Run) error {
	if err := j.arrange(); err != nil {
		return err
	}
	for k := range j.Folders {
		err := j.claim(k, run, func(r Record, _ Head) (Head, error) { return r.Head() })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// claim refuses a folder of another run than that with the head which by returns.
func (j *Job) claim(k int, run provenance.Run, by func(Record, Head) (Head, error)) error {
	folder, record := j.Folders[k], j.record
	head := Head{Version: 1, Command: j.Command, Run: run, Inputs: from(j.outDir(), j.base)}
	if k > 0 {
		head.Flag, head.OutDir, head.Inputs = folder.Flag, from(folder.Path, j.outDir()), ""
		record = j.Store.Record(folder.Path)
	}
	theirs, err := by(record, head)
	if err != nil {
		return err
	}
	if what := theirs.Differs(&head); what != "" {
		return fmt.Errorf("%s %s has files of another run: %s; name another folder, or remove this one",
			folder.Flag, folder.Path, what)
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
	*Made           // nil if there is no output
	Err     error   `json:"-"`

	job   *Job
	info  fs.FileInfo // of the input
	key   string      // the input's name in the record, below the folder that inputs have in common
	name  string      // the output's, from its folder
	paths []string    // of the files, one in each folder
	sum   *provenance.Summer
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
	info, err := f.job.Store.Stat(f.Input)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder: name its files, as in '%s'", f.Input, filepath.Join(f.Input, "*"))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file, so it can't be read again: save it to a file", f.Input)
	case !utf8.ValidString(f.key):
		return fmt.Errorf("%s: the file name is not valid UTF-8, so it can't be recorded: rename the file", f.Input)
	}
	f.Bytes, f.info = info.Size(), info
	return nil
}
