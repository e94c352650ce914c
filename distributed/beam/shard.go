package nbsvmbeam

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
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
}

// shard is one attempt at one.
type shard struct {
	*worker
	job  *outdir.Job
	file *outdir.File
}

// attempt makes the output of a shard, unless it is there. An error is one that another attempt may not meet, as of a
// file system. With any other the shard fails alone, or is passed over.
func attempt(ctx context.Context, w *worker, input string) (m Made, err error) {
	s := &shard{worker: w}
	s.job = w.jobAt(ctx)
	if s.file, err = s.job.File(input); err != nil {
		return Made{Input: input}, err
	}
	m = Made{Input: input, Output: s.file.Output, State: outdir.There}
	there, err := s.file.There()
	if !there && err == nil {
		m.State, err = outdir.Written, s.produce(ctx)
	}
	number, system := errors.AsType[syscall.Errno](err)
	_, elsewhere := errors.AsType[systemError](err)
	switch {
	case err == nil:
		of := s.file
		m.Records, m.InputBytes, m.OutputBytes = of.Counts, of.Bytes, of.OutputBytes
		return m, nil
	case system && !number.Is(fs.ErrPermission) || elsewhere || ctx.Err() != nil:
		return m, err
	}
	m.State, m.Reason = outdir.Failed, err.Error()
	if s.passOver(err) {
		m.State = outdir.PassedOver
	}
	log.Warnf(ctx, "%s", m.reason()) // a summary has the first ones alone
	return m, nil
}

// produce makes the output, and what stands beside it. The output takes its name last: where it is, all is.
func (s *shard) produce(ctx context.Context) error {
	in := s.readAs()
	if !isLocal(s.file.Input) {
		in.Files = files{store{ctx}}
	}
	in.Paths, in.RecordReading = []string{s.file.Input}, true
	bad, err := newQuarantine(ctx, s)
	if err != nil {
		return err
	}
	defer bad.abort()
	in.Bad = bad.records
	var all []*output
	defer func() {
		for _, o := range all {
			o.abort()
		}
	}()
	counts, err := s.make(ctx, in, s.file, func(flag string) (io.Writer, error) {
		o, err := create(ctx, s.file.In(flag))
		if err != nil {
			return nil, err
		}
		all = append(all, o)
		if flag == outdir.OutputFlag {
			return s.file.Summed(o.w), nil
		}
		return o.w, nil
	})
	if err != nil {
		return err
	}
	if err := bad.commit(ctx); err != nil {
		return err
	}
	if err := s.file.Done(counts); err != nil {
		return err
	}
	for _, o := range all {
		if err := o.commit(); err != nil {
			return err
		}
	}
	return nil
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
	q = &quarantine{to: s.file.In(outdir.QuarantineFlag)}
	on := s.reads().OnBad
	if q.to != "" {
		if q.folder, err = os.MkdirTemp("", "nbsvm-beam-"); err != nil {
			return nil, err
		}
		q.from = filepath.Join(q.folder, path.Base(q.to))
		on = corpus.OnBad("quarantine=" + q.from)
	}
	if q.records, err = corpus.NewBadRecords(on, messages{ctx}); err != nil {
		q.abort()
	}
	return q, err
}

// commit has the records take their name.
func (q *quarantine) commit(ctx context.Context) error {
	if err := q.records.Close(true); err != nil || q.to == "" {
		return err
	}
	to, err := create(ctx, q.to)
	if err != nil {
		return err
	}
	defer to.abort()
	if err := (store{ctx}).readTo(q.from, to.w); err != nil {
		return err
	}
	return to.commit()
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
