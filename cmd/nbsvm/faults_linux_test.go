//go:build amd64 || arm64

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// ending is how a job has ended.
type ending struct {
	code        int
	shown, said string
	done        []operation
	failed      *operation
	files       map[string]string
}

// under runs a job of which operations may fail.
func (s *workshop) under(k job, fails func(done []operation) bool) (e ending) {
	s.t.Helper()
	cmd := s.prepare(k, "--threads", "1")
	hung := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer hung.Stop()
	e.done = watch(s.t, cmd, func(done []operation) bool {
		if !fails(done) {
			return false
		}
		e.failed = &done[len(done)-1]
		return true
	})
	e.code, e.said, e.shown = cmd.ProcessState.ExitCode(), fmt.Sprint(cmd.Stderr), fmt.Sprint(cmd.Stdout)
	e.files = s.tree()
	return e
}

// wells are jobs of which no operation has failed, by line.
var wells sync.Map

// well runs a job of which no operation fails, unless another test has done so.
func (s *workshop) well(k job, inputs map[string]string) ending {
	s.t.Helper()
	if known, is := wells.Load(k.line); is {
		return known.(ending)
	}
	e := s.under(k, func([]operation) bool { return false })
	s.reset(inputs)
	wells.Store(k.line, e)
	return e
}

// TestFaults lets operations on files fail, one in each run of a command. The command ends with an error that names the
// file, or does without. Outputs are whole or as they were before, and the next run makes them. NBSVM_FAULTS says how
// many operations of each command fail, at most.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := newJobshop(t)
	inputs := s.tree()
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for _, k := range someJobs(r) {
		t.Run(k.line, func(t *testing.T) {
			s := s.of(t)
			st := s.rehearse(k, inputs)
			well := s.well(k, inputs)
			chosen, refused := r.Perm(len(well.done)), 0
			chosen = chosen[:min(len(chosen), amount("NBSVM_FAULTS", 1))]
			for _, i := range chosen {
				e := s.fail(k, st, func(done []operation) bool { return len(done) == i+1 })
				if e.code != k.code {
					refused++
				} else if e.failed != nil && e.shown != well.shown && !k.timed {
					t.Errorf("%v fails: it shows\n%sinstead of\n%s", e.failed, e.shown, well.shown)
				}
			}
			t.Logf("%d operations of %d failed, and %d commands with them", len(chosen), len(well.done), refused)
		})
	}
}

// TestFaultsMended lets operations fail that once left temporary files, were taken for wrong usage, or were not said of
// which file.
func TestFaultsMended(t *testing.T) {
	must.SkipUnderRace(t)
	t.Parallel()
	s := newJobshop(t)
	inputs := s.tree()
	for _, test := range []struct {
		line, operation string
		times           int // that it is done until it fails
	}{
		{"score -q -o out m.nbm text.tsv", "fstat .out.nbsvm-*-*.tmp", 1}, // its own, just made
		{"score -q -o out m.nbm text.tsv", "stat .out.nbsvm-*-*.tmp", 1},
		{"inspect more.nbc", "open more.nbc", 1},
	} {
		k := jobs[slices.IndexFunc(jobs, func(k job) bool { return strings.HasPrefix(k.line, test.line) })]
		times := 0
		s.fail(k, s.rehearse(k, inputs), func(done []operation) bool {
			if matches, _ := path.Match(test.operation, done[len(done)-1].String()); matches {
				times++
				return times == test.times
			}
			return false
		})
		if times < test.times {
			t.Errorf("%s: %s is done only %d times", test.line, test.operation, times)
		}
	}
}

// fail runs a job of which operations fail, and judges it. Then it runs again, and does all.
func (s *workshop) fail(k job, st states, fails func(done []operation) bool) ending {
	s.t.Helper()
	e := s.under(k, fails)
	if e.failed != nil {
		wrong, done := st.left(k, e.files, func(name string) bool {
			// A claim of which it is not known whether it is still this process's may be another's.
			unknown := strings.Contains(name, ".claim-") && strings.HasSuffix(e.failed.call, "stat")
			// A folder that can't be opened or listed can't be emptied.
			of := e.failed.paths[0]
			closed := (e.failed.call == "open" || e.failed.call == "getdents") && (of == name || of == path.Dir(name))
			return e.failed.call == "unlink" || unknown || closed
		})
		switch {
		case e.code == k.code && !done:
			wrong = append(wrong, "outputs are missing")
		case e.code != k.code && e.code != exitFailed:
			wrong = append(wrong, "another exit code")
		case e.code == exitFailed && !e.failed.named(k, e.said):
			wrong = append(wrong, "the file is not named")
		case e.code == exitFailed && !strings.Contains(e.said, failure(*e.failed).Error()):
			wrong = append(wrong, "what failed is taken for something else")
		}
		for _, what := range wrong {
			s.t.Errorf("%s, %v fails: %s; exit code %d, it says %q", k.line, e.failed, what, e.code, e.said)
		}
	}
	s.same(st, s.finish(k), e.failed, "fails")
	s.reset(st.inputs)
	return e
}

