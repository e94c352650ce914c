package nbsvmbeam

import (
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestPack: a pipeline makes the parts of nbsvm pack --out-dir, byte for byte, here and in another file system; run
// again, it passes over them.
func TestPack(t *testing.T) {
	folder := newShop(t, 7)
	t.Chdir(folder)
	shards, err := filepath.Glob("in/*")
	must.OK(t, err)
	nbsvmRun(t, folder, append([]string{"pack", "--min-df", "1", "--ngrams", "1-3", "--names", "--out-dir", "one"}, shards...)...)
	o := PackOptions{OutDir: "beam", Names: true, Text: hashing.DefaultOptions()}
	o.Text.Families[0].NgramHi = 3
	for again := range int64(2) {
		sum := runPack(t, o, shards...)
		if int(sum.Files) != len(shards) || sum.There != again*sum.Files || !complete(sum, len(shards)) {
			t.Errorf("%+v", sum)
		}
	}
	wantSame(t, contents(t, "beam"), contents(t, "one"))
	var remote []string
	for _, input := range shards {
		remote = append(remote, "memfs://pack/"+filepath.ToSlash(input))
		copyTo(t, input, remote[len(remote)-1])
	}
	o.OutDir = "memfs://pack/parts"
	runPack(t, o, remote...)
	wantSame(t, contents(t, o.OutDir), contents(t, "one"), "memfs://pack/", "")
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
