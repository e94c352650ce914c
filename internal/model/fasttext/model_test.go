package fasttext

import (
	"encoding/binary"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

var update = flag.Bool("update", false, "write testdata anew, which needs fasttext")

// tiny are small models of every kind that testdata holds: what they were trained with, and quantized.
var tiny = map[string][2]string{
	"bigrams.bin":  {"-dim 3 -wordNgrams 2 -bucket 20", ""},
	"wide.bin":     {"-dim 8 -loss ova", ""},
	"words.bin":    {"-dim 2 -loss ova", ""},
	"subwords.bin": {"-dim 2 -loss ns -minn 2 -maxn 3 -bucket 30", ""},
	"tree.bin":     {"-dim 4 -loss hs -wordNgrams 3 -bucket 10", ""},
	"pruned.ftz":   {"-dim 4 -loss hs -minn 1 -maxn 4 -wordNgrams 2 -bucket 400", "-qnorm -cutoff 300"},
	"whole.ftz":    {"-dim 3 -loss softmax -wordNgrams 2 -bucket 300", "-dsub 2"},
}

func TestTiny(t *testing.T) {
	if *update {
		needFastText(t)
	}
	for name, options := range tiny {
		if *update {
			folder := t.TempDir()
			texts, out := filepath.Join(folder, "train"), filepath.Join(folder, "model")
			must.OK(t, os.WriteFile(texts, trainingTexts(3, 30), 0o600))
			runFastText(t, strings.Fields("supervised -thread 1 -epoch 20 -input "+texts+" -output "+out+" "+options[0])...)
			if options[1] != "" {
				runFastText(t, strings.Fields("quantize -thread 1 -input "+texts+" -output "+out+" "+options[1])...)
			}
			data, err := os.ReadFile(out + filepath.Ext(name))
			must.OK(t, err)
			must.OK(t, os.WriteFile(filepath.Join("testdata", name), data, 0o644))
		}
		m, err := Read(tinyFile(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(m.Labels()) != 3 || m.Labels()[0] != "c0" {
			t.Errorf("%s: labels %q", name, m.Labels())
		}
	}
}

func tinyFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	must.OK(t, err)
	return data
}

func readTiny(t testing.TB, name string) *Model {
	t.Helper()
	m, err := Read(tinyFile(t, name))
	must.OK(t, err)
	return m
}

// TestTruncated: no file that is cut off is a model, and the error says where it ends.
func TestTruncated(t *testing.T) {
	for name := range tiny {
		data := tinyFile(t, name)
		for n := range len(data) {
			if n > 5000 {
				n = len(data) - (n - 5000)
			}
			_, err := Read(data[:n])
			if err == nil || n >= 4 && !strings.Contains(err.Error(), "the file is damaged") {
				t.Fatalf("%s: %d bytes of %d: %v", name, n, len(data), err)
			}
		}
		if _, err := Read(append(data, 0)); err == nil || !strings.Contains(err.Error(), "1 byte past the end: the file is damaged") {
			t.Errorf("%s, and a byte more: %v", name, err)
		}
	}
}

// TestRefused: errors name the place, the value, and what to do.
func TestRefused(t *testing.T) {
	bin := "bigrams.bin"
	numbers := len(tinyFile(t, bin)) - 3*3*4 // of the output
	for _, test := range []struct {
		name  string
		at    int
		value uint32
		says  []string
	}{
		{bin, 0, 1, []string{"byte 0", `"\x01`, ".bin or .ftz"}},
		{bin, 4, 13, []string{"give a .bin or .ftz", "byte 4", "version 13", "11 and 12"}},
		{bin, 8, 1 << 31, []string{"the file is damaged", "byte 8", "dim is -2147483648"}},
		{bin, 8, 4, []string{"the file is damaged", "3", "4"}},
		{bin, 32, 9, []string{"the file is damaged", "byte 32", "loss is 9"}},
		{bin, 36, 1, []string{"give a .bin or .ftz", "byte 36", "word vectors", "fasttext supervised"}},
		{bin, 40, 0, []string{"the file is damaged", "bucket is 0"}},
		{bin, 40, 21, []string{"the file is damaged", "rows"}},
		{bin, 64, 1 << 30, []string{"the file is damaged", "byte 64", "entries"}},
		{bin, numbers, 0x7fc00000, []string{"the file is damaged", "NaN", "row 0 of the output"}},
		{"pruned.ftz", 40, 1, []string{"the file is damaged", "bucket"}},
	} {
		data := tinyFile(t, test.name)
		binary.LittleEndian.PutUint32(data[test.at:], test.value)
		_, err := Read(data)
		if err == nil {
			t.Errorf("%s, byte %d: no error", test.name, test.at)
			continue
		}
		for _, says := range test.says {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%s, byte %d: %v: want %q in it", test.name, test.at, err, says)
			}
		}
	}
}

// TestOverflow: numbers that are too large for each other are an error, no NaN.
func TestOverflow(t *testing.T) {
	for name := range tiny {
		data := tinyFile(t, name)
		changed := 0
		for i := len(data) - 40; i+4 <= len(data); i += 4 {
			if x := math.Float32frombits(binary.LittleEndian.Uint32(data[i:])); x-x == 0 {
				binary.LittleEndian.PutUint32(data[i:], math.Float32bits(math.MaxFloat32))
				changed++
			}
		}
		m, err := Read(data)
		if err != nil {
			continue
		}
		check(t, m, []byte(sentence(rand.New(rand.NewPCG(1, 1)), 0, 50)))
	}
}

// check scores a text, and looks at what comes of it.
func check(t testing.TB, m *Model, text []byte) {
	t.Helper()
	s := m.newScorer(20)
	scores, only := make([]float64, len(m.labels)), make([]float64, len(m.labels))
	best, err := s.Score(text, scores, nil)
	for _, p := range scores {
		if err == nil && !(p >= 0 && p < 1.1) {
			t.Errorf("%.60q: scores are %v", text, scores)
		}
	}
	other, err2 := s.Score(text, only, []int{})
	if best != other || (err == nil) != (err2 == nil) {
		t.Errorf("%.60q: best is %d, %v; asked for alone %d, %v", text, best, err, other, err2)
	}
	for k := range scores[:min(len(scores), 100)] {
		_, err := s.Score(text, only, []int{k})
		if err == nil && (only[k] != scores[k] || best >= 0 && only[best] != scores[best]) {
			t.Errorf("%.60q: score %d is %v, asked for alone %v", text, k, scores[k], only[k])
		}
	}
	if best >= 0 && len(m.labels) < 100 {
		s.Explain(text, best)
		m.WordMargins(func(int, []float64) {})
	}
}

// TestCache: sums of words are the same, whether the cache holds few of them or many, and however they came there.
func TestCache(t *testing.T) {
	for name := range tiny {
		m := readTiny(t, name)
		want, got := make([]float64, len(m.labels)), make([]float64, len(m.labels))
		r := rand.New(rand.NewPCG(3, 3))
		small := m.newScorer(3)
		for range 100 {
			text := []byte(sentence(r, 1, r.IntN(30)))
			a, err := small.Score(text, got, nil)
			b, err2 := m.NewScorer().Score(text, want, nil)
			if err != nil || err2 != nil || a != b {
				t.Fatalf("%s: %v, %v", name, err, err2)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %q: %v, want %v", name, text, got, want)
			}
		}
	}
}

// TestEnd: a token </s> ends a text, as it ends a line, and so does the end of the text.
func TestEnd(t *testing.T) {
	for name := range tiny {
		m := readTiny(t, name)
		s := m.NewScorer()
		a, b := make([]float64, 3), make([]float64, 3)
		for _, texts := range [][2]string{
			{"ba ke", "ba ke </s> mo mo mo"}, {"", "</s>"}, {"", " \t\n\r\v\f\x00"}, {"ba\nke\n", " ba ke"}, {"ba __label__c1 ke", "ba ke"},
		} {
			s.Score([]byte(texts[0]), a, nil)
			s.Score([]byte(texts[1]), b, nil)
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s: %q has %v, %q has %v", name, texts[0], a, texts[1], b)
			}
		}
	}
}

