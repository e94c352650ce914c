package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestCommandsKilled kills commands at random moments: inputs stay as they are, outputs are whole or as they were
// before, and the next run leaves nothing but them. NBSVM_KILLS says how often.
func TestCommandsKilled(t *testing.T) {
	must.SkipUnderRace(t)
	t.Parallel()
	s := newJobshop(t)
	inputs := s.tree()
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	some := someJobs(r)
	times := amount("NBSVM_KILLS", len(some))
	for i, k := range some {
		n := (times + len(some) - 1 - i) / len(some)
		if k.outputs != "" {
			t.Run(k.line, func(t *testing.T) { s.of(t).kill(k, n, inputs, r) })
		}
	}
}

// kill kills a job n times. After each time it runs to its end, or is killed again.
func (s *workshop) kill(k job, n int, inputs map[string]string, r *rand.Rand) {
	st, whole, left := s.rehearse(k, inputs), 0, 0
	took := st.took
	for i := range n {
		cmd := s.prepare(k)
		must.OK(s.t, cmd.Start())
		after := time.Duration(r.Int64N(int64(took) * 5 / 4))
		if r.IntN(2) == 0 { // when files take their names
			after = took*9/10 + time.Duration(r.Int64N(int64(took)/5+1))
		}
		time.Sleep(after)
		cmd.Process.Kill()
		cmd.Wait()
		got := s.tree()
		wrong, done := st.left(k, got, func(string) bool { left++; return true })
		for _, what := range wrong {
			s.t.Errorf("killed after %v: %s", after, what)
		}
		if r.IntN(3) == 0 && i < n-1 && !done && k.old == "" {
			continue // it is killed again
		}
		if done { // it would find nothing to do, or do it twice
			whole++
			s.reset(inputs)
		}
		again := time.Now()
		got = s.finish(k)
		took = min(took, time.Since(again)) // other work on the machine must not make all kills late
		s.same(st, got, "killed after", after)
		s.reset(inputs)
	}
	s.t.Logf("killed %d times in %v, %d times it was done; %d temporary files were left before the next run", n, took, whole, left)
}

// same wants the files of a run after a disturbed one to be those of an undisturbed one. On Windows temporary files
// stay for a minute.
func (s *workshop) same(st states, got map[string]string, disturbed ...any) {
	s.t.Helper()
	wrong, done := states{inputs: st.inputs, want: st.want}.left(job{}, got, func(string) bool { return runtime.GOOS == "windows" })
	if len(wrong) > 0 || !done {
		s.t.Error(append(disturbed, "the next run leaves other files:", wrong, done)...)
	}
}

// TestPackAtOnce: of processes that write one corpus at once, the last wins, whole, and
// none takes another's temporary files for those of the dead.
func TestPackAtOnce(t *testing.T) {
	t.Parallel()
	s := newJobshop(t)
	before := s.tree()
	var running []*exec.Cmd
	for k := range 4 {
		cmd := s.prepare(job{line: packNoise + []string{"-o out noise.tsv", "-o out noise2.tsv"}[k%2]})
		must.OK(t, cmd.Start())
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, cmd.Stderr)
		}
	}
	if got := s.read("out"); !bytes.Equal(got, s.read("noise.nbc")) && !bytes.Equal(got, s.read("noise2.nbc")) {
		t.Errorf("the corpus of %d bytes is nobody's", len(got))
	}
	os.Remove(s.in("out"))
	if after := s.tree(); len(after) != len(before) {
		t.Errorf("files left: %d, want %d", len(after), len(before))
	}
}
