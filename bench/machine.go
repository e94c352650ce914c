package bench

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/klauspost/cpuid/v2"

	"github.com/seed-167f963f/nbsvm"
	"github.com/seed-167f963f/nbsvm/internal/kernels"
)

// Machine is where, and with what program, a report was measured.
type Machine struct {
	CPU      string `json:"cpu"`
	Kernels  string `json:"kernels"` // the implementation that runs unless a case says otherwise
	Cores    int    `json:"cores"`   // logical processors that Go uses
	L1D      int    `json:"l1d"`     // bytes; 0 where unknown
	L2       int    `json:"l2"`
	L3       int    `json:"l3"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Go       string `json:"go"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
}

// ThisMachine describes the machine and the running program.
func ThisMachine() Machine {
	return Machine{
		CPU: kernels.CPU(), Kernels: kernels.Active(), Cores: runtime.GOMAXPROCS(0),
		L1D: max(cpuid.CPU.Cache.L1D, 0), L2: max(cpuid.CPU.Cache.L2, 0), L3: max(cpuid.CPU.Cache.L3, 0),
		OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
		Version: nbsvm.Version, Revision: revision(),
	}
}

// revision returns the first 12 digits of the commit that the program was built from, and whether files were changed
// since; empty where the build does not know.
func revision() (commit string) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, setting := range info.Settings { // vcs.modified comes behind vcs.revision
		switch {
		case setting.Key == "vcs.revision":
			commit = setting.Value[:min(len(setting.Value), 12)]
		case setting.Key == "vcs.modified" && setting.Value == "true":
			commit += "+changes"
		}
	}
	return commit
}

// String returns a line or two for the head of a table.
func (m Machine) String() string {
	line := fmt.Sprintf("%s, %d cores", m.CPU, m.Cores)
	for _, cache := range []struct {
		name string
		size int
	}{{"L1d", m.L1D}, {"L2", m.L2}, {"L3", m.L3}} {
		if cache.size > 0 {
			line += ", " + cache.name + " " + binarySize(cache.size)
		}
	}
	revision := ""
	if m.Revision != "" {
		revision = " (" + m.Revision + ")"
	}
	return fmt.Sprintf("nbsvm %s%s, %s %s/%s, kernels %s\n%s", m.Version, revision, m.Go, m.OS, m.Arch, m.Kernels, line)
}

// binarySize writes a number of bytes in the largest unit that divides it.
func binarySize(bytes int) string {
	for _, unit := range []struct {
		name string
		size int
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if bytes >= unit.size && bytes%unit.size == 0 {
			return fmt.Sprintf("%d %s", bytes/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d B", bytes)
}
