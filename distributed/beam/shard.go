package nbsvmbeam

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

// Made is what became of a shard.
type Made struct {
	Input       string        `json:"input"`
	Output      string        `json:"output"`
	State       outdir.State  `json:"state"`
	Reason      string        `json:"reason,omitempty"` // why there is no output
	Records     outdir.Counts `json:"records"`          // those of the input
	InputBytes  int64         `json:"input_bytes"`      // as it is stored
	OutputBytes int64         `json:"output_bytes"`
	CRC32C      string        `json:"crc32c"` // of the output
}

// shard is one attempt at one.
type shard struct {
	*worker
	input        string
	name, output string // of the output: its name, and where it is
	faults       faults
}

func newShard(w *worker, input string) *shard {
	name := w.outputName(input)
	return &shard{worker: w, input: input, name: name, output: join(w.folders()[0].path, name)}
}

// attempt makes the shard's output, unless it is there. An error is one that another attempt may not meet, as of a file
// system. With any other the shard fails alone, or is passed over.
func (s *shard) attempt(ctx context.Context) (m Made, err error) {
	m, there, err := s.there(ctx)
	if !there && err == nil {
		m, err = s.produce(ctx)
	}
	_, system := errors.AsType[syscall.Errno](err)
	if again := system && !errors.Is(err, fs.ErrPermission) || s.faults.any() || ctx.Err() != nil; err == nil || again {
		return m, err
	}
	m = Made{Input: s.input, Output: s.output, State: outdir.Failed, Reason: err.Error()}
	if s.passOver(err) {
		m.State = outdir.PassedOver
	}
	return m, nil
}

// madePath is where the record of the output is.
func (s *shard) madePath() string {
	return join(join(s.folders()[0].path, outdir.MadeFolder), s.name+".json")
}

// readMade reads the record of the output; nil if there is none.
func (s *shard) readMade(ctx context.Context) (m *outdir.Made, err error) {
	path := s.madePath()
	if _, there, err := exists(ctx, path); !there || err != nil {
		return nil, s.faults.note(err)
	}
	text, err := readAll(ctx, path)
	if err != nil {
		return nil, s.faults.note(err)
	}
	m = new(outdir.Made)
	if err := json.Unmarshal(text, m); err != nil || !m.Valid() {
		return nil, fmt.Errorf("%s is damaged: remove it and %s, and run the same command again", path, s.output)
	}
	return m, nil
}

// there finds out whether the output is there, of the input as it is.
func (s *shard) there(ctx context.Context) (m Made, there bool, err error) {
	if _, there, err := exists(ctx, s.output); !there || err != nil {
		return m, false, s.faults.note(err)
	}
	made, err := s.readMade(ctx)
	switch {
	case err != nil:
		return m, false, err
	case made == nil:
		return m, false, fmt.Errorf("%s exists, but not %s, which records its input: remove the output to write it again", s.output, s.madePath())
	case made.Run != s.id:
		return m, false, fmt.Errorf("%s is from another run, according to %s: remove it to write it again", s.output, s.madePath())
	}
	if same, err := s.unchanged(ctx, made); !same || err != nil {
		return m, false, s.faults.note(err)
	}
	for _, of := range s.folders() {
		if err := s.compare(ctx, made, of); err != nil {
			return m, false, err
		}
	}
	m = s.madeOf(made)
	m.State = outdir.There
	return m, true, nil
}

// unchanged tells whether the input is that of which the output was made. What has the size and the time of before is
// the same, and so is what has its size and CRC-32C.
func (s *shard) unchanged(ctx context.Context, made *outdir.Made) (bool, error) {
	size, modified, err := stat(ctx, s.input)
	if err != nil || size != made.Input.Bytes || modified.Equal(made.Modified) {
		return err == nil && size == made.Input.Bytes, err
	}
	sum, err := fingerprint(ctx, s.input)
	if err != nil || sum.CRC32C != made.Input.CRC32C {
		return false, err
	}
	made.Modified = modified // so that it need not be read the next time
	return true, writeJSON(ctx, s.madePath(), "", made)
}

// compare makes sure that the file in a folder has the size that it had when it was made. Bad records are not asked
// for: they may have been looked at, and removed.
func (s *shard) compare(ctx context.Context, made *outdir.Made, of folder) error {
	want, is := made.Files[of.flag]
	if !is || of.flag == quarantineFlag {
		return nil
	}
	path := join(of.path, want.Path)
	switch size, there, err := exists(ctx, path); {
	case err != nil:
		return s.faults.note(err)
	case !there:
		return fmt.Errorf("%s is missing: remove %s to write both again", path, s.output)
	case size != want.Bytes:
		return fmt.Errorf("%s has %d bytes, but had %d when it was written: remove %s to write it again", path, size, want.Bytes, s.output)
	}
	return nil
}

// madeOf is what a record says.
func (s *shard) madeOf(of *outdir.Made) Made {
	output := of.Files[outdir.OutputFlag]
	return Made{
		Input: s.input, Output: s.output, State: outdir.Written, Records: of.Counts,
		InputBytes: of.Input.Bytes, OutputBytes: output.Bytes, CRC32C: output.CRC32C,
	}
}

