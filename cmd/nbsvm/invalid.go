package main

import (
	"fmt"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
)

// warnInvalid tells of bytes of text that are not valid UTF-8, and where the first are.
func warnInvalid(c *call, in corpus.Input, bytes int64) {
	if bytes == 0 {
		return
	}
	where := ""
	if place := firstInvalid(c, in); place != "" {
		where = ", the first in " + place
	}
	fmt.Fprintf(c.err, "nbsvm: warning: %s bytes of text are not valid UTF-8%s; they separate tokens; if it is Latin-1, iconv -f LATIN1 -t UTF-8 converts it\n", wording.Count(bytes), where)
}

// firstInvalid is the place of the first text that is not valid UTF-8; empty if it can't be found, as in what came
// through a pipe. Files are read again for it, up to there.
func firstInvalid(c *call, in corpus.Input) string {
	if usesStdin(in.Paths) || slices.ContainsFunc(in.Paths, func(path string) bool { return !readAgain(path) }) {
		return ""
	}
	reader, err := corpus.Open(in.Again())
	if err != nil {
		return ""
	}
	defer reader.Close()
	for c.ctx.Err() == nil {
		chunk, err := reader.Next()
		if err != nil {
			break
		}
		documents := chunk.Append(nil)
		for i := range documents {
			if d := &documents[i]; d.Err == nil && !utf8.Valid(d.Text) {
				return fmt.Sprintf("%s:%d", chunk.Path(), d.Line)
			}
		}
		chunk.Release()
	}
	return ""
}

// readAgain tells whether what is read from a path is there when it is opened again, which of pipes it is not.
func readAgain(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
