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

// Scoring is what is made of the documents that models score.
type Scoring struct {
	options *Options
	models  []Model
	row     Row
	parts   *nbsvm.Parts                                    // nil if texts are scored as they are
	text    renders                                         // of inputs of text
	parquet renders                                         // of Parquet
	beside  nbsvm.Render                                    // rows of scores beside records
	header  []byte                                          // above rows of text
	matches condition                                       // --where
	passes  func(*corpus.Document, []nbsvm.Prediction) bool // and is of the share that is kept, or drawn
	groups  *groups                                         // of --by
	only    [][]int                                         // the scores that are needed, as nbsvm.ScoreOptions has them
	unknown []bool                                          // likewise
	kept    *keptFields
	labels  *labelTexts
}

// renders make the rows or records of an output, and the records that are rejected.
type renders struct{ rows, rejects nbsvm.Render }

// New decides what the rows or records are. The options must be valid. It returns an error if a model lacks what they
// ask for.
func New(models []Model, o *Options) (*Scoring, error) {
	s := &Scoring{options: o, models: models, kept: newKeptFields(o), labels: newLabelTexts(models)}
	var err error
	if s.groups, err = newGroups(models, o); err != nil {
		return nil, err
	}
	if s.row, err = o.row(models); err != nil {
		return nil, err
	}
	for i := range s.row.Of {
		s.only = append(s.only, s.row.Of[i].needs())
	}
	if err := s.divide(); err != nil {
		return nil, err
	}
	s.parquet.rows = FileRow(&s.row)
	if o.Records() {
		if err := s.renderRecords(); err != nil || !o.beside {
			return s, err
		}
	}
	switch table := o.OutputFormat == "tsv" || o.OutputFormat == "csv"; {
	case o.OutputHeader || o.OutputFormat == "csv":
		s.row.Fixed = true
		s.header, err = s.row.Header(o.OutputFormat, o.IDField)
	case o.OutputFormat == Parquet:
		_, err = s.table(io.Discard)
	case len(models) > 1 && table: // whose columns are told apart by their numbers
		s.row.Fixed = true
		err = s.row.check()
	}
	if err != nil {
		return nil, err
	}
	if rows := Rows[o.OutputFormat](&s.row); o.beside {
		s.beside = rows
	} else {
		s.text.rows = rows
	}
	return s, nil
}

// Input returns one that is read like the files on which the models were trained, where nothing else is said, with the
// fields that groups need.
func (s *Scoring) Input(in corpus.Input) corpus.Input {
	in.Like, in.Keep = reading(s.models), s.groups.keep
	return in
}

// ask has all models asked, for the scores that are needed.
func (s *Scoring) ask(o *nbsvm.ScoreOptions) {
	for _, m := range s.models[1:] {
		o.With = append(o.With, m.Classifier)
	}
	o.Only, o.Unknown, o.Parts = s.only, s.unknown, s.parts
}

// settles reports whether models are only asked of documents that those before them leave open: no scores are written.
func (s *Scoring) settles() bool {
	return s.options.Where != "" && s.options.AddField == "" && s.beside == nil
}

// settled reports whether the predictions of the first models tell whether a document is kept.
func (s *Scoring) settled(p []nbsvm.Prediction) bool {
	is := s.matches(p)
	return is == fails || is == passes && s.options.KeepShare == nil && s.options.KeepPareto == nil
}

// Counts returns what was scored, as records of outputs have it.
func (s *Scoring) Counts(stats nbsvm.ScoreStats) outdir.Counts {
	return outdir.Counts{Documents: stats.Documents, Written: stats.Written, Bad: stats.Bad, Reasons: stats.Reasons}
}

