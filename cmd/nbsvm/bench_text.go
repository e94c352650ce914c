package main

import "github.com/seed-167f963f/nbsvm/bench"

type benchTextCmd struct {
	Orders []ngrams `group:"bench" placeholder:"LO-HI" help:"Orders of n-grams to measure (default: 1-1,1-2,1-3)."`
	threadsFlag
	benchFlags
	corpusFlags
	tokenFlags
}

func (b *benchTextCmd) Help() string {
	return `Each part works on what the part before it left in memory, on the first 32 MB of text (4 MB with
--quick): read makes records of a file; hash makes the hashes of their n-grams; hash, distinct also
tells those of a document apart; count counts the documents of each n-gram. MB are of text.

    nbsvm bench text --tokenizer char --orders 1-4 reviews.tsv`
}

func (b *benchTextCmd) Run(c *call) (err error) {
	config := bench.DefaultTextConfig()
	if config.Runs, err = b.runs(config.Runs); err != nil {
		return err
	}
	b.tokenFlags.apply(&config.Text)
	if config.Source, err = b.source(c, config.Source.Generated); err != nil {
		return err
	}
	if b.Quick {
		config.MaxBytes, config.Orders = 4<<20, config.Orders[1:2]
	}
	b.threadsFlag.apply(c, &config.Threads)
	if len(b.Orders) > 0 {
		config.Orders = nil
	}
	for _, n := range b.Orders {
		config.Orders = append(config.Orders, [2]int{n.lo, n.hi})
	}
	return b.measure(c, config)
}
