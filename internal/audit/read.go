package audit

import (
	"bytes"
	"cmp"
	"context"
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

// scoreFields are where rows of score have the score.
var scoreFields = []string{"score", "probabilities", "margins"}

// fields are where records have what is read. They number the fields of Input.Keep.
type fields struct {
	keep   []string
	scores []scoreField // the first that a record has counts
	by     [][]int      // of each group; again the first counts
}

// scoreField is where the score is, and where the label that it is of; -1 if nowhere.
type scoreField struct{ at, label int }

func (o *Options) fields() (f fields) {
	add := func(name string) int {
		f.keep = append(f.keep, name)
		return len(f.keep) - 1
	}
	candidates := scoreFields
	if o.Score != "" {
		candidates = []string{o.Score}
	}
	for _, name := range candidates {
		field := scoreField{add(name), -1}
		if before, is := strings.CutSuffix(name, "score"); is && strings.HasSuffix(before, ".") {
			field.label = add(before + "label") // of an object that --add-field added
		} else if is {
			field.label = add(before + "predicted")
		}
		f.scores = append(f.scores, field)
	}
	for _, name := range o.By {
		at := []int{add(name)}
		if _, err := strconv.Atoi(name); err != nil {
			at = append(at, add("fields."+name)) // as rows of score have kept fields in JSON
		}
		f.by = append(f.by, at)
	}
	return f
}

// score returns the score of a record, NaN if it has none, and the label that it is of, if the record says so.
func (f *fields) score(d *corpus.Document) (score float64, label []byte, err error) {
	for _, field := range f.scores {
		value := d.Kept[field.at]
		if !value.There() {
			continue
		}
		text := value.AppendText(nil)
		if field.label >= 0 {
			label = d.Kept[field.label].AppendText(nil)
		}
		if raw, is := value.JSON(); is && raw[0] == '{' {
			if text, label, err = only(f.keep[field.at], raw); err != nil {
				return 0, nil, err
			}
		}
		score, err = parse(bytes.TrimSpace(text))
		return score, label, err
	}
	return math.NaN(), nil, nil
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
		isScore := func(name string) bool { return slices.Contains(scoreFields, name) }
		example := names[max(0, slices.IndexFunc(names, isScore))]
		return nil, nil, fmt.Errorf("field %s has several members, %s: name one with --score-field, such as %s",
			display.Excerpt(field), display.Excerpts(names), display.Label(field+"."+example))
	case len(names) == 1 && value[0] == 'n':
		value = nil
	}
	return value, label, nil
}

// MostScore bounds scores, so that sums of their squares are finite.
const MostScore = 1e100

// parse reads a score; NaN is none. An infinite one is none either, as in Parquet, whose fields are read as JSON.
func parse(text []byte) (score float64, err error) {
	if len(text) == 0 {
		return math.NaN(), nil
	}
	score, err = strconv.ParseFloat(string(text), 64)
	switch {
	case err == nil && math.IsInf(score, 0):
		return math.NaN(), nil
	case err != nil || bytes.ContainsAny(text, "_xX") || math.Abs(score) > MostScore:
		return 0, fmt.Errorf("a score must be a number from -%g to %[1]g, not %s", MostScore, display.Excerpt(text))
	}
	if score == 0 {
		score = 0 // not -0
	}
	return score, nil
}

// appendGroups appends the values of a record by which it is in groups.
func (f *fields) appendGroups(dst []corpus.Value, d *corpus.Document) ([]corpus.Value, error) {
	for _, at := range f.by {
		value := d.Kept[at[0]]
		if !value.There() {
			value = d.Kept[at[len(at)-1]]
		}
		if raw, is := value.JSON(); is && (raw[0] == '{' || raw[0] == '[') {
			return nil, fmt.Errorf("field %s of --by must be a string, number or bool, got %s",
				f.keep[at[0]], display.Excerpt(raw))
		}
		dst = append(dst, value)
	}
	return dst, nil
}

// part is what is read of a chunk. It takes far less memory than the documents.
type part struct {
	*corpus.Chunk
	bad      []corpus.Document
	unscored int64
	scores   []float64
	groups   []corpus.Value  // of each score, one for each field of --by
	labels   map[string]bool // whose scores these are; up to mostLabels
}

// read reads a chunk.
func (f *fields) read(chunk *corpus.Chunk) *part {
	p := &part{Chunk: chunk, labels: map[string]bool{}}
	for _, d := range chunk.Append(nil) {
		if d.Err == nil {
			if err := p.add(f, &d); err != nil {
				chunk.Spoil(&d, err)
			}
		}
		if d.Err != nil {
			p.bad = append(p.bad, d)
		}
	}
	return p
}

