package tests

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/inside"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// liblinear runs one of LIBLINEAR's programs.
func liblinear(t testing.TB, program string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not on the path (Debian: liblinear-tools): LIBLINEAR is what this test compares with", program)
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
}

// solverNumber is LIBLINEAR's -s for a loss.
var solverNumber = map[string]string{"hinge": "3", "squared-hinge": "1", "logistic": "7"}

// objective is the primal objective of a column of weights on a matrix: of the
// rows of that label against all others, which LIBLINEAR calls one vs the rest.
func objective(x *exported, w *linear, column int, label float64, loss string, cost float64) float64 {
	var sum float64
	for _, row := range w.rows {
		sum += row[column] * row[column] / 2
	}
	for i := range x.ends {
		z := x.dot(i, w, column)
		if x.labels[i] != label {
			z = -z
		}
		switch slack := max(0, 1-z); loss {
		case "hinge":
			sum += cost * slack
		case "squared-hinge":
			sum += cost * slack * slack
		default:
			sum += cost * (max(-z, 0) + math.Log1p(math.Exp(-math.Abs(z))))
		}
	}
	return sum
}

// labelsOf are a model's labels by column. Two classes have one column, whose
// positive values speak for the first.
func (l *linear) labelsOf(t testing.TB) []float64 {
	t.Helper()
	var labels []float64
	for _, field := range strings.Fields(l.header["label"]) {
		labels = append(labels, number(t, field))
	}
	return labels[:len(l.rows[0])]
}

// compareObjectives trains LIBLINEAR on the matrix in a file and requires our
// objectives, summed over classes, not to be larger than LIBLINEAR's by more than
// a thousandth.
func compareObjectives(t *testing.T, file string, x *exported, ours *linear, o *nbsvm.Options, eps string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "liblinear.model")
	bias := "-1"
	if o.Bias > 0 {
		bias = strconv.FormatFloat(o.Bias, 'g', -1, 64)
	}
	liblinear(t, "liblinear-train", "-q", "-s", solverNumber[o.Loss], "-c", fmt.Sprint(o.C), "-e", eps, "-B", bias, file, path)
	data, err := os.ReadFile(path)
	must.OK(t, err)
	theirs := parseLinear(t, data)
	total := func(l *linear) (sum float64) {
		for column, label := range l.labelsOf(t) {
			sum += objective(x, l, column, label, o.Loss, o.C)
		}
		return sum
	}
	if len(ours.rows) < len(theirs.rows) {
		t.Fatalf("LIBLINEAR has weights for %d features, we for %d", len(theirs.rows), len(ours.rows))
	}
	if len(theirs.rows[0]) != len(ours.rows[0]) {
		t.Fatalf("LIBLINEAR has %d columns of weights, we %d", len(theirs.rows[0]), len(ours.rows[0]))
	}
	a, b := total(ours), total(theirs)
	if a > b*(1+1e-3) {
		t.Errorf("objective %.6g, LIBLINEAR's %.6g", a, b)
	}
	t.Logf("objective %.8g, LIBLINEAR's %.8g", a, b)
}

// predictions runs LIBLINEAR's predict with our exported model on our
// exported matrix. Only where a margin is practically zero may they differ.
func (c *comparison) predictions(t *testing.T, classifier *nbsvm.Classifier) {
	t.Helper()
	modelFile, outFile := filepath.Join(t.TempDir(), "our.model"), filepath.Join(t.TempDir(), "out")
	create(t, modelFile, func(w *os.File) error { return inside.Classifier(classifier).ExportLiblinear(c.class, w) })
	liblinear(t, "liblinear-predict", "-q", c.testFile, modelFile, outFile)
	predicted, err := os.ReadFile(outFile)
	must.OK(t, err)
	theirs := strings.Fields(string(predicted))

	var margins bytes.Buffer
	_, err = classifier.Score(context.Background(), c.test(), nbsvm.ScoreOptions{}, func(dst []byte, _ *corpus.Document, p *nbsvm.Prediction) []byte {
		return fmt.Appendln(dst, strings.Trim(fmt.Sprint(p.Margins), "[]"))
	}, &margins)
	must.OK(t, err)
	output := slices.Index(classifier.Labels(), c.class)
	if modelOf(t, classifier).Outputs == 1 {
		output = 0
	}
	i, ties := 0, 0
	for line := range strings.Lines(margins.String()) {
		var values []float64
		for _, field := range strings.Fields(line) {
			values = append(values, number(t, field))
		}
		var want string
		if output < 0 {
			want = strconv.Itoa(slices.Index(values, slices.Max(values)) + 1)
		} else {
			m := values[output]
			values, want = []float64{m, -m}, "-1"
			if m > 0 {
				want = "1"
			}
		}
		if theirs[i] != want {
			slices.Sort(values)
			if gap := values[len(values)-1] - values[len(values)-2]; gap > 1e-6 {
				t.Fatalf("document %d: LIBLINEAR predicts %s, we %s by %v", i, theirs[i], want, gap)
			}
			ties++
		}
		i++
	}
	if i != len(theirs) || ties > 1+i/1000 {
		t.Errorf("%d documents, %d predictions of LIBLINEAR, %d ties", i, len(theirs), ties)
	}
}

func create(t *testing.T, path string, write func(*os.File) error) {
	t.Helper()
	f, err := os.Create(path)
	must.OK(t, err)
	must.OK(t, write(f))
	must.OK(t, f.Close())
}

// comparison of models of one matrix, which is exported once.
type comparison struct {
	training, test      func() corpus.Input
	class               string
	trainFile, testFile string
	x                   *exported // training documents
}

