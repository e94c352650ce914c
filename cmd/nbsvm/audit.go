package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/audit"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/page"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

type auditCmd struct {
	Input      []string `file:"in" arg:"" optional:"" help:"Files of scores, as score writes them; - or nothing is standard input."`
	Output     string   `file:"binary" short:"o" group:"output" placeholder:"FILE" help:"Write an HTML page to this file, too; - is standard output, and nothing else is printed there."`
	By         []string `group:"audit" placeholder:"NAME,…" help:"Compare the groups of documents that have the same value of this field, such as source,lang. Each field is looked at by itself."`
	Cut        *float64 `group:"audit" placeholder:"SCORE" help:"Show what is kept if only documents with at least this score are."`
	KeepShare  *float64 `values:"more than 0, at most 1" group:"audit" placeholder:"SHARE" help:"Find the threshold that keeps this share of the documents, those with the highest scores: 0.1 for the best tenth. With --by, find that of each group, too."`
	Against    []string `file:"in" sep:"none" group:"audit" placeholder:"FILE" help:"Files of older scores to compare with, such as last month's. Repeat the flag for several files, or quote a pattern."`
	ScoreField string   `group:"audit" placeholder:"NAME" help:"Field of the score: the name or number of a column, or a JSON field such as meta.quality or probabilities.good (default: score, or the only one in probabilities or margins)."`
	Top        int      `min:"1" max:"1000" default:"20" group:"audit" placeholder:"N" help:"Number of groups to show; the others are summed up (default: 20)."`
	scoring.Files
}

func (a *auditCmd) Help() string {
	return `Reads scores, and no texts and no model: rows of score in csv, tsv with a header, jsonl or Parquet, or records in
which score --add-field put the score. Fields that score --keep-fields put into rows are found by their names.

    nbsvm score --label good --keep-fields source,lang --out-dir scores --output-format jsonl web.nbm 'web/*.jsonl.zst'
    nbsvm audit --by source,lang --cut 0.9 'scores/*.jsonl'
    nbsvm audit --by source --cut 0.9 --against 'last-month/*.jsonl' -o audit.html 'scores/*.jsonl'
    nbsvm audit --keep-share 0.1 'scores/*.jsonl'
    nbsvm audit --score-field meta.quality --by meta.source scored.parquet

It shows how scores are spread, how many are 0 or 1, and, by group, how many documents are kept; how much of the scores
the groups alone explain; and with --against how far the scores and the shares of the groups have moved. Records
without a score are counted and left out. --json has all figures.

The threshold of --keep-share is exact: score --where 'p >= T' with this number keeps these documents, on any machine.
It keeps more than the share if documents have equal scores, and says so.`
}

func (a *auditCmd) Run(c *call) error {
	switch {
	case a.Cut != nil && a.KeepShare != nil:
		return usageError{errors.New("--cut and --keep-share are two thresholds: leave one out")}
	case a.KeepShare != nil && !(*a.KeepShare > 0 && *a.KeepShare <= 1):
		return usageError{
			fmt.Errorf("--keep-share must be more than 0 and at most 1, got %v: write 10 %% as 0.1", *a.KeepShare),
		}
	case a.Cut != nil && !(-audit.MostScore <= *a.Cut && *a.Cut <= audit.MostScore):
		return usageError{fmt.Errorf("--cut must be a number from -%g to %[1]g, got %v", audit.MostScore, *a.Cut)}
	case slices.Contains(a.By, ""):
		return usageError{errors.New("--by has an empty name: name fields, with commas between them, such as source,lang")}
	case scoring.HasTwice(a.By):
		return usageError{fmt.Errorf("--by %s has a name twice: leave one out", strings.Join(a.By, ","))}
	case len(a.Against) > 0 && slices.Contains(a.Against, "-") && a.From(a.Input).ReadsStdin():
		return usageError{errors.New("standard input can't be read as both sets: save one of them to a file")}
	}
	in := a.From(a.Input)
	in.FieldsOnly, in.Unlabelled = true, true
	return c.withInput(in, a.OnBad, func(in corpus.Input) error { return a.run(c, in) })
}

func (a *auditCmd) run(c *call, in corpus.Input) error {
	var against *corpus.Input
	if len(a.Against) > 0 {
		c.tellTwice(a.Against)
		old := in.With(a.Against...)
		against = &old
	}
	r, err := audit.Read(c.ctx, in, against, &audit.Options{
		Score: a.ScoreField, By: a.By, Cut: a.Cut, KeepShare: a.KeepShare, Top: a.Top,
		Threads: c.Threads, Progress: c.progress.Show,
	})
	if err != nil {
		return err
	}
	c.progress.Clear()
	for _, note := range r.Notes {
		fmt.Fprintf(c.err, "nbsvm: warning: %s\n", note)
	}
	if a.Output != "" {
		o := page.AuditOptions{Title: in.Describe(), Against: strings.Join(a.Against, " "), Command: a.again(c)}
		err := c.writeOutput(a.Output, func(w io.Writer) error { return page.WriteAudit(r, o, w) })
		if err != nil || a.Output == "-" {
			return err
		}
	}
	return c.printReport(r)
}

// again returns the command that writes the page again.
func (a *auditCmd) again(c *call) string {
	words := append([]string{"nbsvm", "audit"}, a.Input...)
	return display.Shell(append(append(words, c.parsed.again("audit", "input")...), "-o", a.Output))
}
