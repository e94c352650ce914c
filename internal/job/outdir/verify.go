package outdir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// Verdict is what [Verify] has found.
type Verdict struct {
	Folder string `json:"folder"`
	Files  int    `json:"files"` // that have a record
	Bytes  int64  `json:"bytes"` // of these
	Counts        // of the records that they are made of; of folders beside outputs, those of the outputs
	// BadFiles is how many inputs are recorded as damaged or wrong, so that nothing could be made of them as they are.
	BadFiles int `json:"bad_files"`
	// Faults are whole sentences without their stop.
	Faults []string `json:"faults"`
}

// Verify reads all files of a folder that a job has made, that of outputs or one beside it, and compares them with
// their records: files that are missing, damaged, of another run or of none are faults. Inputs, if there are any, must
// each have an output, and be what that was made of. Folders in it that keep those of inputs are verified, too. Temporary
// files, of runs that go on or were killed, are none of them. The error is of a folder that no job has made.
func Verify(ctx context.Context, folder string, inputs []string, threads int) (*Verdict, error) {
	v := newVerifying(folder)
	v.Folder, v.Faults = folder, []string{}
	if err := v.open(); err != nil {
		return nil, err
	}
	v.given, v.asked = inputs, len(inputs) > 0
	parts, err := v.parts()
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if err := p.verify(ctx, threads); err != nil {
			return nil, err
		}
		if p != v {
			v.Files, v.Bytes, v.Faults = v.Files+p.Files, v.Bytes+p.Bytes, append(v.Faults, p.Faults...)
			v.BadFiles += p.BadFiles
			v.Add(p.Counts)
		}
	}
	return &v.Verdict, nil
}

// parts are the folder and, if files keep the folders of their inputs, those in it, each with its inputs.
func (v *verifying) parts() ([]*verifying, error) {
	all := []*verifying{v}
	if v.base == "" {
		return all, nil
	}
	of := map[string]*verifying{".": v}
	part := func(sub string) (*verifying, error) {
		if p := of[sub]; p != nil {
			return p, nil
		}
		p := newVerifying(filepath.Join(v.folder, filepath.FromSlash(sub)))
		p.asked = v.asked
		if recordIn(p.folder) != "" {
			if err := p.open(); err != nil {
				return nil, err
			}
			if p.flag != v.flag {
				return nil, nil // it stands beside outputs
			}
			if p.run != v.run {
				v.fault("%s has files of another run than %s: remove it, and run the command again", p.folder, v.folder)
			}
		}
		all, of[sub] = append(all, p), p
		return p, nil
	}
	// A link to a folder is found by its inputs.
	err := fs.WalkDir(os.DirFS(v.folder), ".", func(sub string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || recordIn(filepath.Join(v.folder, filepath.FromSlash(sub))) == "" {
			return err
		}
		_, err = part(sub)
		return err
	})
	if err != nil {
		return nil, err
	}
	given := v.given
	v.given = nil
	within := folderOf(filepath.Join(v.folder, "file"))
	for _, input := range given {
		if strings.HasPrefix(folderOf(input), within) && !strings.HasPrefix(v.base, within) {
			continue // an output, for which a pattern stands, too
		}
		sub, err := subfolder(v.base, input)
		if err != nil {
			v.fault("%s has no output: files in %s are of inputs below %s", input, v.folder, v.base)
			continue
		}
		p, err := part(sub)
		if err != nil {
			return nil, err
		}
		if p != nil {
			p.given = append(p.given, input)
		}
	}
	return all, nil
}

