package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/printable"
	"github.com/seed-167f963f/nbsvm/internal/render"
	"github.com/seed-167f963f/nbsvm/internal/where"
)

// recordFlags make score write the input's records instead of rows of scores.
type recordFlags struct {
	Where    string `group:"output" placeholder:"EXPR" help:"Write the records that pass, as they stand, instead of scores."`
	Rejects  string `file:"out" group:"output" placeholder:"FILE" help:"Write the records that do not pass --where to this file."`
	AddField string `group:"output" placeholder:"NAME" help:"Write the records (JSON lines) with their score in a field of this name, instead of scores alone; dots descend into objects."`
}

// records says whether records are written.
func (f *recordFlags) records() bool { return f.Where != "" || f.AddField != "" }

// check finds what contradicts the flags.
func (f *recordFlags) check(c *call, s *scoreCmd) error {
	flag := "--where"
	if f.AddField != "" {
		flag = "--add-field"
	}
	if f.Rejects != "" && f.Where == "" {
		return usageError{errors.New("--rejects takes the records that do not pass --where: give that, too")}
	}
	if f.Rejects == "-" && standardOutput(s.Output) {
		return usageError{errors.New("--rejects - and the records that pass would both go to standard output: name a file with -o")}
	}
	switch {
	case !f.records():
	case s.OutputFormat != "" || c.JSON:
		return usageError{fmt.Errorf("%s writes records as they stand: --output-format and --json have no say in it", flag)}
	case s.Top != nil || s.AllScores || s.Threshold != nil:
		return usageError{fmt.Errorf("%s writes records, not rows of scores: --top, --all-scores and --threshold have no say in it", flag)}
	case f.AddField != "" && s.Format == corpus.Auto:
		s.Format = corpus.JSONL
	case f.AddField != "" && s.Format != corpus.JSONL:
		return usageError{fmt.Errorf("--add-field: records of format %s have no place for a field: only those of jsonl", s.Format)}
	}
	if !utf8.ValidString(f.AddField) {
		return usageError{errors.New("--add-field: the name is not valid UTF-8")}
	}
	if f.AddField != "" && slices.Contains(strings.Split(f.AddField, "."), "") {
		return usageError{fmt.Errorf("--add-field %s: dots descend into objects, so there must be a name on both sides", printable.Label(f.AddField))}
	}
	return s.checkNames()
}

// checkNames finds, by their names, outputs that are not of the records' format.
func (s *scoreCmd) checkNames() error {
	if !s.records() || s.OutDir != "" || s.Delimiter != 0 {
		return nil
	}
	may := []corpus.Format{s.Format}
	for _, path := range s.Input {
		may = append(may, corpus.FormatOfName(path))
	}
	// Files that are called text may hold any format.
	known := slices.DeleteFunc(slices.Clone(may), func(f corpus.Format) bool { return f == corpus.Auto || f == corpus.Lines })
	for _, path := range []string{s.Output, s.Rejects} {
		of := corpus.FormatOfName(path)
		if of == corpus.Auto || of == corpus.Lines || len(known) == 0 || slices.Contains(known, of) {
			continue
		}
		return usageError{fmt.Errorf("%s is called %s, and the records are %s, which are written as they stand: give it another name", path, of, known[0])}
	}
	return nil
}

// render makes the records to write, and those that are rejected. Bad ones are neither.
func (f *recordFlags) render(c *nbsvm.Classifier, show render.Shown) (records, rejects nbsvm.Render, err error) {
	var passes where.Condition = func(*nbsvm.Prediction) bool { return true }
	if f.Where != "" {
		label := -1
		if show.Label != nil {
			label = show.Label[0]
		}
		if passes, err = where.Parse(f.Where, c, label); err != nil {
			return nil, nil, usageError{err}
		}
	}
	write := func(dst []byte, d *corpus.Document, _ *nbsvm.Prediction) []byte { return append(dst, d.Record...) }
	if f.AddField != "" {
		write = render.AddField(f.AddField, c, show)
	}
	those := func(pass bool) nbsvm.Render {
		return func(dst []byte, d *corpus.Document, p *nbsvm.Prediction) []byte {
			if p == nil || passes(p) != pass {
				return dst
			}
			if dst = write(dst, d, p); d.Err != nil {
				return dst
			}
			return append(dst, d.EOL...)
		}
	}
	return those(true), those(false), nil
}

// refuseUnquoted refuses an expression without quotes around it, before the files are opened whose names its rest seems
// to be.
func refuseUnquoted(parsed *kong.Context) error {
	for _, part := range parsed.Path {
		if part.Flag != nil && part.Flag.Name == "where" && where.Cut(part.Flag.Target.String()) {
			return usageError{fmt.Errorf("--where %s compares nothing; put the whole expression in quotes, as in --where 'p >= 0.9': "+
				"without them the shell takes > for a redirection, to a file that what follows names", printable.Label(part.Flag.Target.String()))}
		}
	}
	return nil
}
