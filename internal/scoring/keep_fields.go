package scoring

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// keptFields finds names of --keep-fields that no record has. That some lack a field is as it should be.
type keptFields struct {
	names []string
	found []atomic.Bool // of each name
}

func newKeptFields(names []string) *keptFields {
	return &keptFields{names: names, found: make([]atomic.Bool, len(names))}
}

// look looks at a document that is rendered.
func (k *keptFields) look(d *corpus.Document) {
	for i := range min(len(k.names), len(d.Kept)) {
		if d.Kept[len(d.Kept)-len(k.names)+i].There() && !k.found[i].Load() { // behind the id
			k.found[i].Store(true)
		}
	}
}

// warn tells of the names that none of the documents has.
func (k *keptFields) warn(w io.Writer, documents int64) {
	var missing []string
	for i, name := range k.names {
		if !k.found[i].Load() {
			missing = append(missing, display.Label(name))
		}
	}
	if len(missing) > 0 && documents > 0 {
		fmt.Fprintf(w, "nbsvm: warning: --keep-fields: of %s none has %s\n", display.Some(documents, "document"),
			strings.Join(missing, ", "))
	}
}
