package kernels

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

//go:generate go -C _asm run . -out ../avx2_amd64.s

// variable is the environment variable that forces an implementation by its name.
const variable = "NBSVM_KERNELS"

// implementation is one way to run the kernels.
type implementation struct {
	name string
	runs bool  // on this CPU
	use  *bool // what a kernel looks at before it calls this one's code; nil for the Go loops
}

// implementations are all that the build has, slowest first.
var implementations = append([]implementation{{name: "generic", runs: true}}, assembly...)

var (
	active string
	forced error // why the environment's choice was refused
)

func init() {
	names := Implementations()
	active = names[len(names)-1]
	if name, set := os.LookupEnv(variable); set && name != "" {
		if forced = Use(name); forced == nil {
			return
		}
		forced = fmt.Errorf("%s: %w", variable, forced)
	}
	_ = Use(active) // it runs here, being one of those that do
}

// Implementations names those that this CPU can run, slowest first. The first is
// always "generic", the Go loops.
func Implementations() []string {
	var names []string
	for _, i := range implementations {
		if i.runs {
			names = append(names, i.name)
		}
	}
	return names
}

// Active names the implementation that runs.
func Active() string { return active }

// Forced returns the error of an implementation that the environment names but that
// does not exist or can't run on this CPU, nil otherwise. The default runs then,
// which a program should not pass over in silence.
func Forced() error { return forced }

// Use makes the named implementation run from now on. It is for tests and
// benchmarks: no kernel may run at the same time.
func Use(name string) error {
	known := slices.IndexFunc(implementations, func(i implementation) bool { return i.name == name })
	switch {
	case known < 0:
		return fmt.Errorf("kernels: unknown implementation %q: this CPU runs %s",
			name, strings.Join(Implementations(), ", "))
	case !implementations[known].runs:
		return fmt.Errorf("kernels: this CPU can't run implementation %q: use one of %s",
			name, strings.Join(Implementations(), ", "))
	}
	for k, i := range implementations {
		if i.use != nil {
			*i.use = k <= known && i.runs
		}
	}
	active = name
	return nil
}

// CPU describes the processor for reports: its brand, and those of its
// instruction sets that sparse kernels can use.
func CPU() string {
	var sets []string
	for _, f := range []cpuid.FeatureID{
		cpuid.AVX2, cpuid.FMA3, cpuid.BMI2, cpuid.AVX512F, cpuid.AVX512BW,
		cpuid.AVX512VL, cpuid.AVX512VBMI2, cpuid.VAES, cpuid.ASIMD, cpuid.SVE,
	} {
		if cpuid.CPU.Supports(f) {
			sets = append(sets, f.String())
		}
	}
	return describe(cpuid.CPU.BrandName, sets)
}

func describe(brand string, sets []string) string {
	brand = strings.TrimSpace(brand)
	if brand == "" {
		brand = "unknown CPU"
	}
	if len(sets) == 0 {
		return brand
	}
	return brand + " (" + strings.Join(sets, " ") + ")"
}
