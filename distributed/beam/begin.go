package nbsvmbeam

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// begin finds out what is to be made, before anything is: it refuses what can't be done, makes sure that the folders
// of outputs are of this run, and tells so there. It returns the inputs, each once, without what jobs before have made.
func begin(ctx context.Context, w *worker, given []string) (inputs []string, err error) {
	if inputs, err = choose(ctx, w, given); err != nil {
		return nil, err
	}
	if len(inputs) == 0 { // a runner may get here although the list of inputs has failed: nothing is made of it
		return nil, nil
	}
	if err := w.check(ctx, inputs); err != nil {
		return nil, err
	}
	return inputs, claim(ctx, w, w.job, inputs)
}

// choose are the inputs of which outputs are made, by name.
func choose(ctx context.Context, w work, given []string) (inputs []string, err error) {
	var passed []string
	byName := map[string][]string{} // by the name of the output
	for _, path := range slices.Compact(slices.Sorted(slices.Values(given))) {
		switch own, err := isFolder(w, path); {
		case err != nil:
			return nil, err
		case own:
			passed = append(passed, path)
		default:
			name := w.outputName(path)
			byName[name] = append(byName[name], path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		paths := byName[name]
		if len(paths) > 1 {
			kept, made, err := dropMade(ctx, w, name, paths)
			if err != nil {
				return nil, err
			}
			paths, passed = kept, append(passed, made...)
		}
		if len(paths) > 1 {
			return nil, fmt.Errorf("the outputs of %s and %s would both be %s: use a folder for each", paths[0], paths[1], name)
		}
		if err := keepInput(w, paths[0]); err != nil {
			return nil, err
		}
		inputs = append(inputs, paths...)
	}
	if slices.Sort(passed); len(passed) > 0 {
		log.Warnf(ctx, "skipped, because this command has written them: %s", wording.Few(passed))
	}
	return inputs, nil
}

// isFolder tells whether a path is one of the folders of outputs. Others are refused.
func isFolder(w work, path string) (own bool, err error) {
	if !isLocal(path) {
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return false, err
	}
	for _, of := range w.folders() {
		if at, err := os.Stat(of.path); isLocal(of.path) && err == nil && os.SameFile(info, at) {
			return true, nil
		}
	}
	return false, fmt.Errorf("%s is a folder: name its files, as in '%s'", path, filepath.Join(path, "*"))
}

// dropMade takes those out of the inputs of one output that jobs before have made of another: outputs may be in the
// folder of the inputs.
func dropMade(ctx context.Context, w work, name string, paths []string) (inputs, made []string, err error) {
	record, err := (&shard{worker: &worker{work: w}, name: name, output: join(w.folders()[0].path, name)}).readMade(ctx)
	if record == nil || err != nil {
		return paths, nil, err
	}
	for _, path := range paths {
		own := slices.ContainsFunc(w.folders(), func(of folder) bool { return sameFile(parent(path), of.path) })
		if own && base(path) != base(record.Input.Path) {
			made = append(made, path)
		} else {
			inputs = append(inputs, path)
		}
	}
	return inputs, made, nil
}

// keepInput makes sure that an input is not replaced.
func keepInput(w work, input string) error {
	for k, of := range w.folders() {
		if k == 0 && sameFile(join(of.path, w.outputName(input)), input) {
			return fmt.Errorf("%s %s: the output of %s would replace it: name another folder", of.flag, of.path, input)
		}
		if at := join(of.path, w.besideName(input)); k > 0 && sameFile(at, input) {
			return fmt.Errorf("%s %s would replace the input %s: name another folder", of.flag, at, input)
		}
	}
	return nil
}

// parent is the folder of a file.
func parent(file string) string {
	if isLocal(file) {
		return filepath.Dir(file)
	}
	return file[:strings.LastIndex(file, "/")]
}

// sameFile tells whether two paths are those of one file, or folder.
func sameFile(a, b string) bool {
	if !isLocal(a) || !isLocal(b) {
		return strings.TrimRight(a, "/") == strings.TrimRight(b, "/")
	}
	of, err := os.Stat(a)
	if err != nil {
		return false
	}
	at, err := os.Stat(b)
	return err == nil && os.SameFile(of, at)
}

// claim makes sure that what is in the folders is of this run, and tells so there. Nothing is written if one has files
// of another.
func claim(ctx context.Context, w work, run provenance.Run, inputs []string) error {
	folders := w.folders()
	for _, of := range folders {
		if isLocal(of.path) {
			if err := os.MkdirAll(of.path, 0o777); err != nil {
				return fmt.Errorf("%s: %w", of.flag, err)
			}
			outdir.Sweep(of.path)
			outdir.Sweep(join(of.path, outdir.MadeFolder))
		}
	}
	records := make([]outdir.Record, len(folders))
	for k, of := range folders {
		if records[k].Run = run; k > 0 {
			records[k].Flag, records[k].OutDir = of.flag, from(of.path, folders[0].path)
		}
		text, there, err := readRecord(ctx, w, of.path)
		if err == nil && !there {
			if unknown := checkUnknown(ctx, w, k, inputs); unknown != nil {
				// Another job of the same run may have begun meanwhile.
				if text, there, err = readRecord(ctx, w, of.path); err == nil && !there {
					err = unknown
				}
			}
		}
		if err == nil && there {
			err = checkRecord(&records[k], w, of, text)
		}
		if err != nil {
			return err
		}
	}
	for k, of := range folders {
		if _, there, err := exists(ctx, recordOf(w, of.path)); there || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if err := writeJSON(ctx, recordOf(w, of.path), "  ", records[k]); err != nil {
			return err
		}
	}
	return nil
}

// checkUnknown refuses files in the k-th folder, which has no record: they would be taken for outputs, or replaced.
func checkUnknown(ctx context.Context, w work, k int, inputs []string) error {
	folder := w.folders()[k].path
	names := map[string]bool{}
	for _, input := range inputs {
		if k == 0 {
			names[w.outputName(input)] = true
		} else {
			names[w.besideName(input)] = true
		}
	}
	found, err := namesIn(ctx, folder)
	if err != nil {
		return err
	}
	for _, name := range found {
		if names[name] {
			return fmt.Errorf("%s exists, but not %s, which records the run: name another folder, or remove the file",
				join(folder, name), recordOf(w, folder))
		}
	}
	return nil
}

// namesIn are the names of what is in a folder.
func namesIn(ctx context.Context, folder string) (names []string, err error) {
	if isLocal(folder) {
		var entries []fs.DirEntry
		entries, err = os.ReadDir(folder)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names, err
	}
	found, err := list(ctx, join(folder, "*"))
	for _, path := range found {
		names = append(names, base(path))
	}
	return names, err
}

// readRecord is that of a folder, if it has one.
func readRecord(ctx context.Context, w work, folder string) (text []byte, there bool, err error) {
	path := recordOf(w, folder)
	if _, there, err = exists(ctx, path); !there || err != nil {
		return nil, false, err
	}
	text, err = readAll(ctx, path)
	return text, true, err
}

// checkRecord refuses a folder that has files of another run.
func checkRecord(mine *outdir.Record, w work, of folder, text []byte) error {
	var theirs outdir.Record
	if err := json.Unmarshal(text, &theirs); err != nil {
		return fmt.Errorf("%s is damaged: %w", recordOf(w, of.path), err)
	}
	if what := theirs.Differs(mine, outdir.OutputFlag); what != "" {
		return fmt.Errorf("%s %s has files of another run: %s; name another folder, or remove this one", of.flag, of.path, what)
	}
	return nil
}
