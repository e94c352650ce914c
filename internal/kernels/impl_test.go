package kernels

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// eachImplementation runs a test with every implementation of this CPU.
func eachImplementation(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	before := Active()
	t.Cleanup(func() { mustUse(t, before) })
	for _, name := range Implementations() {
		t.Run(name, func(t *testing.T) {
			mustUse(t, name)
			test(t)
		})
	}
}

func mustUse(t testing.TB, name string) {
	t.Helper()
	must.OK(t, Use(name))
}

func TestUse(t *testing.T) {
	names := Implementations()
	if names[0] != "generic" {
		t.Errorf("implementations %v do not begin with the Go loops", names)
	}
	eachImplementation(t, func(t *testing.T) {
		if got := Active(); !strings.HasSuffix(t.Name(), "/"+got) {
			t.Errorf("%s is active", got)
		}
		before := Active()
		if err := Use("abacus"); err == nil || Active() != before {
			t.Errorf("error %v of an unknown implementation, after which %s runs", err, Active())
		}
	})
}

// TestUseSlower has implementations that this CPU may lack.
func TestUseSlower(t *testing.T) {
	before, all := Active(), implementations
	t.Cleanup(func() {
		implementations = all
		mustUse(t, before)
	})
	var slow, missing, fast bool
	implementations = []implementation{{name: "generic", runs: true}, {name: "slow", runs: true, use: &slow}, {name: "missing", use: &missing}, {name: "fast", runs: true, use: &fast}}
	if got := Implementations(); !slices.Equal(got, []string{"generic", "slow", "fast"}) {
		t.Errorf("implementations %v", got)
	}
	for name, want := range map[string][3]bool{"generic": {}, "slow": {true}, "fast": {true, false, true}} {
		mustUse(t, name)
		if got := [3]bool{slow, missing, fast}; got != want || Active() != name {
			t.Errorf("%s uses %v, want %v", name, got, want)
		}
	}
	if err := Use("missing"); err == nil || !strings.Contains(err.Error(), "can't run") {
		t.Errorf("error %v of an implementation that the CPU can't run", err)
	}
}

// TestForced starts this test again with the environment variable set.
func TestForced(t *testing.T) {
	const names = "NBSVM_KERNELS_TEST"
	if os.Getenv(names) != "" {
		text := "none"
		if err := Forced(); err != nil {
			text = err.Error()
		}
		t.Logf("active %s; error %s", Active(), text)
		return
	}
	all := Implementations()
	fastest := all[len(all)-1]
	for value, want := range map[string]string{
		"":        "active " + fastest + "; error none",
		"generic": "active generic; error none",
		"abacus":  "active " + fastest + `; error NBSVM_KERNELS: kernels: unknown implementation "abacus"`,
	} {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestForced$", "-test.v")
		c.Env = append(os.Environ(), names+"=1", variable+"="+value)
		out, err := c.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("an emulator runs this test, and can't start it again")
		}
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s=%s: %v, lacks %q:\n%s", variable, value, err, want, out)
		}
	}
}

// TestAVX2File: no instruction of the file for amd64 has a register that only AVX-512 has. The assembler would encode
// it as one of AVX-512 without a word, and CPUs with AVX-512 would run it.
func TestAVX2File(t *testing.T) {
	text, err := os.ReadFile("avx2_amd64.s")
	must.OK(t, err)
	beyond := regexp.MustCompile(`\b([XY](1[6-9]|2\d|3[01])|Z\d+|K[0-7])\b`)
	number := 0
	for line := range strings.Lines(string(text)) {
		if number++; beyond.MatchString(line) {
			t.Errorf("line %d: %s", number, line)
		}
	}
}
