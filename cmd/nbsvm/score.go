package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/labels"
	"github.com/seed-167f963f/nbsvm/internal/provenance"
	"github.com/seed-167f963f/nbsvm/internal/render"
	"github.com/seed-167f963f/nbsvm/internal/wording"
)

type scoreCmd struct {
	Model  string   `file:"in" arg:"" help:"Model file."`
	Input  []string `file:"in" arg:"" optional:"" help:"Files of documents; - or nothing is standard input."`
	Output string   `file:"out" short:"o" group:"output" placeholder:"FILE" help:"Where to write (default: standard output)."`

	OutDir string `file:"folder" group:"output" placeholder:"FOLDER" help:"Make an output of every input there; what is there already is passed over."`

	OutputFormat string       `group:"output" placeholder:"FORMAT" help:"tsv: label, score; jsonl: an object a line; fasttext: as its predict-prob does; fasttext-labels: as its predict does (default: as the name of the output says, else tsv, or jsonl with --json)."`
	Top          *int         `group:"output" xor:"classes" placeholder:"K" help:"The K best classes with their scores, best first (default: the predicted ones)."`
	AllScores    bool         `group:"output" xor:"classes" help:"The scores of all classes, best first."`
	Label        *string      `group:"output" xor:"classes" placeholder:"LABEL" help:"The score of this class, whichever is predicted."`
	Threshold    *float64     `group:"output" placeholder:"SCORE" help:"Leave out classes with a score below SCORE."`
	IDField      string       `name:"id-field" group:"output" placeholder:"NAME" help:"Put this field of the record in front of its row (JSON lines, CSV, TSV)."`
	KeepFields   []string     `sep:"," group:"output" placeholder:"NAME,..." help:"Put these fields behind it, likewise."`
	Shard        corpus.Shard `group:"output" placeholder:"I/N" help:"Only the records that begin in the I-th of N equal parts of the files; merge joins the outputs."`
	LineBuffered bool         `group:"output" help:"Write every row as soon as it is there, not those of a block of input together."`
	compressFlag
	recordFlags
	inputFlags
}

