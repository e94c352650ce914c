//go:build amd64 || arm64

package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCommandsStopped sends commands SIGTERM or SIGINT at random moments, half of them just before an operation on a
// file: no temporary file stays, inputs are as they were, and every output is whole or as it was before. NBSVM_STOPS
// says how many signals each command gets.
func TestCommandsStopped(t *testing.T) {
	t.Parallel()
	s := newFaultshop(t)
	inputs := s.tree(t)
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	times := amount("NBSVM_STOPS", 4, 2)
	for _, k := range faultyCommands {
		t.Run(strings.ReplaceAll(k.name, " ", "_"), func(t *testing.T) {
			s := *s
			s.t = t
			s.stop(k, times, inputs, r)
		})
	}
}

// stop sends a command n signals, one in each run.
func (s *workshop) stop(k killed, n int, inputs map[string]string, r *rand.Rand) {
	defer s.reset(inputs)
	start := time.Now()
	s.prepare(k)
	s.finish(k)
	took := time.Since(start)
	s.reset(inputs)
	well, want := s.under(k, func([]operation) bool { return false })
	old := s.reset(inputs)
	if k.old != "" {
		old[k.outputs[0]] = inputs[k.old]
	}
	// The first temporary file is there before this operation: it is always among the moments.
	first := 2 + slices.IndexFunc(well.done, func(o operation) bool {
		return o.call == "open" && madeFrom.MatchString(filepath.Base(o.paths[0]))
	})
	signals := []os.Signal{syscall.SIGTERM, syscall.SIGINT}
	stopped := 0
	for i := range n {
		s.prepare(k)
		cmd := s.command(append(slices.Clone(k.args), "--threads", "1")...)
		cmd.Stderr = new(bytes.Buffer)
		fed := s.feed(cmd, k)
		sent, at, after := signals[i/2%2], first, time.Duration(0)
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
			if err := cmd.Start(); err != nil {
				s.t.Fatal(err)
			}
			time.Sleep(after)
			cmd.Process.Signal(sent)
			cmd.Wait()
		}
		fed()
		if code := cmd.ProcessState.ExitCode(); code == -1 {
			stopped++
			if got := cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(); got != sent {
				s.t.Errorf("%v before operation %d or after %v: it died of %v", sent, at, after, got)
			}
		} else if code != k.code {
			s.t.Errorf("%v before operation %d or after %v: exit code %d: %s", sent, at, after, code, cmd.Stderr)
		}
		for _, wrong := range leftBy(k, s.tree(s.t), want, inputs, old) {
			s.t.Errorf("%v before operation %d or after %v: %s; it says %q", sent, at, after, wrong, cmd.Stderr)
		}
		s.reset(inputs)
	}
	s.t.Logf("%s: %d of %d signals stopped it", k.name, stopped, n)
}

// leftBy lists what is wrong with the files that a command has left which was stopped.
func leftBy(k killed, got, want, inputs, old map[string]string) (wrong []string) {
	for name, content := range inputs {
		if got[name] != content {
			wrong = append(wrong, name+" has changed")
		}
	}
	for name, content := range got {
		base := filepath.Base(name)
		_, given := inputs[name]
		before, was := old[name]
		switch {
		case strings.HasSuffix(base, ".tmp"), strings.HasPrefix(base, ".nbsvm-pack-"):
			wrong = append(wrong, name+" is left")
		case given, was && content == before, content == want[name]:
		case strings.Contains(name, ".nbsvm-") && json.Valid([]byte(content)): // a record, which has times
		default:
			wrong = append(wrong, name+" is damaged")
		}
	}
	return wrong
}
