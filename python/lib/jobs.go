package main

// #include "nbsvm.h"
import "C"

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/cgo"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/facts"
)

// request says what a job does.
type request struct {
	Do      string      `json:"do"` // train, tune or evaluate, or what is done with tags
	Input   input       `json:"input"`
	Options options     `json:"options"` // of train and tune
	Tune    tuning      `json:"tune"`
	Model   C.uintptr_t `json:"model"` // of evaluate, and to update
	Names   []string    `json:"names"` // of the labels of documents
	Cuts    []float64   `json:"cuts"`  // of evaluate
	Tagging tagging     `json:"tagging"`
}

// input says how files are read.
type input struct {
	Paths       []string      `json:"paths"`   // empty where there are documents
	Classes     []string      `json:"classes"` // of each path, or none
	Format      corpus.Format `json:"format"`
	TextField   string        `json:"text_field"`
	LabelField  string        `json:"label_field"`
	Target      string        `json:"target"` // the field of a number in place of a label
	WeightField string        `json:"weight_field"`
	LabelSep    string        `json:"label_sep"`
	MultiLabel  bool          `json:"multi_label"` // of documents
	ManyClasses bool          `json:"allow_many_classes"`
	SkipBad     bool          `json:"skip_bad"`
}

// tuning holds the limits of a search.
type tuning struct {
	Seconds  float64      `json:"seconds"`
	Trials   int          `json:"trials"`
	Metric   string       `json:"metric"`
	Folds    int          `json:"folds"`
	Models   []nbsvm.Kind `json:"models"`
	MinSpeed float64      `json:"min_speed"`
}

// job is work in the background, which the caller polls.
type job struct {
	cancel   context.CancelFunc
	done     chan struct{}
	progress atomic.Pointer[string]

	notes facts.Notes
	bad   bytes.Buffer // what is told of bad records
	mutex sync.Mutex   // of warnings

	// The result, once the job is done.
	warnings []string
	failure  string // in the form of message
	model    any    // an [nbsvm.Classifier] or [tag.Model]; nil if the job makes none
	result   any    // for JSON
}

// nbsvm_start begins a job: a request in JSON, and documents, or null if the request names files. The documents must
// not change until nbsvm_wait reports that the job is done.
//
//export nbsvm_start
func nbsvm_start(text unsafe.Pointer, size C.size_t, documents *C.nbsvm_documents, out *C.uintptr_t) *C.char {
	return try(func() error {
		var r request
		if err := decode(slices.Clone(view[byte](text, int(size))), &r); err != nil {
			return err
		}
		var in corpus.Input
		j := &job{done: make(chan struct{})}
		if !r.Tagging.does(r.Do) {
			var err error
			if in, err = r.Input.input(documents, r.Names); err != nil {
				return err
			}
			on := corpus.OnBad("fail")
			if r.Input.SkipBad {
				on = "skip"
			}
			if in.Bad, err = corpus.NewBadRecords(on, &j.bad); err != nil {
				return err
			}
			in.Note = j.note
			j.warn(facts.Twice(in.Paths))
		}
		var ctx context.Context
		ctx, j.cancel = context.WithCancel(context.Background())
		go func() {
			defer close(j.done)
			defer j.cancel()
			j.failure = message(func() error {
				err := j.run(ctx, &r, in)
				if len(in.Paths) > 0 && err != nil && facts.Remedy(err) != "" {
					err = fmt.Errorf("%w%s", err, facts.Remedy(err))
				}
				return err
			})
			if in.Bad != nil {
				each := j.bad.Len()
				in.Bad.Close(false) // which sums them up
				j.warn(facts.Plain(j.bad.String()[each:]) + facts.Plain(j.bad.String()[:each]))
			}
		}()
		*out = C.uintptr_t(cgo.NewHandle(j))
		return nil
	})
}

