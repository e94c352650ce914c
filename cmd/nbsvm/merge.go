package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/compressed"
	"github.com/seed-167f963f/nbsvm/internal/where"
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
	shards, err := m.read()
	if err != nil {
		return err
	}
	var all shardRecord
	for _, s := range shards {
		all.Documents, all.Written, all.Bad = all.Documents+s.Documents, all.Written+s.Written, all.Bad+s.Bad
	}
	kind, err := m.compression(shards)
	if err != nil {
		return err
	}
	if err := c.writeOutput(m.Output, func(w io.Writer) error {
		sum := &checksummer{w: w}
		defer func() { all.Output = sum.fingerprint() }()
		return compress(kind, c.Threads, sum, func(w io.Writer) error { return join(w, shards) })
	}); err != nil {
		return err
	}
	switch summary := c.summaryFor(m.Output); {
	case c.JSON:
		return printJSON(summary, struct {
			Shards    int         `json:"shards"`
			Documents int64       `json:"documents"`
			Written   int64       `json:"written"`
			Bad       int64       `json:"bad"`
			Output    fingerprint `json:"output"`
		}{len(shards), all.Documents, all.Written, all.Bad, all.Output})
	case !c.Quiet:
		fmt.Fprintf(summary, "%s: %s, %s written, %s bad, %s\n", some(len(shards), "shard"),
			some(all.Documents, "document"), count(all.Written), count(all.Bad), byteSize(all.Output.Bytes))
	}
	return nil
}

// compression is what becomes of the shards' bytes: those that are compressed stay as they
// are, as frames may follow each other.
func (m *mergeCmd) compression(shards []shardFile) (compressed.Kind, error) {
	had, want := compressed.Kind(cmp.Or(shards[0].Options["compress"], string(compressed.None))), m.kind(m.Output)
	switch {
	case had == compressed.None:
		return want, nil
	case had == want, m.Compress == "auto" && m.Output == "-":
		return compressed.None, nil
	}
	return "", usageError{fmt.Errorf("the shards are compressed, and their output would have to be, with %s: name it %s%s, or decompress what -o - writes", had, m.Output, had.Suffix())}
}

// moreFiles are what stands beside the shards' outputs.
func (m *mergeCmd) moreFiles() (files []usedFile) {
	for _, path := range m.Shards {
		files = append(files, usedFile{role: "what stands beside a shard,", path: path + shardSuffix})
	}
	return files
}

// shardFile is a shard's output with what stands beside it.
type shardFile struct {
	path string
	shardRecord
}

// read reads what stands beside the outputs: all shards of one run, in order.
func (m *mergeCmd) read() ([]shardFile, error) {
	var shards []shardFile
	var errs []error
	for _, path := range m.Shards {
		if strings.HasSuffix(path, shardSuffix) {
			continue
		}
		s, err := readShard(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(shards) > 0 {
			if what := s.differs(&shards[0].shardRecord); what != "" {
				errs = append(errs, fmt.Errorf("%s is of another run than %s: %s", path, shards[0].path, what))
				continue
			}
		}
		shards = append(shards, s)
	}
	switch {
	case len(shards) == 0 && len(errs) == 0:
		return nil, errors.New("no shards to merge: name the outputs, beside which files of names in " + shardSuffix + " stand")
	case len(shards) == 0:
		return nil, errors.Join(errs...)
	}
	slices.SortStableFunc(shards, func(a, b shardFile) int { return cmp.Compare(a.Shard, b.Shard) })
	return shards, joinShardErrors(append(errs, gaps(shards)...))
}

// joinShardErrors adds to what is wrong with shards what to do about it.
func joinShardErrors(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return errors.Join(append(errs, errors.New("merge takes every shard of one run once: score again, with the same command, what is missing or damaged"))...)
}

func readShard(path string) (shardFile, error) {
	s := shardFile{path: path}
	info, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	text, err := os.ReadFile(path + shardSuffix)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, noShard(path)
	case err != nil:
		return s, err
	}
	if err := json.Unmarshal(text, &s.shardRecord); err != nil {
		return s, fmt.Errorf("%s%s is damaged: it does not describe a shard", path, shardSuffix)
	}
	if s.Shards < 1 || s.Shard < 1 || s.Shard > s.Shards {
		return s, fmt.Errorf("%s%s is damaged: it is of shard %d of %d", path, shardSuffix, s.Shard, s.Shards)
	}
	if info.Size() != s.Output.Bytes {
		return s, fmt.Errorf("%s (shard %d) is damaged: it has %d bytes, should have %d", path, s.Shard, info.Size(), s.Output.Bytes)
	}
	return s, nil
}

// noShard says what a file may be that nothing stands beside.
func noShard(path string) error {
	if nbsvm.IsModel(path) {
		return fmt.Errorf("%s is a model, and models can't be merged: train one on all documents, which may be in several files, or packed: nbsvm train FILE... -o MODEL", path)
	}
	return fmt.Errorf("%s is no output of score --shard, or its run has not finished: there is no %s%s; other texts need no merging, every command takes several files", path, path, shardSuffix)
}

