package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/xmath"
)

// hostile are what labels, n-grams and texts could try.
var hostile = []string{
	`<script>window.pwned=1</script>`, `</script><script>window.pwned=2</script>`, `<img/src=x/onerror="window.pwned=3">`,
	`"onmouseover="window.pwned=4`, `'-window.pwned=5-'`, `<!--`, `]]>`, `{{.Title}}`, `{a|b}{marginX|1}`, `javascript:window.pwned=6`,
	"\u2028\u2029", "\u202eevil\u202c", "&lt;b&gt;", `<svg/onload=window.pwned=7>`, `</style><style>*{display:none}</style>`,
	"\x1b[31m", "{$pwned}", "`${window.pwned=8}`", "%3Cscript%3E", "__proto__", "constructor",
	"\xff\xfe", // the last one, as no label may be so
}

// hostileData are documents of hostile classes and texts.
func hostileData(classes int, several bool) string {
	var b strings.Builder
	random := xmath.SplitMix(7)
	for i := range 30 * classes {
		k := random.IntN(classes)
		label := strings.ReplaceAll(hostile[k], ",", ";")
		if several && i%3 == 0 {
			label += "," + strings.ReplaceAll(hostile[(k+1)%classes], ",", ";")
		}
		words := []string{hostile[k]}
		if i%5 == 0 {
			words[0] = hostile[random.IntN(len(hostile))]
		}
		for range 6 {
			words = append(words, hostile[random.IntN(len(hostile))], fmt.Sprint("word", random.IntN(50)))
		}
		fmt.Fprintf(&b, "%s\t%s\n", label, strings.Join(words, " "))
	}
	return b.String()
}

// trained is a model of documents in TSV, and the input that they are.
func trained(t *testing.T, text, sep string, change func(*nbsvm.Options)) (*nbsvm.Classifier, corpus.Input) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "documents.tsv")
	must.OK(t, os.WriteFile(path, []byte(text), 0o666))
	in := corpus.Input{Paths: []string{path}, Format: corpus.TSV, LabelSep: sep}
	o := nbsvm.DefaultOptions()
	o.MinDF, o.Text.Bits = 1, 16
	change(&o)
	c, _, err := nbsvm.Train(context.Background(), in, o)
	must.OK(t, err)
	return c, in
}

func bySpaces(o *nbsvm.Options) { o.Text.Families[0].Tokenizer = hashing.Space }

// pageOf is the page of a classifier, its path being the same in any test.
func pageOf(t *testing.T, c *nbsvm.Classifier, in *corpus.Input, o Options) string {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, Write(context.Background(), c, in, o, &b))
	return b.String()
}

// dataOf is what the page's script gets.
func dataOf(t *testing.T, page string) (data content) {
	t.Helper()
	_, rest, found := strings.Cut(page, `<script type="application/json" id="data">`)
	text, _, ended := strings.Cut(rest, "</script>")
	if err := json.Unmarshal([]byte(text), &data); err != nil || !found || !ended {
		t.Fatalf("the page's data: %v", err)
	}
	if at := strings.IndexAny(text, "<>&\u2028\u2029"); at >= 0 {
		t.Errorf("the page's data has an unescaped %q", text[at:min(at+20, len(text))])
	}
	return data
}

func hostilePage(t *testing.T, classes int, several bool, change func(*nbsvm.Options)) string {
	sep := ""
	if several {
		sep = ","
	}
	c, in := trained(t, hostileData(classes, several), sep, change)
	o := shown
	o.Train, o.Command = "nbsvm train '</pre><script>window.pwned=9</script>'", hostile[2]
	return pageOf(t, c, &in, o)
}

// shown is what pages show where nothing else is said.
var shown = Options{Documents: 25, Features: 20}

// tags are all that the page has as markup.
var tags = regexp.MustCompile(`<[a-zA-Z!/][^>]*>`)

