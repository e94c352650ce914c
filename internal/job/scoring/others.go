package scoring

import (
	"cmp"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/seed-167f963f/nbsvm/corpus"
)

// FormatOf is the format of which a file is, and what is wrong with the file if that can't be told.
func FormatOf(o corpus.Input, path string) (corpus.Format, error) {
	o.Note, o.Headers, o.Shard = nil, false, corpus.Shard{}
	reader, err := corpus.Open(o.With(path))
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

// openedAtOnce is how many files are opened side by side: those of a bucket take long to come.
const openedAtOnce = 8

// CheckOthers refuses files that are mere text, such as a README, among files of records, of each of which an output
// is made. Open tells the format of one whose name tells none; Auto is one that can't be told.
func (o *Options) CheckOthers(given corpus.Format, paths []string, open func(path string) corpus.Format) error {
	if !o.Records() {
		return nil
	}
	formats := make([]corpus.Format, len(paths))
	var group errgroup.Group
	group.SetLimit(openedAtOnce)
	for i, path := range paths {
		if formats[i] = cmp.Or(given, corpus.FormatOfName(path)); formats[i] == corpus.Auto {
			group.Go(func() error {
				formats[i] = open(path)
				return nil
			})
		}
	}
	group.Wait()
	text, records := -1, -1
	for i, format := range formats {
		switch {
		case format == corpus.Lines && text < 0:
			text = i
		case format != corpus.Lines && format != corpus.Auto && records < 0:
			records = i
		}
	}
	if text >= 0 && records >= 0 {
		return fmt.Errorf("%s is plain text (lines), and %s is %s: leave the text out, or filter it separately",
			paths[text], paths[records], formats[records])
	}
	return nil
}
