package outdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Verdict is what [Verify] has found.
type Verdict struct {
	Folder string `json:"folder"`
	Files  int    `json:"files"` // outputs that are good
	Bytes  int64  `json:"bytes"` // of these
	Counts        // of the records that they are made of
	// Faults are whole sentences without their stop.
	Faults []string `json:"faults"`
}

// Verify reads all files that the record of a folder of outputs names, and compares them with it: files that are missing
// or damaged are faults. Inputs, if there are any, must each have an output, and the size and time that the record has.
// The error is of a folder without a record.
func Verify(ctx context.Context, folder string, inputs []string, threads int) (*Verdict, error) {
	record := Disk{}.Record(folder)
	head, err := record.Head()
	switch info, statErr := os.Stat(folder); {
	case statErr != nil:
		return nil, statErr
	case !info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: folder, Err: errors.New("is not a folder")}
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is a folder without a record of outputs (%s): name a file, or a folder that --out-dir has written", folder, RecordName)
	case err != nil:
		return nil, err
	case head.Flag != "":
		return nil, fmt.Errorf("%s has the files of %s: verify the folder of the outputs, %s, which includes them", folder, head.Flag, Join(folder, head.OutDir))
	}
	v := &Verdict{Folder: folder, Faults: []string{}}
	outputs, err := record.Outputs()
	if err != nil {
		return nil, err
	}
	entries, faults := make([]*Entry, len(outputs)), make([]string, len(outputs))
	var group errgroup.Group
	group.SetLimit(max(1, threads))
	byInput, ours := map[string]*Entry{}, map[string]bool{}
	for i, output := range outputs {
		e, err := record.Entry(output)
		if err != nil {
			return nil, err
		}
		entries[i], byInput[e.Input] = e, e
		for _, of := range e.Files {
			ours[whole(Join(folder, of.Path))] = true
		}
		group.Go(func() error {
			if ctx.Err() == nil {
				faults[i] = e.verify(folder)
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, e := range entries {
		if faults[i] != "" {
			v.Faults = append(v.Faults, faults[i])
			continue
		}
		v.Files++
		v.Bytes += e.Files[OutputFlag].Bytes
		v.Add(e.Counts)
	}
	base := head.base(folder)
	for _, input := range inputs {
		info, err := os.Stat(input)
		sub, outside := subfolder(base, input)
		if ours[whole(input)] || strings.Contains(filepath.Base(input), ownPrefix) || err == nil && info.IsDir() {
			continue // a pattern stands for outputs and their folders, too
		}
		switch e := byInput[path.Join(sub, filepath.Base(input))]; {
		case err != nil:
			v.Faults = append(v.Faults, fmt.Sprintf("%s: %v: check the name and the current folder", input, errors.Unwrap(err)))
		case outside != nil || e == nil:
			v.Faults = append(v.Faults, fmt.Sprintf("%s has no output: run the command again", input))
		case e.changed(info):
			v.Faults = append(v.Faults, fmt.Sprintf("%s has changed since %s was written: remove %[2]s, and run the command again", input, Join(folder, e.Output())))
		}
	}
	return v, nil
}

// verify compares the files of an entry with it.
func (e *Entry) verify(folder string) (fault string) {
	output := Join(folder, e.Output())
	for flag, want := range e.Files {
		path := Join(folder, want.Path)
		if what := e.damage(Disk{}, flag, path); what != "" {
			return fmt.Sprintf("%s %s: remove %s if it exists, and run the command again", path, what, output)
		}
		switch now, err := fingerprint(Disk{}, path); {
		case err != nil:
			return err.Error()
		case now.CRC32C != want.CRC32C:
			return fmt.Sprintf("%s is damaged (CRC-32C %s instead of %s): remove %s, and run the command again", path, now.CRC32C, want.CRC32C, output)
		}
	}
	return ""
}
