package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/internal/outdir"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

type scoreCmd struct {
	modelFlags
	Input  []string `file:"in" arg:"" optional:"" help:"Files of documents; - or nothing is standard input."`
	Output string   `file:"out" not:"out-dir" short:"o" group:"output" placeholder:"FILE" help:"Output file (default: standard output)."`

	folderFlags

	Shard outdir.Shard `needs:"out-dir" group:"output" placeholder:"I/N" help:"With --out-dir, score only every N-th file, beginning with the I-th. auto/N: take I from JOB_COMPLETION_INDEX, as Kubernetes sets it."`
	scoring.Options
	Rejects    string `file:"out" needs:"where,keep-share,keep-pareto" group:"output" placeholder:"FILE" help:"Write the records that --where, --keep-share or --keep-pareto leaves out to this file."`
	Attributes string `file:"out" needs:"where,keep-share,keep-pareto,add-field" group:"output" placeholder:"FILE" help:"Write rows of scores, of all records, to this file, beside the records. --output-format and what else there is for rows is for these (default: jsonl)."`
	compressFlag
	inputFlags
}

func (s *scoreCmd) Help() string {
	return `Scores are probabilities if the model has them: train --calibrate, logistic loss or naive Bayes. Otherwise they
are margins. With two classes, a margin above 0 means the second class in byte order.

    nbsvm score reviews.nbm new.txt
    nbsvm score --id-field id --keep-fields url,meta.date reviews.nbm web.jsonl
    nbsvm score --where 'p >= 0.8' --label good web.nbm web.jsonl -o good.jsonl
    nbsvm score --where 'p >= 0.8' --out-dir good web.nbm 'web/*.jsonl.zst'
    nbsvm score reviews.nbm reviews.parquet -o scored.parquet
    nbsvm score --model lang=lid.ftz --model hq=q.nbm web.jsonl -o scores.csv
    nbsvm score --shard 3/13 --out-dir scores web.nbm 'web/*.jsonl.zst'

Rows: each record gives one row.

    tsv       label<TAB>score, repeated for several classes
    csv       the same with commas, behind a header; for tsv, --output-header
    fasttext  __label__LABEL SCORE, repeated; fasttext-labels has no SCORE
    jsonl     {"labels":["LABEL"],"probabilities":{"LABEL":SCORE}}, or "margins"

TSV escapes tabs, line breaks and backslashes in labels as \t, \n, \r and \\. fastText rows replace white space in
labels by _. A record for which no class is shown gives a tab alone (tsv), an empty line (fasttext) or no scores
(jsonl). So does a bad record with --on-bad skip or quarantine, with its id if that can be read; in jsonl its row is
{"id":…,"error":"…"}, and the exit code is 3.

--id-field puts a field of the record in the first column or in "id" (jsonl). --keep-fields a,b.c appends columns or adds
{"fields":{"a":…,"b.c":…}} (jsonl). A record without the id is bad; other missing fields are empty or null.

Filtering: --where writes the matching records instead of rows, unchanged and in the same order. The header of CSV and
TSV stays. Of WARC files, an output named .jsonl gets {"text":…,"id":…,"url":…,"date":…} instead, a record a line.
--rejects FILE gets the other records. EXPR compares p (a probability), margin or unknown (the share of the text's
n-grams that are not in the model, from 0 to 1) with a number, or label (the predicted one) with a name. Combine
comparisons with and, or, not and parentheses:

    p("good") >= 0.8 and p("spam") < 0.1 and label != 'news'

Without a label in parentheses, p and margin are those of --label, or of the second of two classes, or of the best
class.

Keeping a share: --keep-share 0.1 --label good writes the tenth of the records with the highest scores of good. Equal
scores are ordered by what the records are, so that the same ones are kept of files in any order. --label may be left out
with two classes, for the second. --by lang keeps the share of each group of records that have the same value in the
field lang, or get the same label by the model of --model lang=FILE; --by lang,meta.source, of each pair of values.

Sampling: --keep-pareto 9 --label good writes records of p("good") = p with the probability (2 - p)^-9, as GPT-3's
filter did: all of p = 1, and one of 512 of p = 0. It reads once, from pipes too, and draws the same records every time,
by what they are or, with --id-field, by their ids. --seed draws others.

Several models: with --model NAME=FILE for each, the input is read once. Conditions put the name in front:
lang.p("en") >= 0.65 and quality.label == 'good'. Rows of tables have columns of one model after the other, with the names
lang_predicted and lang_score; rows of jsonl, and the value of --add-field, have a member of each name, as
{"lang":{…},"quality":{…}}. --label takes NAME=LABEL.

Parts: --per sentence scores each sentence by itself; --per paragraph, each line; --per 1000, pieces of about so many
bytes. The score of a record is then the mean of its parts, weighted by their length in characters, or what --over says:
rows, conditions, shares and added fields have that. Rows of jsonl also have
"parts":[{"start":0,"end":41,"labels":["en"],"probabilities":{"en":0.98}},…], with places in characters, and those of
dolma a span for each part.

    nbsvm score --per sentence --id-field id lid.ftz web.jsonl -o parts.jsonl
    nbsvm score --window begin:5000,end:5000 web.nbm web.jsonl

--window looks at the beginning and the end of long texts alone, of so many bytes each, cut at white space.

Attributes: with --where, --keep-share, --keep-pareto or --add-field, --attributes FILE has rows of scores beside the
records, of all of them and in their order: --id-field, --keep-fields, --top, --all-scores and --output-format are for
these. Rows of dolma are
{"id":…,"attributes":{"NAME__LABEL":[[0,END,SCORE]]}}, with spans in characters, as Dolma's mixer reads them.

Adding a field: --add-field NAME writes JSON records, made of WARC records where these are the input, with one more field
at the end. In meta.quality, the field quality is added to the object meta. The value is the score with --label,
otherwise {"label":"LABEL","score":SCORE}, or {"labels":{"LABEL":SCORE}} for models trained with --label-sep, and null in
records that can't be scored. A record that already has the field is bad.

Parquet: if the output's name ends in .parquet, rows are the columns of a Parquet input, or the id and kept fields of
others, as strings, then predicted and score (only score with --label). They are lists with --top, --all-scores and
models with several labels. With --where and --add-field, the output has the format of its input: of Parquet it is
Parquet.

Many files: --out-dir FOLDER scores each input into a file of its own, several at a time: NAME.tsv for rows, NAME for
records. Each file appears complete or not at all. Files that already exist are skipped, and a file that can't be read
does not stop the others. Several runs, on any number of machines, can share a folder. --rejects and quarantine=… name
folders then, and --shard I/N takes every N-th file. Quote a pattern such as 'web/*.jsonl' to let nbsvm expand it. If
inputs are of several folders, outputs keep these: FOLDER/01/NAME.tsv for web/01/NAME.jsonl.

Without --format, nbsvm tells the format from the file name or the first thousand lines (the first line of a pipe). Use
--format lines for text that contains tabs. Names in .zst and .gz compress the output.`
}

