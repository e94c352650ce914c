package xmath_test

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/seed-167f963f/nbsvm/internal/must"
)

// TestChecksum runs the functions over arguments made from integers alone and
// compares a checksum of all results' bits with a constant. It is the same on
// every architecture, or something was fused or replaced by assembly.
func TestChecksum(t *testing.T) {
	want := map[string]uint64{
		"Exp":      0xc481a478b36bfbe6,
		"Log":      0xc8622ac688839658,
		"Log1p":    0x6141c7e373fa0c8e,
		"Sigmoid":  0x6a0c58934ec3bc94,
		"Log1pExp": 0x37e96cb0a79e9c6f,
	}
	for _, fn := range functions {
		h := fnv.New64a()
		var buf [8]byte
		state := uint64(0)
		for range 200_000 {
			state = state*6364136223846793005 + 1442695040888963407
			// 53 bits scaled by powers of two: exact.
			x := math.Ldexp(float64(int64(state)>>11), -52+int(state>>3&15)-6)
			if !(x > fn.lo && x <= fn.hi) {
				x = math.Abs(x)
			}
			binary.LittleEndian.PutUint64(buf[:], math.Float64bits(fn.f(x)))
			h.Write(buf[:])
		}
		if got := h.Sum64(); got != want[fn.name] {
			t.Errorf("%s: checksum %#x, want %#x", fn.name, got, want[fn.name])
		}
	}
}

// TestNoFusedInstructions compiles the package for architectures on which the
// compiler fuses and reads the assembly, so that one machine can vouch for the
// others. One compiled function that must fuse shows that the search would find.
func TestNoFusedInstructions(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles for other architectures; not with -short")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("needs the go command: %v", err)
	}
	control := filepath.Join(t.TempDir(), "control.go")
	const fused = "package control\n\nfunc F(x, y, z float64) float64 { return x*y + z }\n"
	must.OK(t, os.WriteFile(control, []byte(fused), 0o666))
	instruction := regexp.MustCompile(`(?m)\t(FN?M(ADD|SUB)[SD]?|VFN?M(ADD|SUB)\w*|WFN?MN?[AS]\w*)\t.*$`)
	compile := func(env, what string) []byte {
		t.Helper()
		cmd := exec.Command(tool, "build", "-gcflags=-S", what)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS=linux")
		if env == "GOAMD64=v3" {
			cmd.Env = append(cmd.Env, "GOARCH=amd64", env)
		} else {
			cmd.Env = append(cmd.Env, env)
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", env, err, out)
		}
		return out
	}
	for _, env := range []string{"GOARCH=arm64", "GOAMD64=v3", "GOARCH=riscv64", "GOARCH=ppc64le"} {
		if instruction.Find(compile(env, control)) == nil {
			t.Errorf("%s: no fused instruction found where there must be one: the search is broken", env)
		}
		if found := instruction.Find(compile(env, ".")); found != nil {
			t.Errorf("%s: fused instruction %s", env, found)
		}
	}
}
