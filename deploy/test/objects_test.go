package deploy

import (
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// TestObjects scores and packs the objects of a bucket with deploy/objects/each.sh, while the storage fails and all
// processes are killed. NBSVM_FAULTS says how many faults there are.
func TestObjects(t *testing.T) {
	needObjects(t)
	s := newShop(t)
	b := newBucket(s, faults(t, 16))
	b.rclone("copy", "web", "fake:corpus/web")
	// Storage tells of seconds: what is made within the second in which its input came is made again.
	time.Sleep(1100 * time.Millisecond)
	for round := 0; round == 0 || b.left > 0 && round < 100; round++ {
		s.remove("good", "parts")
		if round > 0 {
			b.rclone("purge", "fake:corpus/good")
			b.rclone("purge", "fake:corpus/parts")
		}
		b.each("web", "good", append(score, "quality.nbm")...)
		b.each("web", "parts", pack...)
		for folder, want := range map[string]map[string]string{"good": s.good, "parts": s.parts} {
			b.rclone("copy", "fake:corpus/"+folder, folder)
			s.compare(folder, want)
		}
	}
	if b.left > 0 {
		t.Errorf("%d faults have not hit", b.left)
	}
	records, err := filepath.Glob(s.at("good/.made/*.json"))
	if err != nil || len(records) != shards {
		t.Errorf("there are %d records, %v", len(records), err)
	}

	// What is there is passed over; what has changed is not.
	before := b.puts()
	b.each("web", "good", append(score, "quality.nbm")...)
	if now := b.puts(); now != before {
		t.Errorf("%d objects were written, which were there", now-before)
	}
	time.Sleep(1100 * time.Millisecond)
	s.write("web/03.jsonl", []byte(s.read("web/04.jsonl")), 0o644)
	b.rclone("copyto", "web/03.jsonl", "fake:corpus/web/03.jsonl")
	before = b.puts()
	b.each("web", "good", append(score, "quality.nbm")...)
	b.rclone("copyto", "fake:corpus/good/03.jsonl", "again")
	if s.read("again") != s.good["04.jsonl"] || b.puts() != before+2 {
		t.Errorf("an object that has changed is not taken again, or others are: %d were written", b.puts()-before)
	}
	t.Logf("%d faults hit: %s; objects lost, there twice, half written: %d, %d, %d", b.sum(), sorted(b.hit), s.lost, s.doubled, s.half)
}

// TestObjectNames: names may hold what separates fields of lists, and what patterns and shells make something of.
func TestObjectNames(t *testing.T) {
	needObjects(t)
	s := newShop(t)
	b := newBucket(s, 0)
	names := []string{"a|b [1] $x.jsonl", ".hidden.jsonl"}
	for _, name := range names {
		b.rclone("copyto", "web/03.jsonl", "fake:corpus/odd/"+name)
	}
	time.Sleep(1100 * time.Millisecond)
	b.each("odd", "good", append(score, "quality.nbm")...)
	for _, name := range names {
		b.rclone("copyto", "fake:corpus/good/"+name, "made")
		if s.read("made") != s.good["03.jsonl"] {
			t.Errorf("of %s another output was made", name)
		}
		s.remove("made")
	}
	before := b.puts()
	if b.each("odd", "good", append(score, "quality.nbm")...); b.puts() != before {
		t.Error("what was there was made again")
	}
}

// TestObjectsUsage: a share that is none is refused, and not taken for an empty one.
func TestObjectsUsage(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	for _, args := range []string{"", "in out 1/3", "in out auto/3 score m.nbm", "in out 0/3 score m.nbm", "in out 4/3 score m.nbm", "in out 3 score m.nbm"} {
		said, err := exec.Command(filepath.Join("..", "objects", "each.sh"), strings.Fields(args)...).CombinedOutput()
		failed, is := errors.AsType[*exec.ExitError](err)
		if want := "each.sh: want IN OUT I/N COMMAND [FLAGS] [MODEL], I being 1 to N; got " + args + "\n"; !is || failed.ExitCode() != 2 || string(said) != want {
			t.Errorf("%s: %v, it says %q", args, err, said)
		}
	}
}

// needObjects skips a test where there is nothing that reads buckets.
func needObjects(t *testing.T) {
	t.Helper()
	for _, name := range []string{"rclone", "bash"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s: apt-get install %s", name, name)
		}
	}
}

