package nbsvmbeam

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/job/scoring"
)

// ScoreOptions say what [Score] makes of shards, and where. Fields are those of the flags of nbsvm score, whose help
// tells what they mean; zero values are flags that are not given.
type ScoreOptions struct {
	Model   string `arg:"" help:"Model file."`
	OutDir  string `required:"" placeholder:"FOLDER" help:"Write the output of every file to this folder; skip files that already exist."`
	Rejects string `placeholder:"FOLDER" help:"Write the records that do not pass --where to this folder."`

	scoring.Options // what is made: Where, AddField, OutputFormat, Label, Top, …
	flags.Input     // how shards are read: Format, TextField, OnBad, … A quarantine is a folder.
	flags.BadFile   // what becomes of shards that are damaged, or not what they should be
	flags.Compress  // How outputs are compressed, if not as their names say

	Threads      int `placeholder:"N" help:"Files that a worker process scores at the same time (default: as many as it has processors)."`
	ShardThreads int `placeholder:"N" help:"Threads for each of them (default: 1)."`
}

// validate finds what contradicts itself, and fills in defaults.
func (o *ScoreOptions) validate() error {
	o.How, o.OnBad, o.OnBadFile = cmp.Or(o.How, "auto"), cmp.Or(o.OnBad, "fail"), cmp.Or(o.OnBadFile, "fail")
	o.ShardThreads = cmp.Or(o.ShardThreads, 1)
	switch {
	case o.Model == "":
		return errors.New("the model is missing: name its file")
	case o.OutDir == "":
		return errors.New("the folder for outputs is missing: name one")
	case o.Threads < 0 || o.ShardThreads < 0:
		return fmt.Errorf("threads (%d) and threads of a shard (%d) must be 0 or more; 0 is the default",
			o.Threads, o.ShardThreads)
	case o.Rejects != "" && o.Where == "":
		return errors.New("--rejects needs --where: it gets the records that do not pass")
	}
	if err := checkBadFile(&o.BadFile); err != nil {
		return err
	}
	if err := o.Validate(&o.Input, "", false); err != nil {
		return err
	}
	read := o.readAs()
	return read.Validate()
}

// checkBadFile refuses what is neither fail nor skip.
func checkBadFile(f *flags.BadFile) error {
	if f.OnBadFile != "fail" && f.OnBadFile != "skip" {
		return fmt.Errorf("--on-bad-file must be fail or skip, got %q", f.OnBadFile)
	}
	return nil
}

// job returns where outputs go.
func (o *ScoreOptions) job() *outdir.Job {
	output := func(input string) string { return o.OutputName(input, &o.Compress) }
	return outdir.NewJob("score", o.OutDir, o.Rejects, o.OnBad.Quarantine(), output, o.Name)
}

func (o *ScoreOptions) reads() *flags.Input     { return &o.Input }
func (o *ScoreOptions) passOver(err error) bool { return o.PassOver(err) }
func (o *ScoreOptions) threads() int            { return cmp.Or(o.Threads, runtime.GOMAXPROCS(0)) }

func (o *ScoreOptions) memory() int { return o.threads() * o.ShardThreads * heapOfThread }

// readAs has the fields read that rows have of records.
func (o *ScoreOptions) readAs() corpus.Input {
	read := o.Input.From(nil, true)
	o.ReadFields(&read)
	return read
}

// run tells runs apart by model and options.
func (o *ScoreOptions) run(ctx context.Context) (run provenance.Run, model []byte, err error) {
	if model, err = ReadFile(ctx, o.Model); err != nil {
		return run, nil, err
	}
	options := o.Options.Recorded(&o.Input)
	if o.Rejects != "" {
		options["rejects"] = provenance.Folder
	}
	run, err = provenance.RunOf(o.Model, bytes.NewReader(model), options)
	if isLocal(o.Model) {
		model = nil // it is mapped
	}
	return run, model, err
}

// open opens the model.
func (o *ScoreOptions) open(model []byte) (making, error) {
	open := func() (*nbsvm.Classifier, error) { return nbsvm.OpenBytes(model) }
	if model == nil {
		open = func() (*nbsvm.Classifier, error) { return nbsvm.Open(o.Model) }
	}
	c, err := open()
	if err != nil {
		return nil, err
	}
	if _, err := scoring.New(c, &o.Options); err != nil { // of each shard there is one of its own
		c.Close()
		return nil, err
	}
	return func(ctx context.Context, in corpus.Input, f *outdir.File, create creating) (outdir.Counts, error) {
		return o.score(ctx, c, in, f, create)
	}, nil
}

// score makes the output of a shard, and its rejects.
func (o *ScoreOptions) score(
	ctx context.Context, c *nbsvm.Classifier, in corpus.Input, f *outdir.File, create creating,
) (counts outdir.Counts, err error) {
	if err := cmp.Or(o.CheckInput(f.Input, &o.Compress), o.Check(path.Base(f.Output))); err != nil {
		return counts, cmp.Or(scoring.Unreadable(in), err) // what is wrong with the file itself says more
	}
	making, err := scoring.New(c, &o.Options)
	if err != nil {
		return counts, err
	}
	begin := func(flag string) (*scoring.Output, error) {
		w, err := create(flag)
		return &scoring.Output{W: w, Kind: o.Kind(path.Base(f.In(flag)))}, err
	}
	var rejects *scoring.Output
	if o.Rejects != "" {
		if rejects, err = begin(outdir.RejectsFlag); err != nil {
			return counts, err
		}
	}
	to, err := begin(outdir.OutputFlag)
	if err != nil {
		return counts, err
	}
	stats, err := making.Write(ctx, making.Input(in), nbsvm.ScoreOptions{Threads: o.ShardThreads}, *to, rejects)
	if err != nil {
		return counts, err
	}
	return making.Counts(stats), nil
}
