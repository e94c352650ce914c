package plan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/file/scratch"
)

// Job is what to make a plan of.
type Job struct {
	// Input names labelled documents, of which a sample is taken. Where it names no files, documents are generated, as
	// many as Generated says, for a sample.
	Input     corpus.Input
	Generated bench.Corpus
	Sample    int64 // bytes of records to take from Input

	Documents int64 // in all; 0 for as many as Input seems to have
	Machines  int   // like this one, which pack and score side by side
	Memory    int64 // bytes of each machine; 0 for no bound
	Options   nbsvm.Options
	Temp      string // folder for the sample, and all that is made of it; "" is the system's

	Tell func(stage string, done, total int) // nil, or told of stages of the rehearsal as they begin
}

// Stage is a step of a job.
type Stage struct {
	Name     string  `json:"name"` // pack, merge, train or score
	Machines int     `json:"machines"`
	Seconds  float64 `json:"seconds"`
	// Of each machine: bytes of memory and of temporary files, and those for --memory, 0 to leave it out.
	Memory     int64 `json:"memory"`
	Temp       int64 `json:"temporary"`
	MemoryFlag int64 `json:"memory_flag,omitempty"`
	// Output is how many bytes it leaves, on all machines together.
	Output int64 `json:"output"`
}

// Plan is what a job takes.
type Plan struct {
	Documents int64 `json:"documents"`
	Bytes     int64 `json:"bytes"`  // of records, decompressed
	Stored    int64 `json:"stored"` // of files, as they are
	Machines  int   `json:"machines"`
	Shards    int64 `json:"shards"` // files that documents should be in
	Classes   int   `json:"classes"`

	Ngrams   string `json:"ngrams"`
	Distinct int64  `json:"distinct"` // n-grams
	Columns  int64  `json:"columns"`  // n-grams that are kept
	NonZeros int64  `json:"non_zeros"`
	Buckets  int64  `json:"buckets"` // in use

	Stages  []Stage `json:"stages"`
	Seconds float64 `json:"seconds"` // one stage after the other
	Disk    int64   `json:"disk"`    // bytes at a time, at most, on all machines: files, outputs and temporary ones

	Sample    Sample        `json:"sample"`
	Threads   int           `json:"threads"`
	Machine   bench.Machine `json:"machine"`
	Assumed   []string      `json:"assumed"`
	Rehearsed float64       `json:"rehearsed_seconds"`
}

// Sample is what a plan was made from.
type Sample struct {
	Documents int64   `json:"documents"`
	Bytes     int64   `json:"bytes"`
	Epochs    int     `json:"epochs"`
	Gap       float64 `json:"gap"`
}

// Validate reports what no plan can be made of.
func (j *Job) Validate() error {
	switch o := &j.Options; {
	case !o.Kind.Solved():
		return fmt.Errorf("nbsvm: plans are for models that a solver trains, not for %s: use nbsvm, svm or logistic", o.Kind)
	case j.Machines < 1 || j.Machines > 1<<16:
		return fmt.Errorf("nbsvm: machines must be 1 to %[2]d, got %[1]d", j.Machines, 1<<16)
	case j.Documents < 0 || j.Documents > math.MaxUint32:
		return fmt.Errorf("nbsvm: documents must be 1 to %[2]d, the most that a corpus can have, got %[1]d", j.Documents, uint32(math.MaxUint32))
	case j.Memory < 0:
		return fmt.Errorf("nbsvm: memory must be 0 or more bytes, got %d", j.Memory)
	}
	return j.Options.Validate()
}

// Make makes a plan: it takes a sample, and does with it what is to be done with all documents.
func Make(ctx context.Context, j Job) (p *Plan, err error) {
	if err := j.Validate(); err != nil {
		return nil, err
	}
	start := time.Now()
	scratch.Sweep(j.Temp)
	folder, err := scratch.New(j.Temp)
	if err != nil {
		return nil, fmt.Errorf("nbsvm: can't make a folder for the sample: %w", err)
	}
	defer func() { err = errors.Join(err, folder.Remove()) }()
	temp, err := scratch.New(folder.Path())
	if err != nil {
		return nil, fmt.Errorf("nbsvm: can't make a folder for the sample: %w", err)
	}
	defer func() { err = errors.Join(err, temp.Remove()) }()

	done := 0
	tell := func(stage string) {
		if j.Tell != nil {
			j.Tell(stage, done, 5)
		}
		done++
	}
	tell("sample")
	j.Input.ManyClasses = true
	r := &rehearsal{job: &j, folder: folder.Path(), temp: temp.Path()}
	if len(j.Input.Paths) == 0 {
		r.sample, err = generate(ctx, folder.Path(), j.Generated, j.Options.Threads)
	} else {
		r.sample, err = take(ctx, folder.Path(), j.Input, j.Sample)
	}
	if err != nil {
		return nil, err
	}
	if r.all = j.Documents; r.all == 0 {
		r.all = int64(r.sample.allDocuments)
	}
	r.shards = r.shardsOf()
	if err := r.run(ctx, tell); err != nil {
		return nil, err
	}
	p = r.plan()
	p.Rehearsed = time.Since(start).Seconds()
	return p, nil
}

const (
	// shardBytes is how much text a shard has at most: to do one again takes a minute or so.
	shardBytes = 1 << 30
	// shardsEach is how many shards a thread has at least: the last ones are not finished at the same time.
	shardsEach = 4
)

// shardsOf is how many files the documents should be in: a multiple of the machines.
func (r *rehearsal) shardsOf() int64 {
	machines := int64(r.job.Machines)
	least := max(machines*int64(ordered.Threads(r.job.Options.Threads))*shardsEach, int64(r.bytes()/shardBytes)+1)
	return (least + machines - 1) / machines * machines
}

