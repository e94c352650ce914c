package fasttext

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// needFastText skips a test where there is no fastText.
func needFastText(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("fasttext"); err != nil {
		t.Skip("fasttext is not on the path (Debian: fasttext): it is what this test compares with")
	}
}

func runFastText(t testing.TB, args ...string) []byte {
	t.Helper()
	var out, complaint bytes.Buffer
	c := exec.Command("fasttext", args...)
	c.Stdout, c.Stderr = &out, &complaint
	if err := c.Run(); err != nil {
		t.Fatalf("fasttext %v: %v\n%s", args, err, complaint.Bytes())
	}
	return out.Bytes()
}

// wordOf is a word of a language of made-up words, of several scripts.
func wordOf(n int) string {
	syllables := []string{"ba", "ke", "lü", "mo", "né", "ри", "та", "水", "ล", "x"}
	var b strings.Builder
	for n += 3; n > 0; n /= len(syllables) {
		b.WriteString(syllables[n%len(syllables)])
	}
	return b.String()
}

// sentence is a text of a class.
func sentence(r *rand.Rand, class, words int) string {
	var b strings.Builder
	for range words {
		n := int(math.Exp(r.Float64() * 7))
		if r.IntN(3) == 0 {
			n = 2000 + class*7 + r.IntN(7)
		}
		b.WriteString(wordOf(n))
		b.WriteByte(' ')
	}
	return b.String()
}

func trainingTexts(classes, documents int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(classes)))
	var b bytes.Buffer
	for i := range documents {
		class := i % classes
		if i >= 2*classes && r.IntN(2) == 0 { // of different sizes
			class = r.IntN(1 + class)
		}
		fmt.Fprintf(&b, "__label__c%d %s\n", class, sentence(r, class, 4+r.IntN(12)))
	}
	return b.Bytes()
}