func (s *scoreCmd) Help() string {
	return `Scores are probabilities if the model was trained with --calibrate (or has them by itself: logistic
loss, naive Bayes), else margins. Of two classes, a margin above 0 speaks for the second in bytewise order.

Every record gives one row, whatever it holds:

    tsv       label<TAB>score, repeated for several classes
    fasttext  __label__LABEL SCORE, likewise; fasttext-labels has no SCORE
    jsonl     {"labels":["LABEL"],"probabilities":{"LABEL":SCORE}}, or "margins"

In tsv, tabs, line breaks and backslashes in labels are written \t, \n, \r and \\. In fasttext, white
space in labels is written _. Where there is no class to show (none is predicted by a model trained with
--label-sep, or all are below --threshold) the tsv row is a tab alone, the fasttext row is empty and
the jsonl row has no scores. So it is with bad records under --on-bad skip or quarantine, for which
jsonl has {"error":"…"} instead, and the exit code is 3.

--id-field puts the record's id in front: as the first column of tsv, as "id" in jsonl, numbers as they
are written. --keep-fields a,b.c puts fields behind it, in jsonl as {"fields":{"a":…,"b.c":…}}. A record
without an id is bad; other fields that it lacks are empty, or null.

--where writes the records that pass instead, with the same bytes and in the same order, but no bad
ones; the header of CSV and TSV stays. --rejects FILE takes the others, likewise. EXPR compares p
(probability) or margin with a number, or label (predicted) with a name, and joins comparisons by and,
or, not and parentheses:

    p("good") >= 0.8 and p("spam") < 0.1 and label != 'news'

p and margin without a label are those of --label, else of the second of two classes, else of the one
with the best score. They are compared as computed, not as rows have them, with six digits.

--add-field NAME writes records of JSON lines with a field more, the last; nothing else changes. Dots
descend: meta.quality is added to the object meta, which is made where there is none. With --label it is
that score, else {"label":"LABEL","score":SCORE}, or {"labels":{"LABEL":SCORE}} of models trained with
--label-sep. A record that has the field already is bad, and so is one whose meta is
no object. --where filters as well.

--shard I/N lets N runs, here or elsewhere, write together what one would. Files are entered in the
middle; compressed ones and CSV belong whole to the shard in which they begin. FILE.shard.json, which
appears behind the output FILE, tells merge what it is.

--out-dir FOLDER scores every input by itself, several at once, into a file of its name there: rows
with the end of their format, NAME.tsv, records with the input's. Each appears whole or not at all,
what is there already is passed over, and a file that can't be read fails alone. Runs at the same time
share the files. --rejects and quarantine=… take folders then, and --shard I/N takes every N-th file.
A pattern in quotes stands for files.

Where neither --format nor the name of a file says what it is, its first thousand lines do, of a pipe
the first: label<TAB>text has tabs. Take --format lines for text that may hold tabs. Lines from a pipe
are scored as they come; rows of lines that came together are written together. --line-buffered writes each by itself,
also rows of files and to a named pipe, more slowly.

Outputs are compressed as their names say (.zst, .gz), in frames of 4 MiB of text; rows of a pipe wait
for a whole frame then, unless --line-buffered ends one for every row. --compress is for pipes.

    nbsvm score --all-scores reviews.nbm new.txt
    nbsvm score --id-field id --keep-fields url,meta.date reviews.nbm web.jsonl
    nbsvm score --where 'p >= 0.8' --label good web.nbm web.jsonl -o good.jsonl
    nbsvm score --where 'p >= 0.8' web.nbm web.jsonl -o good --rejects others
    nbsvm score --where 'p >= 0.8' --out-dir good web.nbm 'web/*.jsonl.zst'
    nbsvm score --shard 3/13 web.nbm web-*.jsonl -o part-03.tsv
    zstdcat web.jsonl.zst | nbsvm score --json --text-field body reviews.nbm`
}

func (s *scoreCmd) Run(c *call) (err error) {
	switch {
	case s.Top != nil && *s.Top < 1:
		return usageError{fmt.Errorf("--top is %d, want 1 or more; --all-scores shows all classes", *s.Top)}
	case s.Threshold != nil && math.IsNaN(*s.Threshold):
		return usageError{errors.New("--threshold is NaN, want a number")}
	}
	if err := s.recordFlags.check(c, s); err != nil {
		return err
	}
	switch {
	case s.OutputFormat == "" && c.JSON:
		s.OutputFormat = "jsonl"
	case s.OutputFormat == "":
		if s.OutputFormat, err = s.formatOfRows(); err != nil {
			return err
		}
	case render.Rows[s.OutputFormat] == nil:
		return usageError{fmt.Errorf("unknown --output-format %q, want tsv, jsonl, fasttext or fasttext-labels", s.OutputFormat)}
	case s.OutputFormat != "jsonl" && c.JSON:
		return usageError{errors.New("--json and --output-format " + s.OutputFormat + " contradict each other: leave one out")}
	}
	if err := s.checkFields(); err != nil {
		return err
	}
	if err := s.checkShard(); err != nil {
		return err
	}
	if s.OutDir != "" {
		if err := s.checkFolder(); err != nil {
			return err
		}
		in, err := s.source(c, s.Input, true)
		if err != nil {
			return err
		}
		return s.run(c, in, nil)
	}
	shard, release, err := s.beginShard()
	defer release()
	if err != nil {
		return err
	}
	err = s.withInput(c, s.Input, true, func(in nbsvm.Input) error {
		in.Shard = s.Shard
		return s.run(c, in, shard)
	})
	if err == nil || isBadRecords(err) {
		err = cmp.Or(shard.WriteQuarantine(s.OnBad.Quarantine()), err)
	}
	return err
}