// TestHostile: labels, n-grams, texts and settings stay text.
func TestHostile(t *testing.T) {
	known := regexp.MustCompile(`^</?(a|article|b|bdi|body|code|dd|details|div|dl|dt|figure|h[1-4]|head|header|html|input|label|li|main|mark|meta|nav|noscript|` +
		`option|output|p|pre|section|select|span|style|summary|table|tbody|td|th|thead|title|tr|ul|script)( (id|class|href|dir|scope|role|tabindex|for|type|min|value|step|lang|charset|name|content|` +
		`hidden|aria-[a-z]+|data-[a-z]+|http-equiv)(="[^"<>]*")?)*>$`)
	for _, several := range []bool{false, true} {
		page := hostilePage(t, len(hostile)-1, several, bySpaces)
		data := dataOf(t, page)
		a, err := loadAssets()
		must.OK(t, err)
		rest := page
		for _, own := range []string{a.charts, a.script, a.style} {
			if strings.Count(rest, own) != 1 {
				t.Fatal("the page has not each script and style once, as it is")
			}
			rest = strings.Replace(rest, own, "", 1)
		}
		if n := strings.Count(rest, "<script"); n != 3 {
			t.Errorf("the page has %d scripts, want 3", n)
		}
		for _, tag := range tags.FindAllString(rest, -1) {
			if !known.MatchString(tag) && tag != "<!doctype html>" {
				t.Errorf("the page has the tag %s", tag)
			}
		}
		found := 0
		for _, label := range data.Labels {
			if slices.ContainsFunc(hostile, func(h string) bool { return legible(strings.ReplaceAll(h, ",", ";"), longestName) == label }) {
				found++
			}
		}
		if found != len(data.Labels) {
			t.Errorf("of %d labels %d are as they were: %q", len(data.Labels), found, data.Labels)
		}
		if !strings.Contains(html.UnescapeString(rest), hostile[0]) {
			t.Error("texts are not shown as they are")
		}
	}
}

// TestPolicy: the policy names the hashes of the page's scripts and its style, and nothing else.
func TestPolicy(t *testing.T) {
	page := hostilePage(t, 3, false, bySpaces)
	_, rest, _ := strings.Cut(page, `<meta http-equiv="Content-Security-Policy" content="`)
	policy, _, _ := strings.Cut(rest, `"`)
	between := func(from, to string) string {
		_, rest, _ := strings.Cut(page, from)
		text, _, _ := strings.Cut(rest, to)
		return text
	}
	scripts := strings.Split(page, "<script>")
	if len(scripts) != 3 {
		t.Fatalf("the page has %d scripts", len(scripts)-1)
	}
	first, _, _ := strings.Cut(scripts[1], "</script>")
	second, _, _ := strings.Cut(scripts[2], "</script>")
	want := fmt.Sprintf("default-src 'none'; script-src '%s' '%s'; style-src '%s'; base-uri 'none'; form-action 'none'",
		hash(first), hash(second), hash(between("<style>", "</style>")))
	if policy != want {
		t.Errorf("the policy is %s, want %s", policy, want)
	}
	if strings.Contains(strings.Replace(page, first, "", 1), " style=\"") {
		t.Error("the page has styles that the policy does not allow")
	}
}

// TestSame: a page depends on the model, the documents and the options alone.
func TestSame(t *testing.T) {
	c, in := trained(t, hostileData(7, false), "", bySpaces)
	o := shown
	o.Threads = 1
	first := pageOf(t, c, &in, o)
	o.Threads = 3
	if pageOf(t, c, &in, o) != first {
		t.Error("another number of threads gives another page")
	}
}

// TestOfModel: without documents the page tells of the model alone.
func TestOfModel(t *testing.T) {
	c, _ := trained(t, "a\tred red\nb\tblue\na\tred\nb\tblue sky\n", "", func(*nbsvm.Options) {})
	page := pageOf(t, c, nil, shown)
	data := dataOf(t, page)
	if strings.Contains(page, `id="metrics"`) || len(data.Curves) > 0 || data.Confusion != nil {
		t.Error("a page without documents tells of them")
	}
	if len(data.Features) != 2 || data.Features[0].Names[0] != "red" || data.Features[1].Names[0] != "blue" {
		t.Errorf("what speaks for the classes: %+v", data.Features)
	}
}

