package nbsvm

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/model"
	"github.com/seed-167f963f/nbsvm/internal/model/boost"
)

// option describes an option of training. The table of all options feeds what needs to know them: [Options.Validate]
// and [Options.With], the flags of the nbsvm command and their help, Python's arguments, and the reference.
type option struct {
	Name        string   // of the option in the nbsvm command, such as min-df
	Fields      string   // of [Options] that the option sets, joined by commas
	Group       string   // text, model or run
	Placeholder string   // stands for the value in help; "" for a switch
	Range       string   // says which numbers are allowed
	Words       []string // that are allowed

	about     string // help, but for the default
	byDefault string // what help says of the default, if that is not the field's value; - for nothing
	also      string // what help says of the default besides
	valid     func(x float64) bool
	auto      bool                                // 0, which is written auto, stands for the default
	refused   bool                                // where it has no effect; other options are ignored there
	check     func(o *Options) error              // tells what is wrong with the option besides; nil for nothing
	set       func(o *Options, text string) error // nil for what the type of the field says
	text      func(o *Options) string             // likewise
}

// table has all options of training, in the order in which help lists them.
var table = []option{
	{
		Name: "ngrams", Fields: "Text.Families", Group: "text",
		Placeholder: "[TOKENIZER:]LO-HI,…",
		about:       "N-grams, by their tokens and range of orders, such as 1-3, char:1-5 or word:1-2,char-wb:2-5. Tokens are word, char, char-wb (characters within words) or space; orders may be left out. auto: words 1-3 if there are at least 3 MB of text per class, otherwise 1-2, with characters 2-5 beside them if there are 10 kB to 4 MB in all; knn 1-1.",
		set:         setNgrams, text: textOfNgrams,
		check: func(o *Options) error { return o.withOrders(1, 2).Text.Validate() },
	},
	{
		Name: "lowercase", Fields: "Text.Lowercase", Group: "text",
		about: "Lower-case the text.",
	},
	{
		Name: "punctuation", Fields: "Text.Punctuation", Group: "text",
		about: "Treat punctuation marks as tokens.",
	},
	{
		Name: "strip-html", Fields: "Text.StripHTML", Group: "text",
		about: "Remove HTML tags.",
	},
	{
		Name: "bits", Fields: "Text.Bits", Group: "text", Placeholder: "N",
		about: "Width of an n-gram's key: n-grams whose hashes have the same N bits are one feature.",
		Range: "8 to 40", valid: between(8, 40),
	},
	{
		Name: "min-df", Fields: "MinDF", Group: "text", Placeholder: "N",
		about: "Drop n-grams that fewer documents contain; auto: 2, or more of much text.",
		Range: "1 document or more", valid: between(1, math.MaxInt32), auto: true,
	},
	{
		Name: "max-df", Fields: "MaxDF", Group: "text", Placeholder: "X",
		about: "Drop n-grams that more documents contain: a share up to 1, a number above.",
		Range: "a share of the documents up to 1, or a number of them above 1",
		valid: between(math.SmallestNonzeroFloat64, math.MaxInt32),
	},
	{
		Name: "values", Fields: "Values", Group: "text", Placeholder: "KIND",
		about: "Feature values: binary, by-word (of n-grams of char-wb, how often distinct words have them), count, tfidf, or log-count or log-tfidf with 1+log(count) for count.",
		also:  "binary for models without log-count ratios; log-tfidf for rocchio and knn",
		Words: []string{"binary", "by-word", "count", "log-count", "tfidf", "log-tfidf"},
		check: checkValues,
	},
	{
		Name: "prenormalize", Fields: "Prenormalize", Group: "text",
		about: "Scale rows to unit length before the ratio is applied.",
	},
	{
		Name: "normalize", Fields: "Normalize", Group: "text",
		about: "Scale rows to unit length after the ratio is applied.",
	},
	{
		Name: "model", Fields: "Kind", Group: "model", Placeholder: "KIND",
		about: "Kind of model: auto, " + listed(Kinds(), "or") + ". auto: nbsvm; for ready-made features the best of nbsvm, svm, and svm with --no-normalize by cross-validation.",
	},
	{
		Name: "loss", Fields: "Loss", Group: "model", Placeholder: "NAME",
		about:     "Loss: hinge, squared-hinge or logistic; of nbsvr and svr logistic, squared-epsilon-insensitive or epsilon-insensitive.",
		byDefault: "the squared one; logistic for logistic, nbsvr and ordinal",
		Words:     []string{"hinge", "squared-hinge", "logistic", "epsilon-insensitive", "squared-epsilon-insensitive"},
		refused:   true, check: checkLoss,
	},
	{
		Name: "epsilon", Fields: "Epsilon", Group: "model", Placeholder: "X",
		about: "nbsvr, svr: how far a prediction may be from a number without loss, unless the loss is logistic.",
		Range: "from 0 to 1e30", valid: between(0, 1e30), refused: true,
		check: checkEpsilon,
	},
	{
		Name: "clip", Fields: "Clip", Group: "model",
		about: "nbsvr, svr, ridge: keep predictions in the range of the numbers.",
		check: checkClip,
	},
	{
		Name: "range", Fields: "Range", Group: "model", Placeholder: "LEAST,MOST",
		about:     "nbsvr, svr, ridge, ordinal: the least and the largest number that there can be, such as 0,5. Numbers beyond are an error.",
		byDefault: "those of the documents", Range: numberRanges,
		refused: true, check: checkRange, set: setRange, text: textOfRange,
	},
	{
		Name: "C", Fields: "C", Group: "model", Placeholder: "X",
		about: "Inverse regularization strength.",
		also:  "16 for logistic loss, but 4 for nbsvr and svr and 1 for ordinal, 0.25 for it with hinge loss; 0.5 for squared and absolute errors of numbers", Range: "from 1e-12 to 1e12", valid: between(1e-12, 1e12), auto: true,
	},
	{
		Name: "alpha", Fields: "Alpha", Group: "model", Placeholder: "X",
		about: "Smoothing of the counts in the ratio.",
		Range: "from 1e-12 to 1e9", valid: between(1e-12, 1e9),
	},
	{
		Name: "alpha-by-size", Fields: "AlphaBySize", Group: "model",
		about: "For the smaller side of a ratio, multiply alpha by the square root of smaller/larger.",
	},
	{
		Name: "beta", Fields: "Beta", Group: "model", Placeholder: "X",
		about: "Interpolation of trained weights with their mean magnitude, of two classes, or auto: 0.75. It is 1 with more classes.",
		Range: "from 1e-12 to 1", valid: between(1e-12, 1), auto: true,
	},
	{
		Name: "bias", Fields: "Bias", Group: "model", Placeholder: "X",
		about: "Value of the bias feature; 0 for no bias.",
		Range: "0 (none), or from 1e-6 to 1e6", valid: zeroOr(1e-6, 1e6), check: checkBias,
	},
	{
		Name: "class-weight", Fields: "ClassWeight", Group: "model", Placeholder: "W",
		about:     "Factors for C by class: balanced, or LABEL=X,LABEL=X,….",
		byDefault: "1 each",
		set:       setClassWeight, text: textOfClassWeight, check: checkClassWeight,
	},
	{
		Name: "calibrate", Fields: "Calibrate", Group: "model",
		about: "Fit probabilities on held-out folds.",
	},
	{
		Name: "max-model", Fields: "MaxModel", Group: "model", Placeholder: "SIZE",
		about:     "Largest size of the model's file, such as 100KB. A larger model is trained again on the n-grams that matter most, as many as fit, with weights of 8 bits.",
		byDefault: "none", Range: "0 (no limit), or 1024 bytes or more", valid: zeroOr(1024, math.Inf(1)),
		refused: true,
	},
	{
		Name: "tree", Fields: "Tree", Group: "model", Placeholder: "NAME",
		about: "Grow a tree over the classes, and train each node against its siblings; auto: from 64 classes and 2^26 documents times classes on, and from 4096 classes on.",
		Words: []string{"auto", "always", "never"}, refused: true, check: checkTree,
	},
	{
		Name: "tol", Fields: "Tol", Group: "model", Placeholder: "X",
		about: "Stop at this relative duality gap.",
		Range: "a relative duality gap from 0 to below 1", valid: func(x float64) bool { return x >= 0 && x < 1 },
	},
	{
		Name: "max-epochs", Fields: "MaxEpochs", Group: "model", Placeholder: "N",
		about: "Stop after at most N passes.",
		also:  "10 for perceptron and pa", Range: "1 or more", valid: atLeast(1), auto: true,
	},
	{
		Name: "neighbours", Fields: "Neighbours", Group: "model", Placeholder: "K",
		about: "knn: number of nearest documents that vote.",
		Range: "from 1 to 1048576", valid: between(1, model.MaxNeighbours),
	},
	{
		Name: "hold-out", Fields: "HoldOut", Group: "model", Placeholder: "X",
		about: "perceptron, pa, gbdt: choose the number of passes or rounds on this share of the documents, then train on all.",
		Range: "0, or a share of the documents from 0.001 to 0.5", valid: zeroOr(0.001, 0.5),
	},
	{
		Name: "seed", Fields: "Seed", Group: "model", Placeholder: "N",
		about: "Seed of hashing, permutations and folds.",
		Range: "0 to 18446744073709551615",
	},
	{
		Name: "memory", Fields: "Memory", Group: "run", Placeholder: "SIZE",
		about:     "Approximate memory limit, such as 512MiB or 8GiB. Rows that do not fit stay on disk and are read in every epoch.",
		byDefault: "none", Range: "a number of bytes, or 0 for no limit", valid: atLeast(0),
	},
	{
		Name: "names", Fields: "NamesLimit", Group: "model", Placeholder: "N",
		about: "Number of n-grams whose text the model keeps for explain.",
		Range: "0 or more", valid: atLeast(0),
	},
	{
		Name: "rounds", Fields: "Trees.Rounds", Group: "model", Placeholder: "N",
		about: "gbdt: number of trees per class.",
		Range: "from 1 to 100000", valid: between(1, boost.MostRounds),
	},
	{
		Name: "depth", Fields: "Trees.Depth", Group: "model", Placeholder: "N",
		about: "gbdt: maximum depth of a tree.",
		Range: "from 1 to 32", valid: between(1, boost.MostDepth),
	},
	{
		Name: "rate", Fields: "Trees.Rate", Group: "model", Placeholder: "X",
		about: "gbdt: learning rate.",
		Range: "from 0.0001 to 1", valid: between(1e-4, 1),
	},
	{
		Name: "hierarchy", Fields: "Hierarchy", Group: "model", Placeholder: "SEP",
		about:     "Labels are paths in a tree, such as sport/football, with parts separated by SEP.",
		byDefault: "-", refused: true, check: checkHierarchy,
	},
}

