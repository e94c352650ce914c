// Package deploy tests the job files of the folder deploy: they are run as Slurm and Kubernetes would, while what they
// run is killed. Afterwards nothing must be lost, there twice, or half written.
package deploy

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// program is nbsvm, built without C: it runs where there is nothing else.
var program string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "nbsvm-deploy-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(folder, "nbsvm")
	build := exec.Command("go", "build", "-o", program, "./cmd/nbsvm")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// faults is how many faults are injected into a test: NBSVM_FAULTS, or as many as it says.
func faults(t *testing.T, otherwise int) int {
	n, err := strconv.Atoi(os.Getenv("NBSVM_FAULTS"))
	if err != nil {
		return otherwise
	}
	return n
}

// shop is a folder with documents in web, a model, and what one run without faults makes of them.
type shop struct {
	*testing.T
	folder string
	shards []string
	// Files by name of whole runs: the records that pass and the others, and the corpora.
	good, rest, parts map[string]string
	model             string // trained on all parts

	damage
	faults int // that were offered
}

// score and pack are the commands that are run, but for --out-dir, --rejects and the inputs.
var (
	score = []string{"score", "--where", "margin > 0"}
	pack  = []string{"pack", "--min-df", "1", "--ngrams", "1-2"}
	train = []string{"--bits", "14", "--min-df", "2"}
)

const shards = 24

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{T: t, folder: t.TempDir()}
	if err := os.Chmod(s.folder, 0o755); err != nil { // for who runs without privileges
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	words := strings.Fields("oven broth simmer anchor keel sail drizzle frost thaw violin tempo chord river stone light")
	document := func(i int) (label, text string) {
		var b strings.Builder
		for range 40 {
			b.WriteString(words[(i%2*7+r.IntN(9))%len(words)])
			b.WriteByte(' ')
			b.WriteString(strconv.Itoa(r.IntN(5000)))
			b.WriteByte(' ')
		}
		return []string{"good", "other"}[i%2], b.String()
	}
	if err := os.Mkdir(s.at("web"), 0o755); err != nil {
		t.Fatal(err)
	}
	for k := range shards {
		var b bytes.Buffer
		for i := range 500 + 2000*(k%4) {
			label, text := document(i)
			fmt.Fprintf(&b, "{\"id\":\"%d-%d\",\"label\":%q,\"text\":%q}\n", k, i, label, text)
		}
		name := fmt.Sprintf("web/%02d.jsonl", k)
		s.write(name, b.Bytes(), 0o644)
		s.shards = append(s.shards, name)
	}
	s.run("train", "-q", "--bits", "14", "-o", "quality.nbm", "web/00.jsonl", "web/01.jsonl")
	s.run(slices.Concat(score, []string{"-q", "--out-dir", "whole-good", "--rejects", "whole-rest", "quality.nbm", "web/*.jsonl"})...)
	s.run(slices.Concat(pack, []string{"-q", "--out-dir", "whole-parts", "web/*.jsonl"})...)
	s.run(slices.Concat(pack, []string{"-q", "-o", "whole.nbc", "web/*.jsonl"})...)
	s.run(slices.Concat([]string{"train", "-q", "-o", "whole.nbm", "whole.nbc"}, train)...)
	s.good, s.rest, s.parts = s.files("whole-good"), s.files("whole-rest"), s.files("whole-parts")
	s.model = s.read("whole.nbm")
	if len(s.good) != shards || len(s.rest) != shards || len(s.parts) != shards {
		t.Fatalf("%d, %d and %d files", len(s.good), len(s.rest), len(s.parts))
	}
	return s
}

func (s *shop) at(path string) string { return filepath.Join(s.folder, path) }

func (s *shop) read(path string) string {
	s.Helper()
	data, err := os.ReadFile(s.at(path))
	if err != nil {
		s.Fatal(err)
	}
	return string(data)
}

func (s *shop) write(path string, data []byte, mode fs.FileMode) {
	s.Helper()
	if err := os.WriteFile(s.at(path), data, mode); err != nil {
		s.Fatal(err)
	}
}

// run runs nbsvm in the folder, without faults.
func (s *shop) run(args ...string) {
	s.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = s.folder
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("nbsvm %v: %v\n%s", args, err, out)
	}
}

// files are the files of a folder by name, but for hidden ones.
func (s *shop) files(folder string) map[string]string {
	s.Helper()
	entries, err := os.ReadDir(s.at(folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			files[e.Name()] = s.read(filepath.Join(folder, e.Name()))
		}
	}
	return files
}

// damage is how many files are wrong.
type damage struct{ lost, doubled, half int }

// remove removes folders and files.
func (s *shop) remove(paths ...string) {
	s.Helper()
	for _, path := range paths {
		if err := os.RemoveAll(s.at(path)); err != nil {
			s.Fatal(err)
		}
	}
}

// compare compares the files of a folder with those of a whole run.
func (s *shop) compare(folder string, want map[string]string) {
	s.Helper()
	d := &s.damage
	got := s.files(folder)
	for name, data := range want {
		switch of, there := got[name]; {
		case !there:
			s.Errorf("%s/%s is missing", folder, name)
			d.lost++
		case of != data && len(of) < len(data):
			s.Errorf("%s/%s has %d of %d bytes", folder, name, len(of), len(data))
			d.half++
		case of != data:
			s.Errorf("%s/%s has %d bytes, want %d others", folder, name, len(of), len(data))
			d.doubled++
		}
	}
	for name := range got {
		if _, wanted := want[name]; !wanted {
			s.Errorf("%s/%s should not be there", folder, name)
			d.doubled++
		}
	}
}

// whole checks a folder when all is done, with verify too.
func (s *shop) whole(folder string, want map[string]string) {
	s.Helper()
	s.compare(folder, want)
	s.run("verify", "-q", folder, "web/*.jsonl")
}

// checkWhileRunning checks what is there between faults: files may be missing, but not be others.
func (s *shop) checkWhileRunning(folder string, want map[string]string) {
	s.Helper()
	for name, data := range s.files(folder) {
		if want[name] != data {
			s.half++
			s.Errorf("%s/%s has %d bytes, want %d, while tasks run", folder, name, len(data), len(want[name]))
		}
	}
}

// tokens are faults that wait to be taken by programs that are run, as files in a folder, in the place of those before.
func (s *shop) tokens(n int, kinds ...string) {
	s.Helper()
	s.remove("faults", "taken")
	for _, folder := range []string{"faults", "taken", "landed"} {
		if err := os.MkdirAll(s.at(folder), 0o777); err != nil {
			s.Fatal(err)
		}
	}
	for range n {
		s.faults++
		s.write(fmt.Sprintf("faults/%04d-%s", s.faults, kinds[s.faults%len(kinds)]), nil, 0o666)
	}
}

// landed are the faults that have hit, by kind.
func (s *shop) landed() (counts map[string]int, sum int) {
	s.Helper()
	entries, err := os.ReadDir(s.at("landed"))
	if err != nil {
		s.Fatal(err)
	}
	counts = map[string]int{}
	for _, e := range entries {
		_, kind, _ := strings.Cut(e.Name(), "-")
		counts[kind]++
	}
	return counts, len(entries)
}

// sorted is a map in a line.
func sorted(counts map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%d %s", counts[name], name))
	}
	return strings.Join(all, ", ")
}
