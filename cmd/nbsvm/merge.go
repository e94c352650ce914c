package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/file/compressed"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/packed"
)

type mergeCmd struct {
	Shards []string `file:"in" arg:"" name:"file" help:"Outputs of score --shard, in any order; or packed corpora, in that in which their documents shall stand."`
	Output string   `file:"out" short:"o" required:"" group:"output" placeholder:"FILE" help:"Where to write; - is standard output."`
	MinDF  *int     `group:"text" name:"min-df" placeholder:"N" help:"Of packed corpora: drop n-grams of fewer documents (default: 1)."`
	compressFlag
	Temp string `file:"folder" group:"output" placeholder:"FOLDER" help:"Of packed corpora: where to keep what is being merged (default: the folder of the output)."`
}

func (m *mergeCmd) Help() string {
	return `Outputs of score --shard: the file that one run without --shard would have written, byte for byte.
Shards that are missing, given twice, unfinished, damaged, or of another run (model, inputs, options,
version) are named, and nothing is written. Names that end in .shard.json are passed over: what
stands in these files is read with the outputs beside them. Compressed ones are joined as they are.

    nbsvm merge -o good.jsonl part-*

Packed corpora: the corpus that packing all their documents at once would have made, byte for byte.
They must have been packed alike, with --min-df 1, so that their counts add up.

    nbsvm merge --min-df 2 -o year.nbc january.nbc february.nbc march.nbc`
}

func (m *mergeCmd) Run(c *call) error {
	if packed, err := m.packed(); err != nil || packed {
		if err != nil {
			return err
		}
		return m.mergePacked(c)
	}
	if m.MinDF != nil {
		return usageError{errors.New("--min-df is for packed corpora: leave it out for shards")}
	}
	shards, err := provenance.Read(m.Shards, noShard)
	if err != nil {
		return err
	}
	var all provenance.Shard
	for _, s := range shards {
		all.Documents, all.Written, all.Bad = all.Documents+s.Documents, all.Written+s.Written, all.Bad+s.Bad
	}
	kind, err := m.compression(shards)
	if err != nil {
		return err
	}
	if err := c.writeOutput(m.Output, func(w io.Writer) error {
		sum := provenance.NewSummer(w)
		defer func() { all.Output = sum.Fingerprint() }()
		return compressed.Write(kind, c.Threads, sum, func(w io.Writer) error { return provenance.Join(w, shards) })
	}); err != nil {
		return err
	}
	switch summary := c.summaryFor(m.Output); {
	case c.JSON:
		return printJSON(summary, struct {
			Shards    int                    `json:"shards"`
			Documents int64                  `json:"documents"`
			Written   int64                  `json:"written"`
			Bad       int64                  `json:"bad"`
			Output    provenance.Fingerprint `json:"output"`
		}{len(shards), all.Documents, all.Written, all.Bad, all.Output})
	case !c.Quiet:
		fmt.Fprintf(summary, "%s: %s, %s written, %s bad, %s\n", wording.Some(len(shards), "shard"),
			wording.Some(all.Documents, "document"), wording.Count(all.Written), wording.Count(all.Bad), wording.Bytes(all.Output.Bytes))
	}
	return nil
}

// compression is what becomes of the shards' bytes: those that are compressed stay as they
// are, as frames may follow each other.
func (m *mergeCmd) compression(shards []provenance.File) (compressed.Kind, error) {
	had, want := shards[0].Compression(), m.Kind(m.Output)
	switch {
	case had == compressed.None:
		return want, nil
	case had == want, m.How == "auto" && m.Output == "-":
		return compressed.None, nil
	}
	return "", usageError{fmt.Errorf("the shards are compressed, and their output would have to be, with %s: name it %s%s, or decompress what -o - writes", had, m.Output, had.Suffix())}
}

// moreFiles are what stands beside the shards' outputs.
func (m *mergeCmd) moreFiles() (files []usedFile) {
	for _, path := range m.Shards {
		files = append(files, usedFile{role: "what stands beside a shard,", path: path + provenance.ShardSuffix})
	}
	return files
}

// noShard says what a file may be that nothing stands beside.
func noShard(path string) error {
	if nbsvm.IsModel(path) {
		return fmt.Errorf("%s is a model, and models can't be merged: train one on all documents, which may be in several files, or packed: nbsvm train FILE... -o MODEL", path)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name the files in it, such as '%s'", path, filepath.Join(path, "*"))
	}
	return fmt.Errorf("%s is no output of score --shard, or its run has not finished: there is no %s%s; other texts need no merging, every command takes several files", path, path, provenance.ShardSuffix)
}

// packed says whether packed corpora are to be merged: all are, or none is.
func (m *mergeCmd) packed() (bool, error) {
	first := m.Shards[0]
	all := packed.Is(first)
	for _, path := range m.Shards[1:] {
		if packed.Is(path) == all {
			continue
		}
		for _, either := range []string{first, path} { // what is not there is not packed
			if _, err := os.Stat(either); err != nil {
				return false, err
			}
		}
		corpus, other := first, path
		if !all {
			corpus, other = path, first
		}
		if nbsvm.IsModel(other) {
			return false, noShard(other)
		}
		return false, fmt.Errorf("%s is a packed corpus and %s is not; to add its documents: nbsvm pack --append %s -o %s", corpus, other, other, corpus)
	}
	return all, nil
}

func (m *mergeCmd) mergePacked(c *call) error {
	if m.How != "auto" {
		return usageError{errors.New("--compress is for text; packed corpora are mapped as they are: leave it out")}
	}
	if err := notCompressed("-o", m.Output); err != nil {
		return err
	}
	c.tellTwice(m.Shards)
	o := packed.MergeOptions{MinDF: 1, Threads: c.Threads}
	set(&o.MinDF, m.MinDF)
	if o.MinDF < 1 {
		return usageError{fmt.Errorf("--min-df is %d, want 1 or more", o.MinDF)}
	}
	if err := checkTemp(m.Temp); err != nil {
		return err
	}
	o.Temp = tempFolder(m.Temp, m.Output)
	var report *packed.Report
	err := c.writeOutput(m.Output, func(w io.Writer) (err error) {
		report, err = packed.Merge(c.ctx, m.Shards, o, w)
		return err
	})
	if err != nil {
		return err
	}
	return summarisePack(c, m.Output, corpus.Input{}, report)
}
