package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// workshop is a folder with a model, m.nbm, and rows.jsonl of so many rows, every
// thousandth of them bad; good.jsonl has the others.
type workshop struct {
	t      *testing.T
	path   string // of the command
	folder string
	rows   int
	bad    int
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	cmd, _ := command(t)
	s := &workshop{t: t, path: cmd.Path, folder: cmd.Dir, rows: amount("NBSVM_ROWS", 40_000, 10_000)}
	var rows, good bytes.Buffer
	for i := range s.rows {
		label, text := document(i, 2)
		line := fmt.Sprintf("{\"id\":%d,\"text\":%q,\"is\":%q}\n", i, text, label)
		if i%1000 == 500 {
			line = fmt.Sprintf("{\"id\":%d,\"text\":%q,\n", i, text)
			s.bad++
		} else {
			good.WriteString(line)
		}
		rows.WriteString(line)
	}
	for name, content := range map[string][]byte{"rows.jsonl": rows.Bytes(), "good.jsonl": good.Bytes()} {
		if err := os.WriteFile(filepath.Join(s.folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// amount is what the environment says, so that more can be done by hand (make robust).
func amount(name string, otherwise, quickly int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	switch {
	case err == nil && n > 0:
		return n
	case quick():
		return quickly
	}
	return otherwise
}

func (s *workshop) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), s.path, args...)
	cmd.Args[0], cmd.Dir = "nbsvm", s.folder
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
	data, err := os.ReadFile(filepath.Join(s.folder, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return data
}

// TestManyRows: with one bad record in a thousand there are as many rows as records,
// in order, the same for any number of threads; and shards joined are the same file.
func TestManyRows(t *testing.T) {
	t.Parallel()
	s := newWorkshop(t)
	var outputs [][]byte
	for _, threads := range []string{"1", "2", "7"} {
		s.run(3, "score", "-q", "--threads", threads, "--on-bad", "skip", "--output-format", "jsonl", "-o", "scores", "m.nbm", "rows.jsonl")
		outputs = append(outputs, s.read("scores"))
	}
	for _, other := range outputs[1:] {
		if !bytes.Equal(other, outputs[0]) {
			t.Error("another number of threads gives other bytes")
		}
	}
	n, wrong := 0, 0 // the model knows hardly all words
	for lines := bufio.NewScanner(bytes.NewReader(outputs[0])); lines.Scan(); n++ {
		label, _ := document(n, 2)
		isBad := bytes.HasPrefix(lines.Bytes(), []byte(`{"error":"rows.jsonl (byte `))
		isOurs := bytes.HasPrefix(lines.Bytes(), []byte(`{"labels":["`+label+`"]`))
		if isBad != (n%1000 == 500) {
			t.Fatalf("row %d, of %s: %s", n, label, lines.Text())
		}
		if !isBad && !isOurs {
			wrong++
		}
	}
	if n != s.rows || wrong > n/1000 {
		t.Errorf("%d rows of %d records, %d not of their label", n, s.rows, wrong)
	}

	s.run(3, "score", "-q", "--on-bad", "quarantine=bad", "--where", "margin > 0 or not margin > 0", "-o", "kept", "m.nbm", "rows.jsonl")
	if !bytes.Equal(s.read("kept"), s.read("good.jsonl")) {
		t.Error("what passes is not the good records")
	}
	if bad := bytes.Count(s.read("bad"), []byte("\n")); bad != s.bad {
		t.Errorf("%d bad records in quarantine, want %d", bad, s.bad)
	}

	merge := []string{"merge", "-q", "-o", "merged"}
	for k := range 13 {
		part := fmt.Sprint("part-", 12-k)
		s.command("score", "-q", "--on-bad", "skip", "--output-format", "jsonl", "--shard", fmt.Sprintf("%d/13", 13-k), "-o", part, "m.nbm", "rows.jsonl").Run()
		merge = append(merge, part)
	}
	s.run(0, merge...)
	if !bytes.Equal(s.read("merged"), outputs[0]) {
		t.Error("13 shards joined are not the file of one run")
	}
}

// TestScoreTruncated truncates the input while it is read: the output is whole, or there
// is none, and the error names the file and the byte.
func TestScoreTruncated(t *testing.T) {
	t.Parallel()
	s := newWorkshop(t)
	args := []string{"score", "-q", "--threads", "1", "--on-bad", "skip", "-o", "out", "m.nbm", "input.jsonl"}
	rows, input, output := s.read("rows.jsonl"), filepath.Join(s.folder, "input.jsonl"), filepath.Join(s.folder, "out")
	for len(rows) < 8<<20 { // far more than is read ahead
		rows = append(rows, rows...)
	}
	var want []byte
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	times, refused := amount("NBSVM_TRUNCATIONS", 8, 5), 0
	for k := range times + 1 {
		if err := os.WriteFile(input, rows, 0o600); err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			s.run(3, args...)
			want = s.read("out")
			continue
		}
		if err := os.Remove(output); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		cmd := s.command(args...)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said := bufio.NewReader(stderr)
		if _, err := said.ReadString('\n'); err != nil { // about a bad record: the file is open
			t.Fatal(err)
		}
		size := r.Int64N(int64(len(rows)))
		if err := os.Truncate(input, size); err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(said)
		cmd.Wait()
		got, err := os.ReadFile(output)
		switch code := cmd.ProcessState.ExitCode(); code {
		case 3:
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("truncated to %d bytes: %d bytes of output, want %d; %v", size, len(got), len(want), err)
			}
		case 1:
			refused++
			if !os.IsNotExist(err) || !regexp.MustCompile(`input\.jsonl: after \d+ bytes: truncated while it was read`).Match(rest) {
				t.Errorf("truncated to %d bytes: it says %s; output: %v", size, rest, err)
			}
		default:
			t.Errorf("truncated to %d bytes: exit code %d: %s", size, code, rest)
		}
	}
	t.Logf("%d of %d truncated files were refused, the others had been read", refused, times)
}
