package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
	"github.com/seed-167f963f/nbsvm/packed"
)

type evalCmd struct {
	Model string   `file:"in" arg:"" help:"Model file."`
	Input []string `file:"in" arg:"" optional:"" help:"Files of labelled documents; - or nothing is standard input."`
	scoring.JudgeOptions
	labelledFlags
}

func (e *evalCmd) Help() string {
	return `Labels that the model does not know count as errors. Weights of documents are ignored. --json has the keys
accuracy, macro_f1, micro_f1, log_loss, roc_auc, n, per_class, confusion and more; an undefined metric is null.

    nbsvm eval reviews.nbm test.tsv
    nbsvm eval --thresholds --at-precision 0.95 --label good web.nbm dev.tsv
    nbsvm eval --at-precision 0.9 --confidence 0.95 --label good web.nbm dev.tsv
    nbsvm eval --wrong wrong.jsonl reviews.nbm test.tsv
    nbsvm eval --cut 3 edu.nbm rated-dev.jsonl
    nbsvm eval --json reviews.nbm test.tsv | jq .accuracy

--thresholds, --threshold and --at-precision show what is kept if only scores of at least a threshold count: the score
of the predicted label, or of the class that --label names. Precision is the share of the kept documents that are right,
recall the share of the wanted documents that are kept, share the part of all documents that is kept, and risk is
1 - precision. --at-k looks at the K best labels of each document, as fastText's test does.

The threshold of --at-precision is chosen on the documents, so that its precision looks better on these than on others.
With --confidence C it is higher: with a probability of C, its precision is P or more on new documents of the same kind.
The documents must be drawn independently, and the model not be trained on them. If there are too few, eval says how many
it takes.

--wrong writes the documents whose true label has the lowest probability (or the worst margin), the worst first. Often
it is the label that is wrong: correct it, and train on the file.`
}

func (e *evalCmd) Run(c *call) error {
	if err := scoring.CheckWrong(e.Wrong); err != nil {
		return usageError{err}
	}
	if e.Confidence != nil && e.WeightField != "" {
		return usageError{errors.New("--confidence counts every document once, and weights would say otherwise: leave --weight-field out")}
	}
	if e.Wrong != "" {
		switch packed, err := firstOf(e.Input, packed.Is); {
		case err != nil:
			return err
		case packed != "":
			return usageError{fmt.Errorf("%s is a packed corpus, which has no text to show: give the documents that it was packed from", packed)}
		}
	}
	return e.withInput(c, e.labelled(e.Input), func(in corpus.Input) error { return e.run(c, in) })
}

func (e *evalCmd) run(c *call, in corpus.Input) error {
	classifier, err := openClassifier(e.Model, "tag eval")
	if err != nil {
		return err
	}
	defer classifier.Close()
	in.Like = classifier.Reading()
	asked, err := scoring.NewJudge(classifier, e.JudgeOptions)
	if err != nil {
		return usageError{err}
	}
	o := c.scoreOptions()
	o.Judge, o.Cuts = asked.Add, e.Cut
	report, err := classifier.Evaluate(c.ctx, in, o)
	if err != nil {
		return err
	}
	c.progress.Clear()
	warnUnknown(c, report)
	if e.Wrong != "" {
		write := func(w io.Writer) error { return asked.WriteWrong(w) }
		if err := c.writeText(e.Wrong, compressFlag{scoring.Compress{How: "auto"}}, write); err != nil {
			return err
		}
	}
	return c.printReport(asked.Found(report))
}
