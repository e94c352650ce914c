package nbsvmbeam

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/job/flags"
	"github.com/seed-167f963f/nbsvm/internal/job/outdir"
	"github.com/seed-167f963f/nbsvm/internal/job/provenance"
	"github.com/seed-167f963f/nbsvm/internal/osfile"
	"github.com/seed-167f963f/nbsvm/packed"
)

func init() {
	register.DoFn3x1[context.Context, int, func(*Made) bool, error](&mergeFn{})
	register.Iter1[Made]()
}

// PackOptions say how [Pack] packs shards, and where.
type PackOptions struct {
	OutDir string // the folder of the parts, one of each shard; they stay, so that a job can go on
	Output string // the corpus of all shards; empty if parts are enough, as for nbsvm train parts/*.nbc
	MinDF  int    // leave out n-grams of fewer documents in the corpus; parts have all

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
	o.ShardThreads, o.MinDF, o.Memory = cmp.Or(o.ShardThreads, 1), cmp.Or(o.MinDF, 1), cmp.Or(o.Memory, 512<<20)
	switch {
	case o.OutDir == "":
		return errors.New("the folder for the parts is missing: name one")
	case o.Threads < 0 || o.ShardThreads < 0:
		return fmt.Errorf("threads (%d) and threads of a shard (%d) must be 0 or more; 0 is the default", o.Threads, o.ShardThreads)
	case o.MinDF < 1:
		return fmt.Errorf("--min-df must be 1 or more, got %d", o.MinDF)
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

// job says where parts go.
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
// returns what is known of each part, a collection of [Made], as [Score] does. With Output, one worker makes one corpus
// of the parts when all are there, in the order of their names: the bytes that nbsvm pack makes of the shards in that
// order. If a shard has failed, there is no corpus; those that were passed over are not in it.
func Pack(s beam.Scope, shards beam.PCollection, o PackOptions) (beam.PCollection, error) {
	s = s.Scope("nbsvm.Pack")
	encoded := encode(&o)
	if err := o.validate(); err != nil {
		return beam.PCollection{}, err
	}
	made := makeShards(s, shards, encoded)
	if o.Output != "" {
		all := beam.GroupByKey(s, beam.AddFixedKey(s, made))
		beam.ParDo0(s.Scope("Merge"), &mergeFn{Options: encoded}, all)
	}
	return made, nil
}

// mergeFn makes one corpus of the parts.
type mergeFn struct{ Options []byte }

// ProcessElement is called once, with what is known of all parts.
func (f *mergeFn) ProcessElement(ctx context.Context, _ int, next func(*Made) bool) error {
	of, err := decode(f.Options)
	if err != nil {
		return err
	}
	var parts []string
	var m Made
	for next(&m) {
		switch m.State {
		case outdir.Failed:
			return nil // which the summary tells
		case outdir.PassedOver:
		default:
			parts = append(parts, m.Output)
		}
	}
	if len(parts) == 0 {
		return nil // likewise
	}
	slices.Sort(parts)
	return of.(*PackOptions).merge(ctx, parts)
}

// merge merges parts, which are fetched if they are not on this machine: they are mapped.
func (o *PackOptions) merge(ctx context.Context, parts []string) error {
	temp, err := os.MkdirTemp("", "nbsvm-beam-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	local := slices.Clone(parts)
	for k, part := range parts {
		if isLocal(part) {
			continue
		}
		local[k] = filepath.Join(temp, fmt.Sprintf("%d.nbc", k))
		err := osfile.WriteFile(local[k], func(w io.Writer) error { return store{ctx}.readTo(part, w) })
		if err != nil {
			return err
		}
	}
	to, err := create(ctx, o.Output)
	if err != nil {
		return err
	}
	defer to.abort()
	merge := packed.MergeOptions{MinDF: o.MinDF, Temp: temp, Threads: o.threads()}
	if _, err = packed.Merge(ctx, local, merge, to.w); err != nil {
		return err
	}
	return to.commit()
}
