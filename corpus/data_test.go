package corpus

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
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

// TestCSVSpectrum reads every column of the CSV corner cases as text and
// compares with the expected JSON, which stands beside them.
func TestCSVSpectrum(t *testing.T) {
	folder := dataFile(t, "badinput", "csv-spectrum", "csvs")
	paths, err := filepath.Glob(filepath.Join(folder, "*.csv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".csv")
		t.Run(name, func(t *testing.T) {
			want := spectrum(t, filepath.Join(folder, "..", "json", name+".json"))
			if name == "location_coordinates" {
				want[0]["Contact Phone Number"] = "2095257564" // the two files disagree
			}
			for column := range want[0] {
				all, err := readWith([]string{path}, nil, Input{Unlabelled: true, TextField: column}, chunkSize, chunkLimit)
				must.OK(t, err)
				if len(all) != len(want) {
					t.Fatalf("%d records, want %d", len(all), len(want))
				}
				for i, d := range all {
					// Git has turned CR LF into LF in these files.
					expected := strings.ReplaceAll(want[i][column], "\r\n", "\n")
					if got := strings.ToValidUTF8(string(d.Text), "\ufffd"); d.Err != nil || got != expected {
						t.Errorf("record %d, column %s: %q (%v), want %q", i, column, got, d.Err, expected)
					}
				}
			}
		})
	}
}

// spectrum is an expected result: an array of objects, or one object.
func spectrum(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must.OK(t, err)
	if text[0] == '{' {
		text = append(append([]byte{'['}, text...), ']')
	}
	must.OK(t, json.Unmarshal(text, &rows))
	return rows
}

// TestNaughtyStrings takes every hostile string through every format.
func TestNaughtyStrings(t *testing.T) {
	raw, err := os.ReadFile(dataFile(t, "badinput", "blns", "blns.json"))
	must.OK(t, err)
	var naughty []string
	must.OK(t, json.Unmarshal(raw, &naughty))
	var asJSON, asTSV, asLines, asCSV bytes.Buffer
	asCSV.WriteString("label,text\n")
	w := csv.NewWriter(&asCSV)
	for _, s := range naughty {
		line, _ := json.Marshal(map[string]string{"text": s, "label": "x"})
		asJSON.Write(append(line, '\n'))
		asTSV.WriteString("x\t" + s + "\n")
		asLines.WriteString(s + "\n")
		w.Write([]string{"x", s})
	}
	w.Flush()
	for _, test := range []struct {
		text string
		o    Input
	}{{asJSON.String(), labelled(JSONL)}, {asTSV.String(), labelled(TSV)}, {asLines.String(), unlabelled(Lines)}, {asCSV.String(), labelled(CSV)}} {
		all := mustRead(t, test.text, test.o)
		if len(all) != len(naughty) {
			t.Fatalf("%v: %d documents, want %d", test.o.Format, len(all), len(naughty))
		}
		for i, d := range all {
			want := naughty[i]
			if test.o.Format == Lines { // a byte order mark at the beginning of a line comes of joining files
				want = strings.TrimPrefix(want, "\ufeff")
			}
			if d.Err != "" || d.Text != want {
				t.Errorf("%v, document %d: %q %s, want %q", test.o.Format, i, d.Text, d.Err, want)
			}
		}
	}
}