// add adds a record; an error makes it bad.
func (p *part) add(f *fields, d *corpus.Document) error {
	score, label, err := f.score(d)
	groups, wrong := f.appendGroups(p.groups, d)
	if err = cmp.Or(err, wrong); err != nil {
		if of := p.Format(); d.Line == 1 && (of == corpus.CSV || of == corpus.TSV) {
			err = fmt.Errorf("%w: name another field with --score-field, or if this is a header, give Input.Header", err)
		}
		return err
	}
	if math.IsNaN(score) {
		p.unscored++
		return nil
	}
	p.scores, p.groups = append(p.scores, score), groups
	if label != nil && len(p.labels) < mostLabels && !p.labels[string(label)] {
		p.labels[string(label)] = true
	}
	return nil
}

// reading is a set in the making.
type reading struct {
	*set
	o   *Options
	bad *corpus.BadRecords

	found   []bool   // which fields of --by any record has
	named   string   // the path of the first file whose fields have names
	names   []string // of these
	numbers []uint32 // of the groups of a record, by field
	text    []byte   // room for a value

	path            string // of the file at hand
	records, scored bool   // whether it has any
}

// read reads the scores of an input. Records whose score is missing, null, empty, infinite or NaN are counted, and left
// out.
func read(ctx context.Context, in corpus.Input, by []groups, o *Options) (s *set, err error) {
	f := o.fields()
	r := reading{set: newSet(by), o: o, bad: in.Bad, found: make([]bool, len(by)), numbers: make([]uint32, len(by))}
	defer func() {
		if err != nil {
			r.rows.file.Close()
		}
	}()
	in.FieldsOnly, in.Keep = true, f.keep
	reader, err := corpus.Open(in)
	if err != nil {
		return nil, fieldError{err}
	}
	defer reader.Close()
	before := in.Bad.Reasons()
	work := func(_ int, chunk *corpus.Chunk) (*part, error) { return f.read(chunk), nil }
	err = par.Run(ctx, par.Threads(o.Threads), dataset.NextChunk(reader), work, func(p *part) error {
		if err := r.addPart(p); err != nil {
			return err
		}
		p.Release()
		if o.Progress != nil {
			done, total := reader.Progress()
			o.Progress(corpus.Progress{
				Stage: "audit", Done: done, Total: total, Unit: "bytes", Documents: r.documents, Bad: in.Bad.Reasons(),
			})
		}
		return nil
	})
	if err != nil {
		return nil, fieldError{err}
	}
	r.endFile()
	r.badReasons = in.Bad.Reasons().Without(before)
	switch missing := slices.Index(r.found, false); {
	case r.documents == 0 && r.names != nil:
		return nil, fmt.Errorf("%s: no record has a number in %s: the fields are %s; "+
			"name that of the score with --score-field",
			r.named, cmp.Or(o.Score, "score, probabilities or margins"), display.Excerpts(r.names))
	case r.documents == 0:
		return nil, fmt.Errorf("%w with a score in %s: is that the right input?", corpus.ErrNoDocuments, in.Describe())
	case missing >= 0:
		return nil, fmt.Errorf("%s: no record has the field %s of --by: the fields are %s",
			r.named, display.Excerpt(o.By[missing]), display.Excerpts(r.names))
	}
	return r.set, nil
}

// addPart adds what a chunk has.
func (r *reading) addPart(p *part) error {
	if p.Path() != r.path {
		r.endFile()
		r.path, r.records, r.scored = p.Path(), false, false
	}
	if r.names == nil && len(p.bad)+len(p.scores)+int(p.unscored) > 0 {
		r.named, r.names = p.Path(), p.Fields()
	}
	for i := range p.bad {
		if err := r.bad.Report(p.bad[i]); err != nil {
			return err
		}
	}
	r.unscored += p.unscored
	r.records, r.scored = r.records || len(p.scores) > 0 || p.unscored > 0, r.scored || len(p.scores) > 0
	for label := range p.labels {
		if len(r.labels) < mostLabels {
			r.labels[label] = true
		}
	}
	for k, score := range p.scores {
		for i, value := range p.groups[k*len(r.by):][:len(r.by)] {
			var err error
			r.found[i] = r.found[i] || value.There()
			r.text = value.AppendText(r.text[:0])
			if r.numbers[i], err = r.by[i].number(r.text); err != nil {
				return fmt.Errorf("--by %s: the field %w", display.Label(r.o.By[i]), err)
			}
		}
		if err := r.add(score, r.numbers); err != nil {
			return err
		}
	}
	return nil
}

// endFile notes a file without scores.
func (r *reading) endFile() {
	if r.records && !r.scored {
		r.empty = append(r.empty, r.path)
	}
}

// fieldError is an error about what is read, in which fields have the names of their flags.
type fieldError struct{ error }

func (e fieldError) Error() string {
	return fieldNames.Replace(e.error.Error())
}

func (e fieldError) Unwrap() error { return e.error }

// FieldFlags is for package facts.
func (e fieldError) FieldFlags() string { return "--score-field" }

var fieldNames = strings.NewReplacer(
	"Input.ID or Input.Keep", "--score-field or --by",
	"Input.Keep", "--score-field and --by",
)