// produce makes the output, and what stands beside it. The output takes its name last: where it is, all is.
func (s *shard) produce(ctx context.Context) (m Made, err error) {
	_, modified, err := stat(ctx, s.input)
	if err != nil {
		return m, s.faults.note(err)
	}
	read := provenance.NewSummer(io.Discard)
	in, err := inputOf(ctx, s.work, s.input, &s.faults)
	if err != nil {
		return m, err
	}
	in.Paths, in.RecordReading = []string{s.input}, true
	in.Raw = func(string) io.Writer { return read }
	bad, err := newQuarantine(ctx, s)
	if err != nil {
		return m, s.faults.note(err)
	}
	defer bad.abort()
	in.Bad = bad.records
	var all outputs
	defer all.abort()
	sums := map[string]*provenance.Summer{}
	counts, err := s.make(ctx, in, s, func(of folder, name string) (io.Writer, error) {
		w, err := all.create(ctx, join(of.path, name), &s.faults)
		sums[of.flag] = provenance.NewSummer(w)
		return sums[of.flag], err
	})
	if err != nil {
		return m, err
	}
	made := &outdir.Made{
		Run: s.id, Input: read.Fingerprint(), Modified: modified, Counts: counts, Files: map[string]provenance.Fingerprint{},
	}
	if err := s.settleInput(ctx, made); err != nil {
		return m, s.faults.note(err)
	}
	for flag, sum := range sums {
		made.Files[flag] = sum.Fingerprint()
	}
	if sum, err := bad.commit(ctx); err != nil {
		return m, s.faults.note(err)
	} else if bad.to != "" {
		made.Files[quarantineFlag] = sum
	}
	for flag, of := range made.Files {
		if of.Path = s.besideName(s.input); flag == outdir.OutputFlag {
			of.Path = s.name
		}
		made.Files[flag] = of
	}
	return s.madeOf(made), s.faults.note(s.finish(ctx, made, all))
}

// settleInput makes sure that the input, whose fingerprint is that of what was read, is what it was before.
func (s *shard) settleInput(ctx context.Context, made *outdir.Made) error {
	size, now, err := stat(ctx, s.input)
	if err == nil && made.Input.Bytes != size { // it was read in another way, as Parquet is
		made.Input, err = fingerprint(ctx, s.input)
	}
	made.Input.Path = s.input
	if err == nil && (made.Input.Bytes != size || !now.Equal(made.Modified)) {
		return fmt.Errorf("%s changed while it was read: run the same command again, and leave input files alone meanwhile", s.input)
	}
	return err
}

// finish has the outputs take their names, and writes their record: first, unless the output replaces one of the input
// as it was before. That has its own until then, so that the next attempt makes the output again if this one is killed.
func (s *shard) finish(ctx context.Context, made *outdir.Made, all outputs) error {
	before, err := s.readMade(ctx)
	if s.faults.any() {
		return err
	}
	_, there, err := exists(ctx, s.output)
	if err != nil {
		return err
	}
	same, late := before != nil && before.Same(made), there && before != nil
	if !late && !same {
		if err := writeJSON(ctx, s.madePath(), "", made); err != nil {
			return err
		}
	}
	if err := all.commit(); err != nil {
		return err
	}
	if late && !same {
		return writeJSON(ctx, s.madePath(), "", made)
	}
	return nil
}

// outputs are files that belong together.
type outputs []*output

// create begins another one.
func (all *outputs) create(ctx context.Context, file string, f *faults) (io.Writer, error) {
	o, err := create(ctx, file)
	if err != nil {
		return nil, f.note(err)
	}
	*all = append(*all, o)
	return watched{o.w, f}, nil
}

// commit has them take their names, one after the other.
func (all outputs) commit() error {
	for _, o := range all {
		if err := o.commit(); err != nil {
			return err
		}
	}
	return nil
}

func (all *outputs) abort() {
	for _, o := range *all {
		o.abort()
	}
}

// quarantine is what becomes of a shard's bad records. They are written to this machine first, and go from there to
// the folder of --on-bad quarantine.
type quarantine struct {
	records *corpus.BadRecords
	to      string // where they go; empty for nowhere
	folder  string // where they are
	from    string
}

func newQuarantine(ctx context.Context, s *shard) (q *quarantine, err error) {
	q = &quarantine{}
	on := s.reads().OnBad
	if folder := on.Quarantine(); folder != "" {
		name := s.besideName(s.input)
		if q.folder, err = os.MkdirTemp("", "nbsvm-beam-"); err != nil {
			return nil, err
		}
		q.to, q.from = join(folder, name), filepath.Join(q.folder, name)
		on = corpus.OnBad("quarantine=" + q.from)
	}
	if q.records, err = corpus.NewBadRecords(on, messages{ctx}); err != nil {
		q.abort()
	}
	return q, err
}

// commit has the records take their name.
func (q *quarantine) commit(ctx context.Context) (sum provenance.Fingerprint, err error) {
	if err := q.records.Close(true); err != nil || q.to == "" {
		return sum, err
	}
	from, err := os.Open(q.from)
	if err != nil {
		return sum, err
	}
	defer from.Close()
	to, err := create(ctx, q.to)
	if err != nil {
		return sum, err
	}
	defer to.abort()
	w := provenance.NewSummer(to.w)
	if _, err := io.Copy(w, from); err != nil {
		return sum, fmt.Errorf("%s: %w", q.to, err)
	}
	return w.Fingerprint(), to.commit()
}

func (q *quarantine) abort() {
	if q.records != nil {
		q.records.Close(false)
	}
	if q.folder != "" {
		os.RemoveAll(q.folder)
	}
}

// messages are lines that go to the runner's log.
type messages struct{ ctx context.Context }

func (m messages) Write(line []byte) (int, error) {
	log.Warn(m.ctx, strings.TrimRight(string(line), "\n"))
	return len(line), nil
}
