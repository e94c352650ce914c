package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
)

type benchGenCmd struct {
	Output     string   `file:"out" short:"o" group:"output" placeholder:"FILE" help:"Where to write (default: standard output)."`
	Documents  int      `group:"bench" placeholder:"N" default:"${gen_documents}" help:"Documents to make (default: ${gen_documents})."`
	Words      *int     `group:"bench" placeholder:"N" help:"Mean words a document (default: ${gen_words})."`
	Lengths    *string  `group:"bench" placeholder:"NAME" help:"Distribution of words a document: fixed, uniform, geometric or lognormal (default: ${gen_lengths})."`
	Vocabulary *int     `group:"bench" placeholder:"N" help:"Distinct words that all classes share (default: ${gen_vocabulary})."`
	Classes    *int     `group:"bench" placeholder:"N" help:"Classes, each with as many words of its own again (default: ${gen_classes})."`
	Zipf       *float64 `group:"bench" placeholder:"X" help:"Exponent of Zipf's law, by which words are frequent (default: ${gen_zipf})."`
	Signal     *float64 `group:"bench" placeholder:"X" help:"Share of words that are of the document's class (default: ${gen_signal})."`
	Seed       uint64   `group:"bench" placeholder:"N" default:"${gen_seed}" help:"Another seed makes another corpus (default: ${gen_seed})."`
	From       []string `file:"in" group:"bench" placeholder:"FILE" help:"Recombine the sentences of these labelled documents, within a class, instead of making words up."`
	compressFlag
	inputFlags
}

func (b *benchGenCmd) Help() string {
	return `Writes lines of label<TAB>text: the same bytes for the same flags, whatever the machine and the number
of threads, in memory that does not grow with the number of documents. Where they go to a
file, a summary goes to standard output.

    nbsvm bench gen --documents 1000000 --lengths lognormal | nbsvm train -o m.nbm
    nbsvm bench gen --documents 100000 --from reviews.tsv -o many.tsv`
}

func (b *benchGenCmd) Run(c *call) error {
	if c.JSON && (b.Output == "" || b.Output == "-") {
		return usageError{errors.New("--json: the corpus itself goes to standard output; name a file with -o")}
	}
	generated := b.corpus()
	if len(b.From) > 0 {
		if b.Words != nil || b.Lengths != nil || b.Vocabulary != nil || b.Classes != nil || b.Zipf != nil || b.Signal != nil {
			return usageError{errors.New("--from takes words, lengths and classes from its files; only --documents and --seed go with it")}
		}
		return b.withInput(c, b.From, false, func(in corpus.Input) error {
			generated.From = in
			return b.make(c, generated)
		})
	}
	return b.make(c, generated)
}

// make writes the corpus where it belongs, and tells how it went.
func (b *benchGenCmd) make(c *call, corpus bench.Corpus) error {
	write := func(w io.Writer) error { return wrongConfig(corpus.WriteTSV(c.ctx, w, c.Threads)) }
	if standardOutput(b.Output) {
		return c.writeText(b.Output, b.compressFlag, write)
	}
	start := time.Now()
	var bytes int64
	err := c.writeText(b.Output, b.compressFlag, func(w io.Writer) error {
		counted := provenance.NewSummer(w)
		defer func() { bytes = counted.Fingerprint().Bytes }()
		return write(counted)
	})
	if err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	if c.JSON {
		return printJSON(c.out, map[string]float64{"documents": float64(b.Documents), "bytes": float64(bytes), "seconds": seconds})
	}
	if !c.Quiet {
		fmt.Fprintf(c.out, "%s, %s in %.2f s: %.0f MB/s, %s documents/s\n", wording.Some(b.Documents, "document"), wording.Bytes(bytes),
			seconds, float64(bytes)/1e6/seconds, wording.Count(int64(float64(b.Documents)/seconds)))
	}
	return nil
}

// corpus is that of the flags.
func (b *benchGenCmd) corpus() bench.Corpus {
	corpus := bench.Defaults("gen", false).Generated
	corpus.Documents, corpus.Seed = b.Documents, b.Seed
	set(&corpus.Words, b.Words)
	set((*string)(&corpus.Lengths), b.Lengths)
	set(&corpus.Vocabulary, b.Vocabulary)
	set(&corpus.Classes, b.Classes)
	set(&corpus.Zipf, b.Zipf)
	set(&corpus.Signal, b.Signal)
	return corpus
}