// check finds what contradicts itself, before anything is read.
func (s *scoreCmd) check(c *call) error {
	folder := s.OutDir != ""
	switch {
	case s.KeepShare != nil && s.Shard.Of > 0:
		return usageError{errors.New("--keep-share is of all inputs, so it can't be divided by --shard: leave --shard out")}
	case scoring.ComparesNothing(s.Where):
		return usageError{fmt.Errorf("--where %s compares nothing; put the whole expression in quotes, as in --where 'p >= 0.9', "+
			"because the shell takes > for a redirection", display.Label(s.Where))}
	}
	for _, beside := range [][2]string{{outdir.RejectsFlag, s.Rejects}, {outdir.AttributesFlag, s.Attributes}} {
		switch flag, path := beside[0], beside[1]; {
		case path == "-" && folder:
			return usageError{fmt.Errorf("%s takes a folder when used with --out-dir, not -", flag)}
		case path == "-" && standardOutput(s.Output):
			return usageError{fmt.Errorf("%s - and the matching records would both go to standard output: name a file with -o", flag)}
		}
	}
	if err := s.Validate(&s.inputFlags.Input, s.Output, s.Attributes, c.JSON && !folder); err != nil {
		return usageError{err}
	}
	return cmp.Or(s.checkInputs(c), s.folderFlags.check(s.From(s.Input, true)))
}

