package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"iter"
	"slices"
	"strconv"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/facts"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/model/score"
	"github.com/seed-167f963f/nbsvm/metrics"
)

// Options say what a page shows.
type Options struct {
	// Path is the model's file, for the page's title and the sizes of the model's parts; "" for none.
	Path string
	// Train and Command are command lines that make the model and the page again; "" for none.
	Train, Command string
	// Documents is how many of the most wrong and how many of the least sure documents are shown.
	Documents int
	// Features is how many n-grams are shown of every class.
	Features int

	Threads  int // 0 for all processors
	Progress func(corpus.Progress)
}

// Limits of what a page shows, that it stays small.
const (
	fewClasses   = 24   // of so many all have curves, of more none
	mostClasses  = 1000 // in the table, the worst
	mostSpeaking = 6000 // n-grams of all classes
	mostOfText   = 10   // contributions that are listed
)

// numbers is a report of numbers, with what its JSON leaves out.
type numbers struct {
	*metrics.RegressionReport
	Density []metrics.DensityColumn `json:"density"`
}

// content is what the page's script gets.
type content struct {
	Labels    []string   `json:"labels"`
	Trained   []uint64   `json:"trained"` // what the model was trained on, by label; none if that is not known
	Classes   []classRow `json:"classes"`
	Left      int        `json:"left"` // classes that occur and are not among these
	Confusion *confusion `json:"confusion"`
	Numbers   *numbers   `json:"numbers"` // of a model that predicts numbers
	Curves    []curve    `json:"curves"`
	Probable  bool       `json:"probable"`
	Features  []speaking `json:"features"`
	Sizes     []sizeOf   `json:"sizes"`
}

