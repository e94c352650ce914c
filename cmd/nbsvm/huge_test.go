package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestBomb gives small files that decompress to a gigabyte without a line's end
// to commands, which must not hold them in memory.
func TestBomb(t *testing.T) {
	must.SkipUnderRace(t)
	t.Parallel()
	members := 24 // of 16 MiB each, more than reading may take
	if testing.Short() {
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
