package scoring

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
)

// condition tells whether the predictions of a document pass, one by each model. There may be predictions of the first
// models alone.
type condition func(p []nbsvm.Prediction) verdict

// verdict is a truth value of Kleene's logic, in which and is min, or is max, and not changes the sign.
type verdict int8

const (
	fails verdict = iota - 1
	open          // it takes the predictions of further models
	passes
)

func verdictOf(is bool) verdict {
	if is {
		return passes
	}
	return fails
}

// asked is a model that an expression is about.
type asked struct {
	model interface {
		Labels() []string // sorted
		MultiLabel() bool
		Probabilities() bool
		Numbers() bool
		HasMargins() bool
		Best(p *score.Prediction, n int, least float64) []int // classes, best first
	}
	name  string // empty if there is only one
	label int    // of p and margin without a label, or -1
}

func askedOf(row *Row) (models []asked) {
	for _, show := range row.Of {
		of := asked{inside.Classifier(show.Classifier), show.Name, -1}
		if row.combined {
			of.model = byScores{inside.Classifier(show.Classifier)}
		}
		if show.Label != nil {
			of.label = show.Label[0]
		}
		models = append(models, of)
	}
	return models
}

// parseWhere reads an expression:
//
//	any        = all {"or" all}
//	all        = one {"and" one}
//	one        = "not" one | "(" any ")" | comparison
//	comparison = (("p" | "margin") ["(" name ")"] | "score" | "unknown") (">=" | ">" | "<=" | "<" | "==" | "!=") number
//	           | "label" ("==" | "!=") name
//	name       = "'" label "'" | '"' label '"'
//
// Within a name its quote stands doubled. p and margin without a name are of the model's label; if
// that is -1, of the second of two classes, else of the best one. score is the number of a model that predicts one. Models that have names stand before
// p, margin and label, with a dot: lang.p("en").
//
// An error shows the place where the expression is wrong, and what could be there.
func parseWhere(text string, models []asked) (is condition, of compared, err error) {
	w := &parser{text: text, models: models, compared: newCompared(len(models))}
	w.next()
	is, err = w.any()
	if err == nil && w.token != "" {
		err = w.fault("and, or, or the end")
	}
	return is, w.compared, err
}

// compared is what a condition compares of each model.
type compared struct {
	classes [][]int // whose scores are compared, whichever is predicted
	unknown []bool  // whether the share of unknown features is
}

func newCompared(models int) compared { return compared{make([][]int, models), make([]bool, models)} }

// parser looks one token ahead.
type parser struct {
	text  string
	at    int    // where the token begins
	token string // empty at the end

	models []asked
	of     int // the model of the comparison
	compared
}

// tokens are quoted names, perhaps without their end, then operators, then words and numbers, then any character.
var tokens = regexp.MustCompile(`^(?s:'(?:[^']|'')*'?|"(?:[^"]|"")*"?|[<>=!&|]+|[\pL\p{Nd}_.+-]+|.)`)

func (w *parser) next() {
	w.at += len(w.token)
	rest := strings.TrimLeft(w.text[w.at:], " \t\r\n")
	w.at = len(w.text) - len(rest)
	w.token = tokens.FindString(rest)
}

// fault returns where the expression is wrong and what could be there.
func (w *parser) fault(want string) error {
	found := "the end"
	if w.token != "" {
		found = display.Label(w.token)
	}
	return w.point(fmt.Sprintf("found %s, expected %s", found, want))
}

var comparesNothing = regexp.MustCompile(`^\s*([\pL\p{Nd}_-]+\.)?(p|margin|score|label|unknown)\s*(\([^()]*\))?\s*$`)

// ComparesNothing tells an expression that compares nothing: a shell may have taken the rest of it.
func ComparesNothing(text string) bool { return comparesNothing.MatchString(text) }

