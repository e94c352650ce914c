package fasttext

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// realData is a file of real data; the test is skipped where there is none.
func realData(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv("NBSVM_DATA")
	if folder == "" {
		t.Skip("NBSVM_DATA is not set: it is the folder of real corpora and models")
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("NBSVM_DATA has no %s", name)
	}
	return path
}

// texts are the texts of a file label<TAB>text, compressed, or all lines of another.
func realTexts(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open(realData(t, name))
	must.OK(t, err)
	defer f.Close()
	var all []byte
	if !strings.HasSuffix(name, ".zst") {
		if all, err = io.ReadAll(f); err != nil {
			t.Fatal(err)
		}
		return append(bytes.TrimSuffix(all, []byte{'\n'}), '\n')
	}
	z, err := zstd.NewReader(f)
	must.OK(t, err)
	defer z.Close()
	if all, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	var texts []byte
	for line := range bytes.Lines(all) {
		_, text, _ := bytes.Cut(line, []byte{'\t'})
		texts = append(texts, text...)
	}
	return texts
}

// TestLanguages compares with fastText what its identifier of languages says of real texts.
func TestLanguages(t *testing.T) {
	needFastText(t)
	file := realData(t, "fasttext/lid.176.ftz")
	data, err := os.ReadFile(file)
	must.OK(t, err)
	m, err := Read(data)
	must.OK(t, err)
	for name, most := range map[string]int{ // bytes
		"bible-langid/test.tsv.zst": math.MaxInt, "badinput/blns/blns.txt": math.MaxInt, "imdb/test.tsv.zst": 6 << 20,
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && strings.HasPrefix(name, "imdb") {
				t.Skip("-short")
			}
			texts := realTexts(t, name)
			if len(texts) > most {
				texts = texts[:1+bytes.LastIndexByte(texts[:most], '\n')]
			}
			path := filepath.Join(t.TempDir(), "texts")
			must.OK(t, os.WriteFile(path, texts, 0o600))
			s, scores := m.NewScorer(), make([]float64, len(m.labels))
			n, largest := 0, 0.0
			lines := bytes.Split(runFastText(t, "predict-prob", file, path), []byte{'\n'})
			for text := range bytes.Lines(texts) {
				best, err := s.Score(text, scores, []int{})
				must.OK(t, err)
				label, p := parseLine(t, string(lines[n]))
				if d := math.Abs(p - scores[best]); label != m.labels[best] && d > 1e-6 {
					t.Errorf("%.60q: %s %.7f, fastText has %s %.7f", text, m.labels[best], scores[best], label, p)
				} else {
					largest = max(largest, d)
				}
				n++
			}
			if n != len(lines)-1 {
				t.Errorf("%d lines, fastText has %d", n, len(lines)-1)
			}
			if largest > 1e-5 {
				t.Errorf("a probability differs by %.3g", largest)
			}
			t.Logf("%d texts, largest difference %.3g", n, largest)
		})
	}
}
