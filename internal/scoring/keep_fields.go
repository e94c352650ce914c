package scoring

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// keptFields finds names of fields that no record has. That some lack a field is as it should be.
type keptFields struct {
	names []string
	at    []int         // of each name, its place in Document.Kept
	found []atomic.Bool // of each name
}

func newKeptFields(o *Options) *keptFields {
	k := &keptFields{names: o.KeepFields, found: make([]atomic.Bool, len(o.KeepFields))}
	for i := range k.names {
		k.at = append(k.at, o.firstKept()+i)
	}
	return k
}

// look looks at a document that is rendered.
func (k *keptFields) look(d *corpus.Document) {
	for i, at := range k.at {
		if at < len(d.Kept) && d.Kept[at].There() && !k.found[i].Load() {
			k.found[i].Store(true)
		}
	}
}

// missing returns the names that no document has had so far.
func (k *keptFields) missing() (names []string) {
	for i, name := range k.names {
		if !k.found[i].Load() {
			names = append(names, display.Label(name))
		}
	}
	return names
}

// warn tells of the names that none of the documents has.
func (k *keptFields) warn(w io.Writer, documents int64) {
	if missing := k.missing(); len(missing) > 0 && documents > 0 {
		fmt.Fprintf(w, "nbsvm: warning: --keep-fields: of %s none has %s\n", display.Some(documents, "document"),
			strings.Join(missing, ", "))
	}
}
