package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/atomicfile"
	"github.com/seed-167f963f/nbsvm/internal/checksum"
	"github.com/seed-167f963f/nbsvm/internal/compressed"
	"github.com/seed-167f963f/nbsvm/internal/scratch"
)

// shardSuffix makes of an output's name that of the file beside it.
const shardSuffix = ".shard.json"

// runRecord is what outputs depend on besides their inputs.
type runRecord struct {
	Version string            `json:"nbsvm"`
	Model   fingerprint       `json:"model"`
	Options map[string]string `json:"options"` // that make a difference
}

// shardRecord is what stands beside a shard's output: what it holds, and all that it
// depends on.
type shardRecord struct {
	runRecord
	Shard     int         `json:"shard"`
	Shards    int         `json:"shards"`
	Documents int64       `json:"documents"` // read, bad ones too
	Written   int64       `json:"written"`
	Bad       int64       `json:"bad"`
	Output    fingerprint `json:"output"`
	Inputs    inputPrints `json:"inputs"`

	sum *checksummer
}

// fingerprint tells files apart.
type fingerprint struct {
	Path   string `json:"path,omitempty"`
	Bytes  int64  `json:"bytes"`
	CRC32C string `json:"crc32c,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// inputPrints are the fingerprints of inputs, each of which has a path.
type inputPrints []fingerprint

// UnmarshalJSON reads them one by one: of a few bytes each, they would take many times the memory of the text.
func (p *inputPrints) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('[') {
		return errors.New("the inputs are no list")
	}
	for d.More() {
		var of fingerprint
		if err := d.Decode(&of); err != nil {
			return err
		}
		if of.Path == "" {
			return fmt.Errorf("input %d has no path", len(*p)+1)
		}
		*p = append(*p, of)
	}
	return nil
}

// checkShard finds what would be a pity to find behind the work.
func (s *scoreCmd) checkShard() error {
	switch {
	case s.Shard.Of == 0 || s.OutDir != "":
		return nil
	case usesStdin(s.Input):
		return usageError{errors.New("--shard is a part of files, whose size is known, not of standard input: name files")}
	case standardOutput(s.Output) || s.Rejects == "-":
		return usageError{errors.New("--shard needs -o FILE; beside it FILE" + shardSuffix + " tells what it is")}
	}
	for _, of := range s.shardOutputs() {
		if special(of.path) {
			return usageError{fmt.Errorf("--shard: %s is no regular file", of.path)}
		}
		for _, path := range []string{of.path, of.path + shardSuffix} {
			if err := checkOutput(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// shardOutput is a file of a shard beside which a record stands.
type shardOutput struct{ flag, path string }

func (s *scoreCmd) shardOutputs() []shardOutput {
	all := []shardOutput{{"-o", s.Output}, {"--rejects", s.Rejects}}
	if quarantine := s.OnBad.Quarantine(); !special(quarantine) {
		all = append(all, shardOutput{"--on-bad quarantine", quarantine})
	}
	return slices.DeleteFunc(all, func(of shardOutput) bool { return of.path == "" })
}

// special tells whether there is something of that name, and it is no regular file.
func special(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// beginShard begins the shard's record, nil for the whole input. Until release, its files are kept from other runs.
func (s *scoreCmd) beginShard() (shard *shardRecord, release func(), err error) {
	var claims []*scratch.Claim
	release = func() {
		for _, claim := range claims {
			claim.Release()
		}
	}
	if shard, err = s.describe(); shard == nil {
		return nil, release, err
	}
	for _, of := range s.shardOutputs() {
		target, err := atomicfile.Target(of.path)
		if err != nil {
			return nil, release, err
		}
		claim, err := scratch.ClaimFile(target)
		if errors.Is(err, scratch.ErrInUse) {
			err = usageError{fmt.Errorf("another run is about to write %s %s: %s", of.flag, of.path, shard.ownName(of.path))}
		}
		if err != nil {
			return nil, release, err
		}
		claims = append(claims, claim)
	}
	return shard, release, s.refuseOthers(shard)
}

// refuseOthers refuses names under which another shard of the same run has written.
func (s *scoreCmd) refuseOthers(r *shardRecord) error {
	if r == nil {
		return nil
	}
	for _, of := range s.shardOutputs() {
		text, err := os.ReadFile(of.path + shardSuffix)
		if _, gone := os.Stat(of.path); err != nil || gone != nil {
			continue
		}
		var o shardRecord
		if json.Unmarshal(text, &o) != nil || o.Shard == r.Shard || o.Shards != r.Shards ||
			o.Model.SHA256 != r.Model.SHA256 || !slices.Equal(o.Inputs, r.Inputs) {
			continue
		}
		return usageError{fmt.Errorf("%s %s has the records of shard %d of %d, which would be lost: %s, or remove that file",
			of.flag, of.path, o.Shard, o.Shards, r.ownName(of.path))}
	}
	return nil
}

// ownName says what to do about a name that several shards have.
func (r *shardRecord) ownName(path string) string {
	folder, name := filepath.Split(path)
	stem := corpus.Stem(name)
	return fmt.Sprintf("give each shard names of its own, such as %s%s-%d%s", folder, stem, r.Shard, name[len(stem):])
}

// moreFiles are what stands beside a shard's outputs. What is in folders of outputs is compared with the inputs later,
// when these are known.
func (s *scoreCmd) moreFiles() (files []usedFile) {
	if s.Shard.Of == 0 || s.OutDir != "" {
		return nil
	}
	for _, of := range s.shardOutputs() {
		files = append(files, usedFile{role: "what --shard writes beside " + of.flag + ",", path: of.path + shardSuffix, written: true})
	}
	return files
}

// describe begins a shard's record; nil for the whole input.
func (s *scoreCmd) describe() (*shardRecord, error) {
	if s.Shard.Of == 0 {
		return nil, nil
	}
	run, err := s.describeRun()
	if err != nil {
		return nil, err
	}
	r := &shardRecord{runRecord: run, Shard: s.Shard.Number, Shards: s.Shard.Of}
	r.compressed(s.kind(s.Output))
	for _, path := range s.Input {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		r.Inputs = append(r.Inputs, fingerprint{Path: path, Bytes: info.Size()})
	}
	return r, nil
}

// describeRun is what all outputs of the command depend on.
func (s *scoreCmd) describeRun() (runRecord, error) {
	r := runRecord{Version: nbsvm.Version, Options: s.outputOptions()}
	model, err := os.Open(s.Model)
	if err != nil {
		return r, err
	}
	defer model.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, model)
	r.Model = fingerprint{Path: s.Model, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil))}
	return r, err
}

// besides begins the record of other records of the same shard: those of --rejects, or of the quarantine.
func (r *shardRecord) besides(flag string, kind compressed.Kind) *shardRecord {
	if r == nil {
		return nil
	}
	of := *r
	of.Options = maps.Clone(r.Options)
	of.Options[flag] = "these"
	of.compressed(kind)
	return &of
}

// flag is that of the file in which the records are.
func (r *shardRecord) flag() string {
	switch {
	case r.Options["rejects"] != "":
		return "--rejects"
	case r.Options["quarantine"] != "":
		return "--on-bad quarantine"
	}
	return "-o"
}

// writeQuarantine writes the record beside bad records, which are in place as the output is.
func (r *shardRecord) writeQuarantine(path string) error {
	if r == nil || path == "" || special(path) {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	of := r.besides("quarantine", compressed.Of(path))
	if _, err := io.Copy(of.checksummed(io.Discard), f); err != nil {
		return err
	}
	return of.write(path, nbsvm.ScoreStats{Documents: r.Documents, Bad: r.Bad, Written: r.Bad})
}

// compressed notes how the output is.
func (r *shardRecord) compressed(kind compressed.Kind) {
	if delete(r.Options, "compress"); kind != compressed.None {
		r.Options["compress"] = string(kind)
	}
}

// outputOptions are the options on which the output depends, as flags are written.
func (s *scoreCmd) outputOptions() map[string]string {
	all := map[string]string{
		"format": s.Format.String(), "text-field": s.TextField, "label-field": s.LabelField, "label-sep": s.LabelSep,
		"output-format": s.OutputFormat, "where": s.Where, "add-field": s.AddField,
		"id-field": s.IDField, "keep-fields": strings.Join(s.KeepFields, ","),
	}
	if s.Header != nil {
		all["header"] = strconv.FormatBool(*s.Header)
	}
	if s.Delimiter != 0 {
		all["delimiter"] = string(rune(s.Delimiter))
	}
	if s.MaxRecord != 0 {
		all["max-record"] = strconv.Itoa(s.MaxRecord)
	}
	if s.Top != nil {
		all["top"] = strconv.Itoa(*s.Top)
	}
	if s.AllScores {
		all["all-scores"] = "true"
	}
	if s.Label != nil {
		all["label"] = *s.Label
	}
	if s.Threshold != nil {
		all["threshold"] = strconv.FormatFloat(*s.Threshold, 'g', -1, 64)
	}
	for name, value := range all {
		if value == "" && name != "label" {
			delete(all, name)
		}
	}
	return all
}

// checksummed is w, with a checksum of what is written for the record.
func (r *shardRecord) checksummed(w io.Writer) io.Writer {
	if r == nil {
		return w
	}
	r.sum = &checksummer{w: w}
	return r.sum
}

// write writes the record beside the output, which is in place.
func (r *shardRecord) write(output string, stats nbsvm.ScoreStats) error {
	if r == nil {
		return nil
	}
	r.Documents, r.Written, r.Bad, r.Output = stats.Documents, stats.Written, stats.Bad, r.sum.fingerprint()
	return atomicfile.WriteFile(output+shardSuffix, func(w io.Writer) error { return printJSON(w, r) })
}

// checksummer counts what is written and computes its checksum.
type checksummer struct {
	w     io.Writer
	bytes int64
	crc   uint32
}

func (s *checksummer) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.bytes += int64(n)
	s.crc = crc32.Update(s.crc, checksum.Castagnoli, p[:n])
	return n, err
}

// Flush is that of the writer below.
func (s *checksummer) Flush() error {
	if held, ok := s.w.(flusher); ok {
		return held.Flush()
	}
	return nil
}

func (s *checksummer) fingerprint() fingerprint {
	return fingerprint{Bytes: s.bytes, CRC32C: fmt.Sprintf("%08x", s.crc)}
}
