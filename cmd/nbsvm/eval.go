package main

import (
	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/job/judge"
)

type evalCmd struct {
	Model string   `file:"in" arg:"" help:"Model file."`
	Input []string `file:"in" arg:"" optional:"" help:"Files of labelled documents; - or nothing is standard input."`
	judgeFlags
	inputFlags
}

func (e *evalCmd) Help() string {
	return `Labels that the model does not know count as errors; where it knows none of them, nothing is measured.
Every document counts once, also where those to train on have weights. --json has the keys accuracy, macro_f1,
micro_f1, log_loss, roc_auc, n, per_class, confusion and more; null where a metric is undefined.

--thresholds, --threshold and --at-precision say what is kept where a score is at least a threshold: of the
predicted label, or of the class that --label names. Precision is the share of right ones among those kept, recall the
share of all that should be found, share (the coverage) that of documents kept; the risk is 1 - precision. The scores
are probabilities if the model has them (train --calibrate). --at-k lists the K best labels of every document, as
fastText's test does.

--most-wrong shows the documents whose label has the lowest probability, or is furthest behind: often it is the label
that is wrong. --wrong writes them, to be looked through, mended and trained on.

    nbsvm eval reviews.nbm test.tsv
    nbsvm eval --thresholds --at-precision 0.95 --label good web.nbm dev.tsv
    nbsvm eval --most-wrong 20 --wrong wrong.jsonl reviews.nbm test.tsv
    nbsvm eval --json reviews.nbm test.tsv | jq .accuracy`
}

func (e *evalCmd) Run(c *call) error {
	if err := e.judgeFlags.check(e.Input); err != nil {
		return err
	}
	return e.withInput(c, e.Input, false, func(in corpus.Input) error { return e.run(c, in) })
}

func (e *evalCmd) run(c *call, in corpus.Input) error {
	classifier, err := nbsvm.Open(e.Model)
	if err != nil {
		return err
	}
	defer classifier.Close()
	in.Like = classifier.Reading()
	progress := newProgress(c)
	defer progress.Clear()
	o := nbsvm.ScoreOptions{Threads: c.Threads, Progress: progress.Show}
	var asked *judge.Judge
	if e.judgeFlags.any() {
		options, err := e.judgeFlags.options(classifier)
		if err != nil {
			return err
		}
		asked = judge.New(classifier, options)
		o.Judge = asked.Add
	}
	report, err := classifier.Evaluate(c.ctx, in, o)
	if err != nil {
		return err
	}
	progress.Clear()
	warnUnknown(c, report)
	if asked == nil {
		return c.printReport(report)
	}
	found := &judgement{Found: asked.Found(report), classifier: classifier, flags: &e.judgeFlags}
	if e.Wrong != "" {
		if err := e.writeWrong(c, found.MostWrong, scoreName(classifier)); err != nil {
			return err
		}
	}
	if e.MostWrong == nil { // they are for the file alone
		found.MostWrong = nil
	}
	return c.printReport(found)
}
