package provenance

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// ShardSuffix is appended to the name of a shard's output to get the name of its record.
const ShardSuffix = ".shard.json"

// Shard is the record beside a shard's output: what that holds, and all that it depends on. Where the whole input is
// worked on, there is none, a nil one, of which the methods do nothing.
type Shard struct {
	Run
	Shard     int         `json:"shard"`
	Shards    int         `json:"shards"`
	Documents int64       `json:"documents"` // read, bad ones too
	Written   int64       `json:"written"`
	Bad       int64       `json:"bad"`
	Output    Fingerprint `json:"output"`
	Inputs    Inputs      `json:"inputs"`

	sum *Summer
}

// NewShard begins the record of a shard of files, whose output is compressed so.
func NewShard(run Run, of corpus.Shard, inputs []string, kind osfile.Compression) (*Shard, error) {
	s := &Shard{Run: run, Shard: of.Number, Shards: of.Of}
	if kind != osfile.Uncompressed {
		s.Options["compress"] = string(kind)
	}
	for _, path := range inputs {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		s.Inputs = append(s.Inputs, Fingerprint{Path: path, Bytes: info.Size()})
	}
	return s, nil
}

// Compression returns how the output is compressed.
func (s *Shard) Compression() osfile.Compression {
	if how := s.Options["compress"]; how != "" {
		return osfile.Compression(how)
	}
	return osfile.Uncompressed
}

// Differs says in what a shard is of another run; empty if it is of the same.
func (s *Shard) Differs(o *Shard) string {
	if s.Shards != o.Shards {
		return fmt.Sprintf("of %d shards, not %d", s.Shards, o.Shards)
	}
	if what := s.Run.Differs(&o.Run); what != "" || slices.Equal(s.Inputs, o.Inputs) {
		return what
	}
	for i := range min(len(s.Inputs), len(o.Inputs)) {
		if a, b := s.Inputs[i], o.Inputs[i]; a != b {
			return fmt.Sprintf("input %d was %s of %d bytes, not %s of %d", i+1, a.Path, a.Bytes, b.Path, b.Bytes)
		}
	}
	return fmt.Sprintf("%d inputs, not %d", len(s.Inputs), len(o.Inputs))
}

// mostRecord is how many bytes the record of a shard may have: it names all inputs.
const mostRecord = 1 << 30

// Spares reports whether another shard of the same run has no output of that name, which this one would replace.
func (s *Shard) Spares(path string) error {
	if s == nil {
		return nil
	}
	text, err := osfile.ReadRegular(path+ShardSuffix, mostRecord)
	if _, gone := os.Stat(path); err != nil || gone != nil {
		return nil
	}
	var o Shard
	if json.Unmarshal(text, &o) != nil || o.Shard == s.Shard || o.Shards != s.Shards ||
		o.Model.SHA256 != s.Model.SHA256 || !slices.Equal(o.Inputs, s.Inputs) {
		return nil
	}
	return fmt.Errorf("-o %s has the records of shard %d of %d, and would be replaced: %s, or remove that file",
		path, o.Shard, o.Shards, s.OwnName(path))
}

// OwnName returns what to do about a name that several shards have.
func (s *Shard) OwnName(path string) string {
	folder, name := filepath.Split(path)
	stem := flags.Stem(name)
	return fmt.Sprintf("give each shard its own names, as in %s%s-%d%s", folder, stem, s.Shard, name[len(stem):])
}

// Summed returns w, with a checksum of what is written for the record.
func (s *Shard) Summed(w io.Writer) io.Writer {
	if s == nil {
		return w
	}
	s.sum = NewSummer(w)
	return s.sum
}

// Write writes the record beside the output, which is in place and was written through Summed.
func (s *Shard) Write(output string, documents, written, bad int64) error {
	if s == nil {
		return nil
	}
	s.Documents, s.Written, s.Bad, s.Output = documents, written, bad, s.sum.Fingerprint()
	return osfile.WriteJSON(output+ShardSuffix, "  ", s)
}

// Special reports whether there is something of that name, and it is no regular file.
func Special(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}