// bucket is object storage on this machine, by the protocol of S3.
type bucket struct {
	*shop
	env []string

	mutex   sync.Mutex
	left    int            // faults to inject
	hit     map[string]int // those that have hit, by kind
	written int            // objects
}

func newBucket(s *shop, faults int) *bucket {
	s.Helper()
	b := &bucket{shop: s, left: faults, hit: map[string]int{}}
	backend := s3mem.New()
	if err := backend.CreateBucket("corpus"); err != nil {
		s.Fatal(err)
	}
	storage := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch kind := b.fault(r); kind {
		case "refused":
			http.Error(w, "slow down", http.StatusServiceUnavailable)
		case "broken off":
			io.CopyN(io.Discard, r.Body, r.ContentLength/2)
			panic(http.ErrAbortHandler)
		default:
			storage.ServeHTTP(w, r)
		}
	}))
	server.Config.ErrorLog = nil
	s.Cleanup(server.Close)
	own := slices.DeleteFunc(os.Environ(), func(of string) bool { return strings.HasPrefix(of, "AWS_") })
	b.env = append(own, "NBSVM="+program, "RCLONE_CONFIG="+os.DevNull, "RCLONE_CONFIG_FAKE_TYPE=s3", "RCLONE_CONFIG_FAKE_PROVIDER=Other",
		"RCLONE_CONFIG_FAKE_ENDPOINT="+server.URL, "RCLONE_CONFIG_FAKE_ACCESS_KEY_ID=test", "RCLONE_CONFIG_FAKE_SECRET_ACCESS_KEY=test",
		"RCLONE_CONFIG_FAKE_FORCE_PATH_STYLE=true", "RCLONE_LOW_LEVEL_RETRIES=3", "RCLONE_RETRIES_SLEEP=100ms")
	return b
}

// fault is what becomes of a request; nothing until there are inputs.
func (b *bucket) fault(r *http.Request) string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if r.Method == http.MethodPut && strings.Count(r.URL.Path, "/") > 1 {
		if b.written++; b.written > shards && b.left > 0 && rand.IntN(3) == 0 {
			kind := []string{"refused", "broken off"}[rand.IntN(2)]
			b.left--
			b.hit[kind]++
			b.written--
			return kind
		}
	}
	return ""
}

func (b *bucket) puts() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.written
}

func (b *bucket) sum() (sum int) {
	for _, count := range b.hit {
		sum += count
	}
	return sum
}

func (b *bucket) rclone(args ...string) {
	b.Helper()
	cmd := exec.Command("rclone", args...)
	cmd.Dir, cmd.Env = b.folder, b.env
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("rclone %v: %v\n%s", args, err, out)
	}
}

// each runs the script for the shards of the inputs until all have succeeded, and kills it now and then, with all that
// it runs.
func (b *bucket) each(in, out string, command ...string) {
	b.Helper()
	script, err := filepath.Abs(filepath.Join("..", "objects", "each.sh"))
	if err != nil {
		b.Fatal(err)
	}
	for _, shard := range []string{"1/3", "2/3", "3/3"} {
		for try := 0; ; try++ {
			if try > 200 {
				b.Fatal("it never succeeds")
			}
			cmd := exec.Command(script, slices.Concat([]string{"fake:corpus/" + in, "fake:corpus/" + out, shard}, command)...)
			cmd.Dir, cmd.Env = b.folder, append(b.env, "TMPDIR="+b.folder)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			var said strings.Builder
			cmd.Stdout, cmd.Stderr = &said, &said
			cmd.WaitDelay = time.Second
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			kill := time.AfterFunc(time.Duration(rand.Int64N(int64(3*time.Second))), func() {
				b.mutex.Lock()
				defer b.mutex.Unlock()
				if b.left > 0 && syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) == nil {
					b.left--
					b.hit["killed"]++
				}
			})
			err := cmd.Wait()
			kill.Stop()
			if err == nil {
				break
			}
			if b.sum() == 0 {
				b.Fatalf("%s: %v\n%s", shard, err, &said)
			}
		}
	}
}
