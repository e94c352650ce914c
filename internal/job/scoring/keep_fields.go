package scoring

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// keptFields finds names of --keep-fields that no record has. That some lack a field is as it should be.
type keptFields struct {
	names []string
	found []atomic.Bool // of each name
	any   atomic.Bool   // some document has been looked at
}

func newKeptFields(names []string) *keptFields {
	return &keptFields{names: names, found: make([]atomic.Bool, len(names))}
}

// watch looks at the documents that are rendered.
func (k *keptFields) watch(render nbsvm.Render) nbsvm.Render {
	return func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
		if p != nil && len(d.Kept) > 0 {
			k.look(d)
		}
		return render(dst, d, p)
	}
}

func (k *keptFields) look(d *corpus.Document) {
	for i, value := range d.Kept[len(d.Kept)-len(k.names):] { // behind the id
		if !k.found[i].Load() && value.There() {
			k.found[i].Store(true)
		}
	}
	if !k.any.Load() {
		k.any.Store(true)
	}
}

// warn tells of the names that none of the documents has.
func (k *keptFields) warn(w io.Writer, documents int64) {
	if k == nil || !k.any.Load() {
		return
	}
	var missing []string
	for i, name := range k.names {
		if !k.found[i].Load() {
			missing = append(missing, printable.Label(name))
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(w, "nbsvm: warning: --keep-fields: of %s none has %s\n", wording.Some(documents, "document"), strings.Join(missing, ", "))
	}
}
