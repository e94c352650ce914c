package provenance

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
)

// ShardSuffix makes of the name of a shard's output that of the record beside it.
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
	s.compressed(kind)
	for _, path := range inputs {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		s.Inputs = append(s.Inputs, Fingerprint{Path: path, Bytes: info.Size()})
	}
	return s, nil
}

// Besides begins the record of other records of the same shard: those of --rejects, or of the quarantine.
func (s *Shard) Besides(flag string, kind osfile.Compression) *Shard {
	if s == nil {
		return nil
	}
	of := *s
	of.Options = maps.Clone(s.Options)
	of.Options[flag] = "these"
	of.compressed(kind)
	return &of
}

// compressed notes how the output is.
func (s *Shard) compressed(kind osfile.Compression) {
	if delete(s.Options, "compress"); kind != osfile.Uncompressed {
		s.Options["compress"] = string(kind)
	}
}

// Compression is how the output is compressed.
func (s *Shard) Compression() osfile.Compression {
	if how := s.Options["compress"]; how != "" {
		return osfile.Compression(how)
	}
	return osfile.Uncompressed
}

// flag is that of the file in which the records are.
func (s *Shard) flag() string {
	switch {
	case s.Options["rejects"] != "":
		return "--rejects"
	case s.Options["quarantine"] != "":
		return "--on-bad quarantine"
	}
	return "-o"
}

// Differs says in what a shard is of another run; empty if it is of the same.
func (s *Shard) Differs(o *Shard) string {
	if s.Shards != o.Shards {
		return fmt.Sprintf("of %d shards, not %d", s.Shards, o.Shards)
	}
	if a, b := s.flag(), o.flag(); a != b {
		return fmt.Sprintf("it is the file of %s, not of %s: merge them separately", a, b)
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

// Spares says whether another shard of the same run has no output of that name, which this one would replace.
func (s *Shard) Spares(flag, path string) error {
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
	return fmt.Errorf("%s %s has the records of shard %d of %d, and would be replaced: %s, or remove that file",
		flag, path, o.Shard, o.Shards, s.OwnName(path))
}

// OwnName says what to do about a name that several shards have.
func (s *Shard) OwnName(path string) string {
	folder, name := filepath.Split(path)
	stem := flags.Stem(name)
	return fmt.Sprintf("give each shard its own names, as in %s%s-%d%s", folder, stem, s.Shard, name[len(stem):])
}

// Summed is w, with a checksum of what is written for the record.
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

// WriteQuarantine writes the record beside bad records, which are in place as the output is.
func (s *Shard) WriteQuarantine(path string) error {
	if s == nil || path == "" || Special(path) {
		return nil
	}
	f, err := osfile.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	of := s.Besides("quarantine", osfile.CompressionOf(path))
	if _, err := io.Copy(of.Summed(io.Discard), f); err != nil {
		return err
	}
	return of.Write(path, s.Documents, s.Bad, s.Bad)
}

// Special tells whether there is something of that name, and it is no regular file.
func Special(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}