// oddTexts are texts that are unlike those of training.
func oddTexts(classes int) []byte {
	r := rand.New(rand.NewPCG(2, uint64(classes)))
	var b bytes.Buffer
	for i := range 60 {
		b.WriteString(sentence(r, i%classes, 1+r.IntN(20)) + "\n")
	}
	b.WriteString("\n \t \nqqq zzz\nqqq\n__label__c1 ba ke\nba __label__c0 ke __label__nosuch mo __label__\n")
	b.WriteString("ba\x00ke\vmo\fné\rри\n\xff\xfe ba\xff \x80\x80 \xe6\xb0 ké\n")
	b.WriteString(strings.Repeat("水", 300) + " " + strings.Repeat("ba", 16) + " " + strings.Repeat("ba", 17) + "x\n")
	for range 40 {
		for range r.IntN(60) {
			if c := byte(r.IntN(256)); c != '\n' {
				b.WriteByte(c)
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString(sentence(r, 0, 100_000) + "\n")
	return b.Bytes()
}

// predictions are fastText's of each line: probabilities by label, and the first label.
func predictions(t testing.TB, model, texts string, classes int) (all []map[string]float64, best []string) {
	t.Helper()
	top := runFastText(t, "predict-prob", model, texts)
	for line := range bytes.Lines(runFastText(t, "predict-prob", model, texts, strconv.Itoa(classes))) {
		fields := strings.Fields(string(line))
		one := map[string]float64{}
		for i := 0; i+1 < len(fields); i += 2 {
			p, err := strconv.ParseFloat(fields[i+1], 64)
			must.OK(t, err)
			one[strings.TrimPrefix(fields[i], labelPrefix)] = p
		}
		all = append(all, one)
	}
	for line := range bytes.Lines(top) {
		label, _, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		best = append(best, strings.TrimPrefix(label, labelPrefix))
	}
	return all, best
}

// agreement is how two programs' predictions of texts differ.
type agreement struct {
	texts, labels int
	largest       float64
	at            string
}

func compare(t testing.TB, m *Model, texts []byte, all []map[string]float64, best []string) (a agreement) {
	t.Helper()
	s := m.NewScorer()
	scores, only := make([]float64, len(m.labels)), make([]float64, len(m.labels))
	i := 0
	for line := range bytes.Lines(texts) {
		if i >= len(all) || i >= len(best) {
			t.Fatalf("fastText has %d and %d rows", len(all), len(best))
		}
		k, err := s.Score(bytes.TrimSuffix(line, []byte{'\n'}), scores, nil)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		label := ""
		if k >= 0 {
			label = m.labels[k]
		}
		other, err := s.Score(bytes.TrimSuffix(line, []byte{'\n'}), only, []int{})
		if err != nil || other != k || k >= 0 && math.Abs(only[k]-scores[k]) > 1e-7 {
			t.Errorf("line %d: only the best: %d, %v; with all: %d", i+1, other, err, k)
		}
		if label != best[i] && math.Abs(all[i][label]-all[i][best[i]]) > 1e-6 {
			t.Errorf("line %d, %.40q: label %q (%v), fastText has %q (%v)", i+1, line, label, all[i][label], best[i], all[i][best[i]])
			a.labels++
		}
		if len(all[i]) == 0 && k >= 0 {
			t.Errorf("line %d, %.40q: label %q, fastText has none", i+1, line, label)
		}
		for k, label := range m.labels {
			want, ok := all[i][label]
			if !ok && len(all[i]) > 0 {
				continue // two lines of a label are one in the map
			}
			d := math.Abs(scores[k] - want)
			if len(line) > 100_000 { // fastText adds up a hundred thousand numbers in float32
				d /= 100
			}
			if d > a.largest {
				a.largest, a.at = d, fmt.Sprintf("line %d, label %s: %v, fastText has %v", i+1, label, scores[k], want)
			}
		}
		i++
	}
	a.texts = i
	if i != len(all) {
		t.Errorf("%d rows, fastText has %d", i, len(all))
	}
	return a
}

func TestAgainstFastText(t *testing.T) {
	needFastText(t)
	for i, test := range []struct {
		classes  int
		train    string
		quantize string // nil for none, "-" for no option
	}{
		{1, "-dim 5 -wordNgrams 2 -bucket 200", ""},
		{1, "-dim 5 -loss hs", ""},
		{1, "-dim 5 -loss ova", ""},
		{1, "-dim 5 -minn 2 -maxn 3 -bucket 2000", "-qnorm -cutoff 400"},
		{2, "-dim 100 -wordNgrams 2 -bucket 20000", ""},
		{2, "-dim 2", ""},
		{2, "-dim 10 -loss hs", ""},
		{2, "-dim 10 -loss ns", ""},
		{2, "-dim 10 -loss ova -wordNgrams 3 -bucket 5000", ""},
		{3, "-dim 2 -wordNgrams 5 -bucket 3000", ""},
		{3, "-dim 16 -minn 2 -maxn 4 -bucket 4000", ""},
		{5, "-dim 16 -minn 1 -maxn 3 -wordNgrams 2 -bucket 4000 -loss hs", ""},
		{5, "-dim 7 -minn 3 -maxn 6 -bucket 4001 -loss ova", ""},
		{20, "-dim 16 -loss hs -minn 2 -maxn 4 -bucket 5000", ""},
		{300, "-dim 10 -loss hs -lr 1", ""},
		{300, "-dim 100 -loss softmax -lr 1 -wordNgrams 2 -bucket 10000", ""},
		{30, "-dim 10 -loss ns -lr 0.5 -minn 2 -maxn 3 -bucket 1000", ""},
		{300, "-dim 12 -loss ova -lr 0.5", ""},
		{2, "-dim 10 -wordNgrams 2 -bucket 2000", "-"},
		{2, "-dim 9 -wordNgrams 2 -bucket 2000", "-qnorm"},
		{3, "-dim 16 -minn 2 -maxn 4 -bucket 4000", "-qnorm -cutoff 1000"},
		{3, "-dim 16 -minn 2 -maxn 4 -bucket 4000 -loss hs", "-qnorm -cutoff 500 -retrain"},
		{300, "-dim 10 -loss hs -lr 1 -minn 2 -maxn 3 -bucket 5000", "-qnorm -qout -cutoff 2000"},
		{300, "-dim 10 -loss softmax -lr 1", "-qout"},
		{300, "-dim 10 -loss softmax -lr 1", "-qout -qnorm -dsub 4"},
		{300, "-dim 10 -loss ova -lr 1 -wordNgrams 2 -bucket 3000", "-qout -qnorm -dsub 3"},
		{300, "-dim 10 -loss ns -lr 1", "-qout -cutoff 1000"},
		{5, "-dim 7 -wordNgrams 2 -bucket 1000 -loss ova", "-dsub 7 -cutoff 1500"},
	} {
		t.Run(strings.ReplaceAll(fmt.Sprintf("%d%s%s", test.classes, test.train, test.quantize), " ", ""), func(t *testing.T) {
			if testing.Short() && i%3 > 0 {
				t.Skip("takes a second")
			}
			folder := t.TempDir()
			texts, model := filepath.Join(folder, "train"), filepath.Join(folder, "model")
			must.OK(t, os.WriteFile(texts, trainingTexts(test.classes, 600), 0o600))
			runFastText(t, append(strings.Fields("supervised -thread 1 -seed 3 -input "+texts+" -output "+model), strings.Fields(test.train)...)...)
			file := model + ".bin"
			if test.quantize != "" {
				args := strings.Fields("quantize -thread 1 -input " + texts + " -output " + model)
				if test.quantize != "-" {
					args = append(args, strings.Fields(test.quantize)...)
				}
				runFastText(t, args...)
				file = model + ".ftz"
			}
			odd := oddTexts(test.classes)
			questions := filepath.Join(folder, "odd")
			must.OK(t, os.WriteFile(questions, odd, 0o600))
			data, err := os.ReadFile(file)
			must.OK(t, err)
			m, err := Read(data)
			must.OK(t, err)
			all, best := predictions(t, file, questions, test.classes)
			a := compare(t, m, odd, all, best)
			if a.largest > 1e-5 {
				t.Errorf("a probability differs by %.3g: %s", a.largest, a.at)
			}
			t.Logf("folded %v, %d texts, largest difference %.3g", m.Folded, a.texts, a.largest)
		})
	}
}

// parseLine is a line of fastText's with one label and its probability.
func parseLine(t testing.TB, line string) (label string, p float64) {
	t.Helper()
	label, number, _ := strings.Cut(line, " ")
	p, err := strconv.ParseFloat(number, 64)
	must.OK(t, err)
	return strings.TrimPrefix(label, labelPrefix), p
}