// formatOfRows is the format that the output's name says.
func (s *scoreCmd) formatOfRows() (string, error) {
	switch of := corpus.FormatOfName(s.Output); {
	case s.records() || of == corpus.Auto || of == corpus.Lines:
		return "tsv", nil
	case render.Rows[string(of)] != nil:
		return string(of), nil
	default:
		return "", usageError{fmt.Errorf("-o %s: rows can't be %s: want a name in .tsv, .jsonl or .ft, or insist with --output-format", s.Output, of)}
	}
}

// checkFields finds rows that have no place for fields of records.
func (s *scoreCmd) checkFields() error {
	for i, name := range s.KeepFields {
		s.KeepFields[i] = strings.TrimSpace(name)
	}
	switch {
	case s.IDField == "" && len(s.KeepFields) == 0:
		return nil
	case s.records():
		return usageError{errors.New("--id-field and --keep-fields are for rows of scores; --where and --add-field write records, which have all their fields")}
	case s.OutputFormat != "tsv" && s.OutputFormat != "jsonl":
		return usageError{fmt.Errorf("--id-field and --keep-fields have no place in rows of --output-format %s: only in those of tsv and jsonl", s.OutputFormat)}
	case slices.Contains(s.KeepFields, ""):
		return usageError{errors.New("--keep-fields has an empty name: it takes names of fields with commas between them")}
	}
	return nil
}

func (s *scoreCmd) run(c *call, in nbsvm.Input, shard *provenance.Shard) error {
	in.ID, in.Keep = s.IDField, s.KeepFields
	if err := in.Options.Validate(); err != nil {
		return usageError{err}
	}
	classifier, err := nbsvm.Open(s.Model)
	if err != nil {
		return err
	}
	defer classifier.Close()
	in.Like = classifier.Model().Meta.Input
	in.Like.Format = cmp.Or(in.Like.Format, classifier.Format())
	if classes := len(classifier.Labels()); s.Top != nil && *s.Top > classes && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: --top %d shows all %d classes, for %s has no more; --all-scores says so\n", *s.Top, classes, s.Model)
	}
	if s.Threshold != nil && *s.Threshold != 0 && !classifier.Probabilities() && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: --threshold %g: the scores of %s are margins, not probabilities, which train --calibrate gives\n", *s.Threshold, s.Model)
	}
	if s.OutputFormat == "fasttext" && !classifier.Probabilities() && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: --output-format fasttext: the scores of %s are margins, not probabilities, which train --calibrate gives\n", s.Model)
	}
	r := scoreRun{scoreCmd: s, classifier: classifier, labels: newLabelTexts(classifier)}
	if err := r.makeRenders(); err != nil {
		return err
	}
	if s.OutDir != "" {
		return r.scoreFolder(c, in)
	}
	progress := newProgress(c)
	defer progress.Clear()
	start := time.Now()
	o := nbsvm.ScoreOptions{Threads: c.Threads, Progress: progress.Show}
	stats, err := r.write(c, in, o, s.Output, s.Rejects, shard, func() error { return s.refuseOthers(shard) })
	if err != nil {
		return err
	}
	progress.Clear()
	r.kept.warn(c.err, stats.Documents)
	if !standardOutput(s.Output) && !c.Quiet {
		s.summarise(c.err, stats, time.Since(start))
	}
	return nil
}

// scoreRun is a command with its model and what it makes of documents.
type scoreRun struct {
	*scoreCmd
	classifier    *nbsvm.Classifier
	rows, rejects nbsvm.Render
	kept          *keptFields // nil if there are none to keep
	labels        *labelTexts
}

// makeRenders finds out what the rows are.
func (r *scoreRun) makeRenders() error {
	show, err := r.shown(r.classifier)
	switch {
	case err != nil:
		return err
	case r.records():
		r.rows, r.rejects, err = r.recordFlags.render(r.classifier, show)
		if err == nil {
			r.rows = r.labels.watch(r.rows)
		}
		return err
	}
	if r.rows = render.Rows[r.OutputFormat](r.classifier, show); len(r.KeepFields) > 0 {
		r.kept = newKeptFields(r.KeepFields)
		r.rows = r.kept.watch(r.rows)
	}
	r.rows = r.labels.watch(r.rows)
	return nil
}

