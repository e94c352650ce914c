package kernels

import (
	"strings"

	"github.com/klauspost/cpuid/v2"
)

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
