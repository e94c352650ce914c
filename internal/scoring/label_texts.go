package scoring

import (
	"bytes"
	"fmt"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// labelTexts finds inputs of which labels are scored in place of texts, since their columns stand in another order.
type labelTexts struct {
	labels map[string]bool // of the models
	texts  atomic.Bool     // some document has a text
	seen   atomic.Int64    // documents of which the text is a label, while there are no others
}

// fewLabelTexts is how many texts may happen to be labels.
const fewLabelTexts = 9

func newLabelTexts(models []Model) *labelTexts {
	l := &labelTexts{labels: map[string]bool{}}
	for _, m := range models {
		for _, label := range m.Labels() {
			l.labels[label] = true
		}
	}
	return l
}

// look tells texts from labels, which are the text, or a column in front of it. Records without fields are texts.
func (l *labelTexts) look(d *corpus.Document) {
	if l.texts.Load() || len(d.Text) == 0 {
		return
	}
	column, _, _ := bytes.Cut(d.Text, []byte{'\t'})
	if len(d.Text) < len(d.Record) && l.labels[string(column)] {
		l.seen.Add(1)
	} else {
		l.texts.Store(true)
	}
}

// check returns an error if labels alone were scored.
func (l *labelTexts) check(in corpus.Input) error {
	n := l.seen.Load()
	if l.texts.Load() || n <= fewLabelTexts {
		return nil
	}
	where := ""
	if len(in.Paths) == 1 {
		where = in.Paths[0] + ": "
	}
	return fmt.Errorf("%sthe column that is read as the text has labels of the model in all of %s: say where the text is, --text-field and --label-field with numbers of columns or names, or --format lines if records are text alone",
		where, display.Some(n, "document"))
}