// optionNamed returns the option with a name; nil if there is none.
func optionNamed(name string) *option {
	if i := slices.IndexFunc(table, func(p option) bool { return p.Name == name }); i >= 0 {
		return &table[i]
	}
	return nil
}

func between(lo, hi float64) func(float64) bool {
	return func(x float64) bool { return x >= lo && x <= hi }
}

func zeroOr(lo, hi float64) func(float64) bool {
	return func(x float64) bool { return x == 0 || x >= lo && x <= hi }
}

func atLeast(lo float64) func(float64) bool { return between(lo, math.Inf(1)) }

// help returns what the option means, and what its default is.
func (p *option) help() string {
	byDefault := p.defaultText()
	if byDefault == "" {
		return p.about
	}
	return fmt.Sprintf("%s (default: %s).", strings.TrimSuffix(p.about, "."), byDefault)
}

// defaultText returns what the default is; "" if nothing can be said.
func (p *option) defaultText() string {
	text := p.byDefault
	switch {
	case text == "-":
		return ""
	case text == "":
		o := DefaultOptions().forKind()
		if text = p.format(&o); p.isSwitch() {
			text = display.OnOff(text == "true")
		}
	}
	if p.also != "" {
		text += "; " + p.also
	}
	return text
}

// isSwitch reports whether the option is on or off.
func (p *option) isSwitch() bool {
	_, is := p.value(new(Options)).(bool)
	return is
}

