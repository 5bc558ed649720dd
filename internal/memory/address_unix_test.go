//go:build unix

package memory

import (
	"testing"

	"golang.org/x/sys/unix"
)

// withAddressRoom calls f while the address space may grow by at most room bytes, a limit like that of ulimit -v.
func withAddressRoom(t *testing.T, room int64, f func()) {
	t.Helper()
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &old); err != nil {
		t.Skip(err)
	}
	used, known := kilobytesIn("/proc/self/status", "VmSize")
	if free, _ := machineRoom(); !known || free < 2*room {
		t.Skip("the system does not say, or there is too little memory")
	}
	limit := unix.Rlimit{Cur: uint64(used + room), Max: old.Max}
	if err := unix.Setrlimit(unix.RLIMIT_AS, &limit); err != nil {
		t.Skip(err)
	}
	defer func() { _ = unix.Setrlimit(unix.RLIMIT_AS, &old) }()
	f()
}
