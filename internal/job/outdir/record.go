package outdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// ownPrefix is what the names of hidden files in the folders begin with; those of temporary ones have it in them.
const ownPrefix = ".nbsvm-"

// RecordName is the name of the record in each folder, and SummaryName that of a summary of what a job has made.
const (
	RecordName  = ownPrefix + "outputs.jsonl"
	SummaryName = ownPrefix + "summary.json"
)

// Record is the record of a folder.
type Record interface {
	// Head returns the head; the error is [fs.ErrNotExist] if there is none.
	Head() (Head, error)
	// Claim writes the head, unless there is one, and returns the one that is there then. It replaces that of another
	// run which made nothing.
	Claim(head Head) (Head, error)
	// Entry returns the last entry of an output, by its name from the folder; nil if there is none.
	Entry(output string) (*Entry, error)
	// Outputs lists the names of all outputs.
	Outputs() ([]string, error)
	// Add adds an entry, or replaces the one of the same output.
	Add(e *Entry) error
}

// Head is the first line of a record: which run the files of the folder are from.
type Head struct {
	Version int    `json:"version"` // of the format: 1
	Command string `json:"command"`
	provenance.Run
	// Of folders beside that of the outputs: what the files are, and where the folder of the outputs is, from this one.
	Flag   string `json:"flag,omitempty"`
	OutDir string `json:"out-dir,omitempty"`
	// Inputs is the folder of inputs, from this one, below which files keep the folders of their inputs.
	Inputs string `json:"inputs,omitempty"`
}

// Differs says in what the files of a folder are of another run; empty if they are of the same.
func (h *Head) Differs(o *Head) string {
	switch {
	case h.Command != o.Command:
		return fmt.Sprintf("they were made by nbsvm %s, not by nbsvm %s", h.Command, o.Command)
	case h.Flag != o.Flag && h.Flag == "":
		return "they belong to " + OutputFlag
	case h.Flag != o.Flag:
		return "they belong to " + h.Flag
	case h.OutDir != o.OutDir:
		return fmt.Sprintf("they belong to the outputs in %s, not to those in %s", h.OutDir, o.OutDir)
	case h.Inputs != o.Inputs:
		return "they keep folders of other inputs"
	}
	return h.Run.Differs(&o.Run)
}

// Entry is a line of a record: an output, and of what it was made. It is written before the output takes its name, so
// that no output is without one.
type Entry struct {
	Input    string    `json:"input"`    // below the folder that inputs have in common
	Bytes    int64     `json:"bytes"`    // of the input
	Modified time.Time `json:"modified"` // when the input was last written
	Output   string    `json:"output"`   // from its folder
	Made
}

// Made is what was made of an input.
type Made struct {
	Counts
	OutputBytes int64  `json:"output_bytes"`
	CRC32C      string `json:"crc32c"` // of the output
}

// changed reports whether an input is another one than that of the entry, by its size and time.
func (e *Entry) changed(info fs.FileInfo) bool {
	return info.Size() != e.Bytes || !info.ModTime().Equal(e.Modified)
}

// diskRecord is a file of lines of JSON. Processes lock it to add a line. A line without its end, of a process that was
// killed, counts for nothing and is overwritten.
type diskRecord struct {
	path string

	mutex   sync.Mutex
	head    *Head             // nil until it is read
	entries map[string]*Entry // by outputs
	read    int64             // bytes of the lines that were read
	lines   int               // how many
}

// DiskRecord returns the record of a folder of this machine.
func DiskRecord(folder string) Record {
	return &diskRecord{path: filepath.Join(folder, RecordName), entries: map[string]*Entry{}}
}

func (r *diskRecord) Head() (head Head, err error) {
	err = r.open(os.O_RDONLY, func(*os.File) error {
		if r.head == nil {
			return fs.ErrNotExist
		}
		head = *r.head
		return nil
	})
	return head, err
}

func (r *diskRecord) Claim(head Head) (theirs Head, err error) {
	err = r.open(os.O_RDWR|os.O_CREATE, func(f *os.File) error {
		if r.head != nil && len(r.entries) == 0 && r.head.Flag == "" && r.head.Differs(&head) != "" {
			r.head, r.read, r.lines = nil, 0, 0
		}
		if r.head == nil {
			if err := r.append(f, &head); err != nil {
				return err
			}
		}
		theirs = *r.head
		return nil
	})
	return theirs, err
}

func (r *diskRecord) Entry(output string) (e *Entry, err error) {
	err = r.open(os.O_RDONLY, func(*os.File) error {
		e = r.entries[output]
		return nil
	})
	return e, err
}

func (r *diskRecord) Outputs() (names []string, err error) {
	err = r.open(os.O_RDONLY, func(*os.File) error {
		names = slices.Sorted(maps.Keys(r.entries))
		return nil
	})
	return names, err
}

func (r *diskRecord) Add(e *Entry) error {
	return r.open(os.O_RDWR, func(f *os.File) error { return r.append(f, e) })
}

// open calls do with all of the record read. If it is opened for writing, no other process changes it meanwhile.
func (r *diskRecord) open(flag int, do func(f *os.File) error) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err := osfile.CheckRegular(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(r.path, flag, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if flag != os.O_RDONLY {
		defer osfile.Await(f).Release()
	}
	if err := r.load(f); err != nil {
		return err
	}
	return do(f)
}

// load reads the lines that were added.
func (r *diskRecord) load(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < r.read {
		return fmt.Errorf("%s was replaced while it was in use: run the same command again", r.path)
	}
	text, err := io.ReadAll(io.NewSectionReader(f, r.read, info.Size()-r.read))
	if err != nil {
		return err
	}
	for {
		line, rest, ended := bytes.Cut(text, []byte{'\n'})
		if !ended {
			return nil
		}
		if err := r.apply(line); err != nil {
			return fmt.Errorf("%s:%d is damaged (%w), so it is unknown what the files in its folder are: remove them all, or name another folder", r.path, r.lines+1, err)
		}
		text, r.read, r.lines = rest, r.read+int64(len(line))+1, r.lines+1
	}
}

// apply takes a line.
func (r *diskRecord) apply(line []byte) error {
	if r.lines == 0 {
		head := new(Head)
		switch err := json.Unmarshal(line, head); {
		case err != nil:
			return err
		case head.Version != 1 || head.Command == "":
			return fmt.Errorf("format version %d instead of 1", head.Version)
		}
		r.head = head
		return nil
	}
	e := new(Entry)
	switch err := json.Unmarshal(line, e); {
	case err != nil:
		return err
	case e.Input == "" || e.Output == "":
		return errors.New("no input or output")
	}
	r.entries[e.Output] = e
	return nil
}

// append adds a line to the locked file, whole or not at all.
func (r *diskRecord) append(f *os.File, value any) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	if err := f.Truncate(r.read); err != nil { // a line without its end
		return err
	}
	_, err := f.WriteAt(line.Bytes(), r.read)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(r.read))
	}
	return r.load(f)
}
