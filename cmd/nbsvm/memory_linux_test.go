package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/hashing"
	"github.com/seed-167f963f/nbsvm/internal/display"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// peakVariable names the file in which the command is to leave its peak memory when it ends. What the system
// tells of a child that has ended includes what its parent had in memory when it began.
const peakVariable = "NBSVM_TEST_PEAK"

// watchMemory asks a command that will be started for its peak memory.
func watchMemory(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Env = append(cmd.Environ(), peakVariable+"="+t.TempDir()+"/peak")
}

// tellMemory leaves the peak memory of this process where watchMemory wants it.
func tellMemory() {
	if path := os.Getenv(peakVariable); path != "" {
		peak, _ := testkit.PeakMemory()
		_ = os.WriteFile(path, []byte(strconv.FormatInt(peak, 10)), 0o600)
	}
}

// readMemory is what reading takes at most: docs/reference/memory.md.
const readMemory = 256 << 20

// checkMemory holds a command that has ended to the memory that it may take.
func checkMemory(t *testing.T, cmd *exec.Cmd, most int64) {
	t.Helper()
	if must.RaceEnabled {
		return // the race detector takes a multiple
	}
	for _, variable := range cmd.Env {
		path, ok := bytes.CutPrefix([]byte(variable), []byte(peakVariable+"="))
		if !ok {
			continue
		}
		told, err := os.ReadFile(string(path))
		must.OK(t, err)
		used, err := strconv.ParseInt(string(told), 10, 64)
		must.OK(t, err)
		if used > most {
			t.Errorf("%v: peak memory %s, want at most %s", cmd.Args, display.Bytes(used), display.Bytes(most))
		}
		t.Logf("%s of %s", display.Bytes(used), display.Bytes(most))
		return
	}
	t.Error("nobody has asked for the peak memory")
}

// TestServeMemory sends a server eight requests of 15 MB at once, of several shapes, and others that ask for
// explanations: it takes no more memory than its manual says, and answers all of them.
func TestServeMemory(t *testing.T) {
	must.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	const inFlight, size = 64 << 20, 15_000_000
	filled := func(begin, unit, end string) string {
		return begin + strings.Repeat(unit, (size-len(begin)-len(end))/len(unit)) + end
	}
	letters := make([]byte, 40_000)
	for k, random := 0, rand.New(rand.NewPCG(1, 2)); k < len(letters); k++ {
		letters[k] = 'a' + byte(random.IntN(26))
	}
	for _, test := range []struct {
		name, path, body string
		requests         int
		unsized          bool // chunked
		status           int  // of those that are not refused for want of memory
	}{
		{"one text", "predict", filled(`{"text":"`, "anchor and mast ", `"}`), 8, false, 200},
		{"chunked", "predict", filled(`{"text":"`, "anchor and mast ", `"}`), 8, true, 200},
		{"many texts", "predict", `{"texts":[` + strings.Repeat(`"`+strings.Repeat("butter ", 200)+`",`, 9_999) + `"mast"]}`, 8, false, 200},
		{"short texts", "predict", filled(`{"texts":[`, `"a",`, `"b"]}`), 8, false, 413},
		{"escapes", "predict", filled(`{"text":"`, `\u00e9`, `"}`), 8, false, 200},
		{"lone surrogates", "predict", filled(`{"text":"`, `\ud800`, `"}`), 8, false, 400},
		{"other members", "predict", filled(`{"text":"mast","x":[`, `{"a":[1]},`, `1]}`), 8, false, 200},
		{"deep", "predict", filled(`{"text":"mast","x":`, `[`, ``), 8, false, 400},
		{"explanations", "explain", `{"text":"` + string(letters) + `","top":1000000}`, 16, false, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := withModel(t)
			if test.path == "explain" { // by a model that knows all n-grams of the text
				o := nbsvm.DefaultOptions()
				o.MinDF, o.Text.Families[0].Tokenizer, o.Text.Families[0].NgramLo, o.Text.Families[0].NgramHi = 1, hashing.Char, 1, 6
				c, _, err := nbsvm.Train(t.Context(), corpus.Input{Stdin: strings.NewReader("a\t" + string(letters) + "\nb\tb\n")}, o)
				must.OK(t, err)
				must.OK(t, c.Save(in.in("m.nbm")))
			}
			s := in.serve("--max-in-flight", "64MiB")
			process := strconv.Itoa(s.cmd.Process.Pid)
			before, _ := testkit.PeakOf(process)
			var clients sync.WaitGroup
			var counts [600]atomic.Int32
			for range test.requests {
				clients.Go(func() {
					body := io.Reader(strings.NewReader(test.body))
					if test.unsized {
						body = io.MultiReader(body) // whose length is not known
					}
					answer, err := http.Post(s.url+test.path, "application/json", body)
					if err != nil {
						t.Error(err)
						return
					}
					defer answer.Body.Close()
					_, _ = io.Copy(io.Discard, answer.Body)
					counts[answer.StatusCode].Add(1)
				})
			}
			clients.Wait()
			good, refused := counts[test.status].Load(), counts[http.StatusServiceUnavailable].Load()
			if good == 0 || int(good+refused) != test.requests {
				t.Errorf("of %d requests, %d have status %d and %d have 503", test.requests, good, test.status, refused)
			}
			after, _ := testkit.PeakOf(process)
			if took := after - before; took > inFlight+serveBeside && !must.RaceEnabled {
				t.Errorf("%s, want at most %s", display.Bytes(took), display.Bytes(inFlight+serveBeside))
			}
		})
	}
}