// path names the first of the option's fields in messages.
func (p *option) path() string {
	first, _, _ := strings.Cut(p.Fields, ",")
	return "Options." + first
}

// field returns the first of the option's fields.
func (p *option) field(o *Options) reflect.Value {
	first, _, _ := strings.Cut(p.Fields, ",")
	value := reflect.ValueOf(o).Elem()
	for name := range strings.SplitSeq(first, ".") {
		value = value.FieldByName(name)
	}
	return value
}

func (p *option) value(o *Options) any { return p.field(o).Interface() }

// format returns the value as it is typed.
func (p *option) format(o *Options) string {
	if p.text != nil {
		return p.text(o)
	}
	if p.auto && p.field(o).IsZero() {
		return "auto"
	}
	if x, is := p.value(o).(float64); is {
		return number(x)
	}
	return fmt.Sprint(p.value(o))
}

// parse sets the option to a value as it is typed.
func (p *option) parse(o *Options, text string) (err error) {
	if p.set != nil {
		if err := p.set(o, text); err != nil {
			return err
		}
		return p.inRange(o)
	}
	field, must := p.field(o), p.Range
	if p.auto {
		if must += ", or auto"; text == "auto" {
			field.SetZero()
			return nil
		}
	}
	switch field.Kind() {
	case reflect.Bool:
		var on bool
		on, err = strconv.ParseBool(text)
		field.SetBool(on)
		must = "true or false"
	case reflect.Int64:
		var n int64
		n, err = display.ParseBytes(text)
		field.SetInt(n)
		if err != nil {
			return fmt.Errorf("nbsvm: %s: %w", p.path(), err)
		}
	case reflect.Int:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		field.SetInt(n)
	case reflect.Uint64:
		var n uint64
		n, err = strconv.ParseUint(text, 10, 64)
		field.SetUint(n)
	case reflect.Float64:
		var x float64
		if x, err = strconv.ParseFloat(text, 64); x-x != 0 { // infinite, or no number
			err = strconv.ErrRange
		}
		field.SetFloat(x)
	default:
		field.SetString(text)
	}
	if err != nil {
		return fmt.Errorf("nbsvm: %s must be %s, got %q", p.path(), must, text)
	}
	return p.inRange(o)
}

