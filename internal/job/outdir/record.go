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
	// Claim writes the head, unless there is one, and returns the one that is there then. It replaces that of another run
	// which made nothing.
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
	Counts
	// Files are the output and what is beside it, by the flags of their folders. Paths are from the folder of the outputs.
	Files map[string]provenance.Fingerprint `json:"files"`
}

// Output is the name of the output.
func (e *Entry) Output() string { return e.Files[OutputFlag].Path }

// changed tells whether an input is another one than that of the entry, by its size and time.
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

func (r *diskRecord) Head() (Head, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err := r.refresh(); err != nil {
		return Head{}, err
	}
	if r.head == nil {
		return Head{}, fs.ErrNotExist
	}
	return *r.head, nil
}

func (r *diskRecord) Claim(head Head) (Head, error) {
	err := r.locked(os.O_CREATE, func(f *os.File) error {
		if r.head != nil && len(r.entries) == 0 && r.head.Flag == "" && r.head.Differs(&head) != "" {
			if err := f.Truncate(0); err != nil {
				return err
			}
			r.head, r.read, r.lines = nil, 0, 0
		}
		if r.head != nil {
			return nil
		}
		return r.append(f, &head)
	})
	if err != nil {
		return Head{}, err
	}
	return *r.head, nil
}

func (r *diskRecord) Entry(output string) (*Entry, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	err := r.refresh()
	return r.entries[output], err
}

func (r *diskRecord) Outputs() ([]string, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Sorted(maps.Keys(r.entries)), nil
}

func (r *diskRecord) Add(e *Entry) error {
	return r.locked(0, func(f *os.File) error { return r.append(f, e) })
}

// refresh reads the lines that other processes have added.
func (r *diskRecord) refresh() error {
	f, err := osfile.OpenRegular(r.path)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.load(f)
}

// locked calls do while no other process changes the record, with all of it read.
func (r *diskRecord) locked(flag int, do func(f *os.File) error) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	f, err := os.OpenFile(r.path, os.O_RDWR|flag, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	defer osfile.Await(f).Release()
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
	if info.Size() == r.read {
		return nil
	}
	text := make([]byte, info.Size()-r.read)
	if n, err := f.ReadAt(text, r.read); err != nil && err != io.EOF {
		return err
	} else {
		text = text[:n]
	}
	for {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			return nil
		}
		if err := r.apply(text[:end]); err != nil {
			return fmt.Errorf("%s:%d is damaged (%w), so it is unknown what the files in its folder are: remove them all, or name another folder", r.path, r.lines+1, err)
		}
		text, r.read, r.lines = text[end+1:], r.read+int64(end)+1, r.lines+1
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
	if err := json.Unmarshal(line, e); err != nil {
		return err
	}
	for _, of := range e.Files {
		if of.Path == "" || of.Bytes < 0 {
			return errors.New("a file without a name or a size")
		}
	}
	if e.Output() == "" || e.Input == "" {
		return errors.New("no input or output")
	}
	r.entries[e.Output()] = e
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
