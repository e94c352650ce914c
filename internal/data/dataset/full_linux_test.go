package dataset

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/seed-167f963f/nbsvm/corpus"
	"github.com/seed-167f963f/nbsvm/internal/must"
	"github.com/seed-167f963f/nbsvm/internal/testkit"
)

// TestFullDisk: where temporary files can't grow, the error names one, and nothing is left behind.
func TestFullDisk(t *testing.T) {
	// In a process of its own: the limit is for all that a process writes, the log of its tests included.
	const alone = "NBSVM_TEST_FULL_DISK"
	if os.Getenv(alone) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestFullDisk$")
		cmd.Env = append(cmd.Environ(), alone+"=1")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		return
	}
	data := zipf(500, 40)
	path := file(t, data)
	for name, run := range map[string]func(o Options) error{
		"counts": func(o Options) error {
			b, err := newBuilder(corpus.Input{Paths: []string{path}}, o, MinMemory)
			if err != nil {
				return err
			}
			b.memory = 64
			_, err = b.dataset(t.Context())
			return err
		},
		"rows": func(o Options) error {
			o.Memory = MinMemory
			_, err := Build(t.Context(), corpus.Input{Paths: []string{path}}, o)
			return err
		},
		"a pipe's copy": func(o Options) error {
			_, err := Build(t.Context(), lines(data), o)
			return err
		},
	} {
		o := text(func(o *Options) { o.Temp = t.TempDir() })
		testkit.Leaves(t, func() {
			var limit syscall.Rlimit
			must.OK(t, syscall.Getrlimit(unix.RLIMIT_FSIZE, &limit))
			small := limit
			small.Cur = 4000
			if err := syscall.Setrlimit(unix.RLIMIT_FSIZE, &small); err != nil {
				t.Skipf("no limit of file sizes here: %v", err)
			}
			err := run(o)
			if e := syscall.Setrlimit(unix.RLIMIT_FSIZE, &limit); e != nil {
				t.Fatal(e)
			}
			if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), o.Temp) {
				t.Errorf("%s: %v, want an error about a file in %s", name, err, o.Temp)
			}
		})
		testkit.Empty(t, o.Temp)
	}
}