// inRange refuses a number that is out of range.
func (p *option) inRange(o *Options) error {
	if p.valid == nil {
		return nil
	}
	value := p.field(o)
	if !p.valid(value.Convert(reflect.TypeFor[float64]()).Float()) {
		return fmt.Errorf("nbsvm: %s must be %s, got %v", p.path(), p.Range, value)
	}
	return nil
}

// validate refuses values that there are not, and a value that has no effect on the kind of model if the option says
// so. An option may be zero if it has no effect on the kind, or if zero stands for its default.
func (p *option) validate(o *Options) error {
	zero, takes, text := p.field(o).IsZero(), o.Kind.takes(p.Name), p.format(o)
	switch {
	case zero && (!takes || p.auto):
		return nil
	case p.Words != nil && !zero && !slices.Contains(p.Words, text):
		return fmt.Errorf("nbsvm: unknown %s %q: use %s", p.path(), text, listed(p.Words, "or"))
	case p.refused && !takes && text != "auto" && text != "never": // of a tree, these ask for nothing
		return o.Kind.checkTakes(p.Name)
	}
	if err := p.inRange(o); err != nil || p.check == nil {
		return err
	}
	return p.check(o)
}

// With returns o with the values of some options, which are named and written as in the nbsvm command: a Kind is
// {"model": "knn"}. It does not validate the result.
func (o Options) With(values map[string]string) (Options, error) {
	for name := range values {
		if optionNamed(name) == nil {
			return o, fmt.Errorf("nbsvm: unknown option %q", name)
		}
	}
	has := func(name string) bool { _, is := values[name]; return is }
	if has("model") {
		o.Loss = "" // the loss that there was may not suit the model
	}
	usual := DefaultOptions()
	for i := range table {
		p := &table[i]
		if text, given := values[p.Name]; !given {
			continue
		} else if err := p.parse(&o, text); err != nil {
			return o, err
		}
		// A default that is asked for is not left to the documents.
		if slices.Contains([]string{"normalize", "alpha", "alpha-by-size"}, p.Name) && p.value(&o) == p.value(&usual) {
			o.Kind = o.Kind.ofText()
		}
	}
	if !o.Kind.takes("loss") && !has("loss") {
		o.Loss = ""
	}
	return o, nil
}

// longestOfChars is the default length of the longest n-gram of characters. It cross-validates best on short texts
// in English and Chinese, see docs/explanation/defaults.md.
const longestOfChars = 5