// TestMetrics: what the page says is what evaluating says.
func TestMetrics(t *testing.T) {
	for _, several := range []bool{false, true} {
		sep := map[bool]string{true: ","}[several]
		c, in := trained(t, hostileData(9, several), sep, func(o *nbsvm.Options) { bySpaces(o); o.Calibrate = !several })
		want, err := c.Evaluate(context.Background(), in, nbsvm.ScoreOptions{})
		must.OK(t, err)
		o := shown
		found, err := collect(context.Background(), c, in, &o)
		must.OK(t, err)
		if got := found.measured; !reflect.DeepEqual(got, want) {
			t.Errorf("several labels %t: metrics %+v, want %+v", several, got, want)
		}
		for key := range want.Values() {
			if metricNames[key] == "" {
				t.Errorf("%s has no name", key)
			}
		}
		if several {
			continue
		}
		right := 0
		for k := range c.Labels() {
			for j := range c.Labels() {
				if n := int64(found.confused[pair{k, j}]); n != want.Confusion[k][j] {
					t.Errorf("%d documents of class %d are taken for %d, want %d", n, k, j, want.Confusion[k][j])
				}
			}
			right += found.confused[pair{k, k}]
		}
		answers := found.curves(nil)[0]
		if last := answers.Points[len(answers.Points)-1]; int(last[1]) != right || int(last[1]+last[2]) != want.N {
			t.Errorf("the curve of answers ends at %v; %d of %d are right", last, right, want.N)
		}
	}
}

// TestSample: of more documents than are kept, curves are of a sample, and confusions of all.
func TestSample(t *testing.T) {
	c, in := trained(t, hostileData(5, false), "", bySpaces)
	p := &predictions{c: c, most: 40, confused: map[pair]int{}}
	p.wrong.most, p.unsure.most = 3, 3
	if _, err := c.Evaluate(context.Background(), in, nbsvm.ScoreOptions{Judge: p.add}); err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, n := range p.confused {
		counted += n
	}
	if p.documents != 150 || counted != 150 || p.sampled() != 40 || len(p.wants) != 40 {
		t.Errorf("%d documents, %d counted, %d sampled", p.documents, counted, p.sampled())
	}
	for i := range p.sampled() {
		row := p.scores[i*5 : i*5+5]
		if slices.Index(row, slices.Max(row)) != p.gots[i][0] {
			t.Fatalf("document %d of the sample has the scores of another one", i)
		}
	}
	if len(p.unsure.kept) != 3 || p.unsure.kept[0].rank < p.unsure.kept[2].rank {
		t.Errorf("the least sure: %+v", p.unsure.kept)
	}
}

// TestRankSaturated: documents whose probabilities round to 1 are ranked by their odds.
func TestRankSaturated(t *testing.T) {
	c, _ := trained(t, hostileData(5, false), "", func(o *nbsvm.Options) { bySpaces(o); o.Loss = "logistic" })
	p := &predictions{c: c}
	p.wrong.most, p.unsure.most = 3, 3
	for number, odds := range []float64{50, 90, 70} {
		d := &nbsvm.Judgement{
			Want: []int{1}, Odds: []float64{odds, -odds, -200, -200, -200},
			Prediction: nbsvm.Prediction{Labels: []int{0}, Scores: []float64{1, 0, 0, 0, 0}},
		}
		p.rank(number, c.Loss(d), d)
	}
	numbers := func(r ranking) (all []int) {
		for _, one := range r.kept {
			all = append(all, one.number)
		}
		return all
	}
	if wrong, unsure := numbers(p.wrong), numbers(p.unsure); !slices.Equal(wrong, []int{1, 2, 0}) || !slices.Equal(unsure, []int{0, 2, 1}) {
		t.Errorf("most wrong %v, want [1 2 0]; least sure %v, want [0 2 1]", wrong, unsure)
	}
}

