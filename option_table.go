package nbsvm

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/internal/model/boost"
	"github.com/seed-167f963f/nbsvm/internal/model/neighbours"
)

// option is an option of training that has a flag of its own.
type option struct {
	name  string // of the flag
	value func(o *Options) any
	kinds []Kind // of model that take it; nil for all
	must  string // which numbers are in range; "" where other checks refuse values
	valid func(x float64) bool
}

// options are the options with a flag, but for those of texts, in the order in which they are shown.
var options = []option{
	{"min-df", func(o *Options) any { return o.MinDF }, nil, "1 document or more", between(1, math.MaxInt32)},
	{"max-df", func(o *Options) any { return o.MaxDF }, nil, "a share of the documents up to 1, or a number of them above 1", between(math.SmallestNonzeroFloat64, math.MaxInt32)},
	{"values", func(o *Options) any { return o.Values }, nil, "", nil},
	{"sublinear-tf", func(o *Options) any { return o.SublinearTF }, nil, "", nil},
	{"prenormalize", func(o *Options) any { return o.Prenormalize }, nil, "", nil},
	{"normalize", func(o *Options) any { return o.Normalize }, []Kind{NBSVM, SVM, Logistic, Perceptron, PassiveAggressive, Rocchio}, "", nil},
	{"model", func(o *Options) any { return o.Kind }, nil, "", nil},
	{"loss", func(o *Options) any { return o.Loss }, []Kind{NBSVM, SVM, Logistic}, "", nil},
	{"C", func(o *Options) any { return o.C }, []Kind{NBSVM, SVM, Logistic, PassiveAggressive}, "from 1e-12 to 1e12", between(1e-12, 1e12)},
	{"bias", func(o *Options) any { return o.Bias }, []Kind{NBSVM, SVM, Logistic, Perceptron, PassiveAggressive}, "0 (none), or from 1e-6 to 1e6", zeroOr(1e-6, 1e6)},
	{"class-weight", func(o *Options) any { return o.ClassWeight.String() }, []Kind{NBSVM, SVM, Logistic, Perceptron, PassiveAggressive, GBDT, KNN}, "", nil},
	{"alpha", func(o *Options) any { return o.Alpha }, []Kind{NBSVM, Multinomial, Bernoulli, Complement}, "from 1e-12 to 1e9", between(1e-12, 1e9)},
	{"alpha-by-size", func(o *Options) any { return o.AlphaBySize }, []Kind{NBSVM}, "", nil},
	{"beta", func(o *Options) any { return o.Beta }, []Kind{NBSVM}, "0, or from 1e-12 to 1", zeroOr(1e-12, 1)},
	{"gamma", func(o *Options) any { return o.Gamma }, []Kind{Rocchio}, "from 0 to 1", between(0, 1)},
	{"rounds", func(o *Options) any { return o.Trees.Rounds }, []Kind{GBDT}, "from 1 to 100000", between(1, boost.MostRounds)},
	{"depth", func(o *Options) any { return o.Trees.Depth }, []Kind{GBDT}, "from 1 to 32", between(1, boost.MostDepth)},
	{"rate", func(o *Options) any { return o.Trees.Rate }, []Kind{GBDT}, "from 0.0001 to 1", between(1e-4, 1)},
	{"lambda", func(o *Options) any { return o.Trees.Lambda }, []Kind{GBDT}, "from 0 to 1e9", between(0, 1e9)},
	{"min-gain", func(o *Options) any { return o.Trees.MinGain }, []Kind{GBDT}, "from 0 to 1e9", between(0, 1e9)},
	{"min-child-weight", func(o *Options) any { return o.Trees.MinChildWeight }, []Kind{GBDT}, "from 0 to 1e9", between(0, 1e9)},
	{"subsample", func(o *Options) any { return o.Trees.Subsample }, []Kind{GBDT}, "a share from 0.01 to 1", between(0.01, 1)},
	{"colsample", func(o *Options) any { return o.Trees.ColSample }, []Kind{GBDT}, "a share from 0.01 to 1", between(0.01, 1)},
	{"bins", func(o *Options) any { return o.Trees.Bins }, []Kind{GBDT}, "from 1 to 255", between(1, boost.MostBins)},
	{"patience", func(o *Options) any { return o.Trees.Patience }, []Kind{GBDT}, "1 or more", atLeast(1)},
	{"neighbours", func(o *Options) any { return o.Neighbours }, []Kind{KNN}, "from 1 to 1048576", between(1, neighbours.MaxNeighbours)},
	{"similarity", func(o *Options) any { return o.Similarity }, []Kind{KNN}, "", nil},
	{"votes", func(o *Options) any { return o.Votes }, []Kind{KNN}, "", nil},
	{"max-epochs", func(o *Options) any { return o.MaxEpochs }, []Kind{NBSVM, SVM, Logistic, Perceptron, PassiveAggressive}, "", nil},
	{"normalize-weights", func(o *Options) any { return o.NormalizeWeights }, []Kind{Complement}, "", nil},
	{"calibrate", func(o *Options) any { return o.Calibrate }, []Kind{NBSVM, SVM, Logistic, Perceptron, PassiveAggressive, Rocchio, GBDT, KNN}, "", nil},
	{"max-model", func(o *Options) any { return o.MaxModel }, []Kind{NBSVM, SVM, Logistic}, "0 (no limit), or 1024 bytes or more", zeroOr(1024, math.Inf(1))},
	{"negatives", func(o *Options) any { return cmp.Or(o.Negatives, AutoNegatives) }, []Kind{NBSVM, SVM, Logistic}, "", nil},
	{"tree", func(o *Options) any { return cmp.Or(o.Tree, AutoTree) }, []Kind{NBSVM, SVM, Logistic}, "", nil},
	{"tol", func(o *Options) any { return o.Tol }, []Kind{NBSVM, SVM, Logistic}, "", nil},
	{"hold-out", func(o *Options) any { return o.HoldOut }, []Kind{Perceptron, PassiveAggressive, GBDT}, "0, or a share of the documents from 0.001 to 0.5", zeroOr(0.001, 0.5)},
	{"keep-ratio", func(o *Options) any { return o.KeepRatio }, []Kind{NBSVM}, "", nil},
	{"hierarchy", func(o *Options) any { return o.Hierarchy.Separator }, nil, "", nil},
	{"hierarchy-stop", func(o *Options) any { return o.Hierarchy.Stop }, nil, "a probability from 0 to 1", between(0, 1)},
	{"seed", func(o *Options) any { return o.Seed }, nil, "", nil},
	{"names", func(o *Options) any { return o.NamesLimit }, nil, "0 or more", atLeast(0)},
	{"memory", func(o *Options) any { return o.Memory }, nil, "a number of bytes, or 0 for no limit", atLeast(0)},
}

