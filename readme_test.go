package nbsvm

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestDocumentedPrograms builds the programs in README.md and docs/how-to/embed.md, and runs those that end.
func TestDocumentedPrograms(t *testing.T) {
	must.SkipUnderRace(t)
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	reviews := strings.Repeat("pos\tnot bad at all, in fact lovely\nneg\tdull and tiresome\n", 3)
	must.OK(t, os.WriteFile(filepath.Join(folder, "reviews.tsv"), []byte(reviews), 0o600))
	for _, test := range []struct {
		page string
		want []string // the beginnings of what each program prints; "" if it runs for ever
	}{
		{"README.md", []string{"6 documents: pos 0."}},
		{"docs/how-to/embed.md", []string{"6 documents", ""}}, // the second embeds what the first saves
	} {
		page, err := os.ReadFile(test.page)
		must.OK(t, err)
		programs := regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n").FindAllSubmatch(page, -1)
		if len(programs) != len(test.want) {
			t.Fatalf("%s has %d programs, want %d", test.page, len(programs), len(test.want))
		}
		for k, want := range test.want {
			source, binary := filepath.Join(folder, "main.go"), filepath.Join(folder, "program.exe")
			must.OK(t, os.WriteFile(source, programs[k][1], 0o600))
			if out, err := exec.Command(tool, "build", "-o", binary, source).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", test.page, err, out)
			}
			if want == "" {
				continue
			}
			run := exec.Command(binary)
			run.Dir = folder
			if out, err := run.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), want) {
				t.Errorf("%s: %v: %s", test.page, err, out)
			}
		}
	}
}