// TestCurves: points are those of a plain count at every threshold, however many are left out.
func TestCurves(t *testing.T) {
	random := xmath.SplitMix(3)
	for _, n := range []int{0, 1, 2, 50, 5000} {
		var all []decision
		positives := 0
		for range n {
			d := decision{score: float64(random.IntN(2000))/1000 - 1, right: random.IntN(3) == 0}
			if d.right {
				positives++
			}
			all = append(all, d)
		}
		c := newCurve("", "", "", slices.Clone(all), positives, false)
		if len(c.Points) > mostPoints || n > 0 && (c.Points[len(c.Points)-1][1] != float64(positives) || c.Positives != positives) {
			t.Fatalf("of %d decisions: %d points", n, len(c.Points))
		}
		for _, p := range c.Points {
			tp, fp := 0.0, 0.0
			for _, d := range all {
				switch {
				case d.score < p[0]:
				case d.right:
					tp++
				default:
					fp++
				}
			}
			if tp != p[1] || fp != p[2] {
				t.Errorf("of %d decisions at %v: %v and %v, want %v and %v", n, p[0], p[1], p[2], tp, fp)
			}
		}
		sum := 0
		for i := range c.Positive {
			sum += c.Positive[i] + c.Negative[i]
		}
		if sum != n {
			t.Errorf("the histogram has %d of %d decisions", sum, n)
		}
	}
	if c := newCurve("", "", "", []decision{{math.Inf(1), true}, {math.Inf(-1), false}, {5e-324, true}}, 2, false); len(c.Points) != 3 {
		t.Errorf("infinite scores: %+v", c)
	} else if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
}

// TestConfusion: classes with the most errors are shown, in the order of labels, with the sums of their whole rows.
func TestConfusion(t *testing.T) {
	counts := map[pair]int{{0, 0}: 5, {0, 3}: 4, {3, 3}: 1, {1, 1}: 9, {1, 2}: 2, {2, 2}: 2, {4, 4}: 3}
	c := newConfusion(counts, 6, false)
	if !slices.Equal(c.Labels, []int{0, 1, 2, 3, 4}) || !slices.Equal(c.Sums, []int{9, 11, 2, 1, 3, 0}) || len(c.Cells) != len(counts) || c.Left != 0 {
		t.Errorf("%+v", c)
	}
	counts = map[pair]int{}
	for k := range 300 {
		counts[pair{k, k}] = 10
		counts[pair{k, (k + 1) % 300}] = k
	}
	if c := newConfusion(counts, 300, false); len(c.Labels) != mostConfused || c.Left != 150 || slices.Contains(c.Labels, 10) || !slices.Contains(c.Labels, 290) ||
		c.Sums[slices.Index(c.Labels, 290)] != 300 {
		t.Errorf("of 300 classes: %v", c.Labels)
	}
}

// TestSize: a page of many classes and long texts is small.
func TestSize(t *testing.T) {
	must.SkipUnderRace(t)
	var b strings.Builder
	random := xmath.SplitMix(11)
	for i := range 1200 {
		fmt.Fprintf(&b, "a class with a rather long name, number %d\t", i%150)
		for range 400 {
			fmt.Fprintf(&b, "word%d ", random.IntN(3000))
		}
		b.WriteString("\n")
	}
	c, in := trained(t, b.String(), "", func(o *nbsvm.Options) { o.Tol = 0.1 })
	o := Options{Documents: 100, Features: 400}
	page := pageOf(t, c, &in, o)
	if len(page) >= 3<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	t.Logf("%d bytes", len(page))
}

// TestRefused: what can't be shown is refused.
func TestRefused(t *testing.T) {
	c, in := trained(t, hostileData(3, false), "", bySpaces)
	other := filepath.Join(t.TempDir(), "other.tsv")
	must.OK(t, os.WriteFile(other, []byte("nobody\tknows this\n"), 0o666))
	in = in.With(other)
	err := Write(context.Background(), c, &in, shown, new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), "knows none of the labels") {
		t.Errorf("unknown labels: %v", err)
	}
}

// TestManyClasses: of very many classes the worst are in the table.
func TestManyClasses(t *testing.T) {
	const classes = 3000
	var rows []classRow
	for k := range classes {
		rows = append(rows, classRow{Class: k, Support: int64(k % 50), F1: float64(k) / classes})
	}
	some, left := worst(rows)
	if len(some) != mostClasses || left != classes-mostClasses || some[0].Class != 0 || some[mostClasses-1].Class != mostClasses-1 {
		t.Errorf("%d rows, %d left", len(some), left)
	}
}