// verify compares what is in the folder itself.
func (v *verifying) verify(ctx context.Context, threads int) error {
	if v.run != "" { // or else there is nothing
		if err := v.list(); err != nil {
			return err
		}
	}
	faults, ofInputs := make([]string, len(v.names)), make([]string, len(v.given))
	var group errgroup.Group
	group.SetLimit(max(1, threads))
	for i, name := range v.names {
		group.Go(func() error {
			if ctx.Err() == nil {
				faults[i] = v.check(name)
			}
			return ctx.Err()
		})
	}
	for i, path := range v.given {
		group.Go(func() error {
			if ctx.Err() == nil {
				ofInputs[i] = v.checkInput(path)
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, name := range v.names {
		switch {
		case faults[i] != "":
			v.fault("%s", faults[i])
		default:
			v.Files++
			v.Bytes += v.made[name].Files[v.flag].Bytes
			v.Add(v.made[name].Counts)
		}
	}
	for _, fault := range ofInputs {
		if fault != "" {
			v.fault("%s", fault)
		}
	}
	return nil
}

// verifying is a folder that is being compared with records.
type verifying struct {
	Verdict
	folder  string
	flag    string            // of the folder
	outputs string            // the folder of the outputs
	run     string            // empty if there is no record
	base    string            // of inputs, if files keep the folders of these
	names   []string          // of outputs that have records
	made    map[string]*Made  // by these
	inputs  map[string]string // these by names of inputs
	known   map[string]bool   // names of files that records tell of
	bad     map[string]bool   // names of inputs that records call bad, which was told
	given   []string          // inputs
	asked   bool              // whether inputs were given, be they of other folders
}

func newVerifying(folder string) *verifying {
	return &verifying{folder: folder, flag: OutputFlag, outputs: folder}
}

func (v *verifying) fault(format string, args ...any) {
	v.Faults = append(v.Faults, fmt.Sprintf(format, args...))
}

// open reads the record of the folder.
func (v *verifying) open() error {
	if info, err := os.Stat(v.folder); err != nil {
		return err
	} else if !info.IsDir() {
		return &fs.PathError{Op: "open", Path: v.folder, Err: errors.New("is not a folder")}
	}
	record := recordIn(v.folder)
	if record == "" {
		return fmt.Errorf("%s is a folder without a record of a run (%s….json): name a file, or a folder that --out-dir has written", v.folder, ownPrefix)
	}
	of, err := readRecord(Disk{}, record)
	if err != nil {
		return err
	}
	v.base = of.base(v.folder)
	if v.run = of.ID(); of.Flag != "" {
		v.flag, v.outputs = of.Flag, of.OutDir
		if !filepath.IsAbs(v.outputs) {
			v.outputs = filepath.Join(v.folder, filepath.FromSlash(v.outputs))
		}
	}
	return nil
}

// recordIn is where the record in a folder is; empty if there is none.
func recordIn(folder string) string {
	names, _ := Disk{}.Names(folder)
	if k := slices.IndexFunc(names, isRecord); k >= 0 {
		return filepath.Join(folder, names[k])
	}
	return ""
}

// list finds the records, and files without any.
func (v *verifying) list() error {
	v.made, v.inputs, v.known, v.bad = map[string]*Made{}, map[string]string{}, map[string]bool{}, map[string]bool{}
	entries, err := os.ReadDir(filepath.Join(v.outputs, MadeFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), ".json")
		if !is || !e.Type().IsRegular() {
			continue // on its way to a name
		}
		record, err := readMade(Disk{}, filepath.Join(v.outputs, name))
		if err != nil {
			v.fault("%v", err)
			v.known[name] = true
			continue
		}
		input := filepath.Base(record.Input.Path)
		if other := v.inputs[input]; other != "" {
			v.fault("%s and %s are both made from %s: remove one of them", other, name, record.Input.Path)
		}
		if record.Fault != "" {
			v.badFile(name, record)
		}
		of, made := record.Files[v.flag]
		if !made {
			continue
		}
		v.made[name], v.inputs[input], v.known[of.Path] = record, name, true
		v.names = append(v.names, name)
	}
	entries, err = os.ReadDir(v.folder)
	inputs := v.inputsInFolder()
	for _, e := range entries {
		if name := e.Name(); !v.known[name] && !hidden(name) && !e.IsDir() && !inputs[name] {
			v.fault("%s has no record of its input: unless it is an input itself, remove it and run the command again", filepath.Join(v.folder, name))
		}
	}
	return err
}

// badFile tells of an input of which nothing could be made.
func (v *verifying) badFile(name string, record *Made) {
	what, input := record.Fault, record.Input.Path
	isIt := func(path string) bool { return filepath.Base(path) == filepath.Base(input) }
	if v.asked && !slices.ContainsFunc(v.given, isIt) {
		return // it is no longer an input
	}
	if !strings.Contains(what, input) {
		what = input + ": " + what
	}
	v.fault("%s; it has no output: replace it and run the command again, or remove %s to do without it",
		what, recordOf(filepath.Join(v.outputs, name)))
	v.BadFiles++
	v.bad[filepath.Base(input)] = true
}

// inputsInFolder are names of files in the folder that are inputs, for all that is known: outputs may be beside these.
func (v *verifying) inputsInFolder() map[string]bool {
	names := map[string]bool{}
	for name := range v.inputs {
		names[name] = true
	}
	here, err := os.Stat(v.folder)
	if err != nil {
		return names
	}
	for _, path := range v.given {
		if sameFile(filepath.Dir(path), here) {
			names[filepath.Base(path)] = true
		}
	}
	return names
}

// check compares a file with its record.
func (v *verifying) check(name string) (fault string) {
	made, output := v.made[name], filepath.Join(v.outputs, name)
	path := filepath.Join(v.folder, made.Files[v.flag].Path)
	if made.Run != v.run {
		return fmt.Sprintf("%s is from another run: remove it, and run the command again", output)
	}
	if what := made.damage(Disk{}, v.flag, path); what != "" {
		if there, _ := exists(Disk{}, output); path != output && !there {
			output = path
		}
		return fmt.Sprintf("%s %s: remove %s if it exists, and run the command again", path, what, output)
	}
	now, err := fingerprint(Disk{}, path)
	switch want := made.Files[v.flag]; {
	case err != nil:
		return err.Error()
	case now.CRC32C != want.CRC32C:
		return fmt.Sprintf("%s is damaged (CRC-32C %s instead of %s): remove %s, and run the command again", path, now.CRC32C, want.CRC32C, output)
	case corpus.FormatOfName(path) == corpus.Parquet && !isParquet(path):
		return fmt.Sprintf("%s is named as Parquet, but is not a Parquet file: remove %s, and run the command again", path, output)
	}
	return ""
}

// isParquet tells whether a file begins and ends as Parquet files do.
func isParquet(path string) bool {
	const magic = "PAR1"
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var ends [2 * len(magic)]byte
	_, err = io.ReadFull(f, ends[:len(magic)])
	if err == nil {
		_, err = f.Seek(int64(-len(magic)), io.SeekEnd)
	}
	if err == nil {
		_, err = io.ReadFull(f, ends[len(magic):])
	}
	return err == nil && string(ends[:]) == magic+magic
}

// checkInput says what is wrong with an input: it has no output, or other bytes than that was made of. The time alone does
// not tell: it is read.
func (v *verifying) checkInput(path string) (fault string) {
	f := File{Input: path}
	var err error
	if f.info, err = os.Stat(path); err != nil {
		return fmt.Sprintf("%s: %v: check the name and the current folder", path, errors.Unwrap(err))
	}
	name := v.inputs[filepath.Base(path)]
	here, _ := os.Stat(v.folder)
	switch {
	case v.known[filepath.Base(path)] && sameFile(filepath.Dir(path), here): // a pattern stands for outputs, too
		return ""
	case f.info.IsDir():
		if recordIn(path) == "" { // or else a pattern stands for it, too
			return fmt.Sprintf("%s is a folder: name its files, as in '%s'", path, filepath.Join(path, "*"))
		}
		return ""
	case v.bad[filepath.Base(path)]:
		return ""
	case name == "":
		return fmt.Sprintf("%s has no output: run the command again", path)
	}
	switch same, err := v.made[name].sameBytes(Disk{}, &f); {
	case err != nil:
		return err.Error()
	case !same:
		output, first := filepath.Join(v.outputs, name), ""
		if f.info.Size() == v.made[name].Input.Bytes && f.info.ModTime().Equal(v.made[name].Modified) {
			first = "remove the output, since the size and time are the same, and " // or else it is taken for done
		}
		return fmt.Sprintf("%s has changed since %s was written: %srun the command again", path, output, first)
	}
	return ""
}
