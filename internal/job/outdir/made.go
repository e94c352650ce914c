package outdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// MadeFolder is beside outputs, and has a record of each. A folder of as many small files as there are outputs serves
// any number of machines: none writes what another does.
const MadeFolder = ownPrefix + "made"

// Made is the record of an output: of what it was made, and what it is. It is in its place before the output takes its
// name, unless that replaces one of the input as it was before, whose record it follows. Where the output is not there,
// the record says at most why: see Fault.
type Made struct {
	Run      string                 `json:"run"` // [provenance.Run.ID] of the run
	Input    provenance.Fingerprint `json:"input"`
	Modified time.Time              `json:"modified"` // when the input was last written
	Counts
	// Files are the output and what is beside it, by the flags of their folders, in which their paths are names.
	Files map[string]provenance.Fingerprint `json:"files"`
	// Fault says why nothing could be made of the input as it is now, if it is a bad file. Files then are those of the
	// input as it was before, if there are any.
	Fault string `json:"fault,omitempty"`
}

// recordOf is where the record of an output is.
func recordOf(output string) string {
	return Join(Join(parent(output), MadeFolder), filepath.Base(output)+".json")
}

// readMade reads the record of an output. The error is [fs.ErrNotExist] if there is none.
func readMade(s Store, output string) (*Made, error) {
	path := recordOf(output)
	text, err := readFile(s, path)
	if err != nil {
		return nil, err
	}
	made := new(Made)
	if err := json.Unmarshal(text, made); err != nil || !made.valid() {
		return nil, fmt.Errorf("%s is damaged: remove it and %s, and run the same command again", path, output)
	}
	return made, nil
}

// valid tells whether a record can be one.
func (m *Made) valid() bool {
	for _, of := range m.Files {
		if of.Path == "" || filepath.Base(of.Path) != of.Path || of.Path == ".." || of.Bytes < 0 {
			return false
		}
	}
	return m.Run != "" && m.Input.Path != "" && (len(m.Files) > 0 || m.Fault != "")
}

// same tells whether outputs of two records have the same bytes, of the same input.
func (m *Made) same(o *Made) bool {
	return m.Run == o.Run && m.Modified.Equal(o.Modified) && m.Input.CRC32C == o.Input.CRC32C &&
		m.Counts.equal(&o.Counts) && maps.Equal(m.Files, o.Files) && m.Fault == o.Fault
}

// unchanged tells whether the input is that of which the output was made. What has another size is another. What has
// the same size and was last written at the same time is the same. Otherwise it is read: of copies, and of what is
// fetched once more, the time alone is another.
func (m *Made) unchanged(s Store, f *File) (bool, error) {
	switch info := f.info; {
	case !info.Mode().IsRegular(): // pipes are told apart by their names alone
		return true, nil
	case info.Size() != m.Input.Bytes:
		return false, nil
	case info.ModTime().Equal(m.Modified):
		return true, nil
	}
	return m.sameBytes(s, f)
}

// sameBytes is unchanged for whoever has the time to read the input, whatever its time says.
func (m *Made) sameBytes(s Store, f *File) (bool, error) {
	if !f.info.Mode().IsRegular() || f.info.Size() != m.Input.Bytes {
		return !f.info.Mode().IsRegular(), nil
	}
	now, err := fingerprint(s, f.Input)
	return err == nil && now.CRC32C == m.Input.CRC32C, err
}

// renew notes when an input that has not changed was last written, so that it need not be read the next time, and that
// it is good again.
func (m *Made) renew(s Store, f *File) {
	if f.info.Mode().IsRegular() && !f.info.ModTime().Equal(m.Modified) || m.Fault != "" {
		m.Modified, m.Fault = f.info.ModTime(), ""
		s.WriteJSON(recordOf(f.Output()), "", m) // or else it is read again
	}
}

// damage says in what a file is not that of the record; empty if it has its size.
func (m *Made) damage(s Store, flag, path string) string {
	want, made := m.Files[flag]
	switch info, err := s.Stat(path); {
	case !made:
		return ""
	case errors.Is(err, fs.ErrNotExist):
		return "is missing"
	case err != nil:
		return err.Error()
	case !info.Mode().IsRegular():
		return "is no regular file"
	case info.Size() != want.Bytes:
		return fmt.Sprintf("has %d bytes, but had %d when it was written", info.Size(), want.Bytes)
	}
	return ""
}

// fingerprint reads a file.
func fingerprint(s Store, path string) (provenance.Fingerprint, error) {
	f, err := s.Open(path)
	if err != nil {
		return provenance.Fingerprint{}, err
	}
	defer f.Close()
	sum := provenance.NewSummer(io.Discard)
	_, err = io.CopyBuffer(sum, f, make([]byte, 1<<18))
	return sum.Fingerprint(), err
}
