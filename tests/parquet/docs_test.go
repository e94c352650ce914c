package parquet

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

var pageBlocks = regexp.MustCompile("(?s)<!-- not run: tests/parquet runs it -->\n```sh\n(.*?)```")

// TestDocs runs the commands of docs/how-to/parquet.md.
func TestDocs(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash here")
	}
	page, err := os.ReadFile("../../docs/how-to/parquet.md")
	must.OK(t, err)
	folder := t.TempDir()
	os.Mkdir(filepath.Join(folder, "shards"), 0o777)
	for _, name := range []string{"reviews.parquet", "new.parquet", "web.parquet", "shards/1.parquet", "shards/2.parquet"} {
		writePage(t, filepath.Join(folder, name))
	}
	blocks := pageBlocks.FindAllSubmatch(page, -1)
	if n := bytes.Count(page, []byte("```sh")); n != len(blocks) {
		t.Errorf("%d blocks of commands, of which %d are for this test", n, len(blocks))
	}
	for _, block := range blocks {
		for _, line := range strings.Split(strings.TrimSpace(string(block[1])), "\n") {
			c := exec.Command("bash", "-c", "set -o pipefail; "+line)
			c.Dir, c.Env = folder, append(os.Environ(), "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		}
	}
}

// writePage writes a file of the page.
func writePage(t *testing.T, path string) {
	t.Helper()
	type group struct {
		Title string `parquet:"title"`
	}
	type row struct {
		ID    int64     `parquet:"id"`
		Text  string    `parquet:"text"`
		Label string    `parquet:"label"`
		Meta  group     `parquet:"meta"`
		Stars int32     `parquet:"stars"`
		Tags  []string  `parquet:"tags,list"`
		Date  time.Time `parquet:"date,date"`
		Lang  string    `parquet:"lang"`
	}
	var all []row
	for i, r := range reviews(200) {
		all = append(all, row{
			ID: r.ID, Text: r.Text, Label: r.Name, Meta: group{"about " + r.Text[:5]}, Stars: int32(i % 5), Tags: r.Tags,
			Date: time.Date(2023, 1, i*5, 0, 0, 0, 0, time.UTC), Lang: []string{"en", "de"}[i%2],
		})
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.MaxRowsPerRowGroup(50))
	if _, err := w.Write(all); err != nil {
		t.Fatal(err)
	}
	must.OK(t, w.Close())
	must.OK(t, os.WriteFile(path, b.Bytes(), 0o666))
}