// madeFrom is what the name of a temporary file is made from.
var madeFrom = regexp.MustCompile(`^\.(?:claim-)?(.+)\.nbsvm-`)

// named tells whether a message of a command names the file of the operation, or that which its name is made from, or
// an output in place of its folder.
func (o operation) named(k job, said string) bool {
	_, in := k.args()
	return slices.ContainsFunc(o.paths, func(path string) bool {
		name := filepath.Base(path)
		if of := madeFrom.FindStringSubmatch(name); of != nil {
			name = of[1]
		}
		return strings.Contains(said, name) ||
			path == in && strings.Contains(said, "standard input") ||
			slices.ContainsFunc(strings.Fields(k.outputs), func(output string) bool {
				return filepath.Dir(output) == path && strings.Contains(said, output)
			})
	})
}

// TestCommandsStopped sends commands SIGTERM or SIGINT at random moments, half of them just before an operation on a
// file: no temporary file stays, inputs are as they were, and every output is whole or as it was before. NBSVM_STOPS
// says how many signals each command gets.
func TestCommandsStopped(t *testing.T) {
	t.Parallel()
	s := newJobshop(t)
	inputs := s.tree()
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for _, k := range someJobs(r) {
		t.Run(k.line, func(t *testing.T) { s.of(t).stop(k, amount("NBSVM_STOPS", 2), inputs, r) })
	}
}

// stop sends a job n signals, one in each run.
func (s *workshop) stop(k job, n int, inputs map[string]string, r *rand.Rand) {
	defer s.reset(inputs)
	st, well := s.rehearse(k, inputs), s.well(k, inputs)
	took := st.took
	// The first temporary file is there before this operation: it is always among the moments.
	first := 2 + slices.IndexFunc(well.done, func(o operation) bool {
		return o.call == "open" && madeFrom.MatchString(filepath.Base(o.paths[0]))
	})
	stopped := 0
	for i := range n {
		cmd := s.prepare(k, "--threads", "1")
		sent, at, after := []os.Signal{syscall.SIGTERM, syscall.SIGINT}[(i+i/2)%2], first, time.Duration(0)
		if i%2 == 0 {
			if i > 0 {
				at = 1 + r.IntN(len(well.done))
			}
			watch(s.t, cmd, func(done []operation) bool {
				if len(done) == at {
					cmd.Process.Signal(sent)
					time.Sleep(time.Millisecond) // until it has come
				}
				return false
			})
		} else {
			after = time.Duration(r.Int64N(int64(took) * 5 / 4))
			if i%4 == 1 { // when outputs are checked
				after = time.Duration(r.Int64N(int64(took)/4 + 1))
			}
			must.OK(s.t, cmd.Start())
			time.Sleep(after)
			cmd.Process.Signal(sent)
			cmd.Wait()
		}
		wrong, done := st.left(k, s.tree(), func(string) bool { return false })
		if code := cmd.ProcessState.ExitCode(); code == -1 {
			stopped++
			if got := cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(); got != sent {
				wrong = append(wrong, "it died of "+got.String())
			}
			if said := fmt.Sprint(cmd.Stderr); i == 0 && first > 1 && !done && !strings.Contains(said, "nbsvm: interrupted; ") {
				wrong = append(wrong, "it does not say that it was interrupted")
			}
		} else if code != k.code {
			wrong = append(wrong, fmt.Sprint("exit code ", code))
		}
		for _, what := range wrong {
			s.t.Errorf("%v before operation %d or after %v: %s; it says %q", sent, at, after, what, cmd.Stderr)
		}
		s.reset(inputs)
	}
	s.t.Logf("%d of %d signals stopped it", stopped, n)
}