func (c *comparison) export(t *testing.T, dir string, classifier *nbsvm.Classifier) {
	t.Helper()
	c.trainFile, c.testFile = filepath.Join(dir, "train.svm"), filepath.Join(dir, "test.svm")
	for path, in := range map[string]corpus.Input{c.trainFile: c.training(), c.testFile: c.test()} {
		create(t, path, func(w *os.File) error {
			return inside.ExportMatrix(context.Background(), classifier, in, 0, nil, c.class, w)
		})
	}
	data, err := os.ReadFile(c.trainFile)
	must.OK(t, err)
	c.x = parseMatrix(t, data)
}

// with trains by the options, exports to dir what is not there yet, and compares
// objectives and predictions.
func (c *comparison) with(t *testing.T, dir string, o nbsvm.Options, eps string) {
	t.Helper()
	classifier, report := mustTrain(t, c.training(), o)
	if c.x == nil {
		c.export(t, dir, classifier)
	}
	w := exportWeights(t, classifier, c.class)
	if o = report.Options; len(classifier.Labels()) == 2 {
		// Weights are exported in float32, as the model has them.
		if got, want := objective(c.x, w, 0, 1, o.Loss, o.C), report.Solution.Primal; !near(got, want, 1e-4) {
			t.Errorf("training reports the objective %v, exported weights have %v", want, got)
		}
	}
	compareObjectives(t, c.trainFile, c.x, w, &o, eps)
	c.predictions(t, classifier)
}

// plain is NBSVM or SVM as LIBLINEAR could train it on the matrix.
func plain(o *nbsvm.Options) {
	o.Normalize, o.Beta, o.AutoBeta, o.AutoNgrams, o.Tol = false, 1, false, false, 1e-3
	o.MinDF = 5
}

func TestLiblinearMadeUp(t *testing.T) {
	ofNumbers(t)
	exactWeights(t)
	for _, classes := range []int{2, 4} {
		for _, kind := range []nbsvm.Kind{nbsvm.NBSVM, nbsvm.SVM} {
			for loss := range solverNumber {
				for _, cost := range []float64{0.01, 1} {
					for _, normalize := range []bool{false, true} {
						t.Run(fmt.Sprint(classes, "/", kind, "/", loss, "/C=", cost, "/normalize=", normalize), func(t *testing.T) {
							t.Parallel()
							s := small.with(func(s *shape) { s.classes = classes })
							class := ""
							if classes > 2 && kind == nbsvm.NBSVM {
								class = "class02"
							}
							o := options(plain, func(o *nbsvm.Options) {
								o.Kind, o.Loss, o.C, o.Normalize, o.Bias = kind, loss, cost, normalize, 0
							})
							if normalize {
								o.Bias = 0.5
							}
							c := comparison{training: s.input, test: s.with(func(s *shape) { s.seed = 2 }).input, class: class}
							c.with(t, t.TempDir(), o, "0.0001")
						})
					}
				}
			}
		}
	}
}

// exported is what ExportMatrix writes, read again.
type exported struct {
	labels []float64
	ends   []int
	ids    []int32 // from 0
	values []float64
}

func (x *exported) row(i int) ([]int32, []float64) {
	lo := 0
	if i > 0 {
		lo = x.ends[i-1]
	}
	return x.ids[lo:x.ends[i]], x.values[lo:x.ends[i]]
}

// dot is row i times a column of weights, the bias feature included.
func (x *exported) dot(i int, w *linear, column int) float64 {
	sum := 0.0
	if w.bias > 0 {
		sum = w.bias * w.rows[len(w.rows)-1][column]
	}
	ids, values := x.row(i)
	for n, j := range ids {
		sum += values[n] * w.rows[j][column]
	}
	return sum
}

func exportMatrix(t testing.TB, c *nbsvm.Classifier, in corpus.Input, class string) *exported {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, inside.ExportMatrix(context.Background(), c, in, 2, nil, class, &b))
	return parseMatrix(t, b.Bytes())
}

func parseMatrix(t testing.TB, data []byte) *exported {
	t.Helper()
	x := &exported{}
	for line := range bytes.Lines(data) {
		for n, field := range strings.Fields(string(line)) {
			if n == 0 {
				x.labels = append(x.labels, number(t, field))
				continue
			}
			index, value, _ := strings.Cut(field, ":")
			j, err := strconv.Atoi(index)
			if err != nil || j < 1 {
				t.Fatalf("index %q", index)
			}
			x.ids, x.values = append(x.ids, int32(j-1)), append(x.values, number(t, value))
		}
		x.ends = append(x.ends, len(x.ids))
	}
	return x
}

func number(t testing.TB, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	must.OK(t, err)
	return v
}

// linear is a model of LIBLINEAR: rows of weights by feature, the bias last.
type linear struct {
	header map[string]string
	bias   float64 // value of the bias feature, below 0 for none
	rows   [][]float64
}

func exportWeights(t testing.TB, c *nbsvm.Classifier, class string) *linear {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, inside.Classifier(c).ExportLiblinear(class, &b))
	return parseLinear(t, b.Bytes())
}

func parseLinear(t testing.TB, data []byte) *linear {
	t.Helper()
	l := &linear{header: map[string]string{}}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() && lines.Text() != "w" {
		key, value, _ := strings.Cut(lines.Text(), " ")
		l.header[key] = value
	}
	l.bias = number(t, l.header["bias"])
	for lines.Scan() {
		var row []float64
		for _, field := range strings.Fields(lines.Text()) {
			row = append(row, number(t, field))
		}
		l.rows = append(l.rows, row)
	}
	want := int(number(t, l.header["nr_feature"]))
	if l.bias >= 0 {
		want++
	}
	if len(l.rows) != want {
		t.Fatalf("%d rows of weights, want %d", len(l.rows), want)
	}
	return l
}
