package scoring

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// groups tell of which group a document is, within which a share is kept, by what models predict and fields of records.
type groups struct {
	by     []groupedBy
	keep   []string    // fields to be read: those of rows, then further ones of groups
	fields *keptFields // those of groups
}

// groupedBy is a model, or else a field.
type groupedBy struct {
	name  string
	model *Model
	at    int // number of the model, or place of the field in Document.Kept
}

// newGroups finds the models of these names; other names are fields.
func newGroups(models []Model, o *Options) (*groups, error) {
	g := &groups{keep: slices.Clone(o.KeepFields)}
	var fields []string
	var places []int
	for _, name := range o.By {
		if m := slices.IndexFunc(models, func(m Model) bool { return m.Name == name }); m >= 0 {
			if models[m].MultiLabel() {
				return nil, fmt.Errorf("--by %s: a document can have any number of this model's labels, which make no groups", name)
			}
			g.by = append(g.by, groupedBy{name, &models[m], m})
			continue
		}
		k := slices.Index(g.keep, name)
		if k < 0 {
			k, g.keep = len(g.keep), append(g.keep, name)
		}
		k += o.firstKept()
		fields, places = append(fields, name), append(places, k)
		g.by = append(g.by, groupedBy{name, nil, k})
	}
	g.fields = &keptFields{names: fields, at: places, found: make([]atomic.Bool, len(fields))}
	return g, nil
}

// longestValue is how many bytes of a field tell groups apart by themselves.
const longestValue = 256

// appendKey appends what tells the group of a document apart: the length of each value, and its bytes. Fields that are
// missing, null or empty have the length 0, and so has what a model does not predict.
func (g *groups) appendKey(dst []byte, d *corpus.Document, p []nbsvm.Prediction) ([]byte, error) {
	var room [longestValue]byte
	for _, by := range g.by {
		value := room[:0]
		switch {
		case by.model != nil:
			if labels := p[by.at].Labels; len(labels) > 0 {
				value = append(value, by.model.Labels()[labels[0]]...)
			}
		case by.at < len(d.Kept):
			if raw, is := d.Kept[by.at].JSON(); is && (raw[0] == '{' || raw[0] == '[') {
				return dst, fmt.Errorf("field %s of --by must be a string, number or bool, got %s", by.name, display.Excerpt(raw))
			}
			value = d.Kept[by.at].AppendText(value)
		}
		if len(value) > longestValue {
			sum := sha256.Sum256(value)
			value = append(value[:longestValue-len(sum)], sum[:]...)
		}
		dst = append(binary.AppendUvarint(dst, uint64(len(value))), value...)
	}
	return dst, nil
}

// groupName shows the group that a key stands for.
func groupName(key string) string {
	var all []string
	for rest := []byte(key); len(rest) > 0; {
		length, n := binary.Uvarint(rest)
		if rest = rest[n:]; length == 0 {
			all = append(all, "(none)")
			continue
		}
		all = append(all, display.Short(string(rest[:length]), display.LabelWidth))
		rest = rest[length:]
	}
	return strings.Join(all, ", ")
}

// check returns an error if none of the documents has a field: the name is probably wrong.
func (g *groups) check(documents int64) error {
	missing := g.fields.missing()
	if len(missing) == 0 || documents == 0 {
		return nil
	}
	return fmt.Errorf("--by: of %s none has a field %s, and no model has this name: name a field of the records, or a model of --model NAME=FILE",
		display.Some(documents, "document"), missing[0])
}

// byError is an error about fields that are read for groups alone.
type byError struct{ error }

func (e byError) Error() string { return strings.ReplaceAll(e.error.Error(), "Input.Keep", "--by") }

func (e byError) Unwrap() error { return e.error }
