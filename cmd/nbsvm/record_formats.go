package main

import (
	"cmp"
	"fmt"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
)

// formatOf is the format of which a file is, and what is wrong with the file if that can't be told.
func formatOf(in nbsvm.Input, path string) (corpus.Format, error) {
	o := in.Options
	o.Note, o.Headers, o.Shard = nil, false, corpus.Shard{}
	reader, err := corpus.Open([]string{path}, nil, o)
	if err != nil {
		return corpus.Auto, err
	}
	defer reader.Close()
	chunk, err := reader.Next()
	if err != nil {
		return corpus.Auto, err
	}
	defer chunk.Release()
	return chunk.Format(), nil
}

// checkOthers refuses files that are mere text, such as a README, among files of records, of each of which an output
// is made. Files are opened whose names tell no format, but none that can be read only once.
func (s *scoreCmd) checkOthers(in nbsvm.Input) error {
	if !s.Records() {
		return nil
	}
	var text, records string
	var of corpus.Format
	for _, path := range in.Paths {
		format := cmp.Or(s.Format, corpus.FormatOfName(path))
		if format == corpus.Auto && readAgain(path) {
			format, _ = formatOf(in, path)
		}
		switch {
		case format == corpus.Lines && text == "":
			text = path
		case format != corpus.Lines && format != corpus.Auto && records == "":
			records, of = path, format
		}
		if text != "" && records != "" {
			return usageError{fmt.Errorf("%s is text of no format (lines), and %s of format %s: leave it out, or filter it apart", text, records, of)}
		}
	}
	return nil
}