// TestExplain: the parts of a margin add up to what decides.
func TestExplain(t *testing.T) {
	for name := range tiny {
		m := readTiny(t, name)
		s := m.NewScorer()
		text := []byte(sentence(rand.New(rand.NewPCG(5, 5)), 1, 12))
		scores := make([]float64, 3)
		if _, err := s.Score(text, scores, nil); err != nil {
			t.Fatal(err)
		}
		margin := make([]float64, 3)
		for k := range margin {
			parts, _ := s.Explain(text, k)
			share := 0.0
			for _, p := range parts {
				margin[k] += p.Margin
				share += p.Value
			}
			var rows []uint32
			for p := range s.parts(text) {
				rows = append(rows, p.rows...)
			}
			want := m.margin(rows, m.effect(k)) / float64(len(rows))
			if math.Abs(margin[k]-want) > 1e-12*(1+math.Abs(want)) || math.Abs(share-1) > 1e-12 {
				t.Errorf("%s: parts add up to %v of %v of the text, want %v", name, margin[k], share, want)
			}
		}
		s.Spans(text, func(name []byte, tokens []hashing.Span) {
			var words []string
			for _, span := range tokens {
				words = append(words, string(text[span.Begin:span.End]))
			}
			if joined := strings.Join(words, " "); joined != string(name) && joined+" </s>" != string(name) {
				t.Errorf("%q lies at %q", name, joined)
			}
		})
		if m.Loss == Softmax {
			if got, want := margin[0]-margin[1], math.Log((scores[0]-1e-5)/(scores[1]-1e-5)); math.Abs(got-want) > 1e-4 {
				t.Errorf("%s: the margins differ by %v, the logarithms by %v", name, got, want)
			}
		}
		if m.Loss == OneVsAll {
			for k, x := range margin {
				if p := 1 / (1 + math.Exp(-x)); math.Abs(p-scores[k]) > 0.01 {
					t.Errorf("%s: margin %v, probability %v", name, x, scores[k])
				}
			}
		}
		for k := range margin {
			effect := m.effect(k)
			m.WordMargins(func(id int, margins []float64) {
				rows := []uint32{uint32(id)}
				if word := m.Word(id); string(word) != string(endOfLine) {
					rows, _ = m.appendToken(nil, new([]byte), word)
				}
				if want := m.margin(rows, effect) / float64(len(rows)); math.Abs(margins[k]-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("%s: word %q has %v, want %v", name, m.Word(id), margins[k], want)
				}
			})
		}
	}
}

// FuzzRead: any bytes give a model or an error, and a model scores any text.
func FuzzRead(f *testing.F) {
	for name := range tiny {
		f.Add(tinyFile(f, name), []byte("ba ke mo"), uint32(9), uint32(4))
	}
	f.Fuzz(func(t *testing.T, data, text []byte, at, value uint32) {
		if len(data) >= 4 {
			binary.LittleEndian.PutUint32(data[int(at)%(len(data)-3):], value)
			binary.LittleEndian.PutUint32(data, magic)
		}
		if m, err := Read(data); err == nil {
			check(t, m, text)
		}
	})
}