// classRow is how well a class is told; Class numbers the labels.
type classRow struct {
	Class     int     `json:"class"`
	Support   int64   `json:"support"`
	Predicted int64   `json:"predicted"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// speaking is what speaks for a class: n-grams with their weights.
type speaking struct {
	Class   int       `json:"class"`
	Names   []string  `json:"names"`
	Weights []float64 `json:"weights"`
}

type sizeOf struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// document is one that is shown.
type document struct {
	Number    int
	Place     string
	Want, Got string
	Scores    string
	Answer    string // the class that is taken apart
	Spans     []span
	Cut       bool
	Listed    []contribution
	Unknown   int
}

type contribution struct {
	Name, Value string
	For         bool
}

// texts are what the template shows.
type texts struct {
	Title, Subtitle string
	Tiles           facts.List
	Train, Command  string
	Made            facts.List
	Metrics         facts.List
	Measured        string
	Wrong, Unsure   []document
	Content         *content
}

// Write writes a page of a classifier, and of how it does on labelled documents where in is not nil.
func Write(ctx context.Context, classifier *nbsvm.Classifier, in *corpus.Input, o Options, w io.Writer) error {
	c := inside.Classifier(classifier)
	p := &page{classifier: classifier, c: c, o: &o}
	if err := p.ofModel(ctx); err != nil {
		return err
	}
	if in != nil {
		if err := p.ofDocuments(ctx, *in); err != nil {
			return err
		}
	}
	return p.texts.write(w)
}

// page is a page in the making.
type page struct {
	classifier *nbsvm.Classifier
	c          *score.Classifier // what scores behind it
	o          *Options
	content    content
	texts      texts
}

// ofModel returns what the model is and what speaks for its classes.
func (p *page) ofModel(ctx context.Context) error {
	m := p.c.Model()
	for _, label := range p.c.Labels() {
		p.content.Labels = append(p.content.Labels, legible(label, longestName))
	}
	t := &p.texts
	t.Title, t.Content = legible(cmp.Or(p.o.Path, "a model"), longestName), &p.content
	t.Train, t.Command = display.Text(p.o.Train), display.Text(p.o.Command)
	made, err := p.classifier.Report()
	if err != nil {
		return err
	}
	if t.Subtitle = display.Some(int64(len(p.c.Labels())), "class"); p.c.Numbers() {
		t.Subtitle = "numbers"
	}
	if m.Meta.FastText == nil {
		kind, version := legible(string(made.Options.Kind), longestName), legible(m.Meta.Version, longestName)
		t.Subtitle = fmt.Sprintf("%s, %s, made by nbsvm %s", kind, t.Subtitle, version)
	} else {
		t.Subtitle += ", made by fastText"
	}
	for _, class := range made.Classes {
		p.content.Trained = append(p.content.Trained, class.Documents)
	}
	for _, f := range facts.OfModel(p.c, made) {
		t.Made = append(t.Made, facts.Fact{Name: f.Name, Value: legible(f.Value, longestText)})
	}
	if err := p.speaking(); err != nil {
		return err
	}
	if p.o.Path != "" {
		sections, err := score.Verify(p.o.Path)
		if err != nil {
			return err
		}
		total := int64(0)
		for _, s := range sections {
			p.content.Sizes = append(p.content.Sizes, sizeOf{legible(s.Name, longestName), s.Length})
			total = max(total, s.Offset+s.Length)
		}
		t.Tiles.Add("size of the model", "%s", display.Bytes(total))
	}
	if made.Documents > 0 { // fastText keeps no record of them
		t.Tiles.Add("documents trained on", "%s", display.Count(int64(made.Documents)))
	}
	return nil
}

// speaking finds the n-grams that speak for each class; fewer where classes are many.
func (p *page) speaking() error {
	n := max(5, min(p.o.Features, mostSpeaking/len(p.c.Labels())))
	explanations, err := p.c.Explain(n)
	if err != nil {
		return err
	}
	for k, x := range explanations {
		if k == mostSpeaking/5 || len(x.Features) == 0 {
			continue
		}
		s := speaking{Class: k}
		for _, f := range x.Features {
			name := "key " + strconv.FormatUint(f.Key, 10)
			if f.Name != "" {
				name = legible(f.Name, longestName)
			}
			s.Names, s.Weights = append(s.Names, name), append(s.Weights, rounded(f.Weight))
		}
		p.content.Features = append(p.content.Features, s)
	}
	return nil
}

// ofDocuments returns how the model does on documents.
func (p *page) ofDocuments(ctx context.Context, in corpus.Input) error {
	found, err := collect(ctx, p.classifier, in, p.o)
	if err != nil {
		return err
	}
	r, t := found.measured, &p.texts
	t.Measured = fmt.Sprintf("%s of %s",
		display.Some(int64(found.documents), "document"), legible(in.Describe(), longestName))
	if n := found.sampled(); 0 < n && n < found.documents {
		t.Measured += fmt.Sprintf("; curves are of a random sample of %s of them", display.Count(int64(n)))
	}
	if numbers := r.Regression; numbers != nil {
		t.addNumbers(numbers)
		best := facts.List{
			{Name: "mean absolute error", Value: display.Decimal(numbers.MAE)},
			{Name: "documents evaluated", Value: display.Count(int64(found.documents))},
		}
		if numbers.Spearman != nil {
			best = append(facts.List{{Name: "Spearman's correlation", Value: display.Decimal(*numbers.Spearman)}}, best...)
		}
		t.Tiles = append(best, t.Tiles...)
		t.Wrong, err = p.documents(found.wrong.kept)
		return err
	}
	t.addMetrics(r.Values())
	if depths := r.DepthAccuracy; len(depths) > 1 {
		for d, accuracy := range depths[:min(len(depths), mostDepths)] {
			t.Metrics.Add(fmt.Sprintf("accuracy down to depth %d", d+1), "%.4f", accuracy)
		}
	}
	if r.Unknown > 0 {
		t.Metrics.Add("labels that the model does not know", "%s: %s", display.Count(r.Unknown), r.DescribeUnknown())
	}
	several := r.HammingLoss != nil // labels of a document
	var best facts.List
	if several {
		best.Add("micro F1", "%s", percent(r.MicroF1))
	} else {
		best.Add("accuracy", "%s", percent(r.Accuracy))
	}
	best.Add("macro F1", "%s", percent(r.MacroF1))
	best.Add("documents evaluated", "%s", display.Count(int64(found.documents)))
	t.Tiles = append(best, t.Tiles...)
	for k, class := range r.PerClass[:len(p.c.Labels())] {
		if class.Support > 0 || class.Predicted > 0 {
			p.content.Classes = append(p.content.Classes,
				classRow{
					k, class.Support, class.Predicted, rounded(class.Precision), rounded(class.Recall),
					rounded(class.F1),
				})
		}
	}
	if len(found.confused) > 0 {
		p.content.Confusion = newConfusion(found.confused, len(p.c.Labels()), several)
	}
	p.content.Probable = p.c.Probabilities()
	p.content.Curves = found.curves(p.curved())
	p.content.Classes, p.content.Left = worst(p.content.Classes)
	if t.Wrong, err = p.documents(found.wrong.kept); err != nil {
		return err
	}
	t.Unsure, err = p.documents(found.unsure.kept)
	return err
}

// addMetrics adds the metrics that are defined.
func (t *texts) addMetrics(values iter.Seq2[string, *float64]) {
	for name, value := range values {
		if value != nil {
			t.Metrics.Add(metricNames[name], "%s", display.Decimal(*value))
		}
	}
}

// addNumbers adds how well numbers are predicted: metrics, and charts of predictions, errors and calibration.
func (t *texts) addNumbers(r *metrics.RegressionReport) {
	t.addMetrics(r.Values())
	if c := r.Ceiling; c != nil {
		t.Metrics.Add("raters: documents with several ratings", "%s", display.Count(int64(c.Documents)))
		for _, best := range []struct {
			name  string
			value *float64
		}{
			{"rmse", c.RMSE}, {"r2", c.R2}, {"pearson", c.Pearson},
		} {
			if best.value != nil {
				t.Metrics.Add("raters: best possible "+metricNames[best.name], "%s", display.Decimal(*best.value))
			}
		}
	}
	t.Content.Numbers = &numbers{r, r.Density}
}

// mostDepths is how many depths of a tree are told of.
const mostDepths = 10

// metricNames are what metrics are called.
var metricNames = map[string]string{
	"accuracy": "accuracy", "macro_f1": "macro F1", "micro_f1": "micro F1", "weighted_f1": "weighted F1",
	"macro_precision": "macro precision", "macro_recall": "macro recall", "micro_precision": "micro precision",
	"micro_recall": "micro recall", "weighted_precision": "weighted precision", "weighted_recall": "weighted recall",
	"roc_auc": "area under the ROC curve", "pr_auc": "average precision",
	"log_loss": "log loss", "brier": "Brier score", "ece": "expected calibration error",
	"hierarchical_f1": "hierarchical F1", "hierarchical_precision": "hierarchical precision",
	"hierarchical_recall": "hierarchical recall", "tree_distance": "mean distance in the tree",
	"hamming_loss": "Hamming loss",
	"mae":          "mean absolute error", "rmse": "root mean squared error", "r2": "R²",
	"pearson": "Pearson's correlation", "spearman": "Spearman's rank correlation", "kendall": "Kendall's tau-b",
	"concordance": "concordance", "quadratic_kappa": "quadratic weighted kappa",
}

// worst returns those of too many classes that are told worst, in the order of labels, and how many others there are.
func worst(rows []classRow) (some []classRow, left int) {
	if len(rows) <= mostClasses {
		return rows, 0
	}
	some = slices.SortedStableFunc(slices.Values(rows), func(a, b classRow) int {
		return cmp.Or(cmp.Compare(a.F1, b.F1), cmp.Compare(b.Support, a.Support))
	})[:mostClasses]
	slices.SortFunc(some, func(a, b classRow) int { return a.Class - b.Class })
	return some, len(rows) - len(some)
}

// curved returns the classes that have curves: all that occur, unless they are many.
func (p *page) curved() (classes []int) {
	if len(p.content.Classes) > fewClasses {
		return nil
	}
	for _, row := range p.content.Classes {
		classes = append(classes, row.Class)
	}
	return classes
}

// documents takes documents apart.
func (p *page) documents(kept []rankedDocument) ([]document, error) {
	scorer, err := p.c.NewScorer()
	if err != nil {
		return nil, err
	}
	var all []document
	for i := range kept {
		d := &kept[i]
		shown := document{Number: i + 1, Want: p.names(d.want), Got: p.names(d.got), Scores: p.scores(d)}
		if p.c.Numbers() {
			shown.Want, shown.Got, shown.Scores = display.Decimal(d.wanted), display.Decimal(d.scores[0].score), ""
		}
		switch place := legible(d.path, longestName); {
		case d.line > 0:
			shown.Place = fmt.Sprintf("%s:%d", place, d.line)
		default:
			shown.Place = fmt.Sprintf("%s, document %s", place, display.Count(int64(d.number+1)))
		}
		text, cut := cutBytes(d.text, longestText)
		shown.Cut = cut
		if d.text == nil || p.c.TakesFeatures() {
			if len(text) > 0 {
				shown.Spans = []span{{Text: legible(string(text), longestText)}}
			}
			all = append(all, shown)
			continue
		}
		x, err := scorer.ExplainText(d.text)
		if err != nil {
			return nil, err
		}
		shown.Answer, shown.Unknown = legible(x.Label, longestName), x.Unknown
		added, err := scorer.Highlight(text, x.Contributions)
		if err != nil {
			return nil, err
		}
		shown.Spans = spans(text, added)
		for _, f := range x.Contributions[:min(mostOfText, len(x.Contributions))] {
			name := legible(f.Name, longestName)
			if f.Absent {
				name += " (absent)"
			}
			shown.Listed = append(shown.Listed, contribution{name, fmt.Sprintf("%+.4f", f.Margin), f.Margin > 0})
		}
		all = append(all, shown)
	}
	return all, nil
}

// names lists classes.
func (p *page) names(classes []int) string {
	if len(classes) == 0 {
		return "(none)"
	}
	var b bytes.Buffer
	for i, k := range classes {
		if i > 0 {
			b.WriteString(", ")
		}
		if k == metrics.Unknown {
			b.WriteString("(a label that the model does not know)")
			continue
		}
		b.WriteString(p.content.Labels[k])
	}
	return legible(b.String(), 3*longestName)
}

// scores tells those that were kept.
func (p *page) scores(d *rankedDocument) string {
	var b bytes.Buffer
	for i, s := range d.scores {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s %.4g", p.content.Labels[s.class], s.score)
	}
	return legible(b.String(), 4*longestName)
}

// percent writes a share.
func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 2, 64) + " %" }

// writeHead writes what is before the body of a page.
func writeHead(b *bytes.Buffer, title, style, policy string) {
	fmt.Fprintf(b, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy)
	fmt.Fprintf(b, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
	fmt.Fprintf(b, "<title>%s</title>\n<style>%s</style>\n</head>\n", html.EscapeString(title), style)
}

// write puts the page together. The style and the scripts stand in it byte by byte, as their hashes are named.
func (t *texts) write(w io.Writer) error {
	data, err := json.Marshal(t.Content) // it escapes <, >, &, U+2028 and U+2029
	if err != nil {
		return fmt.Errorf("nbsvm: the report's data: %w", err)
	}
	a, err := loadAssets()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	writeHead(&b, t.Title+" – nbsvm report", a.style, a.policy)
	if err := a.body.Execute(&b, t); err != nil {
		return fmt.Errorf("nbsvm: the report's texts: %w", err)
	}
	fmt.Fprintf(&b, "<script type=\"application/json\" id=\"data\">%s</script>\n", data)
	fmt.Fprintf(&b, "<script>%s</script>\n<script>%s</script>\n</body>\n</html>\n", a.charts, a.script)
	_, err = w.Write(b.Bytes())
	return err
}
