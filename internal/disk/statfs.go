//go:build linux || darwin || freebsd

package disk

import (
	"math"
	"math/bits"
	"syscall"
)

func free(folder string) (n int64, known bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(folder, &s) != nil || s.Bsize <= 0 {
		return 0, false
	}
	// FreeBSD's count is signed: it is negative if the reserved space has been used.
	blocks := max(0, int64(s.Bavail))
	high, low := bits.Mul64(uint64(blocks), uint64(s.Bsize))
	if high > 0 || low > math.MaxInt64 {
		return math.MaxInt64, true
	}
	return int64(low), true
}
