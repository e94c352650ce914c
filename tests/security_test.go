package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestPromisesTested: the tests that pages name for what they promise exist.
func TestPromisesTested(t *testing.T) {
	declared := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, match := range function.FindAllSubmatch(source, -1) {
			declared[string(match[1])] = true
		}
		return err
	})
	must.OK(t, err)
	for _, page := range []string{"../SECURITY.md", "../docs/explanation/trust.md", "../docs/reference/stability.md"} {
		text, err := os.ReadFile(page)
		must.OK(t, err)
		for _, match := range regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllSubmatch(text, -1) {
			if !declared[string(match[1])] {
				t.Errorf("%s names %s, which does not exist", page, match[1])
			}
		}
	}
}
