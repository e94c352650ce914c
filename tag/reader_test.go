package tag

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// sentencesOf reads a text as a file of that name.
func sentencesOf(t *testing.T, name, text string, asked, like Reading, tagged bool) (list []*Sentence, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.OK(t, os.WriteFile(path, []byte(text), 0o600))
	r, err := NewReader(Input{Paths: []string{path}, Reading: asked, Like: like, Untagged: !tagged})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		s, err := r.Next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
}

// joined is a sentence as word/TAG.
func joined(s *Sentence) string {
	var words []string
	for i, word := range s.Words {
		words = append(words, string(word)+"/"+string(s.Tags[i]))
	}
	return strings.Join(words, " ")
}

const conllu = "# text = a b\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\tx\tDET\tDT\t_\t2\t_\t_\t_\n2\tb b\ty\tNOUN\tNN\t_\t0\t_\t_\t_\n2.1\tc\t_\tX\t_\t_\t_\t_\t_\t_\n\n" +
	"1\tGo\tgo\tVERB\tVB\t_\t0\t_\t_\t_\n"

func TestFormats(t *testing.T) {
	for _, test := range []struct {
		name, text string
		asked      Reading
		want       string // sentences, by semicolons
	}{
		{"a.conllu", conllu, Reading{}, "a/DET b b/NOUN;Go/VERB"},
		{"a", conllu, Reading{Format: Auto}, "a/DET b b/NOUN;Go/VERB"},
		{"a", conllu, Reading{Column: 5}, "a/DT b b/NN;Go/VB"},
		{"a.conll", "\n\nHe PRP B-NP\nran VBD O\n\n\n-- X Y\r\n", Reading{}, "He/B-NP ran/O;--/Y"},
		{"a", "#\tPRP\tB-NP\nran\tVBD\tO\n", Reading{Column: 2}, "#/PRP ran/VBD"},
		{"a", "1 He PRP\n2 ran VBD\n", Reading{WordColumn: 2}, "He/PRP ran/VBD"},
		{"a", "-DOCSTART- -X- O\n\nHe PRP B-NP\n\n-DOCSTART- -X- O\n\nran VBD O\n", Reading{}, "He/B-NP;ran/O"},
		{"a.txt", "He/PRP ran/VBD ./.\n\n1/2/CD  x/Y\n", Reading{}, "He/PRP ran/VBD ./.;1/2/CD x/Y"},
	} {
		list, err := sentencesOf(t, test.name, test.text, test.asked, Reading{}, true)
		if err != nil {
			t.Errorf("%s %q: %v", test.name, test.text, err)
			continue
		}
		var got []string
		var back []byte
		for _, s := range list {
			if len(s.Words) > 0 {
				got = append(got, joined(s))
			}
			var tags []string
			for _, tag := range s.Tags {
				tags = append(tags, string(tag))
			}
			back = s.AppendText(back, tags)
		}
		if strings.Join(got, ";") != test.want {
			t.Errorf("%s %q: %q, want %q", test.name, test.text, got, test.want)
		}
		if string(back) != test.text {
			t.Errorf("%s %q is written as %q", test.name, test.text, back)
		}
	}
}

// TestUntagged writes tags where files have none.
func TestUntagged(t *testing.T) {
	columns := Reading{Format: CoNLL, Column: 3, WordColumn: 1}
	for _, test := range []struct {
		text        string
		asked, like Reading
		want        string
	}{
		{"He PRP\nran VBD\n\nAh UH\n", Reading{}, columns, "He PRP T\nran VBD T\n\nAh UH T\n"},
		{"He\tPRP\n", Reading{}, columns, "He\tPRP\tT\n"},
		{"He PRP x\n", Reading{}, columns, "He PRP T\n"},
		{"He\nran\n", Reading{}, Reading{Format: CoNLL, Column: 2}, "He\tT\nran\tT\n"},
		{"He ran .\n\n  x\n", Reading{Format: Words}, columns, "He/T ran/T ./T\n\n  x/T\n"},
		{"1\tGo\tgo\t_\tVB\t_\t0\t_\t_\t_\n", Reading{}, Reading{}, "1\tGo\tgo\tT\tVB\t_\t0\t_\t_\t_\n"},
	} {
		list, err := sentencesOf(t, "x", test.text, test.asked, test.like, false)
		var got []byte
		for _, s := range list {
			got = s.AppendText(got, strings.Fields(strings.Repeat("T ", len(s.Words))))
		}
		if err != nil || string(got) != test.want {
			t.Errorf("%q gives %q, want %q: %v", test.text, got, test.want, err)
		}
	}
}

// TestBadSentences wants the place of a mistake and what to do.
func TestBadSentences(t *testing.T) {
	for _, test := range []struct {
		text  string
		asked Reading
		want  []string
	}{
		{"a b\nc d e\n", Reading{}, []string{"x:2 (byte 4)", "3 columns instead of 2", "Input.Format words"}},
		{"a b\n", Reading{Column: 3}, []string{"x:1 (byte 0)", "no column 3 of tags", "Input.Column"}},
		{"a b\n", Reading{WordColumn: 3}, []string{"x:1", "no column 3 of words", "Input.WordColumn"}},
		{"a\tb\n\tc\n", Reading{}, []string{"x:2", "the word, is empty", "Input.WordColumn"}},
		{"a\tb\nc\t\n", Reading{}, []string{"x:2", "the tag, is empty", "Input.Column"}},
		{"a/b c\n", Reading{Format: Slash}, []string{"x:1", `"c" is not word/TAG`, "Input.Format words"}},
		{"a b\n", Reading{Format: CoNLLU}, []string{"x:1", "CoNLL-U has 10 columns", "Input.Format conll"}},
		{"a b\n", Reading{Format: Words}, []string{"x: lines of words have no tags", "Input.Format"}},
		{"a b\n", Reading{WordColumn: 2}, []string{"x:1", "can't be in one column", "Input.WordColumn"}},
	} {
		_, err := sentencesOf(t, "x", test.text, test.asked, Reading{}, true)
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", test.text, err, want)
			}
		}
	}
	if err := (Reading{Column: 1, WordColumn: 1}).Validate(); err == nil {
		t.Error("one column for words and tags is good")
	}
}

// FuzzReader wants text back as it was, of whatever it takes.
func FuzzReader(f *testing.F) {
	f.Add([]byte(conllu))
	f.Add([]byte("He PRP B-NP\nran VBD O\n\nx y z"))
	f.Add([]byte("He/PRP ran/VBD\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := NewReader(Input{Stdin: bytes.NewReader(text)})
		if err != nil {
			return
		}
		defer r.Close()
		var back []byte
		for {
			s, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
			var tags []string
			for _, tag := range s.Tags {
				tags = append(tags, string(tag))
			}
			back = s.AppendText(back, tags)
		}
		if !bytes.Equal(back, bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))) {
			t.Errorf("%q is written as %q", text, back)
		}
	})
}

// TestWrongInputs: a format that there is not, and sentences without tags to train or evaluate on.
func TestWrongInputs(t *testing.T) {
	_, err := NewReader(Input{Reading: Reading{Format: "x"}})
	if err == nil || !strings.Contains(err.Error(), `unknown format "x": use one of`) {
		t.Error(err)
	}
	r, err := NewReader(Input{Stdin: strings.NewReader("a X\n"), Untagged: true})
	must.OK(t, err)
	defer r.Close()
	if _, err := Train(t.Context(), r, DefaultOptions(Perceptron)); err != errUntagged {
		t.Error(err)
	}
	if _, err := new(Model).Evaluate(t.Context(), r, 1); err != errUntagged {
		t.Error(err)
	}
}
