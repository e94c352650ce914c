package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/audit"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// hostileAudit is a page of scores whose groups, fields and files have hostile names.
func hostileAudit(t *testing.T) string {
	t.Helper()
	var sets [2]corpus.Input
	for i := range sets {
		var b strings.Builder
		for k := range 40 * len(hostile) {
			name, err := json.Marshal(hostile[k%len(hostile)])
			must.OK(t, err)
			fmt.Fprintf(&b, "{\"score\":%v,%q:%s}\n", float64((k*k+17*i)%1000)/1000, "<b>", name)
		}
		path := filepath.Join(t.TempDir(), "scores.jsonl")
		must.OK(t, os.WriteFile(path, []byte(b.String()), 0o600))
		sets[i].Paths = []string{path}
	}
	cut := 0.9
	r, err := audit.Read(t.Context(), sets[0], &sets[1], &audit.Options{By: []string{"<b>"}, Cut: &cut, Top: 15})
	must.OK(t, err)
	r.Notes = append(r.Notes, hostile...)
	var b bytes.Buffer
	must.OK(t, WriteAudit(r, AuditOptions{Title: hostile[0], Against: hostile[2], Command: strings.Join(hostile, " ")}, &b))
	return b.String()
}

// TestAuditPage: nothing that comes from files becomes markup.
func TestAuditPage(t *testing.T) {
	text := hostileAudit(t)
	known := map[string]bool{}
	for _, tag := range strings.Fields(`doctype html head meta title style body a header h1 bdi p ul li b nav main section h2 h3 pre
		code div table thead tr th tbody td svg rect path text`) {
		known[tag] = true
	}
	for _, tag := range regexp.MustCompile(`<[!/]?([A-Za-z][\w-]*)`).FindAllStringSubmatch(text, -1) {
		if !known[strings.ToLower(tag[1])] {
			t.Errorf("the page has a tag %s", tag[0])
		}
	}
	for _, want := range []string{"Audit of &lt;script&gt;", "<h2>By <bdi>&lt;b&gt;</bdi></h2>", "more groups)", "Distribution of the scores"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
