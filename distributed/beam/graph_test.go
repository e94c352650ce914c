package nbsvmbeam

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"

	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// protoOf is the pipeline as runners get it.
func protoOf(
	t *testing.T, build func(s beam.Scope, shards beam.PCollection) (beam.PCollection, error),
) *pipepb.Pipeline {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	made, err := build(s, Match(s, "gs://b/web/*.jsonl.zst"))
	if err != nil {
		t.Fatal(err)
	}
	WriteSummary(s, Summarise(s, made), "gs://b/summary.json")
	edges, _, err := p.Build()
	if err != nil {
		t.Fatal(err)
	}
	config := func(context.Context) string { return "apache/beam_go_sdk:2.77.0" }
	environment, err := graphx.CreateEnvironment(t.Context(), "beam:env:docker:v1", config)
	if err != nil {
		t.Fatal(err)
	}
	proto, err := graphx.Marshal(edges, &graphx.Options{Environment: environment})
	if err != nil {
		t.Fatal(err)
	}
	return proto
}

// names are those of a pipeline's transforms, without numbers that make them different.
func names(p *pipepb.Pipeline) (all []string) {
	for _, of := range p.GetComponents().GetTransforms() {
		if of.GetSpec() != nil || len(of.GetSubtransforms()) > 0 {
			all = append(all, of.GetUniqueName())
		}
	}
	slices.Sort(all)
	return all
}

// TestGraph: what runners get has the transforms that it should, under the same names each time, so that jobs can be
// told apart and updated, and it runs in one environment, that of Beam's image for Go.
func TestGraph(t *testing.T) {
	score := func(s beam.Scope, shards beam.PCollection) (beam.PCollection, error) {
		return Score(s, shards, ScoreOptions{Model: "gs://b/m.nbm", OutDir: "gs://b/out", Options: scoring.Options{Where: "p > 0.5"}})
	}
	pack := func(s beam.Scope, shards beam.PCollection) (beam.PCollection, error) {
		return Pack(s, shards, PackOptions{OutDir: "gs://b/parts", Output: "gs://b/all.nbc", Text: hashing.DefaultOptions()})
	}
	for name, build := range map[string]func(beam.Scope, beam.PCollection) (beam.PCollection, error){"Score": score, "Pack": pack} {
		p := protoOf(t, build)
		got := names(p)
		if again := names(protoOf(t, build)); !slices.Equal(got, again) {
			t.Errorf("%s: transforms are %v, and then %v", name, got, again)
		}
		all := strings.Join(got, "\n")
		wanted := []string{"nbsvm.Match/nbsvmbeam.matchFn", "/Begin/", "/Name/", "/Unique/", "/Make/", "nbsvm.Summarise", "nbsvm.WriteSummary"}
		if name == "Pack" {
			wanted = append(wanted, "/Merge/")
		}
		for _, want := range wanted {
			if !strings.Contains(all, want) && !strings.Contains(all, strings.TrimPrefix(want, "nbsvm.Match/nbsvmbeam.")) {
				t.Errorf("%s has no transform %s among\n%s", name, want, all)
			}
		}
		urns := map[string]int{}
		for _, of := range p.GetComponents().GetTransforms() {
			if of.GetSpec() == nil {
				continue
			}
			urns[of.GetSpec().GetUrn()]++
			if env := of.GetEnvironmentId(); env != "" && env != "go" {
				t.Errorf("%s: %s is of the environment %s", name, of.GetUniqueName(), env)
			}
		}
		if urns["beam:transform:reshuffle:v1"] != 1 {
			t.Errorf("%s has %d reshuffles, want 1, in front of what makes outputs: %v", name, urns["beam:transform:reshuffle:v1"], urns)
		}
		environments := p.GetComponents().GetEnvironments()
		if len(environments) != 1 || !strings.Contains(string(environments["go"].GetPayload()), "apache/beam_go_sdk:2.77.0") {
			t.Errorf("%s: environments are %v", name, environments)
		}
	}
}
