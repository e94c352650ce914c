package audit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/data/dataset"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/jsonscan"
	"github.com/seed-167f963f/nbsvm/internal/par"
)

// Options say what is read of files of scores.
type Options struct {
	Score string   // field of the score; "" for where rows of score have it
	By    []string // fields whose values are groups

	Threads  int
	Progress func(corpus.Progress) // may be nil
}

// scoreFields are where rows of score have the score.
var scoreFields = []string{"score", "probabilities", "margins"}

// fields are where records have what is read. They number the fields of Input.Keep.
type fields struct {
	keep   []string
	scores []int   // the first that a record has counts
	labels [][]int // beside each of these
	by     [][]int // of each group, likewise
}

func (o *Options) fields() (f fields) {
	add := func(names ...string) (at []int) {
		for _, name := range names {
			at = append(at, len(f.keep))
			f.keep = append(f.keep, name)
		}
		return at
	}
	candidates := scoreFields
	if o.Score != "" {
		candidates = []string{o.Score}
	}
	f.scores = add(candidates...)
	for _, name := range candidates {
		var labels []int
		switch before, is := strings.CutSuffix(name, "score"); {
		case is && strings.HasSuffix(before, "."): // of an object that --add-field added
			labels = add(before + "label")
		case is:
			labels = add(before + "predicted")
		}
		f.labels = append(f.labels, labels)
	}
	for _, name := range o.By {
		names := []string{name}
		if _, err := strconv.Atoi(name); err != nil {
			names = append(names, "fields."+name) // as rows of score have kept fields in JSON
		}
		f.by = append(f.by, add(names...))
	}
	return f
}

// part is what a chunk has.
type part struct {
	chunk  *corpus.Chunk
	bad    []corpus.Document
	scores []float64
	groups []string // of each score, one for each field
	found  []bool   // which fields any record has

	unscored int64
	labels   map[string]bool
	fields   []string // that its file has; if no record has a score, or a group
}

// Read reads the scores of an input. Records whose score is missing, null, empty or NaN are counted, and left out.
func Read(ctx context.Context, in corpus.Input, o *Options) (set *Set, err error) {
	f := o.fields()
	in.FieldsOnly, in.Keep = true, f.keep
	reader, err := corpus.Open(in)
	if err != nil {
		return nil, fieldError{err}
	}
	defer reader.Close()
	s := newSet(len(o.By))
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	found := make([]bool, len(o.By))
	var names []string // of fields, of the first file in which something was missing
	of := ""           // its path
	path, scored, records := "", false, false
	next := func(to string) {
		if records && !scored {
			s.Empty = append(s.Empty, path)
		}
		path, scored, records = to, false, false
	}
	bad := in.Bad.Reasons()
	err = par.Run(ctx, par.Threads(o.Threads), dataset.NextChunk(reader), func(_ int, chunk *corpus.Chunk) (*part, error) {
		return f.read(chunk), nil
	}, func(p *part) error {
		for i := range p.bad {
			if err := in.Bad.Report(p.bad[i]); err != nil {
				return err
			}
		}
		if at := p.chunk.Path(); at != path {
			next(at)
		}
		scored, records = scored || len(p.scores) > 0, records || len(p.scores) > 0 || p.unscored > 0
		if p.fields != nil && names == nil {
			of, names = p.chunk.Path(), p.fields
		}
		for i := range found {
			found[i] = found[i] || p.found[i]
		}
		if err := s.take(p, o.By); err != nil {
			return err
		}
		p.chunk.Release()
		if o.Progress != nil {
			done, total := reader.Progress()
			o.Progress(corpus.Progress{
				Stage: "audit", Done: done, Total: total, Unit: "bytes", Documents: s.Documents, Bad: in.Bad.Reasons(),
			})
		}
		return nil
	})
	if err != nil {
		return nil, fieldError{err}
	}
	next("")
	s.Bad = in.Bad.Reasons().Without(bad)
	switch missing := slices.Index(found, false); {
	case s.Documents == 0 && names != nil:
		return nil, fmt.Errorf("%s: no record has a number in %s: the fields are %s; name that of the score with --score-field",
			of, cmp.Or(o.Score, "score, probabilities or margins"), display.Excerpts(names))
	case s.Documents == 0:
		return nil, fmt.Errorf("%w with a score in %s: is that the right input?", corpus.ErrNoDocuments, in.Describe())
	case missing >= 0:
		return nil, fmt.Errorf("%s: no record has the field %s of --by: the fields are %s", of, display.Excerpt(o.By[missing]),
			display.Excerpts(names))
	}
	return s, nil
}

// fieldError is an error about what is read, in which fields have the names of their flags.
type fieldError struct{ error }

func (e fieldError) Error() string {
	return fieldNames.Replace(e.error.Error())
}

func (e fieldError) Unwrap() error { return e.error }

// FieldFlags is for package facts.
func (e fieldError) FieldFlags() string { return "--score-field" }

var fieldNames = strings.NewReplacer("Input.ID or Input.Keep", "--score-field or --by", "Input.Keep", "--score-field and --by")

