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
	ends := strings.Repeat("some words __label__x\n", 100)
	titles := ""
	for i := range 100 {
		titles += fmt.Sprintf("title %d\ttext\n", i)
	}
	for _, test := range []struct {
		name, content string
		o             Input
		want          Format // Auto if it is refused
		says          string // in the note or error
	}{
		{"a", "words\n\n__label__x words\n" + words, Input{Unlabelled: true}, FastText, "lines look like __label__x text"},
		{"a.txt", "words\n__label__x words\n", Input{Unlabelled: true}, FastText, "lines look like __label__x text"},
		{"a", "words\twords\n__label__x words\n", Input{Unlabelled: true}, FastText, "lines look like __label__x text"},
		{"a", "words\n__label__x words\n", Input{}, FastText, "lines look like __label__x text"},
		{"a", words + "a\tb\n", Input{Unlabelled: true}, Lines, "1 of its first 101 lines"},
		{"a", "a\tb\n" + words, Input{Unlabelled: true}, Lines, "1 of its first 101 lines"},
		{"a", pairs + "no tab\n", Input{Unlabelled: true}, TSV, "100 of its first 101 lines"},
		{"a", "no tab\n" + pairs, Input{Unlabelled: true}, TSV, "100 of its first 101 lines"},
		{"a", "no tab\n" + pairs, Input{}, TSV, "100 of its first 101 lines"},
		{"a", words + pairs, Input{Unlabelled: true}, Auto, "100 of its first 200 lines have a tab: say which, Input.Format lines or Input.Format tsv"},
		{"a", words + pairs, Input{}, Auto, "no known format"},
		{"a", pairs + words, Input{}, TSV, "100 of its first 200 lines have a tab"},
		{"a", "junk\n" + strings.Repeat("{\"text\":\"x\"}\n", 20), Input{Unlabelled: true}, JSONL, "20 of its first 21 lines"},
		{"a.txt", words + pairs, Input{Unlabelled: true}, Lines, "as its name says, although 100 of its first 200 lines have a tab"},
		{"a.txt", words, Input{Unlabelled: true}, Lines, ""},
		{"a.txt", pairs, Input{Unlabelled: true}, Lines, "as its name says, although 100 of its first 100 lines have a tab"},
		{"a.txt", pairs, Input{}, TSV, "100 of its first 100 lines have a tab"},
		{"a.txt", "label\ttext\nlabel\ttext\n", Input{Unlabelled: true}, Lines, "as its name says, although 2 of its first 2 lines have a tab"},
		{"a.txt", titles, Input{Unlabelled: true}, Lines, "as its name says"},
		{"a.txt", "text\tlabel\n" + pairs, Input{Unlabelled: true, TextField: "text"}, TSV, "a tab"},
		{"a", strings.Repeat("some words\n", sampleLines) + "__label__x y\n", Input{Unlabelled: true}, Lines, ""},
		// Texts of which some have a tab: nothing of them is lost without a word.
		{"a.tsv", words + "__label__x y\n" + pairs, Input{Unlabelled: true}, Auto, "100 of its first 201 lines have a tab: say which, Input.Format lines or Input.Format tsv"},
		{"a.tsv", words + "a\ttext\n", Input{Unlabelled: true}, Lines, "1 of its first 101 lines have a tab"},
		{"a.tsv", words, Input{Unlabelled: true}, Lines, "0 of its first 100 lines have a tab"},
		{"a.tsv", words, Input{Unlabelled: true, Format: TSV}, TSV, ""},
		{"a.tsv", pairs + "no tab\n", Input{Unlabelled: true}, TSV, "names the columns"},
		{"a.tsv", pairs + words, Input{Unlabelled: true, Header: no()}, Auto, "say which"},
		// Labels of fastText behind the text.
		{"a", ends, Input{}, Auto, "no known format"},
		{"a.txt", "some words __label__x\n" + words, Input{Unlabelled: true}, Lines, ""},
		// Pages: they are noted where lines need no labels, but not where each line is one, or has one in a column.
		{"a.txt", "<html><p>one</p></html>\n<html><p>two</p></html>\n", Input{Unlabelled: true}, Lines, ""},
		{"a.tsv", "<html>\t<b>text</b>\n<p>\t<b>text</b>\n", Input{}, TSV, ""},
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
