package flags

import (
	"strconv"

	"github.com/seed-167f963f/nbsvm/packed"
)

// RecordedPack are the options on which a corpus depends that is packed of what is read, as flags are written.
func (f *Input) RecordedPack(o *packed.Options) map[string]string {
	all := f.Recorded()
	if f.WeightField != "" {
		all["weight-field"] = f.WeightField
	}
	all["features"] = o.Text.String()
	all["values"] = "binary"
	if o.Counts {
		all["values"] = "count"
	}
	all["names"] = strconv.FormatBool(o.Names)
	return all
}