// bytes are those of the records of the job.
func (r *rehearsal) bytes() float64 {
	return float64(r.sample.bytes) / float64(r.sample.documents) * float64(r.all)
}

// grown is how many times as many documents the job has.
func (r *rehearsal) grown() float64 { return float64(r.all) / float64(r.sample.documents) }

// plan reckons what the job takes from what its rehearsal took.
func (r *rehearsal) plan() *Plan {
	o, machines := &r.job.Options, float64(r.job.Machines)
	p := &Plan{
		Documents: r.all, Bytes: int64(r.bytes()), Machines: r.job.Machines, Shards: r.shards, Classes: r.classes,
		Distinct: int64(r.distinctOf(r.all)), Columns: int64(r.columnsOf(r.all)),
		NonZeros: int64(r.nonZerosOf(r.all)), Buckets: int64(r.bucketsOf(r.all)),
		Sample:  Sample{r.sample.documents, r.sample.bytes, r.solution.Solution.Epochs, r.solution.Solution.Gap},
		Threads: ordered.Threads(o.Threads), Machine: bench.ThisMachine(),
	}
	p.Stored = int64(r.sample.stored / r.sample.allBytes * r.bytes())
	p.Ngrams = fmt.Sprintf("%d-%d", o.Text.NgramLo, o.Text.NgramHi)
	rows := float64(p.NonZeros) / float64(max(r.corpus.NonZeros, 1))

	pack := Stage{
		Name: "pack", Machines: r.job.Machines, Seconds: r.pack.seconds * r.grown() / machines, MemoryFlag: r.packMemory,
	}
	whole := int64(float64(r.sampleCorpus()-columnBytes*int64(r.corpus.Columns))*rows) + columnBytes*p.Columns
	if r.several() {
		pack.Output = int64(float64(r.pack.output) * r.grown())
		at, of := r.all/r.shards, r.sample.documents/int64(len(r.sample.in.Paths))
		pack.Memory = r.packPeak(at, of)
		pack.Temp = int64(float64(r.pack.temp) * float64(at) / float64(max(of, 1)))
		merge := Stage{
			Name: "merge", Machines: 1, Seconds: r.merge.seconds * r.grown(), Output: whole,
			Memory: base + int64(float64(r.merge.memory)*r.distinctOf(r.all)/r.distinct.from.things),
			Temp:   int64(float64(r.merge.temp) * r.grown()),
		}
		p.Stages = append(p.Stages, pack, merge)
	} else {
		pack.Output, pack.Temp = whole, int64(float64(r.pack.temp)*r.grown())
		pack.Memory = r.packPeak(r.all, r.sample.documents)
		p.Stages = append(p.Stages, pack)
	}
	train := Stage{
		Name: "train", Machines: 1, Seconds: r.train.seconds * rows, MemoryFlag: r.trainMemory,
		Temp:   int64(float64(r.train.temp) * rows),
		Output: int64(float64(r.model) * float64(p.Buckets) / max(r.features, 1)),
	}
	larger := float64(r.shape(r.all).InMemory()) / float64(r.shape(r.sample.documents).InMemory())
	train.Memory = base + int64(float64(r.train.memory)*larger)
	if r.trainMemory > 0 {
		train.Memory = r.trainBytes + r.trainBytes/5 // a fifth for files that are mapped
	}
	score := Stage{
		Name: "score", Machines: r.job.Machines, Seconds: r.score.seconds * r.grown() / machines,
		Memory: base + r.score.memory + max(train.Output-r.model, 0), Output: int64(float64(r.score.output) * r.grown()),
	}
	p.Stages = append(p.Stages, train, score)
	left := p.Stored
	for _, s := range p.Stages {
		p.Seconds += s.Seconds
		left += s.Output
		p.Disk = max(p.Disk, left+s.Temp*int64(s.Machines))
	}
	p.Assumed = r.assumed(p)
	return p
}

const (
	base        = 40 << 20 // bytes of memory that the program takes by itself
	columnBytes = 7        // of a corpus, for a column
	numberBytes = 24       // of memory, for a column, while the rows of a corpus are made
)

// sampleCorpus is how many bytes the sample's corpus has.
func (r *rehearsal) sampleCorpus() int64 {
	if r.several() {
		return r.merge.output
	}
	return r.pack.output
}

// packPeak is how much memory packing so many documents takes, given what packing fewer took, of the sample. What is
// above the memory that is given to it is for columns, and for buffers, which are as large in both.
func (r *rehearsal) packPeak(at, of int64) int64 {
	given, share := r.packLess(at, of)
	if r.pack.memory <= given { // there was room for all counts
		return base + min(int64(float64(r.pack.memory)/share), r.packMemory)
	}
	buffers := max(r.pack.memory-given-int64(numberBytes*r.columnsOf(of)), 0)
	return base + r.packMemory + buffers + int64(numberBytes*r.columnsOf(at))
}

// assumed are the assumptions.
func (r *rehearsal) assumed(p *Plan) []string {
	all := []string{
		fmt.Sprintf("machines are like this one, with %d threads, and otherwise idle", p.Threads),
		"other documents are like those of the sample",
		fmt.Sprintf("training takes %d epochs as it did with the sample, to a gap of %.2g", p.Sample.Epochs, p.Sample.Gap),
	}
	if s := p.Stages[0]; s.Seconds > 0 {
		all = append(all, fmt.Sprintf("each machine reads its files twice while it packs, at %.0f MB/s or more",
			2*float64(p.Stored)/1e6/float64(p.Machines)/s.Seconds))
	}
	return all
}