// runOptions say how a training runs. They are not shown.
var runOptions = []option{
	{"threads", func(o *Options) any { return o.Threads }, nil, "1 or more, or 0 for all processors", atLeast(0)},
}

func between(lo, hi float64) func(float64) bool {
	return func(x float64) bool { return x >= lo && x <= hi }
}

func zeroOr(lo, hi float64) func(float64) bool {
	return func(x float64) bool { return x == 0 || x >= lo && x <= hi }
}

func atLeast(lo float64) func(float64) bool { return between(lo, math.Inf(1)) }

// takenBy says whether models of the kind take the option.
func (p *option) takenBy(kind Kind) bool { return p.kinds == nil || slices.Contains(p.kinds, kind) }

// check refuses a number that is out of range. Options may be 0 where the kind of model does not take them.
func (p *option) check(o *Options) error {
	value := p.value(o)
	if p.valid == nil || !p.takenBy(o.Kind) && reflect.ValueOf(value).IsZero() {
		return nil
	}
	x := reflect.ValueOf(value).Convert(reflect.TypeFor[float64]()).Float()
	if !p.valid(x) {
		return fmt.Errorf("nbsvm: %s must be %s, got %v", p.name, p.must, value)
	}
	return nil
}

// optionNamed is the option of a flag; nil for flags that all kinds of model take and that are not listed.
func optionNamed(name string) *option {
	if i := slices.IndexFunc(options, func(p option) bool { return p.name == name }); i >= 0 {
		return &options[i]
	}
	return nil
}

