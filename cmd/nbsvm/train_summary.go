package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// summarise prints what was trained, on what, and how long it took.
func (t *trainCmd) summarise(c *call, w io.Writer, in corpus.Input, r *nbsvm.Report, ready bool, valid *metrics.Report, size int64) error {
	if c.JSON {
		seconds := map[string]float64{}
		for _, stage := range r.Stages {
			seconds[stage.Name] = stage.Took.Seconds()
		}
		return printJSON(w, struct {
			*nbsvm.Report
			Seconds    map[string]float64 `json:"seconds"`
			Total      float64            `json:"total_seconds"`
			ModelBytes int64              `json:"model_bytes"`
			Valid      *metrics.Report    `json:"valid,omitempty"`
		}{r, seconds, r.Took.Seconds(), size, valid})
	}
	warnUnconverged(c, r)
	warnInvalid(c, in, r.Invalid)
	if c.Quiet {
		return nil
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	writeReport(tw, r, ready)
	fmt.Fprint(tw, "time\t")
	for i, stage := range r.Stages {
		if i > 0 {
			fmt.Fprint(tw, ", ")
		}
		fmt.Fprintf(tw, "%s %.2f s", stage.Name, stage.Took.Seconds())
	}
	fmt.Fprintf(tw, "; together %.2f s, %.0f MB/s\n", r.Took.Seconds(), float64(r.Bytes)/1e6/max(r.Took.Seconds(), 1e-9))
	if t.Output != "-" {
		fmt.Fprintf(tw, "model\t%s, %s\n", printable.Label(t.Output), wording.Bytes(size))
	}
	tw.Flush()
	if valid != nil {
		fmt.Fprintf(w, "\nOn %s:\n", printable.Label(t.Valid.String()))
		return valid.WriteText(w)
	}
	return nil
}

// warn tells of what a user should know although training succeeded.
func warn(c *call, r *nbsvm.Report) {
	warnUnconverged(c, r)
	warnInvalid(c, corpus.Input{}, r.Invalid)
}

// warnUnconverged tells of classifiers that are not as good as was asked for.
func warnUnconverged(c *call, r *nbsvm.Report) {
	if s := r.Solution; s != nil && s.Unconverged > 0 {
		fmt.Fprintf(c.err, "nbsvm: warning: %d of %d classifiers stopped after %s, short of the gap asked for: %.2g reached, tol is %g; raise --max-epochs or lower --C\n",
			s.Unconverged, s.Outputs, wording.Some(s.Epochs, "epoch"), s.Gap, r.Options.Tol)
	}
}