// checkInputs refuses inputs that can't have the outputs that are asked for. It looks into files only where that
// matters.
func (s *scoreCmd) checkInputs(c *call) error {
	rows := s.OutputFormat == scoring.Parquet && !s.Records()
	if !s.Records() && !rows || s.OutDir != "" && !rows && s.AddField == "" && s.Compress.How == "auto" {
		return nil
	}
	inputs := s.Input
	if len(inputs) == 0 {
		inputs = []string{"-"}
	}
	for _, path := range inputs {
		err := s.CheckInput(path, &s.Compress)
		if _, unread := errors.AsType[*fs.PathError](err); unread {
			return err
		} else if err != nil {
			return usageError{err}
		}
	}
	if s.OutDir != "" {
		return nil
	}
	parquet, err := firstOf(s.Input, s.Parquet)
	switch {
	case err != nil:
		return err
	case parquet != "" && len(s.Input) > 1:
		return usageError{fmt.Errorf("%s is Parquet, and a Parquet output has the rows of one file; --out-dir FOLDER makes an output for each input",
			parquet)}
	case (parquet != "" || rows) && standardOutput(s.Output), s.OutputFormat == scoring.Parquet && s.Attributes == "-":
		if err := checkBinary("Parquet", "-", c.streams); err != nil {
			return err
		}
	}
	if !s.Records() {
		return nil
	}
	return s.checkFormats(parquet != "")
}

// checkFormats refuses inputs whose records can't stand in one file, and outputs that are named as another format than
// their records, as far as names and flags tell. Lines may be anything, and what has no name shows when it is read.
func (s *scoreCmd) checkFormats(parquet bool) error {
	known := func(f corpus.Format) bool { return f != corpus.Auto && f != corpus.Lines }
	of, first := s.Format, ""
	switch {
	case parquet:
		of = corpus.Parquet
	case s.Format == corpus.Auto && s.Delimiter == 0:
		for _, path := range s.Input {
			by := corpus.FormatOfName(path)
			if !known(by) {
				continue
			}
			if known(of) && by != of {
				return usageError{fmt.Errorf("%s is %s, and %s is %s: their records can't stand in one file; --out-dir FOLDER makes an output for each input",
					path, by, first, of)}
			}
			of, first = by, path
		}
	}
	if of == corpus.WARC && s.AddField != "" {
		of = corpus.JSONL
	}
	for _, path := range []string{s.Output, s.Rejects} {
		named := corpus.FormatOfName(path)
		other := named != of && known(named) && (known(of) && s.Delimiter == 0 || named == corpus.Parquet)
		if of == corpus.WARC && named == corpus.JSONL { // as which WARC records can be written
			other = false
		}
		if other || parquet && named == corpus.Lines {
			return usageError{fmt.Errorf("%s is named as %s, but the records are %s and are written as they are: choose another name",
				path, named, cmp.Or(string(of), "text"))}
		}
	}
	return nil
}

func (s *scoreCmd) Run(c *call) error {
	if len(s.Models) > 0 && s.Model != "" { // it is the first of the inputs
		first, err := osfile.Expand([]string{s.Model})
		if err != nil {
			return err
		}
		s.Model, s.Input = "", append(first, s.Input...)
	}
	if err := s.check(c); err != nil {
		return err
	}
	if s.OutDir != "" {
		in, err := c.source(s.From(s.Input, true))
		if err != nil {
			return err
		}
		return s.run(c, in)
	}
	return s.withInput(c, s.From(s.Input, true), func(in corpus.Input) error { return s.run(c, in) })
}

