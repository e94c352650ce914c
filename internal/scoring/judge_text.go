package scoring

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// WriteText writes what was found below the report.
func (f *Found) WriteText(w io.Writer) error {
	if err := f.Report.WriteText(w); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if f.judge.o.curve() {
		f.writeCurve(w, tw)
	}
	if len(f.AtK) > 0 {
		fmt.Fprint(w, "\nbest labels of each document\n")
		fmt.Fprint(tw, "k\tprecision\trecall\tnDCG\t\n")
		for _, t := range f.AtK {
			fmt.Fprintf(tw, "%d\t%.4f\t%.4f\t%.4f\t\n", t.K, t.Precision, t.Recall, t.NDCG)
		}
		tw.Flush()
	}
	return nil
}

// writeCurve writes what thresholds keep.
func (f *Found) writeCurve(w io.Writer, tw *tabwriter.Writer) {
	unit := "; train with --calibrate for probabilities"
	if Scale(f.judge.c) != "margins" {
		unit = ""
	}
	of, risk := "the predicted label", true
	switch {
	case f.judge.c.Numbers():
		of, risk = fmt.Sprintf("a document, of which those with a number of %g or more are wanted,", f.judge.o.Cut[0]), false
	case f.judge.o.Label != nil:
		of, risk = display.Label(*f.judge.o.Label), false
	case f.judge.c.MultiLabel():
		of, risk = "a label", false
	}
	fmt.Fprintf(w, "\nkept if the %s of %s is at least the threshold%s\n", f.judge.scoreName(), of, unit)
	head := "threshold\tkept\tshare\tprecision\trecall\t"
	if risk {
		head += "risk\t"
	}
	fmt.Fprintln(tw, head)
	row := func(p metrics.CurvePoint) {
		fmt.Fprintf(tw, "%v\t%d\t%.4f\t%s\t%s\t", p.Threshold, p.Kept, p.Share, fourDigits(p.Precision),
			fourDigits(p.Recall))
		if risk && p.Precision != nil {
			fmt.Fprintf(tw, "%.4f\t", 1-*p.Precision)
		} else if risk {
			fmt.Fprint(tw, "-\t")
		}
		fmt.Fprintln(tw)
	}
	for _, p := range f.Thresholds {
		row(p)
	}
	if f.AtThreshold != nil {
		row(*f.AtThreshold)
	}
	if f.AtPrecision != nil && *f.AtPrecision != nil {
		row(**f.AtPrecision)
	}
	tw.Flush()
	if f.AtThreshold != nil {
		fmt.Fprintf(w, "threshold %v: %s\n", f.AtThreshold.Threshold, f.restsOn(f.AtThreshold))
	}
	switch {
	case f.AtPrecision == nil:
	case f.Guarantee != nil:
		f.writeGuarantee(w, *f.AtPrecision)
	case *f.AtPrecision == nil:
		fmt.Fprintf(w, "no threshold reaches a precision of %g\n", *f.judge.o.AtPrecision)
	default:
		reached := *f.AtPrecision
		fmt.Fprintf(w, "threshold %v reaches a precision of %g, with a recall of %s: %s\n"+
			"It was chosen on these documents, which flatters it: give --threshold with others to measure its precision.\n",
			reached.Threshold, *f.judge.o.AtPrecision, fourDigits(reached.Recall), f.restsOn(reached))
	}
}

// writeGuarantee writes which threshold has the precision on new documents, or why none has.
func (f *Found) writeGuarantee(w io.Writer, at *metrics.CurvePoint) {
	precision, sure := *f.judge.o.AtPrecision, fmt.Sprintf("%.6g %%", 100*f.Guarantee.Confidence)
	least := display.Some(f.Guarantee.LeastKept, "document")
	switch {
	case at != nil:
		fmt.Fprintf(w, "threshold %v has a precision of %g or more on new documents of the same kind, with a confidence of %s (Learn then Test), and a recall of %s on these: %s\n",
			at.Threshold, precision, sure, fourDigits(at.Recall), f.restsOn(at))
	case f.Report.N < f.Guarantee.LeastKept:
		fmt.Fprintf(w, "too few documents for a precision of %g with a confidence of %s: it takes %s, if all are right, and there are %s\n",
			precision, sure, least, display.Count(int64(f.Report.N)))
	default:
		fmt.Fprintf(w, "no threshold has a precision of %g with a confidence of %s: it must keep %s, if all are right, and more if some are wrong; give more documents, or ask for less\n",
			precision, sure, least)
	}
}

// restsOn returns what a precision rests on.
func (f *Found) restsOn(p *metrics.CurvePoint) string {
	what := "document"
	if f.judge.c.MultiLabel() && f.judge.o.Label == nil {
		what = "decision"
	}
	kept := display.Some(p.Kept, what) + " kept"
	if p.Precision == nil {
		return kept
	}
	right := int64(math.Round(*p.Precision * float64(p.Kept)))
	kept = fmt.Sprintf("of %s, %s right", kept, display.Count(right))
	if f.Guarantee != nil && p == *f.AtPrecision { // which says more than an interval
		return kept
	}
	return fmt.Sprintf("%s; 95 %% interval of the precision %.4f to %.4f (Wilson)",
		kept, p.PrecisionInterval[0], p.PrecisionInterval[1])
}

func fourDigits(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *v)
}
