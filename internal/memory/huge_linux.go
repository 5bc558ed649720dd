package memory

import (
	"math"
	"os"
	"runtime/debug"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugeBytes bounds the part of the heap that may have huge pages. The runtime's own tables for it take a thousandth.
const hugeBytes = 4 << 30

// hugePage is the size of a huge page.
const hugePage = 2 << 20

// UseHugePages makes Linux map the first 4 GB of the Go heap in pages of 2 MB, where the system leaves that to programs. In a
// virtual machine the kernel takes longer to provide new pages of 4 KB than most loops take to fill them, a tenth of the time
// of a kernel regression. Call it at the start of a program. It does nothing where memory is limited.
//
// The Go runtime has no setting for this. So the heap grows once, by a block that is never written, and frees it. Later
// allocations reuse these addresses, for which the advice to the kernel still holds.
func UseHugePages() {
	size := hugeRoom()
	if size <= 0 {
		return
	}
	_ = unix.Madvise(unwritten(size), unix.MADV_HUGEPAGE) // if it fails, everything works as before
	debug.FreeOSMemory()
}

// unwritten returns a block that takes addresses and, as only its first byte was written, hardly any memory. The caller must
// not write to it. It comes from a strings.Builder, which does not fill new memory with zeros: make does where some of the
// addresses were in use before, and 4 GB take seconds.
func unwritten(size int64) []byte {
	var b strings.Builder
	b.Grow(int(size))
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), size)
}

// hugeRoom returns how much of the heap may have huge pages: 0 where the system has another mode than madvise, or where
// memory is limited.
func hugeRoom() int64 {
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || !strings.Contains(string(mode), "[madvise]") || !mayHoldUnwritten() {
		return 0
	}
	all, _ := kilobytesIn("/proc/meminfo", "MemTotal")
	return min(hugeBytes, all/4) / hugePage * hugePage
}

// mayHoldUnwritten reports whether no limit counts memory that was never written.
func mayHoldUnwritten() bool {
	var data unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &data); err != nil || data.Cur <= math.MaxInt64 {
		return false
	}
	if _, limited := addressRoom(); limited || debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return false
	}
	const onlyBacked = 2 // the kernel counts memory that is not used too
	mode, ok := numberIn("/proc/sys/vm/overcommit_memory")
	return ok && mode != onlyBacked
}
