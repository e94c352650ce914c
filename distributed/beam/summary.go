package nbsvmbeam

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/seed-167f963f/nbsvm/internal/build"
)

var madeType = reflect.TypeFor[Made]()

func init() {
	register.Combiner3[Summary, Made, Summary](&summaryFn{})
	register.DoFn2x1[context.Context, Summary, error](&writeSummaryFn{})
	beam.RegisterType(reflect.TypeFor[Summary]())
}

// Summary adds up what is known of the outputs of a job.
type Summary struct {
	Version   string   `json:"nbsvm"`
	Shards    int64    `json:"shards"`
	There     int64    `json:"there"`            // whose outputs were there before
	Failed    int64    `json:"failed"`           // shards without an output
	Faults    []string `json:"faults,omitempty"` // of the first of these, by path
	Documents int64    `json:"documents"`
	Written   int64    `json:"written"`
	Bad       int64    `json:"bad"`
	Read      int64    `json:"read_bytes"` // of shards, as they are stored
	Bytes     int64    `json:"bytes"`      // of outputs
	CRC32C    string   `json:"crc32c"`     // the exclusive or of those of the outputs

	Sum int64 `json:"-"` // CRC32C as a number
}

// SummaryName is the name of the file of a summary in a folder of outputs, unless another is asked for.
const SummaryName = ".nbsvm-summary.json"

// mostFaults is how many faults a summary has.
const mostFaults = 20

// Summarise adds up what is known of outputs, a collection of [Made], to one [Summary], whatever their order.
func Summarise(s beam.Scope, made beam.PCollection) beam.PCollection {
	return beam.Combine(s.Scope("nbsvm.Summarise"), &summaryFn{}, made)
}

// WriteSummary writes a collection of one [Summary] as JSON, to a path of a Beam file system.
func WriteSummary(s beam.Scope, summary beam.PCollection, path string) {
	beam.ParDo0(s.Scope("nbsvm.WriteSummary"), &writeSummaryFn{path}, summary)
}

// summaryFn adds up.
type summaryFn struct{}

// CreateAccumulator is the sum of nothing.
func (*summaryFn) CreateAccumulator() Summary { return Summary{Version: build.Version} }

// AddInput adds an output.
func (f *summaryFn) AddInput(s Summary, m Made) Summary {
	one := Summary{
		Version: build.Version, Shards: 1, Documents: m.Documents, Written: m.Written, Bad: m.Bad,
		Read: m.Read, Bytes: m.Bytes,
	}
	if sum, err := strconv.ParseUint(m.CRC32C, 16, 32); err == nil {
		one.Sum = int64(sum)
	}
	if m.Fault != "" {
		one.Failed, one.Faults = 1, []string{m.fault()}
	}
	if m.There {
		one.There = 1
	}
	return f.MergeAccumulators(s, one)
}

// MergeAccumulators adds two sums.
func (*summaryFn) MergeAccumulators(a, b Summary) Summary {
	a.Shards, a.There, a.Failed = a.Shards+b.Shards, a.There+b.There, a.Failed+b.Failed
	a.Documents, a.Written, a.Bad = a.Documents+b.Documents, a.Written+b.Written, a.Bad+b.Bad
	a.Read, a.Bytes, a.Sum = a.Read+b.Read, a.Bytes+b.Bytes, a.Sum^b.Sum
	a.Faults = slices.Concat(a.Faults, b.Faults)
	slices.Sort(a.Faults)
	a.Faults = a.Faults[:min(len(a.Faults), mostFaults)]
	return a
}

// ExtractOutput puts the sum as it is written.
func (*summaryFn) ExtractOutput(s Summary) Summary {
	s.CRC32C = fmt.Sprintf("%08x", s.Sum)
	return s
}

// fault tells what is wrong with which shard.
func (m *Made) fault() string {
	if strings.Contains(m.Fault, m.Input) {
		return m.Fault
	}
	return m.Input + ": " + m.Fault
}

// writeSummaryFn writes a summary.
type writeSummaryFn struct{ Path string }

// ProcessElement is called once.
func (f *writeSummaryFn) ProcessElement(ctx context.Context, s Summary) error {
	return writeJSON(ctx, f.Path, "  ", s)
}
