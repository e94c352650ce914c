package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/packed"
)

type mergeCmd struct {
	Shards []string `file:"in" arg:"" name:"file" help:"Outputs of score --shard, in any order; or packed corpora, in the order that their documents shall have."`
	Output string   `file:"out" short:"o" required:"" group:"output" placeholder:"FILE" help:"Output file; - is standard output."`
	MinDF  *int     `min:"1" group:"text" name:"min-df" placeholder:"N" help:"For packed corpora: drop n-grams that fewer documents contain (default: 1)."`
	compressFlag
	Temp string `file:"folder" group:"output" placeholder:"FOLDER" help:"For packed corpora: folder for temporary files (default: the folder of the output)."`
}

func (m *mergeCmd) Help() string {
	return `Outputs of score --shard are joined to the file that one run without --shard would have written, byte for byte.
If a shard is missing, given twice, unfinished, damaged or of another run, merge names it and writes nothing. Names that
end in .shard.json are ignored, because merge reads these files beside the outputs.

    nbsvm merge -o good.jsonl part-*

Packed corpora are joined to the corpus that packing all their documents at once would have made, byte for byte. Pack
them with the same options and --min-df 1.

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
		return osfile.WriteCompressed(kind, c.Threads, sum,
			func(w io.Writer) error { return provenance.Join(w, shards) })
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
		fmt.Fprintf(summary, "%s: %s, %s written, %s bad, %s\n", display.Some(len(shards), "shard"),
			display.Some(all.Documents, "document"), display.Count(all.Written), display.Count(all.Bad),
			display.Bytes(all.Output.Bytes))
	}
	return nil
}

// compression returns what becomes of the shards' bytes: those that are compressed stay as they
// are, as frames may follow each other.
func (m *mergeCmd) compression(shards []provenance.File) (osfile.Compression, error) {
	had, want := shards[0].Compression(), m.Kind(m.Output)
	switch {
	case had == osfile.Uncompressed:
		return want, nil
	case had == want, m.How == "auto" && m.Output == "-":
		return osfile.Uncompressed, nil
	}
	return "", usageError{fmt.Errorf("the shards are compressed with %s, so their output is too: name it %s%s, or decompress what -o - writes", had, m.Output, had.Suffix())}
}

// moreFiles returns what stands beside the shards' outputs.
func (m *mergeCmd) moreFiles() (files []usedFile) {
	for _, path := range m.Shards {
		files = append(files, usedFile{role: "the record of a shard,", path: path + provenance.ShardSuffix})
	}
	return files
}

// noShard returns what a file may be that nothing stands beside.
func noShard(path string) error {
	if nbsvm.IsModel(path) {
		return fmt.Errorf("%s is a model, and models can't be merged; train one on all documents: nbsvm train FILE... -o MODEL", path)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name the files in it, such as '%s'", path, filepath.Join(path, "*"))
	}
	return fmt.Errorf("%s is not a finished output of score --shard, because there is no %s%s; other files need no merging, as every command takes several", path, path, provenance.ShardSuffix)
}

// packed reports whether packed corpora are to be merged: all are, or none is.
func (m *mergeCmd) packed() (bool, error) {
	corpus := slices.IndexFunc(m.Shards, packed.Is)
	other := slices.IndexFunc(m.Shards, func(path string) bool { return !packed.Is(path) })
	if corpus < 0 || other < 0 {
		return other < 0, nil
	}
	path := m.Shards[other]
	f, err := osfile.OpenRegular(path)
	if err != nil { // what can't be read is not known to be packed
		return false, err
	}
	f.Close()
	if nbsvm.IsModel(path) {
		return false, noShard(path)
	}
	return false, fmt.Errorf("%[1]s is a packed corpus, but %[2]s is not; to add its documents: nbsvm pack --append %[2]s -o %[1]s", m.Shards[corpus], path)
}

func (m *mergeCmd) mergePacked(c *call) error {
	if m.How != "auto" {
		return usageError{errors.New("--compress is for text, not for packed corpora: leave it out")}
	}
	if err := cmp.Or(notCompressed("-o", m.Output), checkBinary("-o", m.Output, c.streams)); err != nil {
		return err
	}
	c.tellTwice(m.Shards)
	o := packed.MergeOptions{MinDF: 1, Threads: c.Threads}
	set(&o.MinDF, m.MinDF)
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
