package tests

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
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

// margins holds those of the test documents against our weights on the exported rows.
func (c *comparison) margins(t *testing.T, classifier *nbsvm.Classifier, w *linear) {
	t.Helper()
	x, i := exportMatrix(t, classifier, c.test(), c.class), 0
	output := max(0, slices.Index(classifier.Labels(), c.class))
	if modelOf(t, classifier).Outputs == 1 {
		output = 0
	}
	_, err := classifier.Score(context.Background(), c.test(), nbsvm.ScoreOptions{Threads: 1}, func(dst []byte, _ *corpus.Document, p []nbsvm.Prediction) []byte {
		if got, want := x.dot(i, w, 0), p[0].Margins[output]; math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("document %d has the margin %v, its row %v", i, want, got)
		}
		i++
		return dst
	}, io.Discard)
	must.OK(t, err)
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
	training, test func() corpus.Input
	class          string
	trainFile      string
	x              *exported // training documents
}

func (c *comparison) export(t *testing.T, dir string, classifier *nbsvm.Classifier) {
	t.Helper()
	c.trainFile = filepath.Join(dir, "train.svm")
	create(t, c.trainFile, func(w *os.File) error {
		return inside.ExportMatrix(context.Background(), classifier, c.training(), 0, nil, c.class, w)
	})
	data, err := os.ReadFile(c.trainFile)
	must.OK(t, err)
	c.x = parseMatrix(t, data)
}

// with trains by the options, exports to dir what is not there yet, and compares
// objectives and margins.
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
	c.margins(t, classifier, w)
}

// plain is NBSVM or SVM as LIBLINEAR could train it on the matrix.
func plain(o *nbsvm.Options) {
	o.Normalize, o.Beta, o.Text.Families, o.Tol = false, 1, bigrams, 1e-3
	o.MinDF = 5
}

func TestLiblinearMadeUp(t *testing.T) {
	must.SkipUnderRace(t)
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

// exportWeights gives the weights of a model for the rows that ExportMatrix writes.
func exportWeights(t testing.TB, c *nbsvm.Classifier, class string) *linear {
	t.Helper()
	m := inside.Classifier(c).Model()
	report, err := c.Report()
	must.OK(t, err)
	l := &linear{header: map[string]string{"label": "1 -1"}, bias: cmp.Or(report.Options.Bias, -1)}
	outputs := []int{0}
	if class != "" && m.Outputs > 1 {
		outputs[0] = slices.Index(c.Labels(), class)
	} else if m.Outputs > 1 {
		outputs, l.header["label"] = nil, ""
		for k := range m.Outputs {
			outputs, l.header["label"] = append(outputs, k), fmt.Sprint(l.header["label"], " ", k+1)
		}
	}
	weights := make([]float64, m.Outputs)
	for row := range m.Keys.Size() {
		m.RowWeights(row, weights)
		ratio := 1.0
		if m.Ratio != nil {
			ratio = float64(m.Ratio.At(row))
		}
		var ours []float64
		for _, output := range outputs {
			if ours = append(ours, 0); ratio != 0 {
				ours[len(ours)-1] = weights[output] / ratio
			}
		}
		l.rows = append(l.rows, ours)
	}
	if l.bias > 0 {
		var ours []float64
		for _, output := range outputs {
			ours = append(ours, m.Bias[output]/l.bias)
		}
		l.rows = append(l.rows, ours)
	}
	return l
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
