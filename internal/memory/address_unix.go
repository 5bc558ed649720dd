//go:build unix

package memory

import (
	"math"

	"golang.org/x/sys/unix"
)

// addressRoom returns by how much the address space of the process may grow.
func addressRoom() (int64, bool) {
	var limit unix.Rlimit
	used, known := kilobytesIn("/proc/self/status", "VmSize")
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || !known || limit.Cur > math.MaxInt64 {
		return 0, false
	}
	return int64(limit.Cur) - used, true
}
