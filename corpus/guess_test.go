package corpus

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestGuesses: what files without a telling name are, of which the first line does not tell all.
func TestGuesses(t *testing.T) {
	words := strings.Repeat("some words\n", 100)
	pairs := strings.Repeat("label\ttext\n", 100)
	for _, test := range []struct {
		name, content string
		o             Input
		want          Format // Auto if it is refused
		says          string // in the note or error
	}{
		{"a", "__label__x words\n" + words, Input{Unlabelled: true}, FastText, "its first line looks like __label__x text"},
		{"a.txt", "__label__x words\nwords\n", Input{Unlabelled: true}, FastText, "its first line looks like __label__x text"},
		{"a", words + "a\tb\n", Input{Unlabelled: true}, Lines, ""},
		{"a", "a\tb\n" + words, Input{Unlabelled: true}, Lines, "1 of its first 101 lines have a tab"},
		{"a", "words\n" + pairs, Input{Unlabelled: true}, Auto, "100 of its first 101 lines have a tab"},
		{"a.tsv", "a\tb\nwords\nwords\n", Input{Unlabelled: true}, Auto, "may be lines of text or label<TAB>text"},
		{"a", pairs + "no tab\n", Input{}, TSV, "its first line looks like label<TAB>text"},
		{"a", "\n\n" + words, Input{}, Auto, "no known format"},
		{"a", "{\"text\":\"x\"}\n", Input{Unlabelled: true}, JSONL, "its first line looks like one JSON object"},
		{"a.txt", words, Input{Unlabelled: true}, Lines, ""},
		{"a.txt", pairs, Input{Unlabelled: true}, Lines, "as its name says, although its first line has a tab"},
		{"a.txt", pairs, Input{}, TSV, "its first line looks like label<TAB>text"},
		{"a.txt", "text\tlabel\n" + pairs, Input{Unlabelled: true, TextField: "text"}, TSV, "its first line"},
		{"a.tsv", words, Input{Unlabelled: true}, Lines, "0 of its first 100 lines have a tab"},
		{"a.tsv", pairs + "no tab\n", Input{Unlabelled: true}, TSV, "names the columns"},
		{"a.tsv", "\"Title\" without a label\n" + pairs, Input{Unlabelled: true}, TSV, ""},
		// Quotes as in CSV.
		{"a.tsv", "pos\t\"a \"\"good\"\" film\"\n" + pairs, Input{}, Auto, "fields in quotes, as pandas and spreadsheets write them, the first in line 1: read them with Input.Format csv and Input.Delimiter tab"},
		{"a.tsv", "pos\t\"a \"\"good\"\" film\"\n" + pairs, Input{Format: TSV}, TSV, ""},
		{"a.tsv", "pos\t\"a \"\"good\"\" film\"\npos\t\"Title\" is it\n", Input{}, TSV, ""},
		{"a.tsv", "pos\t\"Wow\"\n" + pairs, Input{}, TSV, ""},
		{"a.tsv", "pos\t\"he said\nneg\tto her\"\n" + pairs, Input{}, TSV, ""},
	} {
		t.Run(fmt.Sprintf("%s %.20q", test.name, test.content), func(t *testing.T) {
			read := func(path string, in io.Reader, block int) (Format, string, error) {
				note := ""
				test.o.Note = func(path, what string) { note += what + "; " }
				r, err := Open(from([]string{path}, in, test.o))
				must.OK(t, err)
				defer r.Close()
				r.block, r.limit = block, 7
				got := Auto
				for {
					c, err := r.Next()
					if err == io.EOF {
						err = r.Close() // which may tell more
						return got, note, err
					}
					if err != nil {
						return got, note, err
					}
					got = c.Format()
					c.Append(nil)
				}
			}
			path := writeFile(t, test.name, test.content)
			for _, block := range []int{100, chunkSize} {
				got, note, err := read(path, nil, block)
				switch {
				case test.want == Auto:
					wantFileError(t, err, test.says)
				case err != nil || got != test.want || !strings.Contains(note, test.says) || (test.says == "") != (note == ""):
					t.Errorf("%s, %v; it says %q; want %s and %q", got, err, note, test.want, test.says)
				}
			}
		})
	}
}

// TestDelimiters: columns of CSV are separated as the header has it, or as it is said.
func TestDelimiters(t *testing.T) {
	for _, delimiter := range []string{",", ";", "|", "\t"} {
		content := strings.ReplaceAll("label;text;id\npos;\"a; \"\"good\"\"\nfilm\";1\nneg;so, so|x;2\n", ";", delimiter)
		content = strings.ReplaceAll(content, "so"+delimiter+" so", "\"so"+delimiter+" so\"")
		content = strings.ReplaceAll(content, "so|x", map[string]string{"|": "\"so|x\""}[delimiter]+"")
		want := strings.ReplaceAll("pos:a; \"good\"\nfilm;neg:", ";", delimiter)
		for _, o := range []Input{{}, {TextField: "text", LabelField: "label"}, {Delimiter: delimiter[0]}, {TextField: "2", LabelField: "1", Delimiter: delimiter[0]}} {
			note := ""
			o.Note = func(_, what string) { note += what }
			all, err := readWith([]string{writeFile(t, "a.csv", content)}, nil, o, 10, 2)
			if err != nil || len(all) != 2 || all[0].Err != nil || string(all[0].Text) != "a"+delimiter+" \"good\"\nfilm" {
				t.Errorf("%q, %+v: %v, %v; want %q", content, o.fields(), brief(flatten(all)), err, want)
			}
			if told := strings.Contains(note, "separated by"); told != (o.Delimiter == 0 && delimiter != ",") {
				t.Errorf("%q: it says %q", delimiter, note)
			}
		}
	}
	for content, want := range map[string]string{
		"review;stars;id\na;b;c\n": `it has "review", "stars", "id"`,
		"text\na\n":                `no column "label"`,
	} {
		_, err := readWith([]string{writeFile(t, "a.csv", content)}, nil, Input{}, chunkSize, chunkLimit)
		wantFileError(t, err, want)
	}
}