// point shows where in the expression a message belongs.
func (w *parser) point(message string) error {
	column := utf8.RuneCountInString(w.text[:w.at])
	line := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, w.text)
	return fmt.Errorf("--where, column %d: %s\n    %s\n    %s^", column+1, message, line, strings.Repeat(" ", column))
}

func (w *parser) any() (condition, error) {
	return w.joined("or", w.all, func(a, b condition) condition {
		return func(p []nbsvm.Prediction) verdict {
			if is := a(p); is != passes {
				return max(is, b(p))
			}
			return passes
		}
	})
}

func (w *parser) all() (condition, error) {
	return w.joined("and", w.one, func(a, b condition) condition {
		return func(p []nbsvm.Prediction) verdict {
			if is := a(p); is != fails {
				return min(is, b(p))
			}
			return fails
		}
	})
}

func (w *parser) joined(
	word string, part func() (condition, error), join func(a, b condition) condition,
) (condition, error) {
	is, err := part()
	for err == nil && w.token == word {
		w.next()
		var next condition
		if next, err = part(); err == nil {
			is = join(is, next)
		}
	}
	return is, err
}

func (w *parser) one() (condition, error) {
	switch w.token {
	case "not":
		w.next()
		is, err := w.one()
		return func(p []nbsvm.Prediction) verdict { return -is(p) }, err
	case "(":
		w.next()
		is, err := w.any()
		if err != nil {
			return nil, err
		}
		if w.token != ")" {
			return nil, w.fault("and, or, or )")
		}
		w.next()
		return is, nil
	}
	of, err := w.comparison()
	i := w.of
	return func(p []nbsvm.Prediction) verdict {
		if i >= len(p) {
			return open
		}
		return verdictOf(of(&p[i]))
	}, err
}

// comparedWords are what comparisons begin with, behind the name of a model.
var comparedWords = []string{"p", "margin", "score", "label", "unknown"}

// comparison returns that of a model's scores, label or unknown features.
func (w *parser) comparison() (func(*nbsvm.Prediction) bool, error) {
	name, word, dotted := strings.Cut(w.token, ".")
	if !dotted {
		name, word = "", name
	}
	w.of = slices.IndexFunc(w.models, func(m asked) bool { return m.name == name })
	if w.of < 0 || !slices.Contains(comparedWords, word) {
		return nil, w.fault(w.comparable() + ", not or (")
	}
	m := w.models[w.of].model
	switch word {
	case "score":
		if !m.Numbers() {
			return nil, w.point("the model predicts labels, not numbers: use p or margin")
		}
		w.next()
		return w.number(func(p *nbsvm.Prediction) float64 { return p.Scores[0] }, math.Inf(-1), math.Inf(1), "")
	case "p":
		if m.Numbers() {
			return nil, w.point("the model predicts numbers, and no probabilities: use score")
		}
		if !m.Probabilities() {
			return nil, w.point("the model has no probabilities: use margin, or train with --calibrate")
		}
		const most = 1.00002 // fastText shows up to 1.00001
		return w.score(probability, 0, most)
	case "margin":
		if !m.HasMargins() {
			return nil, w.point("a model of fastText has no margins: use p")
		}
		return w.score(margin, math.Inf(-1), math.Inf(1))
	case "unknown":
		w.next()
		w.unknown[w.of] = true
		return w.number(func(p *nbsvm.Prediction) float64 { return p.Unknown }, 0, 1,
			"a share must be from 0 to 1, got %s: write 90 %% as 0.9")
	}
	return w.label()
}

// comparable lists what a comparison begins with.
func (w *parser) comparable() string {
	var all []string
	for _, m := range w.models {
		for _, word := range comparedWords {
			if m.model.Numbers() && (word == "p" || word == "label") || !m.model.Numbers() && word == "score" {
				continue
			}
			if m.name != "" {
				word = m.name + "." + word
			}
			all = append(all, word)
		}
	}
	return strings.Join(all, ", ")
}

