package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// besideFastText makes a folder in which fastText, by its path, and nbsvm can be run; run returns what they print.
func besideFastText(t *testing.T) (folder, fastText string, run func(args ...string) string) {
	t.Helper()
	fastText, err := exec.LookPath("fasttext")
	if err != nil {
		t.Skip("fasttext is not on the path (Debian: fasttext): it is what this test compares with")
	}
	folder = t.TempDir()
	return folder, fastText, func(args ...string) string {
		t.Helper()
		cmd, _ := command(t, args...)
		if args[0] == fastText {
			cmd = exec.CommandContext(t.Context(), args[0], args[1:]...)
		}
		cmd.Dir, cmd.Stderr = folder, nil
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
}

// TestFastTextFormats compares with what fastText writes: the same number of lines,
// with the same number of labels and scores.
func TestFastTextFormats(t *testing.T) {
	folder, fastText, run := besideFastText(t)
	var b bytes.Buffer
	must.OK(t, writeDocuments(&b, "fasttext", 120, 4))
	for name, more := range map[string]string{"train.ft": "", "in.ft": "\noven broth\n"} {
		must.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(b.String()+more), 0o600))
	}
	run(fastText, "supervised", "-input", "train.ft", "-output", "theirs", "-dim", "5", "-bucket", "1000", "-thread", "1", "-verbose", "0")
	run("train", "-q", "--model", "logistic", "-o", "ours", "train.ft")
	label, score := regexp.MustCompile(`__label__[a-z]+`), regexp.MustCompile(`\b[0-9.]+(e-[0-9]+)?`)
	shape := func(rows string) string { return score.ReplaceAllString(label.ReplaceAllString(rows, "L"), "S") }
	for theirs, ours := range map[string]string{
		"predict theirs.bin in.ft":          "--output-format fasttext-labels",
		"predict theirs.bin in.ft 3":        "--output-format fasttext-labels --top 3",
		"predict-prob theirs.bin in.ft":     "--output-format fasttext",
		"predict-prob theirs.bin in.ft -1":  "--output-format fasttext --all-scores",
		"predict-prob theirs.bin in.ft 2 0": "--output-format fasttext --top 2 --threshold 0",
	} {
		want := shape(run(append([]string{fastText}, strings.Fields(theirs)...)...))
		got := shape(run(append(strings.Fields("score "+ours), "ours", "in.ft")...))
		if got != want {
			t.Errorf("%s: %.60q, fastText's %s has %.60q", ours, got, theirs, want)
		}
	}
}

// TestFastTextThresholds: a threshold leaves out the labels that fastText leaves out, which compares a little less than
// it shows, and of hierarchical softmax also without one; and labels have the prefix that they have there.
func TestFastTextThresholds(t *testing.T) {
	folder, fastText, run := besideFastText(t)
	var b bytes.Buffer
	for i := range 600 {
		fmt.Fprintf(&b, "__class__%d w%d w%d w%d of all\n", i%30, i%30, i*i%97, i%7)
	}
	must.OK(t, os.WriteFile(filepath.Join(folder, "train.ft"), b.Bytes(), 0o600))
	for loss, options := range map[string]string{"hs": "-lr 1", "softmax": "-lr 0.5", "ova": "-lr 1"} {
		run(append([]string{fastText, "supervised", "-input", "train.ft", "-output", loss, "-loss", loss, "-label", "__class__"},
			strings.Fields("-dim 12 -epoch 20 -thread 1 -verbose 0 "+options)...)...)
		for theirs, ours := range map[string]string{
			"-1": "--all-scores --threshold 0", "-1 0.00001": "--all-scores --threshold 0.00001", "3 0.01": "--top 3 --threshold 0.01",
			"-1 0.000002": "--all-scores --threshold 0.000002", "1 0.5": "--top 1 --threshold 0.5", "-1 1": "--all-scores --threshold 1",
		} {
			want := strings.Split(run(append([]string{fastText, "predict-prob", loss + ".bin", "train.ft"}, strings.Fields(theirs)...)...), "\n")
			got := strings.Split(run(append(strings.Fields("score -q --format lines --output-format fasttext "+ours), loss+".bin", "train.ft")...), "\n")
			differ := 0
			for i := range want {
				if len(strings.Fields(want[i])) != len(strings.Fields(got[i])) {
					differ++
				}
				if first, _, ok := strings.Cut(want[i], " "); ok && !strings.HasPrefix(got[i], first+" ") && strings.Count(want[i], " ") == 1 {
					t.Errorf("%s %s: %.60q, fastText has %.60q", loss, theirs, got[i], want[i])
				}
			}
			if 100*differ > len(want) { // the last bit of a probability may tell
				t.Errorf("%s %s: %d of %d lines have another number of labels", loss, theirs, differ, len(want))
			}
		}
	}
}

