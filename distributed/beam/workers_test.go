package nbsvmbeam

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"google.golang.org/protobuf/proto"

	"github.com/seed-167f963f/nbsvm/internal/job/scoring"
	"github.com/seed-167f963f/nbsvm/internal/must"
)

// twoWorkers is a pipeline that scores shards of two patterns into one folder, in two environments: Prism has a worker
// for each.
func twoWorkers(t *testing.T, pool string, o ScoreOptions, patterns [2]string, summary string) *pipepb.Pipeline {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	var made []beam.PCollection
	for k, name := range []string{"first", "second"} {
		s := s.Scope(name)
		of, err := Score(s, Match(s, patterns[k]), o)
		must.OK(t, err)
		made = append(made, beam.Reshuffle(s, of)) // so that what follows is for one worker
	}
	WriteSummary(s, Summarise(s, beam.Flatten(s, made...)), summary)
	edges, _, err := p.Build()
	must.OK(t, err)
	config := func(context.Context) string { return pool }
	environment, err := graphx.CreateEnvironment(t.Context(), graphx.URNEnvExternal, config)
	must.OK(t, err)
	pipeline, err := graphx.Marshal(edges, &graphx.Options{Environment: environment})
	must.OK(t, err)
	of := pipeline.GetComponents()
	second := proto.Clone(of.GetEnvironments()["go"]).(*pipepb.Environment)
	second.Dependencies = nil // the program, which a pool has
	of.Environments["second"] = second
	for _, transform := range of.GetTransforms() {
		if strings.HasPrefix(transform.GetUniqueName(), "second/") && transform.GetEnvironmentId() != "" {
			transform.EnvironmentId = "second"
		}
	}
	return pipeline
}

// TestTwoWorkers scores in one job with two worker processes, which a pool has started: they make what one process
// does. Then one of the two is killed at moments at random, and the job is run again until it succeeds: no output is
// half, lost, or counted twice.
func TestTwoWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	path, err := program()
	must.OK(t, err)
	folder := newShop(t, 20)
	t.Chdir(folder)
	shards, _ := filepath.Glob("in/*")
	records := nbsvmRecords(t, folder, append([]string{"score", "--where", "p > 0.5", "--out-dir", "one", "--json", "m.nbm"}, shards...)...)
	want := contents(t, "one")
	pool, process := startPool(t, path)
	endpoint := freeAddress(t)
	_, port, _ := net.SplitHostPort(endpoint)
	number, _ := strconv.Atoi(port)
	if _, err := prism.CreateJobServer(t.Context(), prism.Options{Port: number}); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 9))
	killed, runs, took := 0, 0, time.Duration(0)
	for round, n := 0, faultCount(t, 3); killed < n; round++ {
		o := ScoreOptions{Model: "m.nbm", OutDir: fmt.Sprintf("out%d", round), Options: scoring.Options{Where: "p > 0.5"}, Threads: 1}
		for {
			pipeline := twoWorkers(t, pool, o, [2]string{"in/shard-0*", "in/shard-1*"}, o.OutDir+"/"+SummaryName)
			start := time.Now()
			done := make(chan error, 1)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				_, err := runnerlib.Execute(ctx, pipeline, endpoint, &runnerlib.JobOptions{Name: "two", Worker: os.DevNull}, false)
				done <- err
			}()
			runs++
			var pids []int
			for len(pids) < 2 && len(done) == 0 {
				time.Sleep(time.Millisecond)
				pids = children(process.Process.Pid)
			}
			if len(pids) < 2 {
				t.Fatalf("there are the workers %v: want two: %v", pids, <-done)
			}
			if took > 0 && killed < n {
				time.Sleep(time.Duration(r.Int64N(int64(took))))
				if syscall.Kill(pids[r.IntN(2)], syscall.SIGKILL) == nil {
					killed++
				}
			}
			select {
			case err = <-done:
			case <-time.After(goesOn):
				err = errors.New("it waits for a worker without end")
				t.Log(err)
				for _, pid := range children(process.Process.Pid) {
					syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			cancel()
			whole(t, o.OutDir, contents(t, o.OutDir), want)
			for len(children(process.Process.Pid)) > 0 { // those of the job end with it
				time.Sleep(time.Millisecond)
			}
			if err == nil {
				took = max(took, time.Since(start))
				break
			}
		}
		wantSame(t, contents(t, o.OutDir), want)
		if sum := readSummary(t, o.OutDir+"/"+SummaryName); !complete(sum, len(shards)) || fmt.Sprint(sum.Records) != records {
			t.Errorf("the sum is %+v, want %s", sum, records)
		}
	}
	t.Logf("%d workers killed in %d runs of two", killed, runs)
}
