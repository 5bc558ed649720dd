//go:build unix

package memory

import (
	"testing"

	"golang.org/x/sys/unix"
)

// The limit of the address space counts, as ulimit -v sets it.
func TestAvailableOfAddresses(t *testing.T) {
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &old); err != nil {
		t.Skip(err)
	}
	before := Available()
	used, known := kilobytesIn("/proc/self/status", "VmSize")
	if !known || before == 0 {
		t.Skip("the system does not say")
	}
	const room = 512 << 20
	if before < 2*room {
		t.Skip("there is too little memory")
	}
	limit := unix.Rlimit{Cur: uint64(used + room), Max: old.Max}
	if err := unix.Setrlimit(unix.RLIMIT_AS, &limit); err != nil {
		t.Skip(err)
	}
	defer func() { _ = unix.Setrlimit(unix.RLIMIT_AS, &old) }()
	if got := Available(); got <= 0 || got > room {
		t.Errorf("%d bytes, want at most %d", got, room)
	}
}