// TestFastTextEval: eval --at-k counts as fasttext test does, of documents with several labels, with labels that the
// model does not know, and without known words; without --at-k, one against all is cut at 0.5.
func TestFastTextEval(t *testing.T) {
	folder, fastText, run := besideFastText(t)
	var train strings.Builder
	for i := range 400 {
		fmt.Fprintf(&train, "__label__c%d ", i*i%7)
		if i%3 == 0 {
			fmt.Fprintf(&train, "__label__even%d ", i%2)
		}
		fmt.Fprintf(&train, "w%d w%d x%d\n", i*i%7, i%11, i%2)
	}
	test := train.String() + "__label__nosuch w1\n__label__c1 __label__nosuch w2\n__label__c2 nothing known\n__label__c1 __label__c2 w1 w2 x1\n"
	for name, text := range map[string]string{"train.ft": train.String(), "test.ft": test} {
		must.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	type topK struct{ Precision, Recall float64 }
	var report struct {
		MicroPrecision float64 `json:"micro_precision"`
		MicroRecall    float64 `json:"micro_recall"`
		AtK            []topK  `json:"at_k"`
	}
	theirs := func(args ...string) topK {
		fields := strings.Fields(run(append([]string{fastText, "test"}, args...)...))
		p, err1 := strconv.ParseFloat(fields[3], 64)
		r, err2 := strconv.ParseFloat(fields[5], 64)
		must.OK(t, errors.Join(err1, err2))
		return topK{p, r}
	}
	same := func(a, b topK) bool {
		return max(math.Abs(a.Precision-b.Precision), math.Abs(a.Recall-b.Recall)) < 0.00051
	}
	for _, loss := range []string{"softmax", "hs", "ns", "ova"} {
		run(fastText, "supervised", "-input", "train.ft", "-output", loss, "-loss", loss, "-dim", "7", "-epoch", "20", "-lr", "1", "-minCount", "2",
			"-bucket", "10", "-thread", "1", "-verbose", "0")
		must.OK(t, json.Unmarshal([]byte(run("eval", "-q", "--json", "--at-k", "1,2,3,50", loss+".bin", "test.ft")), &report))
		for i, k := range []string{"1", "2", "3", "50"} {
			if want := theirs(loss+".bin", "test.ft", k); !same(report.AtK[i], want) {
				t.Errorf("%s, k %s: %+v, fastText has %+v", loss, k, report.AtK[i], want)
			}
		}
		must.OK(t, json.Unmarshal([]byte(run("eval", "-q", "--json", loss+".bin", "train.ft")), &report))
		want := theirs(loss+".bin", "train.ft", "1")
		if loss == "ova" {
			want = theirs(loss+".bin", "train.ft", "-1", "0.5")
		}
		if got := (topK{report.MicroPrecision, report.MicroRecall}); !same(got, want) {
			t.Errorf("%s: micro averages %+v, fastText has %+v", loss, got, want)
		}
	}
}
