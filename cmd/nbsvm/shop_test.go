package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// workshop is a folder in which commands run as processes.
type workshop struct {
	t      testing.TB
	path   string // of the command
	folder string
}

func newWorkshop(t testing.TB) *workshop {
	t.Helper()
	path, err := os.Executable() // which is the command as well
	must.OK(t, err)
	return &workshop{t: t, path: path, folder: t.TempDir()}
}

var (
	making sync.Mutex
	made   = map[string]map[string]string{}
)

// newShop is a workshop with the files that a function makes, once for all tests.
func newShop(t testing.TB, name string, fill func(s *workshop)) *workshop {
	t.Helper()
	s := newWorkshop(t)
	making.Lock()
	defer making.Unlock()
	if made[name] == nil {
		fill(s)
		made[name] = s.tree()
		return s
	}
	for path, data := range made[name] {
		must.OK(t, os.MkdirAll(filepath.Dir(s.in(path)), 0o700))
		s.write(path, []byte(data))
	}
	return s
}

// of is the same folder for a part of a test.
func (s *workshop) of(t testing.TB) *workshop { return &workshop{t, s.path, s.folder} }

func (s *workshop) in(name string) string { return filepath.Join(s.folder, name) }

func (s *workshop) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), s.path, args...)
	cmd.Args[0], cmd.Dir = "nbsvm", s.folder // testscript.Main goes by the name
	return cmd
}

// run wants an exit code.
func (s *workshop) run(code int, args ...string) {
	s.t.Helper()
	cmd := s.command(args...)
	said, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		s.t.Fatalf("%v: exit code %d, want %d: %s", args, got, code, said)
	}
}

func (s *workshop) read(name string) []byte {
	s.t.Helper()
	data, err := os.ReadFile(s.in(name))
	must.OK(s.t, err)
	return data
}

func (s *workshop) write(name string, data []byte) {
	s.t.Helper()
	must.OK(s.t, os.WriteFile(s.in(name), data, 0o600))
}

// documents writes a file of n documents in two classes; its ending is their format.
func (s *workshop) documents(name string, n int) {
	s.t.Helper()
	var b bytes.Buffer
	must.OK(s.t, writeDocuments(&b, filepath.Ext(name)[1:], n, 2))
	s.write(name, b.Bytes())
}

// rows writes rows.jsonl, of which every thousandth row is bad, and good.jsonl, the others. It returns how many there
// are of both.
func (s *workshop) rows(n int) (bad int) {
	s.t.Helper()
	var rows, good bytes.Buffer
	for i := range n {
		label, text := document(i, 2)
		line := fmt.Sprintf("{\"id\":%d,\"text\":%q,\"is\":%q}\n", i, text, label)
		if i%1000 == 500 {
			line = fmt.Sprintf("{\"id\":%d,\"text\":%q,\n", i, text)
			bad++
		} else {
			good.WriteString(line)
		}
		rows.WriteString(line)
	}
	s.write("rows.jsonl", rows.Bytes())
	s.write("good.jsonl", good.Bytes())
	return bad
}

// noise writes n long texts whose n-grams of characters are nearly all different.
func (s *workshop) noise(name string, n int) {
	s.t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), 1))
	var b bytes.Buffer
	for i := range n {
		b.WriteString([]string{"even\t", "odd\t"}[i%2])
		for range 2000 {
			b.WriteByte("abcdefghi "[r.IntN(10)])
		}
		b.WriteByte('\n')
	}
	s.write(name, b.Bytes())
}

// amount is what the environment says, so that more can be done by hand (make robust), or what is usual.
func amount(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return usual
}

// tree is what the files in the folder hold, by their paths.
func (s *workshop) tree() map[string]string {
	s.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(s.folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == s.folder {
			return err
		}
		name, err := filepath.Rel(s.folder, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if e.IsDir() {
			return nil
		}
		content, err := os.ReadFile(path)
		all[name] = string(content)
		return err
	})
	must.OK(s.t, err)
	return all
}

// reset removes all but these files, which must be there, and their folders.
func (s *workshop) reset(files map[string]string) {
	s.t.Helper()
	there, kept := 0, map[string]bool{}
	for name := range files {
		top, _, _ := strings.Cut(name, "/")
		kept[top] = true
	}
	for name := range s.tree() {
		if _, keep := files[name]; keep {
			there++
		} else {
			must.OK(s.t, os.Remove(s.in(filepath.FromSlash(name))))
		}
	}
	if there < len(files) {
		s.t.Fatalf("%d files are gone", len(files)-there)
	}
	entries, err := os.ReadDir(s.folder)
	must.OK(s.t, err)
	// A folder that is left empty would be in the way of a file of its name.
	for _, e := range entries {
		if !kept[e.Name()] {
			must.OK(s.t, os.RemoveAll(s.in(e.Name())))
		}
	}
}

// newJobshop is a folder with small files of all kinds, texts that do not fit into the least memory there is to pack
// with, and many rows, for the commands in jobs.
func newJobshop(t *testing.T) *workshop {
	t.Helper()
	s := newShop(t, "jobs", func(s *workshop) {
		for name, n := range map[string]int{"text.tsv": 60, "more.tsv": 40, "text.jsonl": 30} {
			s.documents(name, n)
		}
		s.write("good.conll", []byte(testkit.Chunked(12, 3)))
		for _, name := range []string{"bigrams.bin", "pruned.ftz"} {
			data, err := os.ReadFile(filepath.Join(tinyModels, name))
			must.OK(t, err)
			s.write(name, data)
		}
		s.noise("noise.tsv", 60)
		s.noise("noise2.tsv", 40)
		s.rows(4_000)
		writeParquet(t, s.in("good.parquet"), reviews(300), 100)
		for _, line := range []string{
			"train -q --bits 10 -o m.nbm text.tsv",
			"pack -q --min-df 1 --ngrams 1-2 -o text.nbc text.tsv",
			"pack -q --min-df 1 --ngrams 1-2 -o more.nbc more.tsv",
			"tag train -q -o good.nbt good.conll",
			packNoise + "-o noise.nbc noise.tsv",
			packNoise + "-o noise2.nbc noise2.tsv",
			"score -q -o part1 m.nbm text.tsv",
		} {
			s.run(exitDone, strings.Fields(line)...)
		}
	})
	s.run(exitDone, "score", "-q", "--out-dir", "full", "m.nbm", "text.tsv", "more.tsv") // whose record has times of files
	return s
}
