package train

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// takers lists the kinds of model that take an option, by the name of its flag. Options that are not listed are for
// all kinds.
var takers = map[string][]Kind{
	"C":                 {NBSVM, SVM, Logistic, PassiveAggressive},
	"loss":              {NBSVM, SVM, Logistic},
	"tol":               {NBSVM, SVM, Logistic},
	"max-epochs":        {NBSVM, SVM, Logistic, Perceptron, PassiveAggressive},
	"bias":              {NBSVM, SVM, Logistic, Perceptron, PassiveAggressive},
	"hold-out":          {Perceptron, PassiveAggressive, GBDT},
	"class-weight":      {NBSVM, SVM, Logistic, Perceptron, PassiveAggressive, GBDT, KNN},
	"calibrate":         {NBSVM, SVM, Logistic, Perceptron, PassiveAggressive, Rocchio, GBDT, KNN},
	"normalize":         {NBSVM, SVM, Logistic, Perceptron, PassiveAggressive, Rocchio},
	"alpha":             {NBSVM, Multinomial, Bernoulli, Complement},
	"beta":              {NBSVM},
	"keep-ratio":        {NBSVM},
	"gamma":             {Rocchio},
	"normalize-weights": {Complement},
	"neighbours":        {KNN},
	"similarity":        {KNN},
	"votes":             {KNN},
	"rounds":            {GBDT},
	"depth":             {GBDT},
	"rate":              {GBDT},
	"lambda":            {GBDT},
	"min-gain":          {GBDT},
	"min-child-weight":  {GBDT},
	"subsample":         {GBDT},
	"colsample":         {GBDT},
	"bins":              {GBDT},
	"patience":          {GBDT},
}

// Takes says whether models of the kind take an option, which is named as its flag.
func (k Kind) Takes(option string) bool {
	kinds, listed := takers[option]
	return !listed || slices.Contains(kinds, k)
}

// Ignores lists the options, named as their flags, that models of the kind do not take.
func (k Kind) Ignores() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(takers)), k.Takes)
}

// CheckTakes returns an error that names the kinds of model that take an option, if this kind does not.
func (k Kind) CheckTakes(option string) error {
	if k.Takes(option) {
		return nil
	}
	return fmt.Errorf("nbsvm: model %s does not take %s; %s", k, option, takenBy(option))
}

// takenBy names the kinds of model that take an option, as in "models svm and logistic do".
func takenBy(option string) string {
	if kinds := takers[option]; len(kinds) == 1 {
		return fmt.Sprintf("model %s does", kinds[0])
	}
	return fmt.Sprintf("models %s do", kindsTaking(option))
}

// kindsTaking lists the kinds of model that take an option, for messages.
func kindsTaking(option string) string {
	var names []string
	for _, kind := range takers[option] {
		names = append(names, string(kind))
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// named is an option with the name of its flag.
type named struct {
	name  string
	value any
}

// named lists the options that have one flag each, but for those of texts.
func (o *Options) named() []named {
	t, h := &o.Trees, &o.Hierarchy
	beta := "auto"
	if !o.AutoBeta {
		beta = number(o.Beta)
	}
	return []named{
		{"min-df", o.MinDF},
		{"max-df", o.MaxDF},
		{"values", o.Values},
		{"sublinear-tf", o.SublinearTF},
		{"prenormalize", o.Prenormalize},
		{"normalize", o.Normalize},
		{"model", o.Kind},
		{"loss", o.Loss},
		{"C", o.C},
		{"bias", o.Bias},
		{"class-weight", o.ClassWeight.String()},
		{"alpha", o.Alpha},
		{"beta", beta},
		{"gamma", o.Gamma},
		{"rounds", t.Rounds},
		{"depth", t.Depth},
		{"rate", t.Rate},
		{"lambda", t.Lambda},
		{"min-gain", t.MinGain},
		{"min-child-weight", t.MinChildWeight},
		{"subsample", t.Subsample},
		{"colsample", t.ColSample},
		{"bins", t.Bins},
		{"patience", t.Patience},
		{"neighbours", o.Neighbours},
		{"similarity", o.Similarity},
		{"votes", o.Votes},
		{"max-epochs", o.MaxEpochs},
		{"normalize-weights", o.NormalizeWeights},
		{"calibrate", o.Calibrate},
		{"tol", o.Tol},
		{"hold-out", o.HoldOut},
		{"keep-ratio", o.KeepRatio},
		{"hierarchy", h.Separator},
		{"hierarchy-method", h.Method},
		{"hierarchy-beam", h.Beam},
		{"hierarchy-stop", h.Stop},
		{"seed", o.Seed},
		{"names", o.NamesLimit},
		{"memory", o.Memory},
	}
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Flags are the flags of nbsvm train that give these options, where they are not the defaults of the kind of model. They
// leave out what says which n-grams there are.
func (o *Options) Flags() (words []string) {
	usual := DefaultOptions()
	usual.Kind, usual.Loss, usual.Similarity = o.Kind, o.Loss, o.Similarity
	usual.C, usual.MaxEpochs = usual.DefaultC(), usual.DefaultMaxEpochs()
	usual.Values, usual.SublinearTF = usual.DefaultValues()
	usual.SublinearTF = usual.SublinearTF && o.Values != Binary
	usual.Kind, usual.Loss, usual.Similarity = NBSVM, "", Cosine
	if l, ok := can[minimizer](o.Kind); ok && o.Loss == l.losses()[0].String() {
		usual.Loss = o.Loss
	}
	defaults := usual.named()
	for i, option := range o.named() {
		if option.value == defaults[i].value || !o.Kind.Takes(option.name) {
			continue
		}
		switch value := option.value.(type) {
		case bool:
			prefix := "--"
			if !value {
				prefix = "--no-"
			}
			words = append(words, prefix+option.name)
		case float64:
			words = append(words, "--"+option.name, number(value))
		default:
			words = append(words, "--"+option.name, fmt.Sprint(value))
		}
	}
	return words
}

// Settings describes the numbers that a model was trained with, by the names of their flags.
func (o *Options) Settings() string {
	values := map[string]any{}
	for _, option := range o.named() {
		values[option.name] = option.value
	}
	values["beta"] = o.Beta
	var all []string
	for _, name := range []string{
		"alpha", "beta", "C", "gamma", "bias", "tol", "rounds", "depth", "rate", "lambda", "min-gain", "min-child-weight",
		"subsample", "colsample", "bins", "seed",
	} {
		if o.Kind.Takes(name) {
			all = append(all, fmt.Sprintf("%s %v", name, values[name]))
		}
	}
	return strings.Join(all, ", ")
}