// take adds what a chunk has.
func (s *Set) take(p *part, by []string) error {
	s.Unscored += p.unscored
	for label := range p.labels {
		if len(s.Labels) < mostLabels {
			s.Labels[label] = true
		}
	}
	row := make([]uint32, len(by))
	for k, score := range p.scores {
		for i := range row {
			var err error
			if row[i], err = s.fields[i].number(p.groups[k*len(row)+i]); err != nil {
				return fmt.Errorf("--by %s: the field %w", display.Label(by[i]), err)
			}
		}
		if err := s.add(score, row); err != nil {
			return err
		}
	}
	return nil
}

// read reads a chunk.
func (f *fields) read(chunk *corpus.Chunk) *part {
	p := &part{chunk: chunk, found: make([]bool, len(f.by)), labels: map[string]bool{}}
	names := map[string]string{} // one copy of each
	documents := chunk.Append(nil)
	var text []byte
	for i := range documents {
		d := &documents[i]
		score, label, there, err := f.score(d)
		if err == nil {
			err = f.plain(d)
		}
		if d.Err == nil && err != nil {
			if of := chunk.Format(); d.Line == 1 && (of == corpus.CSV || of == corpus.TSV) {
				err = fmt.Errorf("%w: name another field with --score-field, or if this is a header, give Input.Header", err)
			}
			chunk.Spoil(d, err)
		}
		switch {
		case d.Err != nil:
			p.bad = append(p.bad, *d)
			continue
		case !there:
			p.unscored++
			continue
		}
		p.scores = append(p.scores, score)
		if label != nil && len(p.labels) < mostLabels && !p.labels[string(label)] {
			p.labels[string(label)] = true
		}
		for k, at := range f.by {
			value := first(d.Kept, at) // a plain one
			text = value.AppendText(text[:0])
			p.found[k] = p.found[k] || value.There()
			name, known := names[string(text)]
			if !known {
				name = string(text)
				names[name] = name
			}
			p.groups = append(p.groups, name)
		}
	}
	if len(documents) > 0 && (len(p.scores) == 0 || slices.Contains(p.found, false)) {
		p.fields = chunk.Fields()
	}
	return p
}

// plain returns an error if a group is an object or an array.
func (f *fields) plain(d *corpus.Document) error {
	for _, at := range f.by {
		if d.Err != nil {
			break
		}
		if raw, is := first(d.Kept, at).JSON(); is && (raw[0] == '{' || raw[0] == '[') {
			return fmt.Errorf("field %s of --by must be a string, number or bool, got %s", f.keep[at[0]], display.Excerpt(raw))
		}
	}
	return nil
}

// first returns the first value of some that a record has.
func first(kept []corpus.Value, at []int) (value corpus.Value) {
	for _, k := range at {
		if value = kept[k]; value.There() {
			break
		}
	}
	return value
}

// score returns the score of a record, if there is one, and the label that it is of, if the record says so.
func (f *fields) score(d *corpus.Document) (score float64, label []byte, there bool, err error) {
	if d.Err != nil {
		return 0, nil, false, nil
	}
	for i, at := range f.scores {
		value := d.Kept[at]
		if !value.There() {
			continue
		}
		if of := first(d.Kept, f.labels[i]); len(f.labels[i]) > 0 && of.There() {
			label = of.AppendText(nil)
		}
		text := value.AppendText(nil)
		if raw, is := value.JSON(); is && raw[0] == '{' {
			if text, label, err = only(f.keep[at], raw); err != nil {
				return 0, nil, false, err
			}
		}
		score, there, err = parse(bytes.TrimSpace(text))
		return score, label, there, err
	}
	return 0, nil, false, nil
}

// only returns the score of an object that has a single one, and its label. The field is that of the object.
func only(field string, object []byte) (value, label []byte, err error) {
	var names []string
	s := jsonscan.Scanner{Data: object}
	s.Object(func(key, v []byte) {
		names, value, label = append(names, string(key)), v, bytes.Clone(key)
	})
	switch {
	case len(names) > 1:
		example := names[max(0, slices.IndexFunc(names, func(name string) bool { return slices.Contains(scoreFields, name) }))]
		return nil, nil, fmt.Errorf("field %s has several members, %s: name one with --score-field, such as %s", display.Excerpt(field),
			display.Excerpts(names), display.Label(field+"."+example))
	case len(names) == 1 && value[0] == 'n':
		value = nil
	}
	return value, label, nil
}

// MostScore bounds scores, so that sums of their squares are finite.
const MostScore = 1e100

// parse reads a score.
func parse(text []byte) (score float64, there bool, err error) {
	if len(text) == 0 {
		return 0, false, nil
	}
	score, err = strconv.ParseFloat(string(text), 64)
	if err != nil || bytes.ContainsAny(text, "_xX") || math.Abs(score) > MostScore {
		return 0, false, fmt.Errorf("a score must be a number from -%g to %[1]g, not %s", MostScore, display.Excerpt(text))
	}
	if score == 0 {
		score = 0 // not -0
	}
	return score, !math.IsNaN(score), nil
}