// Predicted writes a line for each model: how many documents it predicted to be of which label, the most frequent first.
func (s *Scoring) Predicted(w io.Writer, stats nbsvm.ScoreStats) {
	if s.row.combined && s.options.tagsParts() {
		return
	}
	for i, m := range s.models {
		documents, by := stats.Labels, ""
		if i > 0 {
			documents = stats.With[i-1]
		}
		if m.Name != "" {
			by = " by " + m.Name
		}
		if i > 0 && s.settles() {
			by += ", where it was asked"
		}
		if predicted := predicted(m.Labels(), documents); predicted != "" {
			fmt.Fprintf(w, "predicted%s: %s\n", by, predicted)
		}
	}
}

func predicted(labels []string, of []int64) string {
	const most = 10
	type count struct {
		label     string
		documents int64
	}
	var counts []count
	for k, documents := range of {
		if documents > 0 {
			counts = append(counts, count{labels[k], documents})
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
	Of   corpus.Format      // that its name tells; Auto if it tells none
}

// Beside are outputs beside the records that pass; nil if nobody wants them.
type Beside struct {
	Rejects    *Output // the records that do not pass
	Attributes *Output // rows of scores of all records
}

// Write scores an input, as Input has it.
func (s *Scoring) Write(
	ctx context.Context, in corpus.Input, o nbsvm.ScoreOptions, output Output, beside Beside,
) (nbsvm.ScoreStats, error) {
	var stats nbsvm.ScoreStats
	o.Headers = s.options.Records()
	type putter = func(to *Output, write func(io.Writer) error) error
	var asText putter = func(to *Output, write func(io.Writer) error) error { return to.write(&o, write) }
	asRows := asText
	if s.options.OutputFormat == Parquet {
		asRows = s.writeTable
	}
	of, put := s.text, asText
	if !s.options.Records() {
		put = asRows
	}
	isParquet := false
	if len(in.Paths) == 1 && in.Files == nil { // of Input.Files none is Parquet: they are refused when they are read
		var err error
		if isParquet, err = s.options.Parquet(in.Paths[0]); err != nil {
			return stats, err
		}
	}
	if isParquet {
		of, put = s.parquet, func(to *Output, write func(io.Writer) error) error {
			rows, err := parquetfile.NewWriter(to.W, in.Paths[0], s.added())
			if err != nil {
				return err
			}
			return rows.Close(write(rows))
		}
	} else if s.options.AddField != "" && in.Format == corpus.Auto && !slices.ContainsFunc(in.Paths, namedWARC) {
		in.Format = corpus.JSONL
	}
	s.ask(&o)
	if s.settles() {
		o.Settled = s.settled
	}
	if o.Headers {
		of.rows = output.asNamed(of.rows)
	}
	if beside.Rejects != nil {
		of.rejects = beside.Rejects.asNamed(of.rejects)
	}
	rows := func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
		if p != nil {
			s.kept.look(d)
			s.labels.look(d)
		}
		return of.rows(dst, d, p)
	}
	var main io.Writer
	all := func() (err error) {
		stats, err = s.models[0].Score(ctx, in, o, rows, main)
		return err
	}
	also := func(to *Output, as putter, header []byte, output nbsvm.ScoreOutput) {
		if to == nil {
			return
		}
		others := all
		all = func() error {
			return as(to, func(w io.Writer) error {
				output.W = w
				o.Also = append(o.Also, output)
				return begin(w, header, others)
			})
		}
	}
	header := s.header
	if s.beside != nil {
		also(beside.Attributes, asRows, header, nbsvm.ScoreOutput{Render: s.beside})
		header = nil
	}
	also(beside.Rejects, put, nil, nbsvm.ScoreOutput{Render: of.rejects, Headers: true})
	err := put(&output, func(w io.Writer) error {
		main = w
		return begin(w, header, all)
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

// begin writes a header before the rest.
func begin(w io.Writer, header []byte, rest func() error) error {
	if len(header) > 0 {
		if _, err := w.Write(header); err != nil {
			return err
		}
	}
	return rest()
}

// WarnKept tells of fields to keep that none of so many documents has.
func (s *Scoring) WarnKept(w io.Writer, documents int64) { s.kept.warn(w, documents) }

// write runs write on what compresses for the output. The rows come in batches, one for every chunk of input: no need
// of a buffer, which would hold back the answers to what comes through a pipe.
func (t *Output) write(o *nbsvm.ScoreOptions, write func(io.Writer) error) error {
	return osfile.WriteCompressed(t.Kind, o.Threads, t.W, write)
}

// row returns what a row has.
func (o *Options) row(models []Model) (row Row, err error) {
	row.ID, row.Keep = o.IDField != "", o.KeepFields
	of, label := "", o.Label // the model whose label that is
	if len(models) > 1 {
		switch {
		case strings.HasPrefix(o.OutputFormat, "fasttext"):
			return row, fmt.Errorf("rows of --output-format %s have one model's labels: use tsv, csv or jsonl", o.OutputFormat)
		case o.Threshold != nil:
			return row, errors.New("--threshold is for one model: use --where, which has scores of each")
		case o.Label != nil:
			name, rest, ok := strings.Cut(*o.Label, "=")
			if !ok || !slices.ContainsFunc(models, func(m Model) bool { return m.Name == name }) {
				return row, fmt.Errorf("--label %s: there are several models: put the name of one and = in front, such as %s=%[1]s",
					display.Label(*o.Label), models[0].Name)
			}
			of, label = name, &rest
		}
	}
	for _, m := range models {
		show := Shown{Model: m, Least: math.Inf(-1)}
		switch {
		case o.Threshold != nil && m.Probabilities() && !(*o.Threshold >= 0 && *o.Threshold <= 1):
			return row, fmt.Errorf("--threshold must be 0 to 1, because the scores of this model are probabilities, got %g", *o.Threshold)
		case o.Threshold != nil:
			show.Least = inside.Classifier(m.Classifier).Least(*o.Threshold)
		}
		switch {
		case o.AllScores:
			show.Top = len(m.Labels())
		case o.Top != nil:
			show.Top = *o.Top
		case label != nil && of == m.Name:
			k, err := display.FindLabel(m.Labels(), *label)
			if err != nil {
				return row, fmt.Errorf("--label: %w", err)
			}
			show.Label = []int{k}
		}
		row.Of = append(row.Of, show)
	}
	return row, nil
}

// renderRecords makes the records to write, and those that are rejected. Bad ones are neither, but a field that is
// added to all records is null in those.
func (s *Scoring) renderRecords() (err error) {
	o := s.options
	s.matches = func([]nbsvm.Prediction) verdict { return passes }
	compared := newCompared(len(s.models))
	if o.Where != "" {
		if s.matches, compared, err = parseWhere(o.Where, askedOf(&s.row)); err != nil {
			return err
		}
	}
	s.passes = func(_ *corpus.Document, p []nbsvm.Prediction) bool { return s.matches(p) == passes }
	if o.KeepShare != nil || o.KeepPareto != nil {
		i, class, err := s.ranked()
		if err != nil {
			return err
		}
		compared.classes[i] = append(compared.classes[i], class)
		if o.KeepPareto != nil {
			drawn := s.drawn(i, class)
			s.passes = func(d *corpus.Document, p []nbsvm.Prediction) bool { return s.matches(p) == passes && drawn(d, p) }
		}
	}
	s.unknown = compared.unknown
	for i := range s.only {
		if s.only[i] != nil {
			s.only[i] = append(s.only[i], compared.classes[i]...)
		}
	}
	text, row := Record, FileRow(s.row.ofRecords())
	if o.AddField != "" {
		text = asJSON(AddField(o.AddField, s.row.ofRecords()))
	} else {
		row = func(dst []byte, d *corpus.Document, _ []nbsvm.Prediction) []byte {
			return (&parquetfile.Row{Number: d.Line}).Append(dst)
		}
	}
	those := func(pass bool, write nbsvm.Render) nbsvm.Render {
		return func(dst []byte, d *corpus.Document, p []nbsvm.Prediction) []byte {
			if p == nil && (o.Filters() || o.AddField == "") || p != nil && s.passes(d, p) != pass {
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
