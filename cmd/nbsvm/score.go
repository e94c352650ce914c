package main

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/job/scoring"
)

type scoreCmd struct {
	Model  string   `file:"in" arg:"" help:"Model file."`
	Input  []string `file:"in" arg:"" optional:"" help:"Files of documents; - or nothing is standard input."`
	Output string   `file:"out" short:"o" group:"output" placeholder:"FILE" help:"Where to write (default: standard output)."`

	folderFlags

	Shard        shardFlag `group:"output" placeholder:"I/N" help:"Only the records that begin in the I-th of N equal parts of the files; merge joins the outputs. auto: as the job's array says."`
	LineBuffered bool      `group:"output" help:"Write every row as soon as it is there, not those of a block of input together."`
	scoring.Options
	Rejects string `file:"out" group:"output" placeholder:"FILE" help:"Write the records that do not pass --where to this file."`
	compressFlag
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

Of a Parquet file, rows are written as Parquet where the output's name says so, or --output-format:
its columns as they are, then predicted and score, or score alone with --label; both are lists with
--top, --all-scores, or a model trained with --label-sep. --where and --add-field write its rows as
Parquet, too: the new column NAME holds label and score, or the score with --label.

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
    nbsvm score reviews.nbm reviews.parquet -o scored.parquet
    nbsvm score --shard 3/13 web.nbm web-*.jsonl -o part-03.tsv
    zstdcat web.jsonl.zst | nbsvm score --json --text-field body reviews.nbm`
}

func (s *scoreCmd) Run(c *call) (err error) {
	if err := s.checkRejects(); err != nil {
		return err
	}
	s.tellParquet()
	if err := s.Validate(&s.inputFlags.Input, s.Output, c.JSON && s.OutDir == ""); err != nil {
		return usageError{err}
	}
	if err := cmp.Or(s.checkParquet(c), s.checkNames()); err != nil {
		return err
	}
	if err := s.checkShard(); err != nil {
		return err
	}
	if err := cmp.Or(s.folderFlags.check(s.Output, s.Input), s.checkFolder()); err != nil {
		return err
	}
	if s.OutDir != "" {
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
	err = s.withInput(c, s.Input, true, func(in corpus.Input) error {
		in.Shard = s.Shard.Shard
		return s.run(c, in, shard)
	})
	if err == nil || isBadRecords(err) {
		err = cmp.Or(shard.WriteQuarantine(s.OnBad.Quarantine()), err)
	}
	return err
}

func (s *scoreCmd) run(c *call, in corpus.Input, shard *provenance.Shard) error {
	s.ReadFields(&in)
	if err := in.Validate(); err != nil {
		return usageError{err}
	}
	classifier, err := nbsvm.Open(s.Model)
	if err != nil {
		return err
	}
	defer classifier.Close()
	if classes := len(classifier.Labels()); s.Top != nil && *s.Top > classes && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: --top %d shows all %d classes, for %s has no more; --all-scores says so\n", *s.Top, classes, s.Model)
	}
	if s.Threshold != nil && *s.Threshold != 0 && !classifier.Probabilities() && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: --threshold %g: the scores of %s are margins, not probabilities, which train --calibrate gives\n", *s.Threshold, s.Model)
	}
	if s.OutputFormat == "fasttext" && !classifier.Probabilities() && !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: --output-format fasttext: the scores of %s are margins, not probabilities, which train --calibrate gives\n", s.Model)
	}
	r := scoreRun{scoreCmd: s}
	if r.scoring, err = scoring.New(classifier, &s.Options); err != nil {
		return usageError{err}
	}
	in = r.scoring.Input(in)
	if s.OutDir != "" {
		return r.scoreFolder(c, in)
	}
	progress := newProgress(c)
	defer progress.Clear()
	start := time.Now()
	o := nbsvm.ScoreOptions{Threads: c.Threads, Progress: progress.Show}
	stats, err := r.writeShard(c, in, o, shard)
	if err != nil {
		return err
	}
	progress.Clear()
	r.scoring.WarnKept(c.err, stats.Documents)
	if !standardOutput(s.Output) && !c.Quiet {
		s.summarise(c.err, stats, time.Since(start))
	}
	return nil
}

// scoreRun is a command with its model and what it makes of documents.
type scoreRun struct {
	*scoreCmd
	scoring *scoring.Scoring
}

// scoreOutputs is where the scores of an input go.
type scoreOutputs struct {
	output, rejects string // rejects are empty if there are none
	// summed is the writer to one of them, with a checksum.
	summed func(rejects bool, file io.Writer) io.Writer
	// settle is called when all is written, before the files take their names.
	settle func(stats nbsvm.ScoreStats) error
}

// writeShard scores an input, or a shard of it, nil for the whole.
func (r *scoreRun) writeShard(
	c *call, in corpus.Input, o nbsvm.ScoreOptions, shard *provenance.Shard,
) (stats nbsvm.ScoreStats, err error) {
	rejects := shard.Besides("rejects", r.Kind(r.Rejects))
	stats, err = r.write(c, in, o, scoreOutputs{
		output: r.Output, rejects: r.Rejects,
		summed: func(rejected bool, file io.Writer) io.Writer {
			if rejected {
				return rejects.Summed(file)
			}
			return shard.Summed(file)
		},
		settle: func(nbsvm.ScoreStats) error { return r.refuseOthers(shard) },
	})
	if err == nil && r.Rejects != "" {
		err = rejects.Write(r.Rejects, stats.Documents, stats.Documents-stats.Bad-stats.Written, stats.Bad)
	}
	if err == nil {
		err = shard.Write(r.Output, stats.Documents, stats.Written, stats.Bad)
	}
	return stats, err
}

// write scores an input. Output and rejects appear together, rejects first: where the output is, all is.
func (r *scoreRun) write(
	c *call, in corpus.Input, o nbsvm.ScoreOptions, to scoreOutputs,
) (stats nbsvm.ScoreStats, err error) {
	o.EachRow = r.LineBuffered
	paths := []string{to.output}
	if to.rejects != "" {
		paths = []string{to.rejects, to.output}
	}
	for _, path := range paths {
		if err := r.compressFlag.check(c, path); err != nil {
			return stats, err
		}
	}
	err = c.writeOutputs(paths, func(files []io.Writer) (err error) {
		last := len(files) - 1
		out, other := scoring.Output{W: to.summed(false, files[last]), Kind: r.Kind(to.output)}, (*scoring.Output)(nil)
		if to.rejects != "" {
			other = &scoring.Output{W: to.summed(true, files[0]), Kind: r.Kind(to.rejects)}
		}
		stats, err = r.scoring.Write(c.ctx, in, o, out, other)
		if err != nil {
			return err
		}
		return to.settle(stats)
	})
	return stats, err
}

// summarise tells what was scored, and how long it took.
func (s *scoreCmd) summarise(w io.Writer, stats nbsvm.ScoreStats, took time.Duration) {
	seconds := max(took.Seconds(), 1e-9)
	if s.Records() {
		fmt.Fprintf(w, "%s of ", wording.Count(stats.Written))
	}
	fmt.Fprintf(w, "%s, %s of text in %.2f s: %s documents/s, %.0f MB/s\n", wording.Some(stats.Documents, "document"), wording.Bytes(stats.Bytes),
		seconds, wording.Count(int64(float64(stats.Documents)/seconds)), float64(stats.Bytes)/1e6/seconds)
}
