package model

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestDocumented: the manual has every section of a model.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/files.md")
	must.OK(t, err)
	_, model, _ := strings.Cut(string(page), "\n## Model\n")
	model, _, _ = strings.Cut(model, "\n## ")
	words := strings.FieldsFunc(model, func(r rune) bool { return r < 'A' || r > 'Z' })
	for name := range known {
		if !slices.Contains(words, strings.TrimRight(name, "8")) {
			t.Errorf("there is no section %s", name)
		}
	}
}
