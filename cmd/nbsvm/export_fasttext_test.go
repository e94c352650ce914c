package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// wordTexts are documents of fastText's format: words of classes, in upper and lower case, with marks, some several times.
func wordTexts(seed uint64, documents, classes int, several bool) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	for i := range documents {
		class := i % classes
		fmt.Fprintf(&b, "__label__c%d ", class)
		if several && r.IntN(3) == 0 {
			fmt.Fprintf(&b, "__label__c%d ", (class+1)%classes)
		}
		for range r.IntN(12) {
			n := r.IntN(60)
			if r.IntN(3) > 0 {
				n = 100 + class*10 + r.IntN(14)
			}
			fmt.Fprintf(&b, []string{"w%d ", "W%d ", "w%d. ", "w%d\t", "é%d ", "w%d w%[1]d "}[n%6], n)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// TestExportWords: models of single words that are counted have the same labels in fastText. They are compared with what
// nbsvm makes of the exported model, and with Debian's fasttext where it is installed.
func TestExportWords(t *testing.T) {
	t.Chdir(t.TempDir())
	nbsvm := func(want int, line string) (out, complaint string) {
		t.Helper()
		var o, c bytes.Buffer
		if code := run(t.Context(), strings.Fields(line), streams{nil, &o, &c}); code != want {
			t.Fatalf("%s: exit code %d, want %d: %s", line, code, want, &c)
		}
		return o.String(), c.String()
	}
	for name, texts := range map[string][]byte{
		"two.ft": wordTexts(1, 300, 2, false), "five.ft": wordTexts(2, 600, 5, false), "any.ft": wordTexts(3, 600, 5, true),
		"test.ft": append(wordTexts(4, 500, 5, false), "\nnothing known\nw101\n__label__c1\n\xff\xfe w101\xff\n"...),
	} {
		if err := os.WriteFile(name, texts, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := exec.LookPath("fasttext")
	for _, flags := range []string{
		"two.ft", "two.ft --bits 8", "five.ft --bits 9", "two.ft --values tfidf", "two.ft --model svm", "two.ft --model logistic", "two.ft --model mnb", "two.ft --bias 0 --no-normalize",
		"two.ft --calibrate", "five.ft", "five.ft --model svm", "five.ft --model logistic", "five.ft --model mnb", "five.ft --calibrate",
		"five.ft --model svm --bias 0 --normalize", "two.ft --bias 0 --normalize", "two.ft --bias 0 --normalize --prenormalize",
		"any.ft", "any.ft --model logistic", "any.ft --calibrate",
	} {
		t.Run(strings.ReplaceAll(flags, " ", ""), func(t *testing.T) {
			words := "train -q --tokenizer space --no-lowercase --ngrams 1-1 --min-df 1 -o m.nbm "
			if !strings.Contains(flags, "--values") {
				words += "--values count "
			}
			if !strings.Contains(flags, "normalize") && !strings.Contains(flags, "mnb") {
				words += "--no-normalize "
			}
			nbsvm(0, words+flags)
			documents := strings.Fields(flags)[0]
			if strings.Contains(flags, "--bits") { // words that training did not have share buckets with others
				documents += " test.ft"
			}
			several := strings.HasPrefix(flags, "any.ft")
			_, note := nbsvm(0, "export --output-format fasttext -o m.bin m.nbm "+documents)
			if !strings.Contains(note, "divides margins by the number of words") || several != strings.Contains(note, "-1 0.5") {
				t.Errorf("told: %s", note)
			}
			compare := func(whose, got string) {
				t.Helper()
				want, _ := nbsvm(0, "score --output-format fasttext-labels m.nbm test.ft")
				a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
				if len(a) != len(b) {
					t.Fatalf("%s has %d lines, want %d", whose, len(b), len(a))
				}
				for i := range a {
					x, y := strings.Fields(a[i]), strings.Fields(b[i])
					slices.Sort(x)
					slices.Sort(y)
					if !slices.Equal(x, y) {
						t.Errorf("line %d: %s has %q, want %q", i+1, whose, y, x)
					}
				}
			}
			read, predict := "score --output-format fasttext-labels m.bin test.ft", []string{"predict", "m.bin", "test.ft"}
			if several {
				read, predict = "score --output-format fasttext-labels --all-scores --threshold 0.5 m.bin test.ft", append(predict, "-1", "0.5")
			}
			got, _ := nbsvm(0, read)
			compare("nbsvm", got)
			if err != nil {
				t.Skip("fasttext is not on the path (Debian: fasttext): it is what this test compares with")
			}
			out, err := exec.Command("fasttext", predict...).Output()
			if err != nil {
				t.Fatal(err)
			}
			compare("fasttext", string(out))
		})
	}
}

// TestExportWordsRefused: models for which fastText would find other labels are refused, each option with what to do.
func TestExportWordsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, texts := range map[string][]byte{
		"two.ft": wordTexts(1, 300, 2, false), "five.ft": wordTexts(2, 600, 5, false), "less.ft": wordTexts(5, 20, 2, false),
		"end.ft": append(wordTexts(1, 300, 2, false), "__label__c0 a </s> b\n__label__c0 </s>\n"...),
		"nul.ft": append(wordTexts(1, 300, 2, false), "__label__c0 a\x00b\n__label__c0 a\x00b\n"...),
		"own.tsv": append(bytes.ReplaceAll(bytes.ReplaceAll(wordTexts(1, 300, 2, false),
			[]byte("__label__c0 "), []byte("c0\t")), []byte("__label__c1 "), []byte("c1\t")), "c0\ta __label__c0 b\n"...),
	} {
		if err := os.WriteFile(name, texts, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const fits = "--tokenizer space --no-lowercase --ngrams 1-1 --values count --no-normalize --min-df 1 "
	for _, test := range []struct{ train, documents, says, remedy string }{
		{"two.ft", "two.ft", "fastText would predict different labels", "--tokenizer space --ngrams 1-1 --no-lowercase --values count --no-normalize"},
		{"--features word:1-1,char-wb:2-3 two.ft", "two.ft", "fastText would predict different labels", "--tokenizer space"},
		{fits + "--ngrams 1-2 two.ft", "two.ft", "fastText would predict different labels", "--ngrams 1-1"},
		{fits + "--lowercase two.ft", "two.ft", "fastText would predict different labels", "--no-lowercase"},
		{fits + "--strip-html two.ft", "two.ft", "fastText would predict different labels", "--no-strip-html"},
		{fits + "--values binary two.ft", "two.ft", "fastText would predict different labels", "--values count"},
		{fits + "--sublinear-tf two.ft", "two.ft", "fastText would predict different labels", "--no-sublinear-tf"},
		{fits + "--normalize two.ft", "two.ft", "fastText would predict different labels", "--no-normalize"},
		{fits + "--prenormalize two.ft", "two.ft", "fastText would predict different labels", "--no-prenormalize"},
		{fits + "--normalize --bias 0 five.ft", "five.ft", "fastText would predict different labels", "--no-normalize"},
		{fits + "two.ft", "less.ft", "the documents have no words for", "all documents"},
		{fits + "two.ft", "", "contains hashes", "name the training documents"},
		{fits + "end.ft", "end.ft", `"</s>" is a word of the model`, "end of a line"},
		{fits + "nul.ft", "nul.ft", `"a\x00b" is not one word`, "zero bytes"},
		{fits + "own.tsv", "own.tsv", `"__label__c0" is a word and a label`, ""},
	} {
		var out, complaint bytes.Buffer
		if code := run(t.Context(), strings.Fields("train -q -o m.nbm "+test.train), streams{nil, &out, &complaint}); code != 0 {
			t.Errorf("train %s: %s", test.train, &complaint)
			continue
		}
		complaint.Reset()
		code := run(t.Context(), strings.Fields("export --output-format fasttext -o m.bin m.nbm "+test.documents), streams{nil, &out, &complaint})
		if said := complaint.String(); code != 1 || !strings.Contains(said, test.says) || !strings.Contains(said, test.remedy) {
			t.Errorf("train %s: code %d, %s: want %q and %q", test.train, code, said, test.says, test.remedy)
		}
		if _, err := os.Stat("m.bin"); err == nil {
			t.Fatalf("train %s: something was written", test.train)
		}
	}
}
