//go:build unix

package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestMappedTruncated truncates the file that a command maps, at random moments: the command is done before, or there is
// an error that names the file. A fault in mapped memory would end the test.
func TestMappedTruncated(t *testing.T) {
	folder := folderOf(t, amount("NBSVM_TRUNCATED_ROWS", 10_000, 4_000), 2)
	in := func(name string) string { return filepath.Join(folder, name) }
	invoke := func(stdin io.Reader, args ...string) (code int, said string) {
		var stderr bytes.Buffer
		code = run(t.Context(), args, streams{stdin, io.Discard, &stderr})
		return code, stderr.String()
	}
	for _, args := range [][]string{
		{"pack", "-q", "--names", "--min-df", "1", in("train.tsv"), "-o", in("c.nbc")},
		{"train", "-q", "--bits", "18", "--min-weight", "0", "--keep-ratio", in("train.tsv"), "-o", in("m.nbm")},
	} {
		if code, said := invoke(strings.NewReader(""), args...); code != exitDone {
			t.Fatalf("%v: %s", args, said)
		}
	}
	model, corpus := in("bad.nbm"), in("bad.nbc")
	named := regexp.MustCompile(`bad\.nb[mc]`)
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	refused := 0
	for _, args := range [][]string{
		{"train", "-q", "-o", in("out"), corpus},
		{"train", "-q", "--memory", "34MiB", "-o", in("out"), corpus},
		{"train", "-q", "--valid", corpus, "-o", in("out"), in("train.tsv")},
		{"cv", "-q", "--folds", "2", corpus},
		{"eval", in("m.nbm"), corpus},
		{"eval", model, in("train.tsv")},
		{"eval", model, in("c.nbc")},
		{"score", "-q", "-o", in("out"), model, in("train.tsv")},
		{"explain", model},
		{"explain", model, in("train.tsv")},
		{"export", "--output-format", "svmlight", "-o", in("out"), corpus},
		{"export", "--output-format", "roaring", "-o", in("out"), corpus},
		{"export", "--output-format", "svmlight", "-o", in("out"), model, in("train.tsv")},
		{"export", "--output-format", "liblinear", "-o", in("out"), model},
		{"inspect", model},
		{"inspect", corpus},
		{"verify", model},
		{"verify", corpus},
		{"merge", "-q", "-o", in("out"), in("c.nbc"), corpus},
		{"pack", "-q", "--append", "-o", corpus, in("train.tsv")},
		{"quantize", "--bits", "8", "-o", in("out"), model},
		{"quantize", "--bits", "8", "--valid", in("train.tsv"), "-o", in("out"), model},
	} {
		took := time.Duration(0)
		for k := range amount("NBSVM_TRUNCATIONS", 4, 4) + 1 {
			path, from := model, in("m.nbm")
			if strings.Contains(strings.Join(args, " "), corpus) {
				path, from = corpus, in("c.nbc")
			}
			data, err := os.ReadFile(from)
			if err == nil {
				err = os.WriteFile(path, data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			truncated := make(chan error, 1)
			start := time.Now()
			size := r.Int64N(int64(len(data)))
			if k == 0 {
				truncated <- nil
			} else {
				moment := time.Duration(r.Int64N(int64(took) + 1))
				if k%2 == 0 {
					size = 0
				}
				go func() {
					time.Sleep(moment)
					truncated <- os.Truncate(path, size)
				}()
			}
			code, said := invoke(strings.NewReader(""), args...)
			if k == 0 {
				took = time.Since(start)
			}
			if err := <-truncated; err != nil {
				t.Fatal(err)
			}
			switch {
			case code == exitDone:
			case k > 0 && (code == exitFailed || size == 0 && code == exitUsage) && named.MatchString(said):
				refused++
			default:
				t.Errorf("%v: exit code %d: %s", args, code, said)
			}
			if err := os.RemoveAll(in("out")); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d runs were refused", refused)
}
