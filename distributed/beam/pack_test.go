package nbsvmbeam

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestPack: a pipeline makes the parts of nbsvm pack --out-dir and the corpus of nbsvm pack, byte for byte, here and in
// another file system; run again, it passes over the parts.
func TestPack(t *testing.T) {
	folder := newShop(t, 7)
	t.Chdir(folder)
	shards, err := filepath.Glob("in/*")
	must.OK(t, err)
	nbsvmRun(t, folder, append([]string{"pack", "--min-df", "2", "--ngrams", "1-3", "--names", "-o", "one.nbc"}, shards...)...)
	nbsvmRun(t, folder, append([]string{"pack", "--min-df", "1", "--ngrams", "1-3", "--names", "--out-dir", "one"}, shards...)...)
	want, err := os.ReadFile("one.nbc")
	must.OK(t, err)
	o := PackOptions{OutDir: "beam", Output: "beam.nbc", MinDF: 2, Names: true, Text: hashing.DefaultOptions()}
	o.Text.NgramHi = 3
	for again := range int64(2) {
		sum := runPack(t, o, shards...)
		if int(sum.Files) != len(shards) || sum.There != again*sum.Files || !complete(sum, len(shards)) {
			t.Errorf("%+v", sum)
		}
		if got, err := os.ReadFile(o.Output); err != nil || string(got) != string(want) {
			t.Errorf("the corpus has %d bytes (%v), and is not that of nbsvm pack, which has %d", len(got), err, len(want))
		}
		os.Remove(o.Output)
	}
	wantSame(t, contents(t, "beam"), contents(t, "one"))
	var remote []string
	for _, input := range shards {
		remote = append(remote, "memfs://pack/"+filepath.ToSlash(input))
		copyTo(t, input, remote[len(remote)-1])
	}
	o.OutDir, o.Output = "memfs://pack/parts", "memfs://pack/all.nbc"
	runPack(t, o, remote...)
	if got, err := ReadFile(t.Context(), o.Output); err != nil || string(got) != string(want) {
		t.Errorf("elsewhere, the corpus has %d bytes (%v), and is not that of nbsvm pack, which has %d", len(got), err, len(want))
	}
}

// runPack packs by a pipeline and returns the summary.
func runPack(t *testing.T, o PackOptions, patterns ...string) Summary {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	made, err := Pack(s, Match(s, patterns...), o)
	must.OK(t, err)
	path := join(o.OutDir, SummaryName)
	WriteSummary(s, Summarise(s, made), path)
	if _, err := ptest.RunWithMetrics(p); err != nil {
		t.Fatal(err)
	}
	return readSummary(t, path)
}