// setNgrams sets auto, orders for the tokenizer that there is, or families of n-grams, which may have none.
func setNgrams(o *Options, text string) error {
	tokenizer := o.Text.Families[0].Tokenizer
	if text == "auto" {
		o.Text.Families = hashing.Families{{Tokenizer: tokenizer}}
		return nil
	}
	var orders hashing.Family
	if orders.UnmarshalText([]byte("word:"+text)) == nil {
		orders.Tokenizer = tokenizer
		o.Text.Families = hashing.Families{orders}
		return o.checkOrders()
	}
	families, err := parseFamilies(text)
	if err != nil {
		return fmt.Errorf("nbsvm: Options.Text.Families must be auto, a range such as 1-2, or n-grams such as word:1-2,char-wb:2-5, got %q: %w", text, err)
	}
	if o.Text.Families, err = hashing.NewFamilies(families...); err != nil {
		return fmt.Errorf("nbsvm: Options.Text.Families: %w", err)
	}
	return o.checkOrders()
}

// checkOrders refuses n-grams from 0 tokens on, if they are asked for. In Go, 0 stands for 1.
func (o *Options) checkOrders() error {
	for _, f := range o.Text.Families.List() {
		if f.NgramHi > 0 && f.NgramLo < 1 {
			one := o.Text
			one.Families = hashing.Families{f}
			return fmt.Errorf("nbsvm: Options.Text.Families: %w", one.Validate())
		}
	}
	return nil
}

func textOfNgrams(o *Options) string {
	all := o.Text.Families.List()
	switch {
	case len(all) == 0:
		return "auto"
	case len(all) == 1 && all[0].Tokenizer == hashing.Word:
		return fmt.Sprintf("%d-%d", all[0].NgramLo, all[0].NgramHi)
	}
	return o.Text.Families.String()
}

func setClassWeight(o *Options, text string) (err error) {
	if o.ClassWeight, err = parseClassWeight(text); err != nil {
		return fmt.Errorf("nbsvm: Options.ClassWeight: %w", err)
	}
	return nil
}

// numberRanges says which ranges of numbers are allowed.
const numberRanges = "two numbers from -1e30 to 1e30, the smaller one first, such as 0,5"

func setRange(o *Options, text string) error {
	least, most, two := strings.Cut(text, ",")
	for i, word := range []string{least, most} {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !two {
			return fmt.Errorf("nbsvm: Options.Range must be %s, got %q", numberRanges, text)
		}
		o.Range[i] = x
	}
	if o.Range == [2]float64{} {
		return fmt.Errorf("nbsvm: Options.Range must be %s, got %q", numberRanges, text)
	}
	return checkRange(o)
}

func textOfRange(o *Options) string {
	if o.Range == [2]float64{} {
		return ""
	}
	return number(o.Range[0]) + "," + number(o.Range[1])
}

func textOfClassWeight(o *Options) string { return o.ClassWeight.String() }

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// flags returns the flags of nbsvm train that give these options, where they are not the defaults of the kind of model.
func (o Options) flags() (words []string) {
	o = o.forKind()
	usual := DefaultOptions()
	usual.Kind, usual.Loss = o.Kind, o.Loss
	usual = usual.forKind()
	usual.Kind, usual.Loss = AutoKind, ""
	usual.Values = o.usual().Values // of these n-grams
	if o.Kind.Solved() && o.Loss == o.Kind.traits().losses[0].String() {
		usual.Loss = o.Loss
	}
	o.Tree = cmp.Or(o.Tree, AutoTree) // a model records "" for none
	for _, p := range table {
		text := p.format(&o)
		switch {
		case text == p.format(&usual) || !o.Kind.takes(p.Name):
		case !p.isSwitch():
			words = append(words, "--"+p.Name, text)
		case text == "true":
			words = append(words, "--"+p.Name)
		default:
			words = append(words, "--no-"+p.Name)
		}
	}
	return words
}

// Settings describes in one line the options that matter for the kind.
func (o Options) Settings() string {
	var all []string
	for _, name := range []string{
		"alpha", "beta", "C", "epsilon", "bias", "tol", "rounds", "depth", "rate", "seed",
	} {
		if o.Kind.takes(name) {
			all = append(all, fmt.Sprintf("%s %v", name, optionNamed(name).value(&o)))
		}
	}
	return strings.Join(all, ", ")
}
