package nbsvmbeam

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// protoOf is the pipeline as runners get it.
func protoOf(
	t *testing.T, build func(s beam.Scope, shards beam.PCollection) error,
) *pipepb.Pipeline {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	must.OK(t, build(s, Match(s, "gs://b/web/*.jsonl.zst")))
	edges, _, err := p.Build()
	must.OK(t, err)
	config := func(context.Context) string { return "apache/beam_go_sdk:2.77.0" }
	environment, err := graphx.CreateEnvironment(t.Context(), "beam:env:docker:v1", config)
	must.OK(t, err)
	proto, err := graphx.Marshal(edges, &graphx.Options{Environment: environment})
	must.OK(t, err)
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
	score := func(s beam.Scope, shards beam.PCollection) error {
		return Score(s, shards, ScoreOptions{Model: "gs://b/m.nbm", OutDir: "gs://b/out", Options: scoring.Options{Where: "p > 0.5"}})
	}
	for name, build := range map[string]func(beam.Scope, beam.PCollection) error{"Score": score} {
		p := protoOf(t, build)
		got := names(p)
		if again := names(protoOf(t, build)); !slices.Equal(got, again) {
			t.Errorf("%s: transforms are %v, and then %v", name, got, again)
		}
		all := strings.Join(got, "\n")
		wanted := []string{"nbsvm.Match/nbsvmbeam.matchFn", "/Begin/", "/Make/"}
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

// TestRegistered: what pipelines are made of, and what goes from one transform to the next, is registered, so that
// workers find it by name, and its methods are called without reflection.
func TestRegistered(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	shards := Match(s, "gs://b/web/*.jsonl.zst")
	must.OK(t, Score(s, shards, ScoreOptions{Model: "gs://b/m.nbm", OutDir: "gs://b/out"}))
	edges, nodes, err := p.Build()
	must.OK(t, err)
	found := 0
	check := func(of reflect.Type) {
		t.Helper()
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		key, named := runtime.TypeKey(of)
		if !named || !strings.Contains(key, "nbsvm") {
			return // Beam's own, or a plain one
		}
		if found++; of.Kind() == reflect.Struct {
			if as, there := runtime.LookupType(key); !there || as != of {
				t.Errorf("%s is not registered", key)
			}
		}
	}
	for _, edge := range edges {
		var fn *graph.Fn
		switch {
		case edge.DoFn != nil:
			fn = (*graph.Fn)(edge.DoFn)
		case edge.CombineFn != nil:
			fn = (*graph.Fn)(edge.CombineFn)
		default:
			continue
		}
		if fn.Recv == nil {
			if strings.Contains(fn.Name(), "nbsvm") {
				t.Errorf("%s is a function alone, want a type with methods", fn.Name())
			}
			continue
		}
		check(reflect.TypeOf(fn.Recv))
	}
	for _, node := range nodes {
		for _, of := range append(node.Type().Components(), node.Type()) {
			check(of.Type())
		}
	}
	if found < 3 {
		t.Errorf("%d types were looked at, want more", found)
	}
}
