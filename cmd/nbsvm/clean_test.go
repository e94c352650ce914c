package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/test/must"
)

// TestClean: what a killed run has left is removed, what a running one needs stays.
func TestClean(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that were written to just now are left on Windows")
	}
	s, stderr := withModel(t), new(bytes.Buffer)
	cmd := s.command("score", "--on-bad", "quarantine=sub/bad", "-o", "rows", "m.nbm")
	cmd.Stderr = stderr
	must.OK(t, os.Mkdir(s.in("sub"), 0o700))
	in, _ := started(t, cmd)
	io.WriteString(in, "oven broth\n")
	for waited := time.Now(); len(temporary(s.folder)) < 2; time.Sleep(time.Millisecond) {
		if time.Since(waited) > time.Minute {
			t.Fatalf("no temporary files: %s; %s", files(t, s.folder), stderr)
		}
	}
	clean := func(args ...string) string {
		t.Helper()
		said, err := s.command(append([]string{"clean"}, args...)...).CombinedOutput()
		if err != nil {
			t.Errorf("clean %v: %v: %s", args, err, said)
		}
		return string(said)
	}
	if said := clean("-r", "."); strings.Count(said, ": in use\n") != 2 || !strings.HasSuffix(said, "removed 0 temporary files and folders, 0 B\n") {
		t.Errorf("while it runs: %s", said)
	}
	cmd.Process.Kill()
	cmd.Wait()
	old := s.in(".rows.nbsvm-0123456789abcdef.tmp")
	must.OK(t, os.WriteFile(old, []byte("half"), 0o600))
	for _, test := range []struct{ args, says, left string }{
		{"--dry-run -r .", "would remove 2 temporary files and folders, ", "3"},
		{".", "removed 1 temporary file or folder, ", "2"},
		{". --json", `"why": "made by another machine or version; --all removes it"`, "2"},
		{". -q", "", "2"},
		{"--recursive .", "removed sub/.bad.nbsvm-", "1"},
		{"--all .", "removed .rows.nbsvm-0123456789abcdef.tmp, 4 B\n", "0"},
		{"-r .", "removed 0 temporary files and folders, 0 B\n", "0"},
	} {
		if said := clean(strings.Fields(test.args)...); !strings.Contains(said, test.says) {
			t.Errorf("clean %s: %s", test.args, said)
		}
		if left := temporary(s.folder); len(left) != int(test.left[0]-'0') {
			t.Errorf("clean %s: left %v, want %s", test.args, left, test.left)
		}
	}
	s.run(exitFailed, "clean", "missing")
	s.run(exitFailed, "clean", "m.nbm")
}

// temporary lists the temporary files of outputs in a folder and those in it.
func temporary(folder string) []string {
	all, _ := filepath.Glob(filepath.Join(folder, ".*.tmp"))
	more, _ := filepath.Glob(filepath.Join(folder, "*", ".*.tmp"))
	return append(all, more...)
}
