// Package scoring is what the command score makes of documents: which of its options go together, what rows or records
// they stand for, by which conditions records are filtered, and what outputs are called; and what an evaluation tells
// beside its report. Where inputs and outputs are is the caller's.
package scoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
	"github.com/seed-167f963f/nbsvm/internal/parquetfile"
)

// Scoring is a model with what is made of the documents that it scores.
type Scoring struct {
	options    *Options
	classifier *nbsvm.Classifier
	text       renders // of inputs of text
	parquet    renders // of Parquet
	header     []byte  // above rows of text
	lists      bool    // a row may have several classes
	kept       *keptFields
	labels     *labelTexts
}

// renders make the rows or records of an output, and the records that are rejected.
type renders struct{ rows, rejects nbsvm.Render }

// New decides what the rows or records are. The options must be valid. It returns an error if the model lacks what they
// ask for.
func New(c *nbsvm.Classifier, o *Options) (*Scoring, error) {
	s := &Scoring{options: o, classifier: c, kept: newKeptFields(o.KeepFields), labels: newLabelTexts(c)}
	show, err := o.shown(c)
	s.lists = show.Lists(c)
	if err != nil {
		return nil, err
	}
	s.parquet.rows = FileRow(c, show)
	switch {
	case o.Records():
		err = s.renderRecords(show)
	case o.OutputHeader || o.OutputFormat == "csv":
		if err = show.SetColumns(c); err == nil {
			s.header, err = show.Header(o.OutputFormat, o.IDField)
		}
		fallthrough
	default:
		s.text.rows = Rows[o.OutputFormat](c, show)
	}
	return s, err
}

// Input returns one that is read like the files of which the model was trained, where nothing else is said.
func (s *Scoring) Input(in corpus.Input) corpus.Input {
	in.Like = s.classifier.Reading()
	in.Like.Format = cmp.Or(in.Like.Format, s.classifier.Format())
	return in
}

// Counts returns what was scored, as records of outputs have it.
func (s *Scoring) Counts(stats nbsvm.ScoreStats) outdir.Counts {
	return outdir.Counts{Documents: stats.Documents, Written: stats.Written, Bad: stats.Bad, Reasons: stats.Reasons}
}

// Predicted lists how many documents were predicted to be of which label, the most frequent first.
func (s *Scoring) Predicted(stats nbsvm.ScoreStats) string {
	const most = 10
	type count struct {
		label     string
		documents int64
	}
	var counts []count
	for k, documents := range stats.Labels {
		if documents > 0 {
			counts = append(counts, count{s.classifier.Labels()[k], documents})
		}
	}
	slices.SortStableFunc(counts, func(a, b count) int { return cmp.Compare(b.documents, a.documents) })
	var all []string
	for _, of := range counts[:min(len(counts), most)] {
		all = append(all, display.Label(of.label)+" "+display.Count(of.documents))
	}
	if more := len(counts) - most; more > 0 {
		all = append(all, display.Some(int64(more), "more label"))
	}
	return strings.Join(all, ", ")
}

// Output is where rows or records go.
type Output struct {
	W    io.Writer
	Kind osfile.Compression // how what W gets is compressed
}

