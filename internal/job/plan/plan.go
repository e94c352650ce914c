// Package plan estimates what it takes to pack, train on and score a corpus: time, memory and disk.
//
// It does the job with a sample of the documents, by the same functions and on as many threads. Time grows with
// documents and non-zeros, memory and files with what they hold. Distinct n-grams grow more slowly than documents
// (Heaps' law); how much more slowly is seen on parts of the sample. A plan lists what it has assumed.
package plan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/bench"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/ordered"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
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

	Ngrams   string `json:"ngrams"`   // "" for ready-made features
	Distinct int64  `json:"distinct"` // n-grams, or ready-made features
	Columns  int64  `json:"columns"`  // those that are kept
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
	j.Input.ManyClasses = true
	r := &rehearsal{job: &j, folder: folder.Path(), temp: filepath.Join(folder.Path(), "temp")}
	if err := os.Mkdir(r.temp, 0o777); err != nil {
		return nil, err
	}
	stages := []struct {
		name string
		do   func(ctx context.Context) error
	}{{"sample", r.takeSample}, {"count", r.count}, {"pack", r.packSample}, {"train", r.trainSample}, {"score", r.scoreSample}}
	for done, stage := range stages {
		if j.Tell != nil {
			j.Tell(stage.name, done, len(stages))
		}
		if err := stage.do(ctx); err != nil {
			return nil, err
		}
	}
	p = r.plan()
	p.Rehearsed = time.Since(start).Seconds()
	return p, nil
}

