package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/base/process"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/data/matrix"
	"github.com/seed-167f963f/nbsvm/internal/learn/train"
	"github.com/seed-167f963f/nbsvm/packed"
)

// rehearsal is the job, done with a sample.
type rehearsal struct {
	job    *Job
	sample *sample
	folder string // for the sample, and what is made of it
	temp   string // for temporary files

	all    int64 // documents of the job
	shards int64

	// How n-grams grow with documents: distinct ones, those that are kept, and non-zeros of these.
	distinct, columns, nonZeros growth

	classes    []int64 // documents of each in the job
	trigrams   int64   // see train.TrigramText
	packMemory int64   // the flag --memory of the job's pack and train; 0 for none
	diskMemory int64
	diskBytes  int64 // of diskMemory, what training uses

	pack, merge, train, score cost
	corpus                    *packed.Report
	trained                   *nbsvm.Report
}

// cost is what a stage of the rehearsal took.
type cost struct {
	seconds float64
	memory  int64 // peak in bytes; 0 where the system does not tell
	temp    int64 // peak of temporary files in bytes
	output  int64 // bytes that it has written
}

const (
	// leastPackMemory is the least memory to pack with: with less, most of the time goes into buffers that are too small.
	leastPackMemory = 64 << 20
	// countBytes is about what packing takes for each distinct n-gram.
	countBytes = 32
	// numberBytes is what packing takes for each n-gram that is kept, besides counts.
	numberBytes = 24
	// mergeTempBytes is what merging takes on disk for each n-gram of a part.
	mergeTempBytes = 28
	// usable is the share of a machine's memory that training gets; the rest is for mapped files and for the system.
	usable = 0.75
	// leastDocuments is how many documents n-grams are counted in at least.
	leastDocuments = 100
)

// several says whether several machines pack, and one merges.
func (r *rehearsal) several() bool { return r.job.Machines > 1 }

func (r *rehearsal) packOptions() packed.Options {
	o := r.job.Options.Pack()
	o.Temp = r.temp
	return o
}

// count settles the orders of n-grams, and counts n-grams in a sixteenth, a quarter and the whole of the sample.
func (r *rehearsal) count(ctx context.Context) error {
	var distinct, columns, nonZeros [3]count
	entries := 0.0 // of a document
	for i, one := range []int{16, 4, 1} {
		if one > 1 && r.sample.documents < int64(one)*leastDocuments {
			continue
		}
		in := r.sample.in
		in.Paths = in.Paths[:max(len(in.Paths)/one, 1)]
		some, err := packed.Pack(ctx, in, r.packOptions(), io.Discard)
		if err == nil && r.settle(some) {
			some, err = packed.Pack(ctx, in, r.packOptions(), io.Discard)
		}
		if err != nil {
			return err
		}
		distinct[i] = count{some.Documents, float64(some.Distinct)}
		columns[i] = count{some.Documents, float64(some.Columns)}
		nonZeros[i] = count{some.Documents, float64(some.NonZeros)}
		entries, r.classes = float64(some.Entries)/float64(some.Documents), r.classes[:0]
		for _, class := range some.Classes {
			share := float64(class.Documents) / float64(some.Documents)
			r.classes = append(r.classes, int64(share*float64(r.all)))
		}
	}
	r.distinct, r.columns, r.nonZeros = newGrowth(distinct, entries), newGrowth(columns, entries), newGrowth(nonZeros, entries)
	return nil
}

// ready says whether features are ready-made, and not n-grams.
func (r *rehearsal) ready() bool { return r.sample.in.Format == corpus.SVMLight }

// settle settles the orders of n-grams by how much text the job has, and says whether part of it had others.
func (r *rehearsal) settle(part *packed.Report) (others bool) {
	if r.ready() {
		return false
	}
	own, whole := r.job.Options.Pack(), r.job.Options.Pack()
	own.SettleOrders(part.Bytes, len(part.Classes))
	bytes := int64(float64(part.Bytes) / float64(part.Documents) * float64(r.all))
	whole.SettleOrders(bytes, len(part.Classes))
	r.trigrams = max(r.trigrams, train.TrigramText(train.Kind(r.job.Options.Kind), r.job.Options.AutoNgrams, whole.Text, bytes))
	r.job.Options.AutoNgrams = false
	r.job.Options.Text = whole.Text
	return own.Text != whole.Text
}

