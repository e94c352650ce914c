package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/seed-167f963f/nbsvm/corpus"
	nbsvmbeam "github.com/seed-167f963f/nbsvm/distributed/beam"
	"github.com/seed-167f963f/nbsvm/internal/display"
)

// summaryFlag says where the summary goes.
type summaryFlag struct {
	Summary string `placeholder:"FILE" help:"Where to write the summary, as JSON (default: .nbsvm-summary.json in the folder of the outputs)."`
}

// finish runs a pipeline to its end, and tells what it has made unless nobody waits for that. Past is what was done to
// files, and bad what becomes of bad records.
func (f *summaryFlag) finish(
	ctx context.Context, p *beam.Pipeline, root beam.Scope, made beam.PCollection, folder, past string,
	bad corpus.OnBad,
	stderr io.Writer,
) error {
	path := cmp.Or(f.Summary, strings.TrimRight(folder, "/")+"/"+nbsvmbeam.SummaryName)
	nbsvmbeam.WriteSummary(root, nbsvmbeam.Summarise(root, made), path)
	start := time.Now()
	switch _, err := beam.Run(ctx, beamRunner(), p); {
	case ctx.Err() != nil && (beamRunner() != "prism" || *jobopts.Endpoint != ""):
		return errors.New("interrupted; the runner may continue the job: cancel it there. The same command does the rest")
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted; the files in %s are complete, and the same command does the rest", folder)
	case err != nil:
		return cause(err)
	}
	if dry := flag.Lookup("dry_run"); *jobopts.Async || dry != nil && dry.Value.String() == "true" {
		return nil
	}
	text, err := nbsvmbeam.ReadFile(ctx, path)
	if err != nil {
		return err
	}
	var s nbsvmbeam.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("%s is not a summary: %w", path, err)
	}
	return tell(&s, time.Since(start), stderr, past, bad)
}

// cause returns what is wrong, without the runner's words around it: the log has them.
func cause(err error) error {
	text := err.Error()
	if _, own, ok := strings.Cut(text, "DoFn["); ok {
		of, own, ok := strings.Cut(own, "failed:\n")
		if text = strings.TrimSpace(own); ok && (strings.Contains(of, "beginFn") || strings.Contains(of, "matchFn")) {
			return errors.New(text) // nothing was made yet
		}
	}
	return fmt.Errorf("%s; the same command does the rest", text)
}

// tell returns what became of files, which nbsvm tells in the same words.
func tell(s *nbsvmbeam.Summary, took time.Duration, stderr io.Writer, past string, bad corpus.OnBad) error {
	seconds := max(took.Seconds(), 1e-9)
	skipped := ""
	if s.Skipped > 0 {
		skipped = fmt.Sprintf(", %d skipped", s.Skipped)
	}
	fmt.Fprintf(stderr, "%s: %d written, %d existed already, %d failed%s\n", display.Some(s.Files, "file"), s.Written,
		s.There, s.Failed, skipped)
	fmt.Fprintf(stderr, "%s, %s of files in %.2f s: %.0f MB/s\n", display.Some(s.Records.Documents, "document"),
		display.Bytes(s.InputBytes),
		seconds, float64(s.InputBytes)/1e6/seconds)
	for _, reason := range s.Reasons {
		fmt.Fprintf(stderr, "nbsvm-beam: %s\n", reason)
	}
	if more := s.Failed + s.Skipped - int64(len(s.Reasons)); more > 0 {
		fmt.Fprintf(stderr, "nbsvm-beam: and %s more\n", display.Some(more, "file"))
	}
	if s.Records.Bad > 0 {
		fate := "skipped"
		if folder := bad.Quarantine(); folder != "" {
			fate = "quarantined in " + folder
		}
		fmt.Fprintf(stderr, "nbsvm-beam: %s %s: %s\n", display.Some(s.Records.Bad, "bad record"), fate,
			s.Records.Reasons)
	}
	if s.Skipped > 0 {
		fmt.Fprintf(stderr, "nbsvm-beam: skipped %s, which have no outputs; the same command tries again\n",
			display.Some(s.Skipped, "bad file"))
	}
	switch {
	case s.Failed > 0:
		return fmt.Errorf("%d of %s could not be %s; the others are done, and the same command tries again",
			s.Failed, display.Some(s.Files, "file"), past)
	case s.Skipped > 0:
		return leftOut(exitFiles)
	case s.Records.Bad > 0:
		return leftOut(exitBad)
	}
	return nil
}