// takeSample takes or generates the sample.
func (r *rehearsal) takeSample(ctx context.Context) (err error) {
	j := r.job
	if len(j.Input.Paths) == 0 {
		r.sample, err = generate(ctx, r.folder, j.Generated, j.Options.Threads)
	} else {
		r.sample, err = take(ctx, r.folder, j.Input, j.Sample)
	}
	if err != nil {
		return err
	}
	if r.all = j.Documents; r.all == 0 {
		r.all = int64(r.sample.allDocuments)
	}
	r.shards = r.shardsOf()
	return nil
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

// base is the memory in bytes that the program takes by itself, columnBytes what a column takes in a corpus.
const (
	base        = 40 << 20
	columnBytes = 7
)

// times is a number of bytes times a factor.
func times(bytes int64, factor float64) int64 { return int64(float64(bytes) * factor) }

// plan reckons what the job takes from what its rehearsal took.
func (r *rehearsal) plan() *Plan {
	o, machines, grown := &r.job.Options, float64(r.job.Machines), r.grown()
	p := &Plan{
		Documents: r.all, Bytes: int64(r.bytes()), Machines: r.job.Machines, Shards: r.shards, Classes: len(r.classes),
		Stored:   int64(r.sample.stored / r.sample.allBytes * r.bytes()),
		Distinct: int64(r.distinct.at(r.all)), Columns: int64(r.columns.at(r.all)),
		NonZeros: int64(r.nonZeros.at(r.all)), Buckets: int64(r.buckets(r.all)),
		Sample:  Sample{r.sample.documents, r.sample.bytes, r.trained.Solution.Epochs, r.trained.Solution.Gap},
		Threads: ordered.Threads(o.Threads), Machine: bench.ThisMachine(),
	}
	if !r.ready() {
		p.Ngrams = ngramsOf(o.Text)
	}
	rows := float64(p.NonZeros) / float64(max(r.corpus.NonZeros, 1))
	whole := func(sample int64) int64 { // bytes of the corpus
		return times(sample-columnBytes*int64(r.corpus.Columns), rows) + columnBytes*p.Columns
	}
	together := r.all // documents that are packed together
	if r.several() {
		together = r.all / r.shards
	}
	pack := Stage{
		Name: "pack", Machines: r.job.Machines, Seconds: r.pack.seconds * grown / machines, MemoryFlag: r.packMemory,
		Memory: base + min(r.packMemory, int64(countBytes*r.distinct.at(together))) + int64(numberBytes*r.columns.at(together)),
	}
	pack.Memory = max(pack.Memory, matrix.ProcessBytes+r.pack.memory)
	if r.several() {
		pack.Output = times(r.pack.output, grown)
		pack.Temp = times(r.pack.temp, grown/float64(r.shards))
		p.Stages = append(p.Stages, pack, Stage{
			Name: "merge", Machines: 1, Seconds: r.merge.seconds * grown, Output: whole(r.merge.output),
			Memory: base + times(r.merge.memory, r.distinct.at(r.all)/r.distinct.from.things),
			Temp:   int64(mergeTempBytes * r.distinct.at(together) * float64(r.shards)), // its files have no names: see watch
		})
	} else {
		pack.Output, pack.Temp = whole(r.pack.output), times(r.pack.temp, grown)
		p.Stages = append(p.Stages, pack)
	}
	train := Stage{
		Name: "train", Machines: 1, Seconds: r.train.seconds * rows, MemoryFlag: r.diskMemory,
		Output: times(r.train.output, float64(p.Buckets)/float64(max(r.trained.Features.Buckets, 1))),
	}
	train.Memory = r.trainMemory(train.Output)
	if r.diskMemory > 0 {
		train.Memory = r.diskBytes + r.diskBytes/5                                   // a fifth for files that are mapped
		if train.Temp = p.Stages[len(p.Stages)-1].Output; o.Values != nbsvm.Binary { // rows as in the corpus, with values
			train.Temp += 4 * p.NonZeros
		}
	}
	p.Stages = append(p.Stages, train, Stage{
		Name: "score", Machines: r.job.Machines, Seconds: r.score.seconds * grown / machines,
		Memory: base + r.score.memory + max(train.Output-r.train.output, 0), Output: times(r.score.output, grown),
	})
	left := p.Stored
	for _, s := range p.Stages {
		p.Seconds += s.Seconds
		left += s.Output
		p.Disk = max(p.Disk, left+s.Temp*int64(s.Machines))
	}
	p.Assumed = r.assumed(p)
	return p
}

// trainMemory is what training takes with all rows in memory: what the sample took, of which as much as is known to be
// of rows and of their features grows with these, and the rest with the model.
func (r *rehearsal) trainMemory(output int64) int64 {
	took, whole := r.train.memory, r.shape(r.all).InMemory()-matrix.ProcessBytes
	sample := r.shape(r.sample.documents).InMemory() - matrix.ProcessBytes
	if took == 0 { // the system does not tell
		return base + whole + output
	}
	known := min(took, sample)
	return matrix.ProcessBytes + times(known, float64(whole)/float64(sample)) +
		times(took-known, float64(output)/float64(max(r.train.output, 1)))
}

// assumed are the assumptions.
func (r *rehearsal) assumed(p *Plan) []string {
	all := []string{
		fmt.Sprintf("machines are like this one, with %d threads, and otherwise idle", p.Threads),
		"other documents are like those of the sample",
		fmt.Sprintf("training takes %d epochs as it did with the sample, to a gap of %.2g", p.Sample.Epochs, p.Sample.Gap),
	}
	for _, s := range p.Stages {
		if most := r.job.Memory; most > 0 && s.Memory > most {
			all = append(all, fmt.Sprintf("%s needs %s of memory, more than the %s that --memory or the machine gives", s.Name, wording.Bytes(s.Memory), wording.Bytes(most)))
		}
	}
	if s := p.Stages[0]; s.Seconds > 0 {
		all = append(all, fmt.Sprintf("each machine reads its files twice while it packs, at %.0f MB/s or more",
			2*float64(p.Stored)/1e6/float64(p.Machines)/s.Seconds))
	}
	return all
}

// ngramsOf names the n-grams: their orders, with the tokenizers where there are several.
func ngramsOf(text hashing.Options) string {
	families := text.Families()
	if len(families) == 1 {
		return fmt.Sprintf("%d-%d", text.NgramLo, text.NgramHi)
	}
	names := make([]string, len(families))
	for k, f := range families {
		names[k] = f.String()
	}
	return strings.Join(names, ",")
}