// takes says whether models of the kind take an option, which is named as its flag.
func (k Kind) takes(option string) bool {
	p := optionNamed(option)
	return p == nil || p.takenBy(k)
}

// Ignores returns the options that have no effect on the kind, by their names in the nbsvm command, such as
// "max-epochs" for MaxEpochs.
func (k Kind) Ignores() (names []string) {
	for _, p := range options {
		if !p.takenBy(k) {
			names = append(names, p.name)
		}
	}
	slices.Sort(names)
	return names
}

// checkTakes returns an error that names the kinds of model that take an option, if this kind does not.
func (k Kind) checkTakes(option string) error {
	if k.takes(option) {
		return nil
	}
	return fmt.Errorf("nbsvm: model %s does not take %s; %s", k, option, takenBy(option))
}

// takenBy names the kinds of model that take an option, as in "models svm and logistic do".
func takenBy(option string) string {
	names := kindsTaking(option)
	if strings.Contains(names, " ") {
		return fmt.Sprintf("models %s do", names)
	}
	return fmt.Sprintf("model %s does", names)
}

// kindsTaking lists the kinds of model that take an option, for messages.
func kindsTaking(option string) string {
	var names []string
	for _, kind := range optionNamed(option).kinds {
		names = append(names, string(kind))
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Flags returns the flags of nbsvm train that give these options, where they are not the defaults of the kind of model. It
// leaves out those that say which n-grams there are.
func (o Options) Flags() (words []string) {
	usual := DefaultOptions()
	usual.Kind, usual.Loss, usual.Similarity = o.Kind, o.Loss, o.Similarity
	usual.C, usual.MaxEpochs = usual.DefaultC(), usual.DefaultMaxEpochs()
	usual.Values, usual.SublinearTF = usual.DefaultValues()
	usual.SublinearTF = usual.SublinearTF && o.Values != Binary
	usual.Kind, usual.Loss, usual.Similarity = NBSVM, "", Cosine
	if l, ok := can[minimizer](o.Kind); ok && o.Loss == l.losses()[0].String() {
		usual.Loss = o.Loss
	}
	left := o
	if left.AutoKind = true; left.chosen().AutoKind && !o.AutoKind {
		usual.Kind = "" // nothing else tells that it is not left to the documents
	}
	if usual.Beta = math.NaN(); o.AutoBeta { // else it is told, whatever it is
		usual.Beta = o.Beta
	}
	for _, p := range options {
		value := p.value(&o)
		if value == p.value(&usual) || !p.takenBy(o.Kind) {
			continue
		}
		switch value := value.(type) {
		case bool:
			prefix := "--"
			if !value {
				prefix = "--no-"
			}
			words = append(words, prefix+p.name)
		case float64:
			words = append(words, "--"+p.name, number(value))
		default:
			words = append(words, "--"+p.name, fmt.Sprint(value))
		}
	}
	return words
}

// Settings describes in one line the options that matter for the kind.
func (o Options) Settings() string {
	var all []string
	for _, name := range []string{
		"alpha", "beta", "C", "gamma", "bias", "tol", "rounds", "depth", "rate", "lambda", "min-gain", "min-child-weight",
		"subsample", "colsample", "bins", "seed",
	} {
		if p := optionNamed(name); p.takenBy(o.Kind) {
			all = append(all, fmt.Sprintf("%s %v", name, p.value(&o)))
		}
	}
	return strings.Join(all, ", ")
}
