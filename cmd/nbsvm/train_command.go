package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/base/wording"
	"github.com/seed-167f963f/nbsvm/internal/cli/flags"
)

// trainCommand is the command that makes a model again which was trained with these options. What it was trained on,
// models don't know: TRAIN stands for it.
func trainCommand(o *nbsvm.Options, read corpus.Reading, model string) string {
	words := append([]string{"nbsvm", "train", "TRAIN"}, readingWords(read)...)
	return wording.Shell(append(append(words, trainWords(o)...), "-o", model))
}

// readingWords are the flags of how documents are read.
func readingWords(in corpus.Reading) []string {
	f := flags.Input{
		Format: in.Format, TextField: in.TextField, LabelField: in.LabelField, WeightField: in.WeightField,
		LabelSep: in.LabelSep,
	}
	if f.Format == "" {
		f.Format = corpus.Auto
	}
	if in.Header != "" {
		header := in.Header == "yes"
		f.Header = &header
	}
	if in.Delimiter != "" {
		f.Delimiter = flags.Delimiter(in.Delimiter[0])
	}
	return f.Words()
}

// trainWords are the flags that give these options, where they are not the default.
func trainWords(o *nbsvm.Options) (words []string) {
	base := nbsvm.DefaultOptions()
	ignored := o.Kind.Ignores()
	add := func(name, value string) {
		if !slices.Contains(ignored, name) {
			words = append(words, "--"+name+"="+value)
		}
	}
	text := func(name, value, usual string) {
		if value != usual {
			add(name, value)
		}
	}
	number := func(name string, value, usual float64) {
		if value != usual {
			add(name, strconv.FormatFloat(value, 'g', -1, 64))
		}
	}
	switched := func(name string, value, usual bool) {
		if value != usual && !slices.Contains(ignored, name) {
			words = append(words, map[bool]string{true: "--", false: "--no-"}[value]+name)
		}
	}
	text("model", string(o.Kind), string(base.Kind))
	switch all := o.Text.Families(); {
	case len(all) > 1:
		var names []string
		for _, f := range all {
			if o.AutoNgrams && f.Tokenizer == hashing.Word {
				names = append(names, f.Tokenizer.String()) // its orders are left to the documents
				continue
			}
			names = append(names, f.String())
		}
		add("features", strings.Join(names, ","))
	default:
		text("tokenizer", o.Text.Tokenizer.String(), base.Text.Tokenizer.String())
		if !o.AutoNgrams {
			add("ngrams", strconv.Itoa(o.Text.NgramLo)+"-"+strconv.Itoa(o.Text.NgramHi))
		}
	}
	switched("lowercase", o.Text.Lowercase, base.Text.Lowercase)
	switched("punctuation", o.Text.Punctuation, base.Text.Punctuation)
	switched("strip-html", o.Text.StripHTML, base.Text.StripHTML)
	number("bits", float64(o.Text.Bits), float64(base.Text.Bits))
	number("min-df", float64(o.MinDF), float64(base.MinDF))
	number("max-df", o.MaxDF, base.MaxDF)
	values, sublinear := o.DefaultValues()
	text("values", string(o.Values), string(values))
	switched("sublinear-tf", o.SublinearTF, sublinear && o.Values == values)
	switched("prenormalize", o.Prenormalize, base.Prenormalize)
	switched("normalize", o.Normalize, base.Normalize)
	usual := "squared-hinge"
	if o.Kind == nbsvm.Logistic {
		usual = "logistic"
	}
	if o.Loss != "" {
		text("loss", o.Loss, usual)
	}
	number("C", o.C, o.DefaultC())
	number("alpha", o.Alpha, base.Alpha)
	if !o.AutoBeta {
		add("beta", strconv.FormatFloat(o.Beta, 'g', -1, 64))
	}
	number("bias", o.Bias, base.Bias)
	switch {
	case o.ClassWeight.Balanced:
		add("class-weight", "balanced")
	case len(o.ClassWeight.Weights) > 0:
		var pairs []string
		for _, label := range slices.Sorted(maps.Keys(o.ClassWeight.Weights)) {
			pairs = append(pairs, label+"="+strconv.FormatFloat(o.ClassWeight.Weights[label], 'g', -1, 64))
		}
		add("class-weight", strings.Join(pairs, ","))
	}
	switched("calibrate", o.Calibrate, base.Calibrate)
	number("tol", o.Tol, base.Tol)
	number("max-epochs", float64(o.MaxEpochs), float64(o.DefaultMaxEpochs()))
	number("gamma", o.Gamma, base.Gamma)
	switched("normalize-weights", o.NormalizeWeights, base.NormalizeWeights)
	number("neighbours", float64(o.Neighbours), float64(base.Neighbours))
	text("similarity", string(o.Similarity), string(base.Similarity))
	text("votes", string(o.Votes), string(base.Votes))
	number("hold-out", o.HoldOut, base.HoldOut)
	number("rounds", float64(o.Trees.Rounds), float64(base.Trees.Rounds))
	number("depth", float64(o.Trees.Depth), float64(base.Trees.Depth))
	number("rate", o.Trees.Rate, base.Trees.Rate)
	number("lambda", o.Trees.Lambda, base.Trees.Lambda)
	number("min-gain", o.Trees.MinGain, base.Trees.MinGain)
	number("min-child-weight", o.Trees.MinChildWeight, base.Trees.MinChildWeight)
	number("subsample", o.Trees.Subsample, base.Trees.Subsample)
	number("colsample", o.Trees.ColSample, base.Trees.ColSample)
	number("bins", float64(o.Trees.Bins), float64(base.Trees.Bins))
	number("patience", float64(o.Trees.Patience), float64(base.Trees.Patience))
	text("hierarchy", o.Hierarchy.Separator, base.Hierarchy.Separator)
	text("hierarchy-method", o.Hierarchy.Method, base.Hierarchy.Method)
	number("hierarchy-beam", float64(o.Hierarchy.Beam), float64(base.Hierarchy.Beam))
	number("hierarchy-stop", o.Hierarchy.Stop, base.Hierarchy.Stop)
	if o.Seed != base.Seed {
		add("seed", strconv.FormatUint(o.Seed, 10))
	}
	switched("keep-ratio", o.KeepRatio, base.KeepRatio)
	number("names", float64(o.NamesLimit), float64(base.NamesLimit))
	if o.Memory > 0 {
		add("memory", strconv.FormatInt(o.Memory, 10))
	}
	return words
}
