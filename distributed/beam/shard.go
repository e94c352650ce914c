package nbsvmbeam

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
	"github.com/seed-167f963f/nbsvm/internal/provenance"
)

// Made is what became of a shard.
type Made struct {
	Input     string `json:"input"`
	Output    string `json:"output"`
	Documents int64  `json:"documents"`       // read, bad ones too
	Written   int64  `json:"written"`         // of which something was written
	Bad       int64  `json:"bad"`             // records
	Read      int64  `json:"read_bytes"`      // of the input, as it is stored
	Bytes     int64  `json:"bytes"`           // of the output
	CRC32C    string `json:"crc32c"`          // of the output
	There     bool   `json:"there,omitempty"` // the output was there before
	Fault     string `json:"fault,omitempty"` // why there is no output
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

// attempt makes the shard's output, unless it is there. An error is one that another attempt may not meet; what is
// wrong with the shard itself is a Fault.
func (s *shard) attempt(ctx context.Context) (m Made, err error) {
	m, there, err := s.there(ctx)
	if there || err != nil {
		return m, err
	}
	m, err = s.produce(ctx)
	bad := corpus.IsBadFile(err) || errors.Is(err, nbsvm.ErrNoDocuments)
	if !bad || s.faults.any() || ctx.Err() != nil {
		return m, err
	}
	return Made{Input: s.input, Output: s.output, Fault: err.Error()}, nil
}

// madePath is where the record of the output is.
func (s *shard) madePath() string {
	return join(join(s.folders()[0].path, outdir.MadeFolder), s.name+".json")
}

// readMade reads the record of the output.
func (s *shard) readMade(ctx context.Context) (m *outdir.Made, err error) {
	path := s.madePath()
	if _, there, err := exists(ctx, path); !there || err != nil {
		return nil, err
	}
	text, err := readAll(ctx, path)
	if err != nil {
		return nil, err
	}
	m = new(outdir.Made)
	if err := json.Unmarshal(text, m); err != nil || !m.Valid() {
		return nil, fmt.Errorf("%s is damaged: remove it, and %s to have that made again", path, s.output)
	}
	return m, nil
}

// there finds out whether the output is there.
func (s *shard) there(ctx context.Context) (m Made, there bool, err error) {
	size, there, err := exists(ctx, s.output)
	if !there || err != nil {
		return m, false, err
	}
	made, err := s.readMade(ctx)
	switch {
	case err != nil:
		return m, false, err
	case made == nil:
		return m, false, fmt.Errorf("%s is there, but no %s that tells what it was made of: remove it to have it made again", s.output, s.madePath())
	case made.Run != s.id:
		return m, false, fmt.Errorf("%s is of another run, by %s: remove it to have it made again", s.output, s.madePath())
	case made.Files[outdir.OutputFlag].Bytes != size:
		return m, false, fmt.Errorf("%s has %d bytes, and had %d when it was made: remove it to have it made again", s.output, size, made.Files[outdir.OutputFlag].Bytes)
	}
	m = s.madeOf(made)
	m.There = true
	return m, true, nil
}

// madeOf is what a record says.
func (s *shard) madeOf(of *outdir.Made) Made {
	output := of.Files[outdir.OutputFlag]
	return Made{
		Input: s.input, Output: s.output, Documents: of.Documents, Written: of.Written, Bad: of.Bad,
		Read: of.Input.Bytes, Bytes: output.Bytes, CRC32C: output.CRC32C,
	}
}

// freshen removes an output whose input has changed since it was made. It is for the time before anything is made:
// later, what is removed may be what another attempt has just made. What has the size and the time of before is the
// same, and so is what has its size and CRC-32C.
func (s *shard) freshen(ctx context.Context) error {
	if _, there, err := exists(ctx, s.output); !there || err != nil {
		return err
	}
	made, err := s.readMade(ctx)
	if made == nil || err != nil {
		return nil // which is told where it is scored
	}
	size, modified, err := stat(ctx, s.input)
	if err != nil || size == made.Input.Bytes && modified.Equal(made.Modified) {
		return err
	}
	if size == made.Input.Bytes {
		sum := provenance.NewSummer(io.Discard)
		if err := readTo(ctx, s.input, sum); err != nil {
			return err
		}
		if sum.Fingerprint().CRC32C == made.Input.CRC32C {
			made.Modified = modified // so that it need not be read the next time
			return writeJSON(ctx, s.madePath(), "", made)
		}
	}
	return remove(s.output)
}

// produce makes the output, and what stands beside it. The output takes its name last: where it is, all is.
func (s *shard) produce(ctx context.Context) (m Made, err error) {
	_, modified, err := stat(ctx, s.input)
	if err != nil {
		return m, s.faults.note(err)
	}
	read := provenance.NewSummer(io.Discard)
	in := nbsvm.Input{Paths: []string{s.input}, RecordReading: true, Options: s.reads().Options(false)}
	in.Raw = func(string) io.Writer { return read }
	if !isLocal(s.input) {
		of, err := system(s.input)
		if err != nil {
			return m, s.faults.note(err)
		}
		in.Files = opened{ctx, of, &s.faults}
	}
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
	made.Input.Path = s.input
	switch size, now, err := stat(ctx, s.input); {
	case err != nil:
		return m, s.faults.note(err)
	case size != made.Input.Bytes || !now.Equal(modified):
		return m, s.faults.note(fmt.Errorf("%s was changed while it was read: leave files alone while they are in use; the same command reads it anew", s.input))
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
	// Another attempt, which has made the same, may have done so, and its output be there: neither is removed.
	if before, err := s.readMade(ctx); err != nil || before == nil || !before.Same(made) {
		if err := writeJSON(ctx, s.madePath(), "", made); err != nil {
			return m, s.faults.note(err)
		}
	}
	return s.madeOf(made), s.faults.note(all.commit())
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
