package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// letters reads as x again and again.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// quick asks for less, with -short and under the race detector, which slows
// decompressors to a crawl.
func quick() bool { return testing.Short() || raceEnabled }

// huge is how long the records of these tests are: 100 MB, or in a quick test more
// than the longest allowed.
func huge() int64 {
	if quick() {
		return 20e6
	}
	return 100e6
}

// TestLongLine gives a line of 100 MB in the midst of good ones to each command
// that reads. It is a bad record: told with its place, skipped on demand, and not
// held in memory.
func TestLongLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"train", "-o", "x.nbm"}, 1, "nbsvm: standard input:61 (byte "},
		{[]string{"train", "--on-bad", "skip", "-q", "-o", "m.nbm"}, 3, "nbsvm: 1 bad record skipped: 1 too long\n"},
		{[]string{"score", "m.nbm", "-o", "rows"}, 1, "longer than the longest record allowed, 16777216 bytes"},
		{[]string{"score", "--on-bad", "skip", "m.nbm"}, 3, "nbsvm: bad record: standard input:61 "},
		{[]string{"eval", "--on-bad", "quarantine=bad", "m.nbm"}, 3, "nbsvm: 1 bad record quarantined in bad: 1 too long\n"},
	} {
		cmd, stderr := command(t, test.args...)
		watchMemory(t, cmd)
		cmd.Stdin = io.MultiReader(good(t), strings.NewReader("cooking\t"), io.LimitReader(letters{}, huge()), strings.NewReader("\n"), good(t))
		var stdout bytes.Buffer
		cmd.Stdout = &stdout
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != test.code || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%v: exit code %d, want %d: %s", test.args, code, test.code, stderr)
		}
		if rows := strings.Count(stdout.String(), "\n"); test.args[0] == "score" && test.code == 3 && rows != 121 {
			t.Errorf("%v: %d rows, want 121", test.args, rows)
		}
		checkMemory(t, cmd, readMemory)
		if got := strings.ReplaceAll(files(t, cmd.Dir), "bad ", ""); got != "m.nbm" {
			t.Errorf("%v: files left: %s", test.args, got)
		}
	}
}

// good are documents that can be learned from.
func good(t *testing.T) io.Reader {
	var b bytes.Buffer
	must.OK(t, writeDocuments(&b, "tsv", 60, 2))
	return &b
}

// TestBomb gives small files that decompress to a gigabyte without a line's end
// to commands, which must not hold them in memory.
func TestBomb(t *testing.T) {
	t.Parallel()
	members := 24 // of 16 MiB each, more than reading may take
	if quick() {
		members = 2
	}
	for _, kind := range []string{"gzip", "zstd"} {
		member, err := pressed(kind, bytes.Repeat([]byte{'x'}, 16<<20))
		must.OK(t, err)
		for _, test := range []struct {
			args []string
			code int
			want string
		}{
			{[]string{"train", "bomb", "-o", "x.nbm"}, 1, "nbsvm: bomb: looks like no known format"},
			{[]string{"train", "--format", "tsv", "bomb", "-o", "x.nbm"}, 1, "nbsvm: bomb: is not tsv"},
			{[]string{"score", "-o", "rows", "m.nbm", "bomb"}, 1, "nbsvm: bomb:1 (byte 0): longer than"},
			{[]string{"score", "--on-bad", "skip", "m.nbm", "bomb"}, 3, "nbsvm: 1 bad record skipped"},
		} {
			cmd, stderr := command(t, test.args...)
			watchMemory(t, cmd)
			path := filepath.Join(cmd.Dir, "bomb")
			must.OK(t, os.WriteFile(path, bytes.Repeat(member, members), 0o666))
			cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != test.code || !strings.Contains(stderr.String(), test.want) {
				t.Errorf("%s, %v: exit code %d, want %d: %s", kind, test.args, code, test.code, stderr)
			}
			checkMemory(t, cmd, readMemory)
			if got := files(t, cmd.Dir); got != "bomb m.nbm" {
				t.Errorf("%s, %v: files left: %s", kind, test.args, got)
			}
		}
	}
}