// packSample packs the sample, which has as much less memory than the job as it has fewer n-grams: so it spills counts to
// the disk if the job does. Several machines keep all n-grams, of which merging leaves some out.
func (r *rehearsal) packSample(ctx context.Context) error {
	o := r.packOptions()
	whole, at := filepath.Join(r.folder, "whole.nbc"), r.all
	path := whole
	if r.several() {
		o.MinDF, at, path = 1, max(r.all/r.shards, 1), filepath.Join(r.folder, "part.nbc")
	}
	r.packMemory = max(int64(countBytes*r.distinct.at(at)), leastPackMemory)
	if r.job.Memory > 0 {
		rest := r.job.Memory - 4*base - int64(numberBytes*r.columns.at(at))
		r.packMemory = min(r.packMemory, max(min(r.job.Memory/2, rest), leastPackMemory))
	}
	share := min(r.distinct.from.things/r.distinct.at(at), 1)
	o.Memory = max(times(r.packMemory, share), leastPackMemory)
	defer process.KeepHeap(o.Memory / 3)()
	var err error
	r.pack, err = r.measure(path, func(w io.Writer) (err error) {
		r.corpus, err = packed.Pack(ctx, r.sample.in, o, w)
		return err
	})
	if err != nil || !r.several() {
		return err
	}
	r.merge, err = r.measure(whole, func(w io.Writer) (err error) {
		how := packed.MergeOptions{MinDF: r.job.Options.MinDF, Temp: r.temp, Threads: o.Threads}
		r.corpus, err = packed.Merge(ctx, []string{path}, how, w)
		return err
	})
	return err
}

// trainSample trains on the packed sample. If the job's rows do not fit into memory, the sample's stay on disk, too.
func (r *rehearsal) trainSample(ctx context.Context) error {
	o := r.job.Options
	o.Temp, o.Memory = r.temp, 0
	o.Negatives = nbsvm.Negatives(train.Negatives(o.Negatives).ChosenFor(r.outputs(), r.all, r.shape(r.all).Loss))
	whole, sample := r.shape(r.all), r.shape(r.sample.documents)
	if most := int64(usable * float64(r.job.Memory)); most > 0 && whole.InMemory() > most {
		onDisk, err := whole.OnDisk(most)
		if err != nil {
			return fmt.Errorf("%w; the limit is three quarters of the memory, %s", err, wording.Bytes(r.job.Memory))
		}
		r.diskMemory, r.diskBytes = most, onDisk.Bytes
		o.Memory = times(most, float64(sample.InMemory())/float64(whole.InMemory()))
		for _, err := sample.OnDisk(o.Memory); err != nil; _, err = sample.OnDisk(o.Memory) {
			o.Memory += 1 << 20
		}
	}
	largest := float64(slices.Max(r.classes)) / float64(r.all)
	tree := train.Tree(o.Tree).ChosenFor(train.Kind(o.Kind), len(r.classes), r.all, largest, r.job.Input.LabelSep != "")
	if tree == train.AlwaysTree && o.Memory == 0 && !o.KeepRatio && o.Hierarchy == (nbsvm.Hierarchy{}) && len(o.ClassWeight.Weights) == 0 {
		o.Tree = nbsvm.AlwaysTree
	}
	defer process.KeepHeap(o.Memory)()
	var err error
	r.train, err = r.measure(filepath.Join(r.folder, "model.nbm"), func(w io.Writer) error {
		in := corpus.Input{Paths: []string{filepath.Join(r.folder, "whole.nbc")}, ManyClasses: true}
		classifier, report, err := nbsvm.Train(ctx, in, o)
		if err != nil {
			return err
		}
		r.trained = report
		_, err = classifier.WriteTo(w)
		return err
	})
	return err
}

