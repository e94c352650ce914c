package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/printable"
	"github.com/seed-167f963f/nbsvm/internal/job/where"
)

// checkRejects finds what contradicts --rejects.
func (s *scoreCmd) checkRejects() error {
	switch {
	case s.Rejects != "" && s.Where == "":
		return usageError{errors.New("--rejects takes the records that do not pass --where: give that, too")}
	case s.Rejects == "-" && standardOutput(s.Output):
		return usageError{errors.New("--rejects - and the records that pass would both go to standard output: name a file with -o")}
	}
	return nil
}

// checkNames finds, by their names, outputs that are not of the records' format.
func (s *scoreCmd) checkNames() error {
	if !s.Records() || s.OutDir != "" || s.Delimiter != 0 {
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