// write scores an input. Output and rejects appear together, rejects first, and settle is called
// before: where the output is, all is.
func (r *scoreRun) write(c *call, in nbsvm.Input, o nbsvm.ScoreOptions, output, rejects string, shard *provenance.Shard, settle func() error) (stats nbsvm.ScoreStats, err error) {
	o.Headers, o.EachRow = r.records(), r.LineBuffered
	o.OnlyBest = !r.records() && !r.AllScores && r.Top == nil && r.Label == nil
	paths, records := []string{output}, []*provenance.Shard{shard}
	if rejects != "" {
		paths, records = []string{rejects, output}, []*provenance.Shard{shard.Besides("rejects", r.kind(rejects)), shard}
	}
	for _, path := range paths {
		if err := r.compressFlag.check(c, path); err != nil {
			return stats, err
		}
	}
	// The rows come in batches, one for every chunk of input: no need of a buffer,
	// which would hold back the answers to what comes through a pipe.
	err = c.writeOutputs(paths, func(files []io.Writer) error {
		last := len(files) - 1
		err := r.compressRows(output, o.Threads, shard, files[last], func(w io.Writer) error {
			score := func() (err error) {
				stats, err = r.classifier.Score(c.ctx, in, o, r.rows, w)
				return err
			}
			if rejects == "" {
				return score()
			}
			return r.compressRows(rejects, o.Threads, records[0], files[0], func(w io.Writer) error {
				o.Also = []nbsvm.ScoreOutput{{Render: r.rejects, W: w}}
				return score()
			})
		})
		if err == nil {
			err = r.labels.check(in)
		}
		if err != nil {
			return err
		}
		return settle()
	})
	if err == nil && rejects != "" {
		err = records[0].Write(rejects, stats.Documents, stats.Documents-stats.Bad-stats.Written, stats.Bad)
	}
	if err == nil {
		err = shard.Write(output, stats.Documents, stats.Written, stats.Bad)
	}
	return stats, err
}

// compressRows runs write on what compresses for the file of an output, with the checksum of a shard.
func (r *scoreRun) compressRows(output string, threads int, shard *provenance.Shard, file io.Writer, write func(io.Writer) error) error {
	return compress(r.kind(output), threads, shard.Summed(file), func(w io.Writer) error { return write(r.buffered(w)) })
}

// summarise tells what was scored, and how long it took.
func (s *scoreCmd) summarise(w io.Writer, stats nbsvm.ScoreStats, took time.Duration) {
	seconds := max(took.Seconds(), 1e-9)
	if s.records() {
		fmt.Fprintf(w, "%s of ", wording.Count(stats.Written))
	}
	fmt.Fprintf(w, "%s, %s of text in %.2f s: %s documents/s, %.0f MB/s\n", wording.Some(stats.Documents, "document"), wording.Bytes(stats.Bytes),
		seconds, wording.Count(int64(float64(stats.Documents)/seconds)), float64(stats.Bytes)/1e6/seconds)
}

// shown is which classes a row has.
func (s *scoreCmd) shown(c *nbsvm.Classifier) (show render.Shown, err error) {
	show.Least, show.ID, show.Keep = math.Inf(-1), s.IDField != "", s.KeepFields
	if s.Threshold != nil {
		show.Least = c.Least(*s.Threshold)
	}
	switch {
	case s.Threshold != nil && c.Probabilities() && !(*s.Threshold >= 0 && *s.Threshold <= 1):
		return show, usageError{fmt.Errorf("--threshold is %g, and the scores of this model are probabilities: want 0 to 1", *s.Threshold)}
	case s.AllScores:
		show.Top = len(c.Labels())
	case s.Top != nil:
		show.Top = *s.Top
	case s.Label != nil:
		k, err := labels.Find(c.Labels(), *s.Label)
		if err != nil {
			return show, usageError{fmt.Errorf("--label: %w", err)}
		}
		show.Label = []int{k}
	}
	return show, nil
}
