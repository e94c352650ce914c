package nbsvmbeam

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/seed-167f963f/nbsvm/internal/build"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
)

var madeType = reflect.TypeFor[Made]()

func init() {
	register.Combiner2[Summary, Made](&summaryFn{})
	register.DoFn2x1[context.Context, Summary, error](&writeSummaryFn{})
	beam.RegisterType(reflect.TypeFor[Summary]())
}

// Summary adds up what is known of the outputs of a job.
type Summary struct {
	Version     string        `json:"nbsvm"`
	Files       int64         `json:"files"`
	Written     int64         `json:"written"`
	There       int64         `json:"there"`             // before; runners that try again find what they have written
	Skipped     int64         `json:"skipped"`           // as they are bad
	Failed      int64         `json:"failed"`            // files without an output
	Reasons     []string      `json:"reasons,omitempty"` // why: of the first of these, and of the skipped, by path
	Records     outdir.Counts `json:"records"`           // of all outputs that are there
	InputBytes  int64         `json:"input_bytes"`       // of their files, as they are stored
	OutputBytes int64         `json:"output_bytes"`
}

// SummaryName is the name of the file of a summary in a folder of outputs, unless another is asked for.
const SummaryName = outdir.SummaryName

// mostReasons is how many reasons a summary has.
const mostReasons = 20

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

// CreateAccumulator returns the sum of nothing.
func (*summaryFn) CreateAccumulator() Summary { return Summary{Version: build.Version} }

// AddInput adds an output.
func (f *summaryFn) AddInput(s Summary, m Made) Summary {
	one := Summary{
		Version: build.Version, Files: 1, Records: m.Records, InputBytes: m.InputBytes, OutputBytes: m.OutputBytes,
	}
	switch m.State {
	case outdir.There:
		one.There = 1
	case outdir.PassedOver:
		one.Skipped, one.Reasons = 1, []string{m.reason()}
	case outdir.Failed:
		one.Failed, one.Reasons = 1, []string{m.reason()}
	default:
		one.Written = 1
	}
	return f.MergeAccumulators(s, one)
}

// MergeAccumulators adds two sums.
func (*summaryFn) MergeAccumulators(a, b Summary) Summary {
	a.Files, a.Written, a.There = a.Files+b.Files, a.Written+b.Written, a.There+b.There
	a.Skipped, a.Failed = a.Skipped+b.Skipped, a.Failed+b.Failed
	a.InputBytes, a.OutputBytes = a.InputBytes+b.InputBytes, a.OutputBytes+b.OutputBytes
	a.Records.Add(b.Records)
	a.Reasons = slices.Concat(a.Reasons, b.Reasons)
	slices.Sort(a.Reasons)
	a.Reasons = a.Reasons[:min(len(a.Reasons), mostReasons)]
	return a
}

// reason returns what is wrong with which shard.
func (m *Made) reason() string {
	if strings.Contains(m.Reason, m.Input) {
		return m.Reason
	}
	return m.Input + ": " + m.Reason
}

// writeSummaryFn writes a summary.
type writeSummaryFn struct{ Path string }

// ProcessElement is called once.
func (f *writeSummaryFn) ProcessElement(ctx context.Context, s Summary) error {
	return store{ctx}.writeJSON(f.Path, "  ", s)
}