// differs says in what a shard is of another run; empty if it is of the same.
func (r *shardRecord) differs(o *shardRecord) string {
	if r.Shards != o.Shards {
		return fmt.Sprintf("of %d shards, not %d", r.Shards, o.Shards)
	}
	if a, b := r.flag(), o.flag(); a != b {
		return fmt.Sprintf("it is the file of %s, not of %s: merge these apart", a, b)
	}
	if what := r.runRecord.differs(&o.runRecord); what != "" || slices.Equal(r.Inputs, o.Inputs) {
		return what
	}
	for i := range min(len(r.Inputs), len(o.Inputs)) {
		if a, b := r.Inputs[i], o.Inputs[i]; a != b {
			return fmt.Sprintf("input %d was %s of %d bytes, not %s of %d", i+1, a.Path, a.Bytes, b.Path, b.Bytes)
		}
	}
	return fmt.Sprintf("%d inputs, not %d", len(r.Inputs), len(o.Inputs))
}

// differs says in what outputs are of another run, but for their inputs; empty if they are of the same.
func (r *runRecord) differs(o *runRecord) string {
	switch {
	case r.Version != o.Version:
		return fmt.Sprintf("nbsvm %s, not %s", r.Version, o.Version)
	case r.Model.Bytes != o.Model.Bytes || r.Model.SHA256 != o.Model.SHA256:
		return fmt.Sprintf("another model, %s with SHA-256 %.12s, not %s with %.12s", r.Model.Path, r.Model.SHA256, o.Model.Path, o.Model.SHA256)
	}
	either := map[string]string{} // one of them may have none
	maps.Copy(either, r.Options)
	maps.Copy(either, o.Options)
	for _, name := range slices.Sorted(maps.Keys(either)) {
		if name == "where" && where.Same(r.Options[name], o.Options[name]) {
			continue
		}
		if a, b := r.option(name), o.option(name); a != b {
			return fmt.Sprintf("%s, not %s", a, b)
		}
	}
	return ""
}

// option says whether and how an option was given.
func (r *runRecord) option(name string) string {
	switch value, given := r.Options[name]; {
	case !given:
		return "without --" + name
	case value == "true" || value == rejectsFolder:
		return "with --" + name
	default:
		return fmt.Sprintf("with --%s %q", name, value)
	}
}

// gaps names the shards that are missing or there twice, given the others in order.
func gaps(shards []shardFile) (errs []error) {
	next, of := 1, shards[0].Shards
	missing := func(until int) {
		switch {
		case until == next:
		case until == next+1:
			errs = append(errs, fmt.Errorf("shard %d of %d is missing", next, of))
		default:
			errs = append(errs, fmt.Errorf("shards %d to %d of %d are missing", next, until-1, of))
		}
	}
	for i, s := range shards {
		if i > 0 && s.Shard == shards[i-1].Shard {
			errs = append(errs, fmt.Errorf("%s and %s are both shard %d of %d", shards[i-1].path, s.path, s.Shard, of))
			continue
		}
		missing(s.Shard)
		next = s.Shard + 1
	}
	missing(of + 1)
	return errs
}

// join writes shards one behind the other, and names all that are not what stands
// beside them.
func join(w io.Writer, shards []shardFile) error {
	var errs []error
	for _, s := range shards {
		f, err := os.Open(s.path)
		if err != nil {
			return err
		}
		sum := &checksummer{w: w}
		_, err = io.CopyBuffer(sum, f, make([]byte, 1<<18))
		f.Close()
		if err != nil {
			return err
		}
		if got := sum.fingerprint(); got != s.Output {
			errs = append(errs, fmt.Errorf("%s (shard %d) is damaged: CRC-32C %s of %d bytes, should be %s of %d",
				s.path, s.Shard, got.CRC32C, got.Bytes, s.Output.CRC32C, s.Output.Bytes))
		}
	}
	return joinShardErrors(errs)
}

// packed says whether packed corpora are to be merged: all are, or none is.
func (m *mergeCmd) packed() (bool, error) {
	first := m.Shards[0]
	packed := nbsvm.IsPacked(first)
	for _, path := range m.Shards[1:] {
		if nbsvm.IsPacked(path) == packed {
			continue
		}
		for _, either := range []string{first, path} { // what is not there is not packed
			if _, err := os.Stat(either); err != nil {
				return false, err
			}
		}
		corpus, other := first, path
		if !packed {
			corpus, other = path, first
		}
		if nbsvm.IsModel(other) {
			return false, noShard(other)
		}
		return false, fmt.Errorf("%s is a packed corpus and %s is not; to add its documents: nbsvm pack --append %s -o %s", corpus, other, other, corpus)
	}
	return packed, nil
}

func (m *mergeCmd) mergePacked(c *call) error {
	if m.Compress != "auto" {
		return usageError{errors.New("--compress is for text; packed corpora are mapped as they are: leave it out")}
	}
	if err := notCompressed("-o", m.Output); err != nil {
		return err
	}
	o := nbsvm.MergeOptions{MinDF: 1, Threads: c.Threads}
	set(&o.MinDF, m.MinDF)
	if o.MinDF < 1 {
		return usageError{fmt.Errorf("--min-df is %d, want 1 or more", o.MinDF)}
	}
	if err := checkTemp(m.Temp); err != nil {
		return err
	}
	o.Temp = tempFolder(m.Temp, m.Output)
	var report *nbsvm.PackReport
	err := c.writeOutput(m.Output, func(w io.Writer) (err error) {
		report, err = nbsvm.MergePacked(c.ctx, m.Shards, o, w)
		return err
	})
	if err != nil {
		return err
	}
	return summarisePack(c, m.Output, nbsvm.Input{}, report)
}