// nbsvm_wait waits for a job for at most the given milliseconds. If the job still runs, done is 0, and the reply, if
// there is one, describes its progress. Otherwise done is 1, the job is freed, and the call returns its error, or its
// model (if it makes one). The reply is then its result and its warnings, in JSON; of a job that failed, too.
//
//export nbsvm_wait
func nbsvm_wait(
	handle C.uintptr_t, milliseconds C.int32_t, done *C.int32_t, model *C.uintptr_t, out **C.char, size *C.size_t,
) *C.char {
	j, ok := cgo.Handle(handle).Value().(*job)
	if !ok {
		return C.CString("Pnbsvm: the handle is not that of a job")
	}
	select {
	case <-j.done:
	case <-time.After(time.Duration(milliseconds) * time.Millisecond):
		*done = 0
		if at := j.progress.Swap(nil); at != nil {
			reply([]byte(*at), out, size)
		}
		return nil
	}
	*done = 1
	cgo.Handle(handle).Delete()
	failure := try(func() error {
		return replyJSON(struct {
			Result   any      `json:"result"`
			Warnings []string `json:"warnings"`
		}{j.result, j.warnings}, out, size)
	})
	switch {
	case j.failure != "":
		return C.CString(j.failure)
	case failure == nil && j.model != nil:
		*model = C.uintptr_t(cgo.NewHandle(j.model))
	}
	return failure
}

// nbsvm_cancel asks a job to stop.
//
//export nbsvm_cancel
func nbsvm_cancel(handle C.uintptr_t) *C.char {
	return try(func() error {
		cgo.Handle(handle).Value().(*job).cancel()
		return nil
	})
}

// input returns the input in the form of the library.
func (i *input) input(documents *C.nbsvm_documents, names []string) (in corpus.Input, err error) {
	in = corpus.Input{
		Paths: i.Paths, Classes: i.Classes, Format: i.Format, TextField: i.TextField, LabelField: i.LabelField, WeightField: i.WeightField,
		LabelSep: i.LabelSep, ManyClasses: i.ManyClasses, RecordReading: len(i.Paths) > 0,
	}
	if i.Target != "" {
		if i.LabelField != "" {
			return in, errors.New("nbsvm: target and label_field both name the field to predict: leave one of them out")
		}
		in.LabelField, in.Numbers = i.Target, true
	}
	if documents == nil {
		if len(i.Paths) == 0 {
			return in, errors.New("nbsvm: there is no input; pass files, or texts with labels")
		}
		return in, nil
	}
	if i.MultiLabel {
		in.LabelSep = cmp.Or(in.LabelSep, ",") // says that there are any number; nothing is split
	}
	in.Documents, err = documentsOf(documents, names)
	return in, err
}

// documentsOf returns the caller's documents.
func documentsOf(documents *C.nbsvm_documents, names []string) (iter.Seq2[corpus.Document, error], error) {
	texts, err := views(&documents.texts)
	if err != nil {
		return nil, err
	}
	ends := view[int64](unsafe.Pointer(documents.ends), len(texts)+1)
	if ends[0] != 0 || !slices.IsSorted(ends) {
		return nil, errors.New("nbsvm: the offsets of labels are not ascending")
	}
	numbers := view[int32](unsafe.Pointer(documents.labels), int(ends[len(texts)]))
	labels := make([][]byte, len(numbers))
	for k, n := range numbers {
		if n < 0 || int(n) >= len(names) {
			return nil, fmt.Errorf("nbsvm: there is no label %d", n)
		}
		labels[k] = unsafe.Slice(unsafe.StringData(names[n]), len(names[n]))
	}
	var weights []float32
	if documents.weights != nil {
		weights = view[float32](unsafe.Pointer(documents.weights), len(texts))
	}
	var shares []float64
	if documents.shares != nil {
		shares = view[float64](unsafe.Pointer(documents.shares), len(labels))
	}
	return func(yield func(corpus.Document, error) bool) {
		for k, text := range texts {
			d := corpus.Document{Text: text, Labels: labels[ends[k]:ends[k+1]:ends[k+1]]}
			if weights != nil {
				d.Weight = weights[k]
			}
			if own := ends[k]; shares != nil && own < ends[k+1] && shares[own] >= 0 {
				d.Shares = shares[own:ends[k+1]]
			}
			if !yield(d, nil) {
				return
			}
		}
	}, nil
}

