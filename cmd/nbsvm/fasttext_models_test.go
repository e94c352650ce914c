package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// tinyModels is a folder of small models of fastText.
var tinyModels, _ = filepath.Abs("../../internal/model/fasttext/testdata")

// TestFastTextModels: every command that takes models takes those of fastText, or refuses them.
func TestFastTextModels(t *testing.T) {
	t.Chdir(t.TempDir())
	texts := "__label__c1 ba ke mo\n__label__c0 néba ри\n__label__c2 ba ba\n\n__label__c0\n"
	must.OK(t, os.WriteFile("texts.ft", []byte(texts), 0o600))
	must.OK(t, os.WriteFile("texts.jsonl", []byte(`{"text":"ba ke mo"}`+"\n"+`{"text":"néba\nри"}`+"\n"), 0o600))
	nbsvm := func(want int, line string) (string, string) {
		t.Helper()
		var out, complaint bytes.Buffer
		if code := run(t.Context(), strings.Fields(line), streams{strings.NewReader("ba ke\n"), &out, &complaint}); code != want {
			t.Fatalf("%s: exit code %d, want %d: %s", line, code, want, &complaint)
		}
		return out.String(), complaint.String()
	}
	for _, name := range []string{"subwords.bin", "tree.bin", "pruned.ftz"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(tinyModels, name))
			must.OK(t, err)
			must.OK(t, os.WriteFile(name, data, 0o600))
			for _, command := range []string{
				"score MODEL texts.ft", "score --all-scores MODEL texts.ft", "score --top 2 --threshold 0.3 MODEL texts.ft",
				"score --label c1 --output-format jsonl MODEL texts.ft", "score --output-format fasttext MODEL texts.ft",
				"score --where p('c1')>=0 MODEL texts.jsonl", "score --add-field lang MODEL texts.jsonl",
				"eval --json MODEL texts.ft", "eval --at-k 1,2 MODEL texts.ft",
				"explain --top 3 MODEL", "explain MODEL texts.ft", "explain --json MODEL -",
			} {
				if out, _ := nbsvm(0, strings.ReplaceAll(command, "MODEL", name)); out == "" {
					t.Errorf("%s gives nothing", command)
				}
			}
			if out, _ := nbsvm(0, "inspect "+name); !strings.Contains(out, "fastText") || !strings.Contains(out, "dimensions") {
				t.Errorf("inspect says\n%s", out)
			}
			if out, _ := nbsvm(0, "inspect --json "+name); !strings.Contains(out, `"word_ngrams"`) {
				t.Errorf("inspect --json says\n%s", out)
			}
			nbsvm(0, "verify "+name)
			nbsvm(1, "quantize -o q.nbm "+name)
			nbsvm(1, "export "+name)
			nbsvm(0, "report -o page.html "+name+" texts.ft")
			page, err := os.ReadFile("page.html")
			must.OK(t, err)
			for _, part := range []string{"3 classes, made by fastText", "documents of texts.ft", "</mark>", "Calibration"} {
				if !bytes.Contains(page, []byte(part)) {
					t.Errorf("the page of %s lacks %q", name, part)
				}
			}
			nbsvm(2, "score --where margin>0 "+name+" texts.jsonl")
			must.OK(t, os.WriteFile("cut.bin", data[:len(data)-1], 0o600))
			for _, command := range []string{"score cut.bin texts.ft", "verify cut.bin"} {
				if _, complaint := nbsvm(1, command); !strings.Contains(complaint, "cut.bin: fasttext: byte") || !strings.Contains(complaint, "damaged") {
					t.Errorf("%s: %s", command, complaint)
				}
			}
		})
	}
}

// TestFastTextSeveralLabels: a model of fastText does not say how many labels documents have. Metrics are of the best
// label, or for loss ova of those with a probability of 0.5 or more. The models were trained on one.ft and several.ft,
// each repeated a thousand times, with -dim 4 -epoch 200 -lr 0.2, and with -dim 8 -epoch 50 -lr 0.3 -loss ova.
func TestFastTextSeveralLabels(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, texts := range map[string]string{
		"one.ft":     "__label__a one\n__label__b two\n__label__a one one\n__label__b two two\n",
		"several.ft": "__label__a __label__b one two\n__label__a one\n__label__b two\n__label__a __label__b two one\n",
	} {
		must.OK(t, os.WriteFile(name, []byte(texts), 0o600))
	}
	for _, test := range []struct {
		line         string
		says, warned []string
	}{
		{
			"eval --json --at-k 1,2,9 sure.bin several.ft",
			[]string{
				`"n": 4`, `"micro_precision": 1,`, `"micro_recall": 0.6666666666666666`, `"accuracy": 0.5`,
				`"k": 1, "precision": 1, "recall": 0.6666666666666666`, `"k": 9, "precision": 0.75, "recall": 1`,
			},
			[]string{"several.ft: documents with several labels: 2; metrics compare them with the best label of the model (micro precision is P@1"},
		},
		{"eval --json sure.bin one.ft", []string{`"n": 4`, `"accuracy": 1,`}, nil},
		{"report -o sure.html sure.bin several.ft", nil, []string{""}},
		{
			"eval --json --at-k 1 --wrong wrong.jsonl several.bin several.ft",
			[]string{`"n": 4`, `"accuracy": 1,`, `"hamming_loss": 0`, `"k": 1, "precision": 1`},
			[]string{"metrics compare them with the labels of a probability from 0.5"},
		},
		{"report -o several.html several.bin several.ft", nil, []string{""}},
	} {
		var out, complaint bytes.Buffer
		args := strings.Fields(test.line)
		for i, arg := range args {
			if strings.HasSuffix(arg, ".bin") {
				args[i] = filepath.Join(tinyModels, arg)
			}
		}
		if code := run(t.Context(), args, streams{nil, &out, &complaint}); code != 0 {
			t.Fatalf("%s: exit code %d: %s", test.line, code, &complaint)
		}
		got := strings.Join(strings.Fields(out.String()), " ")
		for _, part := range test.says {
			if !strings.Contains(got, part) {
				t.Errorf("%s: want %q in %s", test.line, part, got)
			}
		}
		for _, part := range test.warned {
			if !strings.Contains(complaint.String(), part) {
				t.Errorf("%s: want %q in %s", test.line, part, &complaint)
			}
		}
		if test.warned == nil && complaint.Len() > 0 {
			t.Errorf("%s: %s", test.line, &complaint)
		}
	}
	if wrong, err := os.ReadFile("wrong.jsonl"); err != nil || len(wrong) > 0 {
		t.Errorf("wrong.jsonl has %q, %v", wrong, err)
	}
}
