package nbsvmbeam

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/scoring"
)

// faultCount is how many faults a test injects: a few, unless NBSVM_FAULTS asks for more.
func faultCount(t *testing.T, few int) int {
	t.Helper()
	text := os.Getenv("NBSVM_FAULTS")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("NBSVM_FAULTS is %q, want a number", text)
	}
	return n
}

// errInjected is the error that a faulty file system makes.
var errInjected = errors.New("injected")

// faulty is a file system in memory of which one operation fails, the one when left comes to 0.
type faulty struct {
	filesystem.Interface
}

var (
	left     atomic.Int64 // operations until one fails; below 0 none does
	injected atomic.Int64
)

func init() {
	filesystem.Register("faulty", func(ctx context.Context) filesystem.Interface {
		of, err := filesystem.New(ctx, "memfs://")
		if err != nil {
			panic(err)
		}
		return faulty{of}
	})
}

// fails tells whether this operation is the one.
func fails() error {
	if left.Add(-1) == 0 {
		injected.Add(1)
		return errInjected
	}
	return nil
}

// in is the path below, and out the one above.
func in(path string) string  { return strings.Replace(path, "faulty://", "memfs://faulty/", 1) }
func out(path string) string { return strings.Replace(path, "memfs://faulty/", "faulty://", 1) }

func (f faulty) List(ctx context.Context, glob string) ([]string, error) {
	if err := fails(); err != nil {
		return nil, err
	}
	found, err := f.Interface.List(ctx, in(glob))
	for i := range found {
		found[i] = out(found[i])
	}
	return found, err
}

func (f faulty) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := fails(); err != nil {
		return nil, err
	}
	r, err := f.Interface.OpenRead(ctx, in(name))
	return faultyReader{r}, err
}

func (f faulty) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	if err := fails(); err != nil {
		return nil, err
	}
	w, err := f.Interface.OpenWrite(ctx, in(name))
	return faultyWriter{w}, err
}

func (f faulty) Size(ctx context.Context, name string) (int64, error) {
	if err := fails(); err != nil {
		return -1, err
	}
	return f.Interface.Size(ctx, in(name))
}

func (f faulty) LastModified(ctx context.Context, name string) (time.Time, error) {
	if err := fails(); err != nil {
		return time.Time{}, err
	}
	return f.Interface.(filesystem.LastModifiedGetter).LastModified(ctx, in(name))
}

func (f faulty) Remove(ctx context.Context, name string) error {
	if err := fails(); err != nil {
		return err
	}
	return f.Interface.(filesystem.Remover).Remove(ctx, in(name))
}

// Copy is half of renaming: like those of buckets, this file system has no other.
func (f faulty) Copy(ctx context.Context, from, to string) error {
	if err := fails(); err != nil {
		return err
	}
	return f.Interface.(filesystem.Copier).Copy(ctx, in(from), in(to))
}

type faultyReader struct{ io.ReadCloser }

func (r faultyReader) Read(p []byte) (int, error) {
	if err := fails(); err != nil {
		return 0, err
	}
	return r.ReadCloser.Read(p[:min(len(p), 20000)])
}

type faultyWriter struct{ io.WriteCloser }

func (w faultyWriter) Write(p []byte) (int, error) {
	if err := fails(); err != nil {
		n, _ := w.WriteCloser.Write(p[:len(p)/2])
		return n, err
	}
	return w.WriteCloser.Write(p)
}

// Close commits what was written, so that half a file may be seen, under the name that it was opened with.
func (w faultyWriter) Close() error {
	err := fails()
	return errors.Join(err, w.WriteCloser.Close())
}

// whole makes sure that every file that has its name has the bytes that it should have.
func whole(t *testing.T, at string, got, want map[string]string) (files int) {
	t.Helper()
	for name, text := range got {
		if strings.HasPrefix(name, ".") {
			continue
		}
		if files++; text != want[name] {
			t.Fatalf("%s: %s is there with %d bytes, and should have %d", at, name, len(text), len(want[name]))
		}
	}
	return files
}

