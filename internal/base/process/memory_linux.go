package process

import (
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Memory is how many bytes of memory the process may have: those of the machine or, where that is fewer, of its control
// group. Only Linux tells it.
func Memory() (bytes int64, ok bool) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0, false
	}
	bytes = int64(min(uint64(info.Totalram)*uint64(info.Unit), math.MaxInt64))
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(limit)
		if err != nil {
			continue
		}
		if most, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil { // else it is "max"
			bytes = min(bytes, most)
		}
	}
	return bytes, true
}