func (s *scoreCmd) run(c *call, in corpus.Input) error {
	s.ReadFields(&in)
	if err := in.Validate(); err != nil {
		return usageError{err}
	}
	r := scoreRun{scoreCmd: s}
	models, err := r.open(c)
	defer func() {
		for _, m := range models {
			m.Close()
		}
	}()
	if err != nil {
		return err
	}
	if err := scoring.Restrict(models, s.Labels); err != nil {
		return usageError{err}
	}
	if r.scoring, err = scoring.New(models, &s.Options); err != nil {
		return usageError{err}
	}
	in = r.scoring.Input(in)
	if s.OutDir != "" {
		return r.scoreFolder(c, in)
	}
	start := time.Now()
	if s.KeepShare != nil {
		if _, err := r.rank(c, in, [][]string{in.Paths}); err != nil {
			return err
		}
	}
	stats, err := r.write(c, in, c.scoreOptions(), scoreOutputs{s.Output, s.Rejects, s.Attributes}, func(nbsvm.ScoreStats) error { return nil })
	if err != nil {
		return err
	}
	c.progress.Clear()
	r.scoring.WarnKept(c.err, stats.Documents-stats.Bad)
	if !standardOutput(s.Output) && !c.Quiet {
		r.summarise(c.err, stats, time.Since(start))
	}
	return nil
}

// scoreRun is a command with its model and what it makes of documents.
type scoreRun struct {
	*scoreCmd
	paths   []string // of the models
	scoring *scoring.Scoring
}

// open opens the models, and returns those that it has opened.
func (r *scoreRun) open(c *call) (models []scoring.Model, err error) {
	var names []string
	if names, r.paths, err = r.files(); err != nil {
		return nil, err
	}
	for i, path := range r.paths {
		classifier, err := openClassifier(path, "tag score")
		if err != nil {
			return models, err
		}
		models = append(models, scoring.Model{Name: names[i], Classifier: classifier})
		if !c.Quiet && scoring.Scale(classifier) == "margins" &&
			(r.Threshold != nil && *r.Threshold != 0 || r.OutputFormat == "fasttext") {
			fmt.Fprintf(c.err,
				"nbsvm: the scores of %s are margins, not probabilities; train with --calibrate for probabilities\n", path)
		}
	}
	return models, nil
}

// scoreOutputs are the paths of what is written of an input; empty for none.
type scoreOutputs struct{ rows, rejects, attributes string }

// rank finds out which records are of the share that is kept, of files that are read together or one by one.
func (r *scoreRun) rank(c *call, in corpus.Input, each [][]string) (*scoring.Share, error) {
	var inputs []corpus.Input
	for _, paths := range each {
		inputs = append(inputs, in.With(paths...))
		if bad := &inputs[len(inputs)-1].Bad; *bad == nil && r.OnBad != "fail" {
			*bad, _ = corpus.NewBadRecords("skip", nil) // Write tells of them
		}
	}
	share, err := r.scoring.Rank(c.ctx, inputs, c.scoreOptions(), func(err error) bool { return r.OutDir != "" && r.PassOver(err) })
	if err != nil {
		return nil, err
	}
	if c.progress.Clear(); !c.Quiet {
		fmt.Fprintf(c.err, "nbsvm: --keep-share %v keeps %s\n", *r.KeepShare, strings.Join(share.Lines(), "\n    "))
	}
	if share.Equal > 0 {
		fmt.Fprintf(c.err, "nbsvm: warning: --keep-share: %s are equal and some of them would be kept: none is\n",
			display.Some(share.Equal, "further record"))
	}
	return share, nil
}

// write scores an input. Its outputs appear together, that of the rows or records last: where it is, all is. Settle is
// called when all is written, before the files take their names.
func (r *scoreRun) write(
	c *call, in corpus.Input, o nbsvm.ScoreOptions, to scoreOutputs, settle func(nbsvm.ScoreStats) error,
) (stats nbsvm.ScoreStats, err error) {
	paths := slices.DeleteFunc([]string{to.rejects, to.attributes}, func(path string) bool { return path == "" })
	paths = append(paths, to.rows)
	for _, path := range paths {
		if err := r.compressFlag.check(c, path); err != nil {
			return stats, err
		}
	}
	err = c.writeOutputs(paths, func(files []io.Writer) (err error) {
		next := func(path string) (of *scoring.Output) {
			if path != "" {
				of, files = r.To(files[0], path), files[1:]
			}
			return of
		}
		beside := scoring.Beside{Rejects: next(to.rejects), Attributes: next(to.attributes)}
		if stats, err = r.scoring.Write(c.ctx, in, o, *r.To(files[0], to.rows), beside); err != nil {
			return err
		}
		return settle(stats)
	})
	return stats, err
}

