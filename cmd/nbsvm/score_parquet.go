package main

import (
	"errors"
	"slices"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/render"
)

// tellParquet sets the format where outputs have the rows of Parquet files, so that it is known before these are read.
func (s *scoreCmd) tellParquet() {
	rows := s.OutputFormat == render.Parquet || s.OutputFormat == "" && corpus.FormatOfName(s.Output) == corpus.Parquet
	other := func(path string) bool { return !corpus.IsParquet(path) }
	if s.Format == corpus.Auto && (s.Records() || rows) && len(s.Input) > 0 && !slices.ContainsFunc(s.Input, other) {
		s.Format = corpus.Parquet
	}
}

// checkParquet finds what contradicts outputs in Parquet.
func (s *scoreCmd) checkParquet(c *call) error {
	switch {
	case !s.Parquet():
		return nil
	case len(s.Input) != 1 && s.OutDir == "":
		return usageError{errors.New("an output in Parquet has the rows of one file: --out-dir FOLDER makes an output of every input")}
	case s.Shard.Of > 0 && s.OutDir == "":
		return usageError{errors.New("--shard: outputs in Parquet can't be merged: --out-dir FOLDER --shard I/N shares out the inputs")}
	case s.Compress.How != "auto" && s.Compress.How != "":
		return usageError{errors.New("--compress: Parquet files are compressed within, as their input is: leave it out")}
	case s.OutDir == "" && standardOutput(s.Output):
		return c.checkBinary("Parquet", "-")
	}
	return nil
}