// class returns that of p and margin without a label; -1 for the one with the highest score.
func (m *asked) class() int {
	if m.label < 0 && len(m.model.Labels()) == 2 && !m.model.MultiLabel() {
		return 1
	}
	return m.label
}

// score returns a comparison of what a class has with a number, from least to most; the token is its name.
func (w *parser) score(
	of func(p *nbsvm.Prediction, class int) float64, least, most float64,
) (func(*nbsvm.Prediction) bool, error) {
	const outside = "a probability must be from 0 to 1, got %s: write 90 %% as 0.9; margin compares margins"
	w.next()
	m := &w.models[w.of]
	class := m.class()
	if w.token == "(" {
		w.next()
		var err error
		if class, err = w.name(); err != nil {
			return nil, err
		}
		if w.token != ")" {
			return nil, w.fault(")")
		}
		w.next()
	}
	if class >= 0 {
		w.classes[w.of] = append(w.classes[w.of], class)
		return w.number(func(p *nbsvm.Prediction) float64 { return of(p, class) }, least, most, outside)
	}
	return w.number(func(p *nbsvm.Prediction) float64 {
		return of(p, m.model.Best((*score.Prediction)(p), 1, math.Inf(-1))[0])
	}, least, most, outside)
}

// number returns a comparison of something with a number, from least to most, or says that one is outside; the token is
// that behind its name.
func (w *parser) number(
	of func(p *nbsvm.Prediction) float64, least, most float64, outside string,
) (func(*nbsvm.Prediction) bool, error) {
	compare := map[string]func(a, b float64) bool{
		">=": func(a, b float64) bool { return a >= b }, ">": func(a, b float64) bool { return a > b },
		"<=": func(a, b float64) bool { return a <= b }, "<": func(a, b float64) bool { return a < b },
		"==": func(a, b float64) bool { return a == b }, "!=": func(a, b float64) bool { return a != b },
	}[w.token]
	if compare == nil {
		return nil, w.fault(">=, >, <=, <, == or !=")
	}
	w.next()
	number, err := strconv.ParseFloat(w.token, 64)
	if err != nil || strings.Trim(w.token, "0123456789+-.eE") != "" { // no 0x1p-2, no Inf
		return nil, w.fault("a number")
	}
	if number < least || number > most {
		return nil, w.point(fmt.Sprintf(outside, w.token))
	}
	w.next()
	return func(p *nbsvm.Prediction) bool { return compare(of(p), number) }, nil
}

// label returns a comparison of the predicted classes with a name; the token is "label".
func (w *parser) label() (func(*nbsvm.Prediction) bool, error) {
	w.next()
	is := w.token == "=="
	if !is && w.token != "!=" {
		return nil, w.fault("== or !=")
	}
	w.next()
	k, err := w.name()
	return func(p *nbsvm.Prediction) bool { return slices.Contains(p.Labels, k) == is }, err
}

// name returns the class that a quoted label names.
func (w *parser) name() (class int, err error) {
	if w.token == "" || w.token[0] != '\'' && w.token[0] != '"' {
		want := "a label in quotes"
		if first, _ := utf8.DecodeRuneInString(w.token); unicode.IsLetter(first) {
			want += `, as "` + w.token + `"`
		}
		return 0, w.fault(want)
	}
	quote := w.token[:1]
	if strings.Count(w.token, quote)%2 == 1 {
		return 0, w.point("the closing quote is missing")
	}
	label := strings.ReplaceAll(w.token[1:len(w.token)-1], quote+quote, quote)
	if class, err = display.FindLabel(w.models[w.of].model.Labels(), label); err != nil {
		return 0, w.point(err.Error())
	}
	w.next()
	return class, nil
}

func probability(p *nbsvm.Prediction, class int) float64 { return p.Scores[class] }

func margin(p *nbsvm.Prediction, class int) float64 {
	switch {
	case len(p.Margins) > 1:
		return p.Margins[class]
	case class == 0 && len(p.Scores) == 2:
		return -p.Margins[0]
	}
	return p.Margins[0]
}