// trainedColumns are the n-grams that training keeps of those of a corpus. If it takes a larger MinDF for all documents
// of the job, it keeps those with a certain share of them, which are about as many as in fewer documents with the usual one.
func (r *rehearsal) trainedColumns(documents int64) float64 {
	usual := nbsvm.DefaultOptions().MinDF
	if o := &r.job.Options; documents == r.all && o.AutoMinDF && !r.ready() && o.MinDF == usual {
		documents = documents * int64(usual) / int64(train.MinDFFor(o.Text, documents, r.trigrams, r.classes))
	}
	return r.columns.at(documents)
}

// shape is that of the training problem of so many documents.
func (r *rehearsal) shape(documents int64) matrix.Shape {
	o := &r.job.Options
	s := matrix.Shape{
		Documents: documents, Columns: int64(r.trainedColumns(documents)), Entries: int64(r.nonZeros.at(documents)),
		Features: int64(r.buckets(documents)), Outputs: r.outputs(), Loss: o.SolverLoss(), Valued: o.Values != nbsvm.Binary || r.ready(),
	}
	if r.job.Input.WeightField != "" {
		s.Others += 12 * documents
	}
	if o.Prenormalize {
		s.Others += 8 * documents
	}
	return s
}

// outputs are those of the model.
func (r *rehearsal) outputs() int {
	if len(r.classes) == 2 && r.job.Input.LabelSep == "" {
		return 1
	}
	return len(r.classes)
}

// buckets are those that n-grams of so many documents are in. Each ready-made feature has one.
func (r *rehearsal) buckets(documents int64) float64 {
	if r.ready() {
		return r.trainedColumns(documents)
	}
	return occupied(float64(uint64(1)<<r.job.Options.Text.Bits), r.trainedColumns(documents))
}

// scoreSample opens the model, and scores the sample with it as nbsvm score does.
func (r *rehearsal) scoreSample(ctx context.Context) (err error) {
	r.score, err = r.measure(filepath.Join(r.folder, "scores.tsv"), func(w io.Writer) (err error) {
		classifier, err := nbsvm.Open(filepath.Join(r.folder, "model.nbm"))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, classifier.Close()) }()
		render := func(dst []byte, _ *corpus.Document, p *nbsvm.Prediction) []byte {
			for _, class := range p.Labels {
				dst = append(append(dst, classifier.Labels()[class]...), '\t')
				dst = strconv.AppendFloat(dst, p.Scores[class], 'g', -1, 64)
			}
			return append(dst, '\n')
		}
		in := r.sample.in
		in.Unlabelled = true
		_, err = classifier.Score(ctx, in, nbsvm.ScoreOptions{Threads: r.job.Options.Threads}, render, w)
		return err
	})
	return err
}

// measure runs a stage that writes a file.
func (r *rehearsal) measure(path string, stage func(w io.Writer) error) (c cost, err error) {
	process.ResetPeakMemory()
	before, _ := process.PeakMemory()
	stop := r.watch(&c.temp)
	start := time.Now()
	c.output, err = writeFile(path, stage)
	c.seconds = time.Since(start).Seconds()
	stop()
	if after, ok := process.PeakMemory(); ok {
		c.memory = max(after-before, 0)
	}
	return c, err
}

// watch notes the most bytes that temporary files have together, until stop.
func (r *rehearsal) watch(most *int64) (stop func()) {
	const often = 10 * time.Millisecond // files of a rehearsal exist for a good part of a second
	end := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			bytes := int64(0)
			filepath.WalkDir(r.temp, func(_ string, e fs.DirEntry, err error) error {
				if err != nil { // removed meanwhile
					return nil
				}
				if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
					bytes += info.Size()
				}
				return nil
			})
			*most = max(*most, bytes)
			select {
			case <-end:
				return
			case <-time.After(often):
			}
		}
	})
	return func() {
		close(end)
		done.Wait()
	}
}