// TestFaults has operations of the file system fail, one in each job, at places at random, and runs jobs until one
// succeeds. Elements are there twice, as under a runner that speculates, so that attempts at one shard are under way at
// the same time. No job leaves half a file under its name; in the end all is there, with the bytes of one process.
func TestFaults(t *testing.T) {
	folder := newShop(t, 6)
	t.Chdir(folder)
	shards, _ := filepath.Glob("in/*")
	nbsvmRun(t, folder, append([]string{"score", "--where", "p > 0.5", "--rejects", "no", "--out-dir", "one", "m.nbm"}, shards...)...)
	want, wantNo := contents(t, "one"), contents(t, "no")
	left.Store(-1)
	copyTo(t, "m.nbm", in("faulty://m.nbm"))
	var remote []string
	for _, input := range shards {
		remote = append(remote, "faulty://"+filepath.ToSlash(input))
		copyTo(t, input, in(remote[len(remote)-1]))
	}
	n := faultCount(t, 12)
	r := rand.New(rand.NewPCG(7, 7))
	jobs, failed := 0, 0
	for round := 0; int(injected.Load()) < n; round++ {
		o := ScoreOptions{
			Model: "faulty://m.nbm", OutDir: fmt.Sprintf("faulty://%d", round), Rejects: fmt.Sprintf("faulty://%d-no", round),
			Options: scoring.Options{Where: "p > 0.5"}, Threads: 4,
		}
		for first := true; ; first = false {
			before := injected.Load()
			left.Store(1 + r.Int64N(500))
			if !first && int(before) >= n {
				left.Store(-1)
			}
			jobs++
			sum, err := runTwice(t, o, remote)
			left.Store(-1)
			whole(t, o.OutDir, contents(t, o.OutDir), want)
			whole(t, o.Rejects, contents(t, o.Rejects), wantNo)
			if err != nil {
				if failed++; injected.Load() == before {
					t.Fatalf("a job fails without a fault: %v", err)
				}
				continue
			}
			if sum[Failed] > 0 {
				t.Fatalf("a fault of the file system is one of a shard: %+v", sum)
			}
			break
		}
		got, gotNo := contents(t, o.OutDir), contents(t, o.Rejects)
		if a, b := whole(t, o.OutDir, got, want), whole(t, o.Rejects, gotNo, wantNo); a != len(shards) || b != len(shards) {
			t.Fatalf("%d outputs and %d of rejects, want %d", a, b, len(shards))
		}
		sum, err := runScore(t, o, remote...)
		if err != nil || sum[There] != int64(len(shards)) {
			t.Fatalf("in the end: %v, %v", sum, err)
		}
	}
	t.Logf("%d faults in %d jobs, of which %d failed: no row is lost or doubled, no file is half", injected.Load(), jobs, failed)
}

// runTwice is runScore of shards, of which each is scored twice at the same time.
func runTwice(t *testing.T, o ScoreOptions, paths []string) (map[string]int64, error) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	encoded, err := o.encode()
	must.OK(t, err)
	begun := beam.ParDo(s, &beginFn{Options: encoded}, beam.Impulse(s), beam.SideInput{Input: beam.CreateList(s, paths)})
	score(s, beam.ParDo(s, &twiceFn{}, begun), encoded)
	return counters(ptest.RunWithMetrics(p))
}

// program is the path of nbsvm-beam.
var program = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "nbsvm-beam-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "nbsvm-beam")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/nbsvm-beam").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// TestKilled kills the program, with runner and worker in it, with SIGKILL at moments at random. Each time the same
// command goes on.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program, and starts it many times")
	}
	path, err := program()
	must.OK(t, err)
	folder := newShop(t, 16)
	t.Chdir(folder)
	shards, _ := filepath.Glob("in/*")
	nbsvmRun(t, folder, append([]string{"score", "--where", "p > 0.5", "--out-dir", "one", "m.nbm"}, shards...)...)
	want := contents(t, "one")
	r := rand.New(rand.NewPCG(8, 8))
	killed, runs := 0, 0
	var took time.Duration
	for round, n := 0, faultCount(t, 4); killed < n; round++ {
		dir := fmt.Sprintf("out%d", round)
		for {
			ctx, cancel := context.WithCancel(t.Context())
			if took > 0 && killed < n {
				ctx, cancel = context.WithTimeout(t.Context(), time.Duration(r.Int64N(int64(took))))
			}
			start := time.Now()
			err := exec.CommandContext(ctx, path, "--where", "p > 0.5", "--threads", "2", "--out-dir", dir, "m.nbm", "in/*").Run()
			if runs++; ctx.Err() != nil {
				killed++
			}
			cancel()
			whole(t, dir, contents(t, dir), want)
			if err == nil {
				took = max(took, time.Since(start))
				break
			}
			if ctx.Err() == nil {
				t.Fatalf("a program that nobody has killed: %v", err)
			}
		}
		if files := whole(t, dir, contents(t, dir), want); files != len(shards) {
			t.Fatalf("%d outputs, want %d", files, len(shards))
		}
		wantSame(t, contents(t, dir), want)
	}
	t.Logf("%d programs killed in %d runs: no row is lost or doubled, no file is half", killed, runs)
}
