package outdir

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
)

// badFolder is beside outputs.
const badFolder = ownPrefix + "bad"

// badNote stands in a hidden folder beside outputs, under the name of one that lacks records: later runs tell of them.
type badNote struct {
	Input string `json:"input"`
	Bad   int64  `json:"bad"`
}

func (f *File) notePath() string {
	folder, name := filepath.Split(f.Output())
	return filepath.Join(folder, badFolder, name)
}

// NoteBad notes how many records are bad, before the output takes its name.
func (f *File) NoteBad(bad int64) error {
	path := f.notePath()
	if bad == 0 {
		if exists(path) { // of an output that was removed
			return os.Remove(path)
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return atomicfile.WriteJSON(path, "", badNote{f.Input, bad})
}

// readBad is how many bad records an output lacks that is there.
func (f *File) readBad() (int64, error) {
	text, err := os.ReadFile(f.notePath())
	if err != nil {
		return 0, nil
	}
	var note badNote
	if err := json.Unmarshal(text, &note); err != nil || note.Bad < 1 {
		return 0, fmt.Errorf("%s is damaged: remove it, and %s to have that made again", f.notePath(), f.Output())
	}
	return note.Bad, nil
}
