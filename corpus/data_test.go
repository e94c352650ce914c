package corpus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// dataFile is a file of the corpora that NBSVM_DATA names.
func dataFile(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("NBSVM_DATA")
	if root == "" {
		t.Skip("NBSVM_DATA is not set: it names the folder of corpora that this test reads")
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("NBSVM_DATA lacks a corpus: %v", err)
	}
	return path
}

func TestRealCorpora(t *testing.T) {
	for _, test := range []struct {
		parts   []string
		o       Input
		docs    int
		classes int // different labels
		empty   int // documents of empty text
		none    int // documents without label
	}{
		{[]string{"imdb", "test.tsv.zst"}, Input{}, 25000, 2, 0, 0},
		{[]string{"trec", "train.tsv.zst"}, Input{}, 5452, 6, 0, 0},
		{[]string{"trec", "test.tsv.zst"}, Input{}, 500, 6, 0, 0},
		{[]string{"20news", "train.tsv.zst"}, Input{}, 11314, 20, 18, 0},
		{[]string{"reuters21578-modapte", "train.tsv.zst"}, Input{LabelSep: ","}, 9603, 115, 0, 1828},
		{[]string{"reuters21578-modapte", "test.tsv.zst"}, Input{LabelSep: ","}, 3299, 93, 0, 280},
		{[]string{"libsvm", "a9a.zst"}, Input{}, 32561, 2, 0, 0},
		{[]string{"libsvm", "heart_scale"}, Input{}, 270, 2, 0, 0},
		{[]string{"badinput", "blns", "blns.txt"}, Input{Unlabelled: true}, 742, 0, 77, 742}, // a byte order mark alone is empty
	} {
		t.Run(strings.Join(test.parts, "/"), func(t *testing.T) {
			all, err := readWith([]string{dataFile(t, test.parts...)}, nil, test.o, chunkSize, chunkLimit)
			must.OK(t, err)
			classes := map[string]bool{}
			empty, none := 0, 0
			for _, d := range all {
				if d.Err != nil {
					t.Fatal(d.Err)
				}
				for _, label := range d.Labels {
					classes[string(label)] = true
				}
				if len(d.Text) == 0 {
					empty++
				}
				if len(d.Labels) == 0 {
					none++
				}
			}
			if len(all) != test.docs || len(classes) != test.classes || empty != test.empty || none != test.none {
				t.Errorf("%d documents, %d classes, %d empty, %d without label; want %d, %d, %d, %d",
					len(all), len(classes), empty, none, test.docs, test.classes, test.empty, test.none)
			}
		})
	}
}
