package nbsvmbeam

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/packed"
)

// PackOptions say how [Pack] packs shards, and where.
type PackOptions struct {
	OutDir string // the folder of the parts, one of each shard

	Text   hashing.Options // of n-grams; their orders can't be found from the text of parts
	Counts bool            // keep how often documents have n-grams
	Names  bool            // keep the texts of n-grams
	Memory int64           // about what a part may take to be packed; 0 for 512 MiB

	flags.Input   // how shards are read: Format, TextField, OnBad, … A quarantine is a folder.
	flags.BadFile // what becomes of shards that are damaged, or not what they should be

	Threads      int // shards that a worker process packs at the same time; 0 for as many as it has processors
	ShardThreads int // threads for each of them; 0 for one
}

// validate finds what contradicts itself, and fills in defaults.
func (o *PackOptions) validate() error {
	o.OnBad, o.OnBadFile = cmp.Or(o.OnBad, "fail"), cmp.Or(o.OnBadFile, "fail")
	o.ShardThreads, o.Memory = cmp.Or(o.ShardThreads, 1), cmp.Or(o.Memory, 512<<20)
	switch {
	case o.OutDir == "":
		return errors.New("the folder for the parts is missing: name one")
	case o.Threads < 0 || o.ShardThreads < 0:
		return fmt.Errorf("threads (%d) and threads of a shard (%d) must be 0 or more; 0 is the default",
			o.Threads, o.ShardThreads)
	}
	if err := checkBadFile(&o.BadFile); err != nil {
		return err
	}
	p := o.options()
	if err := p.Validate(); err != nil {
		return err
	}
	read := o.readAs()
	return read.Validate()
}

// options are those of a part.
func (o *PackOptions) options() packed.Options {
	return packed.Options{
		Text: o.Text, MinDF: 1, Counts: o.Counts, Names: o.Names, Memory: o.Memory, Threads: o.ShardThreads,
	}
}

func (o *PackOptions) reads() *flags.Input     { return &o.Input }
func (o *PackOptions) readAs() corpus.Input    { return o.Input.From(nil, false) }
func (o *PackOptions) passOver(err error) bool { return o.PassOver(err) }
func (o *PackOptions) threads() int            { return cmp.Or(o.Threads, runtime.GOMAXPROCS(0)) }
func (o *PackOptions) memory() int             { return o.threads() * int(o.Memory) }

// job returns where parts go.
func (o *PackOptions) job() *outdir.Job {
	return outdir.NewPackJob(o.OutDir, o.OnBad.Quarantine())
}

// run tells runs apart by their options.
func (o *PackOptions) run(context.Context) (run provenance.Run, model []byte, err error) {
	p := o.options()
	run, err = provenance.NewRun("", o.RecordedPack(&p))
	return run, nil, err
}

// open has nothing to load.
func (o *PackOptions) open([]byte) (making, error) {
	return func(ctx context.Context, in corpus.Input, _ *outdir.File, create creating) (counts outdir.Counts, err error) {
		in.ManyClasses = true // a part may have few documents of a class
		w, err := create(outdir.OutputFlag)
		if err != nil {
			return counts, err
		}
		r, err := packed.Pack(ctx, in, o.options(), w)
		if err != nil {
			return counts, err
		}
		return outdir.PackCounts(r), nil
	}, nil
}

// Pack packs shards, a collection of paths (string), each into a part of its own: what nbsvm pack --out-dir makes. It
// returns what is known of each part, a collection of [Made], as [Score] does.
func Pack(s beam.Scope, shards beam.PCollection, o PackOptions) (beam.PCollection, error) {
	s = s.Scope("nbsvm.Pack")
	encoded := encode(&o)
	if err := o.validate(); err != nil {
		return beam.PCollection{}, err
	}
	return makeShards(s, shards, encoded), nil
}