// Write scores an input, as Input has it. Rejects, the records that do not pass, are nil if nobody wants them.
func (s *Scoring) Write(
	ctx context.Context, in corpus.Input, o nbsvm.ScoreOptions, output Output, rejects *Output,
) (nbsvm.ScoreStats, error) {
	var stats nbsvm.ScoreStats
	o.Headers = s.options.Records()
	o.OnlyBest = !o.Headers && !s.options.AllScores && s.options.Top == nil && s.options.Label == nil
	of, put := s.text, func(to *Output, write func(io.Writer) error) error { return to.write(&o, write) }
	// Of Input.Files none is Parquet: they are refused when they are read.
	if len(in.Paths) == 1 && in.Files == nil && s.options.Parquet(in.Paths[0]) {
		of, put = s.parquet, func(to *Output, write func(io.Writer) error) error {
			rows, err := parquetfile.NewWriter(to.W, in.Paths[0], s.added())
			if err != nil {
				return err
			}
			return rows.Close(write(rows))
		}
	} else if s.options.AddField != "" && in.Format == corpus.Auto {
		in.Format = corpus.JSONL
	}
	rows := func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
		if p != nil {
			s.kept.look(d)
			s.labels.look(d)
		}
		return of.rows(dst, d, p)
	}
	err := put(&output, func(w io.Writer) error {
		if len(s.header) > 0 {
			if _, err := w.Write(s.header); err != nil {
				return err
			}
		}
		all := func() (err error) {
			stats, err = s.classifier.Score(ctx, in, o, rows, w)
			return err
		}
		if rejects == nil {
			return all()
		}
		return put(rejects, func(w io.Writer) error {
			o.Also = []nbsvm.ScoreOutput{{Render: of.rejects, W: w}}
			return all()
		})
	})
	if file, is := errors.AsType[*corpus.FileError](err); is && s.options.AddField != "" &&
		errors.Is(err, corpus.ErrFormat) {
		err = fmt.Errorf("%s is neither JSON lines nor Parquet, which --add-field needs: make it JSON lines first, "+
			"or score without --add-field, with --id-field and --keep-fields if rows need to be told apart", file.Path)
	}
	if err == nil {
		err = s.labels.check(in)
	}
	return stats, err
}

// WarnKept tells of fields to keep that none of so many documents has.
func (s *Scoring) WarnKept(w io.Writer, documents int64) { s.kept.warn(w, documents) }

// write runs write on what compresses for the output. The rows come in batches, one for every chunk of input: no need
// of a buffer, which would hold back the answers to what comes through a pipe.
func (t *Output) write(o *nbsvm.ScoreOptions, write func(io.Writer) error) error {
	return osfile.WriteCompressed(t.Kind, o.Threads, t.W, write)
}

// shown returns which classes a row has.
func (o *Options) shown(c *nbsvm.Classifier) (show Shown, err error) {
	show.Least, show.ID, show.Keep = math.Inf(-1), o.IDField != "", o.KeepFields
	if o.Threshold != nil {
		show.Least = inside.Classifier(c).Least(*o.Threshold)
	}
	switch {
	case o.Threshold != nil && c.Probabilities() && !(*o.Threshold >= 0 && *o.Threshold <= 1):
		return show, fmt.Errorf("--threshold must be 0 to 1, because the scores of this model are probabilities, got %g", *o.Threshold)
	case o.AllScores:
		show.Top = len(c.Labels())
	case o.Top != nil:
		show.Top = *o.Top
	case o.Label != nil:
		k, err := display.FindLabel(c.Labels(), *o.Label)
		if err != nil {
			return show, fmt.Errorf("--label: %w", err)
		}
		show.Label = []int{k}
	}
	return show, nil
}

// renderRecords makes the records to write, and those that are rejected. Bad ones are neither, but a field that is
// added to all records is null in those.
func (s *Scoring) renderRecords(show Shown) (err error) {
	o, c := s.options, s.classifier
	var passes condition = func(*nbsvm.Prediction) bool { return true }
	if o.Where != "" {
		label := -1
		if show.Label != nil {
			label = show.Label[0]
		}
		if passes, err = parseWhere(o.Where, inside.Classifier(c), label); err != nil {
			return err
		}
	}
	text, row := Record, FileRow(c, show)
	if o.AddField != "" {
		text = AddField(o.AddField, c, show)
	} else {
		row = func(dst []byte, d *corpus.Document, _ *nbsvm.Prediction) []byte {
			return (&parquetfile.Row{Number: d.Line}).Append(dst)
		}
	}
	those := func(pass bool, write nbsvm.Render) nbsvm.Render {
		return func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
			if p == nil && (o.Where != "" || o.AddField == "") || p != nil && passes(p) != pass {
				return dst
			}
			return write(dst, d, p)
		}
	}
	s.text = renders{those(true, text), those(false, text)}
	s.parquet = renders{those(true, row), those(false, row)}
	return nil
}

// Unreadable returns what is wrong with an input of which nothing can be read, nil if nothing is.
func Unreadable(in corpus.Input) error {
	in.Note, in.Headers = nil, false
	reader, err := corpus.Open(in)
	if err != nil {
		return err
	}
	defer reader.Close()
	chunk, err := reader.Next()
	if err != nil {
		return err
	}
	chunk.Release()
	return nil
}
