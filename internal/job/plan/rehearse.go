package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/process"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/packed"
)

// rehearsal is a job as it is done with a sample.
type rehearsal struct {
	job    *Job
	sample *sample
	folder string // of files
	temp   string // and of temporary ones

	all    int64 // documents of the job
	shards int64

	// How n-grams grow with documents: distinct ones, those that are kept, and non-zeros of these.
	distinct, columns, nonZeros growth
	entries                     float64 // n-grams of a document

	packMemory, trainMemory int64 // of the job; the latter is 0 where rows are in memory
	trainBytes              int64 // of that, what training has a use for
	classes                 int
	model                   int64 // bytes of the sample's
	features                float64
	solution                *nbsvm.Report

	pack, merge, train, score cost // pack is of all parts
	corpus                    *packed.Report
}

const (
	// leastPackMemory is what packing is rehearsed with at least: with less, most of its time would be lost
	// to buffers that are too small, which is not so where all is larger.
	leastPackMemory = 64 << 20
	// countBytes is what an n-gram takes while it is counted, about, with what packing takes besides counts.
	countBytes = 32
	// usable is the share of a machine's memory that a stage is given; the rest is for files that are mapped, and for
	// the system.
	usable = 0.75
)

// run does the job, stage by stage.
func (r *rehearsal) run(ctx context.Context, tell func(stage string)) error {
	for _, step := range []struct {
		stage string
		do    func(ctx context.Context) error
	}{{"count", r.count}, {"pack", r.packSample}, {"train", r.trainSample}, {"score", r.scoreSample}} {
		tell(step.stage)
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// several says whether corpora are packed on several machines, and merged.
func (r *rehearsal) several() bool { return r.job.Machines > 1 }

// packOptions are those of packing the sample's documents as the job has theirs packed.
func (r *rehearsal) packOptions() packed.Options {
	o := r.job.Options.Pack()
	o.Temp = r.temp
	return o
}

// count settles the orders of n-grams, and counts those of parts of the sample and of the whole.
func (r *rehearsal) count(ctx context.Context) error {
	var distinct, columns, nonZeros [3]count
	settled := false
	for i, one := range []int{16, 4, 1} {
		if one > 1 && r.sample.documents < int64(one)*least {
			continue
		}
		in := r.sample.in
		in.Sample = one
		some, err := packed.Pack(ctx, in, r.packOptions(), io.Discard)
		if err == nil && !settled && r.settle(some) { // counted with other orders
			some, err = packed.Pack(ctx, in, r.packOptions(), io.Discard)
		}
		if err != nil {
			return err
		}
		settled = true
		distinct[i] = count{some.Documents, float64(some.Distinct)}
		columns[i] = count{some.Documents, float64(some.Columns)}
		nonZeros[i] = count{some.Documents, float64(some.NonZeros)}
		r.entries, r.classes = float64(some.Entries)/float64(some.Documents), len(some.Classes)
	}
	r.distinct, r.columns, r.nonZeros = newGrowth(distinct), newGrowth(columns), newGrowth(nonZeros)
	return nil
}

// least is how many documents a part of a sample has, for n-grams to be counted in it.
const least = 100

// settle settles the orders of n-grams by how much text the job has, and says whether the sample's would be others.
func (r *rehearsal) settle(some *packed.Report) (others bool) {
	o := r.job.Options.Pack()
	before := o
	before.SettleOrders(some.Bytes, len(some.Classes))
	text := float64(some.Bytes) / float64(some.Documents) * float64(r.all)
	o.SettleOrders(int64(text), len(some.Classes))
	r.job.Options.AutoNgrams = false
	r.job.Options.Text.NgramLo, r.job.Options.Text.NgramHi = o.Text.NgramLo, o.Text.NgramHi
	return before.Text != o.Text
}

// packSample packs the sample: at once or, for several machines, in parts that are merged.
func (r *rehearsal) packSample(ctx context.Context) error {
	o := r.packOptions()
	at, of := r.all, r.sample.documents // documents that are packed together
	if r.several() {
		o.MinDF = 1
		at, of = max(r.all/r.shards, 1), max(r.sample.documents/int64(len(r.sample.in.Paths)), 1)
	}
	need := max(int64(countBytes*r.distinctOf(at)), leastPackMemory)
	r.packMemory = need
	if r.job.Memory > 0 { // besides what is given come columns
		rest := r.job.Memory - 4*base - int64(numberBytes*r.columnsOf(at))
		r.packMemory = min(need, max(min(r.job.Memory/2, rest), leastPackMemory))
	}
	o.Memory, _ = r.packLess(at, of)
	defer process.KeepHeap(o.Memory / 3)()
	whole := filepath.Join(r.folder, "whole.nbc")
	if !r.several() {
		var err error
		r.pack, err = r.measure(ctx, func(ctx context.Context) (int64, error) {
			return writeFile(whole, func(w io.Writer) (err error) {
				r.corpus, err = packed.Pack(ctx, r.sample.in, o, w)
				return err
			})
		})
		return err
	}
	var parts []string
	for i, path := range r.sample.in.Paths {
		parts = append(parts, filepath.Join(r.folder, "part-"+strconv.Itoa(i)+".nbc"))
		took, err := r.measure(ctx, func(ctx context.Context) (int64, error) {
			return writeFile(parts[i], func(w io.Writer) error {
				_, err := packed.Pack(ctx, r.sample.in.With(path), o, w)
				return err
			})
		})
		if err != nil {
			return err
		}
		r.pack = r.pack.add(took)
	}
	var err error
	r.merge, err = r.measure(ctx, func(ctx context.Context) (int64, error) {
		return writeFile(whole, func(w io.Writer) (err error) {
			how := packed.MergeOptions{MinDF: r.job.Options.MinDF, Temp: r.temp, Threads: o.Threads}
			r.corpus, err = packed.Merge(ctx, parts, how, w)
			return err
		})
	})
	if err == nil && int64(r.corpus.Columns) != int64(r.columns.from.things) {
		err = fmt.Errorf("nbsvm: the parts of the sample have %d n-grams, the whole has %d: did its files change meanwhile?", r.corpus.Columns, int64(r.columns.from.things))
	}
	return err
}

// packLess is the memory for packing so many documents of the sample as the job packs others, and what share of n-grams
// they have.
func (r *rehearsal) packLess(at, of int64) (memory int64, share float64) {
	share = min(r.distinctOf(of)/max(r.distinctOf(at), 1), 1)
	return max(int64(float64(r.packMemory)*share), leastPackMemory), share
}

// trainSample trains on the packed sample, in as much less memory as the sample is smaller.
func (r *rehearsal) trainSample(ctx context.Context) error {
	o := r.job.Options
	o.Temp, o.Memory = r.temp, 0
	whole, sample := r.shape(r.all), r.shape(r.sample.documents)
	if r.job.Memory > 0 && whole.InMemory() > int64(usable*float64(r.job.Memory)) {
		r.trainMemory = int64(usable * float64(r.job.Memory))
		plan, err := whole.OnDisk(r.trainMemory)
		if err != nil {
			return err
		}
		r.trainBytes = plan.Bytes
		o.Memory = likewise(sample, plan, float64(plan.Resident)/float64(whole.Entries))
	}
	defer process.KeepHeap(o.Memory)()
	model := filepath.Join(r.folder, "model.nbm")
	var err error
	r.train, err = r.measure(ctx, func(ctx context.Context) (int64, error) {
		classifier, report, err := nbsvm.Train(ctx, corpus.Input{Paths: []string{filepath.Join(r.folder, "whole.nbc")}, ManyClasses: true}, o)
		if err != nil {
			return 0, err
		}
		r.solution, r.features = report, float64(report.Features.Buckets)
		return writeFile(model, func(w io.Writer) error {
			_, err := classifier.WriteTo(w)
			return err
		})
	})
	r.model = r.train.output
	return err
}

// shape is that of the training problem of so many documents.
func (r *rehearsal) shape(documents int64) matrix.Shape {
	o := &r.job.Options
	s := matrix.Shape{
		Documents: documents, Columns: int64(r.columnsOf(documents)), Entries: int64(r.nonZerosOf(documents)),
		Features: int64(r.bucketsOf(documents)), Outputs: r.classes, Loss: o.SolverLoss(), Valued: o.Values != nbsvm.Binary,
	}
	if r.classes == 2 && r.job.Input.LabelSep == "" {
		s.Outputs = 1
	}
	if r.job.Input.WeightField != "" {
		s.Others += 12 * documents
	}
	if o.Prenormalize {
		s.Others += 8 * documents
	}
	return s
}

// distinctOf are the n-grams that so many documents have, and columnsOf those of them that are kept.
func (r *rehearsal) distinctOf(documents int64) float64 {
	return min(r.distinct.at(documents), r.entries*float64(documents))
}

func (r *rehearsal) columnsOf(documents int64) float64 {
	return min(r.columns.at(documents), r.distinctOf(documents))
}

// nonZerosOf are the entries of so many documents' rows, of n-grams that are kept.
func (r *rehearsal) nonZerosOf(documents int64) float64 {
	return min(r.nonZeros.at(documents), r.entries*float64(documents))
}

// bucketsOf are those that n-grams of so many documents are in.
func (r *rehearsal) bucketsOf(documents int64) float64 {
	return occupied(float64(uint64(1)<<r.job.Options.Text.Bits), r.columnsOf(documents))
}

// likewise is the memory in which as large a share of the sample's rows is held, and as many classes are solved side by
// side, as a plan has of the whole.
func likewise(sample matrix.Shape, whole matrix.Plan, share float64) int64 {
	low, high := int64(16<<20), 2*sample.InMemory()
	for high-low > 1<<20 {
		middle := (low + high) / 2
		p, err := sample.OnDisk(middle)
		if err == nil && float64(p.Resident) >= share*float64(sample.Entries) && p.Group >= whole.Group {
			high = middle
		} else {
			low = middle
		}
	}
	return min(high, sample.InMemory()-1) // else rows would be in memory
}

// scoreSample opens the model, and scores the sample with it as nbsvm score does.
func (r *rehearsal) scoreSample(ctx context.Context) (err error) {
	r.score, err = r.measure(ctx, func(ctx context.Context) (_ int64, err error) {
		classifier, err := nbsvm.Open(filepath.Join(r.folder, "model.nbm"))
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, classifier.Close()) }()
		render := func(dst []byte, _ *corpus.Document, p *nbsvm.Prediction) []byte {
			for _, class := range p.Labels {
				dst = append(append(dst, classifier.Labels()[class]...), '\t')
				dst = strconv.AppendFloat(dst, p.Scores[class], 'g', 6, 64)
			}
			return append(dst, '\n')
		}
		in := r.sample.in
		in.Unlabelled = true
		return writeFile(filepath.Join(r.folder, "scores.tsv"), func(w io.Writer) error {
			_, err := classifier.Score(ctx, in, nbsvm.ScoreOptions{Threads: r.job.Options.Threads}, render, w)
			return err
		})
	})
	return err
}

func (r *rehearsal) measure(ctx context.Context, stage func(ctx context.Context) (int64, error)) (cost, error) {
	return measure(ctx, r.temp, stage)
}

// writeFile writes a file to the disk, as commands do, and tells its size.
func writeFile(path string, write func(w io.Writer) error) (size int64, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := write(f); err != nil {
		return 0, err
	}
	if err := f.Sync(); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