// summarise prints what was scored, as what, and how long it took.
func (r *scoreRun) summarise(w io.Writer, stats nbsvm.ScoreStats, took time.Duration) {
	if r.Records() {
		fmt.Fprintf(w, "%s of ", display.Count(stats.Written))
	}
	writeSpeed(w, stats.Documents, stats.Bytes, took)
	r.scoring.Predicted(w, stats)
}

// writeSpeed prints how much text was read, and how fast.
func writeSpeed(w io.Writer, documents, bytes int64, took time.Duration) {
	seconds := max(took.Seconds(), 1e-9)
	fmt.Fprintf(w, "%s, %s of text in %.2f s: %s documents/s, %.0f MB/s\n", display.Some(documents, "document"),
		display.Bytes(bytes), seconds, display.Count(int64(float64(documents)/seconds)), float64(bytes)/1e6/seconds)
}

// scoreFolder scores the inputs side by side.
func (r *scoreRun) scoreFolder(c *call, in corpus.Input) error {
	name := func(input string) string { return r.OutputName(input, &r.Compress) }
	job := outdir.NewJob("score", r.OutDir, r.Rejects, r.OnBad.Quarantine(), name, r.Name)
	if r.Attributes != "" {
		rows := func(input string) string { return r.RowsName(input, &r.Compress) }
		job.Folders = append(job.Folders, outdir.Folder{Flag: outdir.AttributesFlag, Path: r.Attributes, Name: rows})
	}
	folder, err := newFolderRun(c, &r.folderFlags, job, in, r.Shard, "score", "scored", r.OnBad)
	if err != nil {
		return err
	}
	options := r.Recorded(&r.inputFlags.Input)
	for name, path := range map[string]string{"rejects": r.Rejects, "attributes": r.Attributes} {
		if path != "" {
			options[name] = outdir.AnyFolder
		}
	}
	if len(r.Models) > 0 {
		options["model"] = strings.Join(r.Models.names(), ",") // in this order
	}
	if r.KeepShare != nil {
		var each [][]string
		for _, f := range folder.files {
			each = append(each, []string{f.Input})
		}
		share, err := r.rank(c, in, each)
		if err != nil {
			return err
		}
		options["keep-share"] = fmt.Sprintf("%v: %s", *r.KeepShare, share.Recorded())
	}
	if err := folder.begin(r.paths, options); err != nil {
		return err
	}
	stats := make([]nbsvm.ScoreStats, len(folder.files))
	result, took := folder.run(in, func(i int, f *outdir.File, in corpus.Input) error {
		if err := r.Check(f.Output); err != nil {
			return cmp.Or(scoring.Unreadable(in), err) // what is wrong with the file itself says more
		}
		o := nbsvm.ScoreOptions{
			Threads:  folder.threadsOfFile(),
			Progress: func(now corpus.Progress) { folder.progress.show(i, now) },
		}
		settle := func(of nbsvm.ScoreStats) error { return folder.done(f, in, r.scoring.Counts(of)) }
		of, err := r.write(c, in, o, scoreOutputs{f.Output, f.In(outdir.RejectsFlag), f.In(outdir.AttributesFlag)}, settle)
		if err == nil {
			stats[i] = of
		}
		return err
	})
	var sum nbsvm.ScoreStats
	for _, of := range stats {
		sum.Add(of)
	}
	r.scoring.WarnKept(c.err, sum.Documents-sum.Bad)
	return folder.tell(result, took, func() { r.summarise(c.err, sum, took) })
}
