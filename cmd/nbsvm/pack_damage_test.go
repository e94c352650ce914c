package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/packed"
)

// TestDamagedCorpus changes a bit of every part of a corpus, and cuts it off there: every
// command that reads the part refuses it, and says where it is damaged.
func TestDamagedCorpus(t *testing.T) {
	t.Parallel()
	folder := folderOf(t, 300, 2)
	in := func(name string) string { return filepath.Join(folder, name) }
	run := func(args ...string) (code int, said string) {
		var stderr bytes.Buffer
		code = run(t.Context(), args, streams{strings.NewReader(""), io.Discard, &stderr})
		return code, stderr.String()
	}
	good := in("train.nbc")
	for _, args := range [][]string{
		{"pack", "-q", "--min-df", "1", in("train.tsv"), "-o", good},
		{"train", "-q", "--bits", "12", in("train.tsv"), "-o", in("m.nbm")},
	} {
		if code, said := run(args...); code != exitDone {
			t.Fatalf("%v: %s", args, said)
		}
	}
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	info, err := packed.Inspect(good)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]int{"HEADER": 20, "BLOCK 0": 100, "FOOTER": len(data) - 60, "TABLE": len(data) - 64 - 30}
	for _, s := range info.Sections {
		parts[s.Name] = int(s.Offset + s.Length/2)
	}
	bad := in("bad.nbc")
	commands := [][]string{
		{"inspect", bad},
		{"verify", bad},
		{"train", "-q", "-o", in("out"), bad},
		{"train", "-q", "--memory", "64MiB", "-o", in("out"), bad},
		{"train", "-q", "--valid", bad, "-o", in("out"), good},
		{"cv", "--folds", "2", bad},
		{"eval", in("m.nbm"), bad},
		{"export", "--output-format", "svmlight", "-o", in("out"), bad},
		{"merge", "-q", "-o", in("out"), good, bad},
		{"pack", "-q", "--append", "-o", bad, in("train.tsv")},
	}
	check := func(what, part string, data []byte) {
		if err := os.WriteFile(bad, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range commands {
			if args[0] == "inspect" && part == "BLOCK 0" && what == "a bit" {
				continue // it does not look at the rows
			}
			code, said := run(args...)
			if code != exitFailed || !strings.Contains(said, bad+": "+part+" at byte ") && what == "a bit" || !strings.Contains(said, bad) {
				t.Errorf("%s of %s, %s: exit code %d: %s", what, part, args[0], code, said)
			}
			if got, want := files(t, folder), "bad.nbc m.nbm train.nbc train.tsv"; got != want {
				t.Errorf("%s of %s, %s: files left: %s", what, part, args[0], got)
			}
			if after, err := os.ReadFile(bad); err != nil || !bytes.Equal(after, data) {
				t.Errorf("%s of %s, %s: the corpus has changed, %v", what, part, args[0], err)
			}
		}
	}
	for part, at := range parts {
		flipped := bytes.Clone(data)
		flipped[at] ^= 4
		check("a bit", part, flipped)
		if !quick() {
			check("the rest", part, data[:at])
		}
	}
}

// TestCorpusTruncated truncates a corpus, or puts another in its place, while it is trained
// on, with rows in memory and without: the model is that of a corpus that was there, or
// there is none, and an error that names the file.
func TestCorpusTruncated(t *testing.T) {
	t.Parallel()
	s := &workshop{t: t, path: executable(t), folder: folderOf(t, 30_000, 2)}
	s.run(0, "pack", "-q", "train.tsv", "-o", "one.nbc")
	other := folderOf(t, 31_000, 2)
	s.run(0, "pack", "-q", filepath.Join(other, "train.tsv"), "-o", "two.nbc")
	one, two := s.read("one.nbc"), s.read("two.nbc")
	input := filepath.Join(s.folder, "input.nbc")
	put := func(name string, data []byte) string {
		path := filepath.Join(s.folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for _, memory := range []string{"0", "34MiB"} {
		args := []string{"train", "--bits", "16", "--loss", "logistic", "--tol", "1e-5", "--C", "100", "--max-epochs", "40", "--memory", memory, "-o", "out.nbm", "input.nbc"}
		var models [][]byte
		var took time.Duration
		for _, corpus := range [][]byte{two, one} {
			put("input.nbc", corpus)
			start := time.Now()
			said, err := s.command(args...).CombinedOutput()
			took = time.Since(start)
			if far := bytes.Contains(said, []byte("rows stay on disk")); err != nil || far != (memory != "0") {
				t.Fatalf("memory %s: %v: %s", memory, err, said)
			}
			models = append(models, s.read("out.nbm"))
		}
		times, refused := amount("NBSVM_TRUNCATIONS", 8, 4)/2, 0
		for k := range times {
			put("input.nbc", one)
			if err := os.Remove(filepath.Join(s.folder, "out.nbm")); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			cmd := s.command(append([]string{"train", "-q"}, args[1:]...)...)
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			moment := time.Duration(r.Int64N(int64(took)))
			if k%2 == 1 {
				moment /= 10 // when it is likelier that the corpus still is read
			}
			time.Sleep(moment)
			what := "replaced"
			if k%3 > 0 {
				size := r.Int64N(int64(len(one)))
				what = fmt.Sprintf("truncated to %d bytes", size)
				if err := os.Truncate(input, size); err != nil {
					t.Skip("a mapped file can't be truncated here:", err)
				}
			} else if err := os.Rename(put("next.nbc", two), input); err != nil {
				t.Skip("a mapped file can't be replaced here:", err)
			}
			cmd.Wait()
			got, err := os.ReadFile(filepath.Join(s.folder, "out.nbm"))
			switch code := cmd.ProcessState.ExitCode(); {
			case code == 0 && err == nil && (bytes.Equal(got, models[1]) || what == "replaced" && bytes.Equal(got, models[0])):
			case code == 1 && os.IsNotExist(err) && what != "replaced" && strings.Contains(said.String(), "input.nbc") && strings.Count(said.String(), "\n") == 1:
				refused++
			default:
				t.Errorf("memory %s, %s: exit code %d, %d bytes of model, %v: %s", memory, what, code, len(got), err, &said)
			}
		}
		t.Logf("memory %s: %d of %d were refused; undisturbed it takes %v", memory, refused, times, took)
	}
}