func (j *job) run(ctx context.Context, r *request, in corpus.Input) (err error) {
	switch r.Do {
	case "train":
		var from *nbsvm.Classifier
		if r.Model != 0 {
			from = classifierOf(r.Model)
			in.Like = from.Reading()
		}
		o, err := r.Options.build(in, from)
		if err != nil {
			return err
		}
		err = j.train(ctx, in, o, nil)
		if done, is := j.result.(outcome); is && err == nil {
			j.warn(facts.Ngrams(r.Options.values["ngrams"], done.Report))
		}
		return err
	case "tune":
		return j.tune(ctx, r, in)
	case "evaluate":
		c := classifierOf(r.Model)
		in.Like = c.Reading()
		if len(r.Cuts) > 0 && !c.Numbers() {
			return errors.New("nbsvm: cut is for models of numbers, and this one predicts labels: leave it out")
		}
		report, err := c.Evaluate(ctx, in, nbsvm.ScoreOptions{
			Threads: r.Options.threads, Cuts: r.Cuts, Progress: j.show,
		})
		if err == nil {
			j.result = report
			j.warn(facts.Unknown(report)...)
		}
		return err
	}
	if r.Tagging.does(r.Do) {
		return j.tag(ctx, r)
	}
	return fmt.Errorf("nbsvm: unknown job %q", r.Do)
}

// outcome is what Python receives about a training.
type outcome struct {
	Report *nbsvm.Report      `json:"report"`
	Search *nbsvm.TuneOutcome `json:"search,omitempty"`
}

func (j *job) train(ctx context.Context, in corpus.Input, o nbsvm.Options, found *nbsvm.TuneOutcome) error {
	o.Progress = j.show
	c, report, err := nbsvm.Train(ctx, in, o)
	if err == nil {
		j.model, j.result = c, outcome{Report: report, Search: found}
		j.warn(facts.Unconverged(report))
	}
	return err
}

func (j *job) tune(ctx context.Context, r *request, in corpus.Input) error {
	base, err := r.Options.build(in, nil)
	if err != nil {
		return err
	}
	found, err := nbsvm.Tune(ctx, in, nbsvm.TuneOptions{
		Base: base, Metric: r.Tune.Metric, Folds: r.Tune.Folds, Trials: r.Tune.Trials,
		Kinds: r.Tune.Models, MinSpeed: r.Tune.MinSpeed,
		Time: time.Duration(r.Tune.Seconds * float64(time.Second)),
		Progress: func(p nbsvm.TuneProgress) {
			if p.Trials > 0 && p.Best != nil {
				j.say("tune", fmt.Sprintf("%d settings, best %.4f %v", p.Trials, p.Best.Mean, p.Best.Flags))
			}
		},
	})
	if err != nil {
		return err
	}
	return j.train(ctx, in.Again(), found.Options, found)
}

// show records the progress of the job.
func (j *job) show(p corpus.Progress) {
	text := p.Detail
	if p.Total > 0 {
		text = fmt.Sprintf("%d of %d %s %s", p.Done, p.Total, p.Unit, p.Detail)
	}
	j.say(p.Stage, text)
}

// note warns of what was concluded from the content of a file, once for each kind of conclusion.
func (j *job) note(path, what string) {
	if j.notes.Untold(what) {
		j.warn(path + ": " + facts.Plain(what))
	}
}

// warn adds warnings for the user; empty ones are none.
func (j *job) warn(warnings ...string) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	for _, text := range warnings {
		if text != "" {
			j.warnings = append(j.warnings, strings.TrimSuffix(text, "\n"))
		}
	}
}

func (j *job) say(stage, text string) {
	line := stage + ": " + text
	j.progress.Store(&line)
}
