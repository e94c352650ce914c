package nbsvmbeam

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

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
	Model   string // a model file
	OutDir  string // the folder of the outputs
	Rejects string // the folder of the records that do not pass Where; empty for none

	scoring.Options // what is made: Where, AddField, OutputFormat, Label, Top, …
	flags.Input     // how shards are read: Format, TextField, OnBad, … A quarantine is a folder.
	flags.BadFile   // what becomes of shards that are damaged, or not what they should be
	flags.Compress  // How outputs are compressed, if not as their names say

	Threads      int // shards that a worker process scores at the same time; 0 for as many as it has processors
	ShardThreads int // threads for each of them; 0 for one
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
		return fmt.Errorf("threads (%d) and threads of a shard (%d) must be 0 or more; 0 is the default", o.Threads, o.ShardThreads)
	case o.Rejects != "" && o.Where == "":
		return errors.New("--rejects needs --where: it gets the records that do not pass")
	}
	if err := checkFolders(o); err != nil {
		return err
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

// Flags of folders, as records have them.
const (
	rejectsFlag    = "--rejects"
	quarantineFlag = "--on-bad quarantine"
)

// folder is one of outputs.
type folder struct{ flag, path string }

// folders are those of the outputs, the main one first.
func (o *ScoreOptions) folders() []folder {
	all := []folder{{outdir.OutputFlag, o.OutDir}}
	if o.Rejects != "" {
		all = append(all, folder{rejectsFlag, o.Rejects})
	}
	if quarantine := o.OnBad.Quarantine(); quarantine != "" {
		all = append(all, folder{quarantineFlag, quarantine})
	}
	return all
}

// checkFolders refuses one folder for two things.
func checkFolders(w work) error {
	folders := map[string]string{}
	for _, of := range w.folders() {
		clean := strings.TrimRight(of.path, "/")
		if folders[clean] != "" {
			return fmt.Errorf("%s and %s must be different folders, got %s for both", folders[clean], of.flag, of.path)
		}
		folders[clean] = of.flag
	}
	return nil
}

func (o *ScoreOptions) command() string                { return "score" }
func (o *ScoreOptions) reads() *flags.Input            { return &o.Input }
func (o *ScoreOptions) passOver(err error) bool        { return o.PassOver(err) }
func (o *ScoreOptions) outputName(input string) string { return o.OutputName(base(input), &o.Compress) }
func (o *ScoreOptions) besideName(input string) string { return o.Name(base(input)) }
func (o *ScoreOptions) threads() int                   { return cmp.Or(o.Threads, runtime.GOMAXPROCS(0)) }

func (o *ScoreOptions) memory() int { return o.threads() * o.ShardThreads * heapOfThread }

// readAs has the fields read that rows have of records.
func (o *ScoreOptions) readAs() corpus.Input {
	read := o.Input.From(nil, true)
	o.ReadFields(&read)
	return read
}

// check refuses mere text among records.
func (o *ScoreOptions) check(ctx context.Context, inputs []string) error {
	return o.CheckOthers(o.Format, inputs, func(path string) corpus.Format {
		var ignored faults
		format := corpus.Auto
		if read, err := inputOf(ctx, o, path, &ignored); err == nil {
			format, _ = scoring.FormatOf(read, path)
		}
		return format
	})
}

// run tells runs apart by model and options.
func (o *ScoreOptions) run(ctx context.Context) (run provenance.Run, model []byte, err error) {
	if model, err = readAll(ctx, o.Model); err != nil {
		return run, nil, err
	}
	options := o.Options.Recorded(&o.Input)
	if o.Rejects != "" {
		options["rejects"] = provenance.Folder
	}
	run = runOf(o.Model, model, options)
	if isLocal(o.Model) {
		model = nil // it is mapped
	}
	return run, model, nil
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
	return func(ctx context.Context, in corpus.Input, s *shard, create creating) (counts outdir.Counts, err error) {
		return o.score(ctx, c, in, s, create)
	}, nil
}

// score makes the output of a shard, and its rejects.
func (o *ScoreOptions) score(
	ctx context.Context, c *nbsvm.Classifier, in corpus.Input, s *shard, create creating,
) (counts outdir.Counts, err error) {
	if o.Foreign(base(s.input)) {
		if _, err := scoring.FormatOf(in, s.input); err != nil {
			return counts, err // which says more than that its name is not one for an output
		}
	}
	if err := o.Check(s.name); err != nil {
		return counts, err
	}
	making, err := scoring.New(c, &o.Options)
	if err != nil {
		return counts, err
	}
	var rejects *scoring.Output
	if o.Rejects != "" {
		name := o.besideName(s.input)
		w, err := create(folder{rejectsFlag, o.Rejects}, name)
		if err != nil {
			return counts, err
		}
		rejects = &scoring.Output{W: w, Kind: o.Kind(name)}
	}
	w, err := create(o.folders()[0], s.name)
	if err != nil {
		return counts, err
	}
	to := scoring.Output{W: w, Kind: o.Kind(s.name)}
	stats, err := making.Write(ctx, making.Input(in), nbsvm.ScoreOptions{Threads: o.ShardThreads}, to, rejects)
	if err != nil {
		return counts, err
	}
	return making.Counts(stats), nil
}
