package memory

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// The address space that is needed besides data: the Go runtime, which reserves its heap in large pieces, the buffers
// of C libraries, and for each thread its stack and the heap that the C library reserves for it.
const (
	reserveBase   = 256 << 20
	reserveThread = 72 << 20
)

func reserve() int64 { return reserveBase + reserveThread*int64(runtime.GOMAXPROCS(0)) }

// spread is the ratio of address space to data: garbage waits to be collected, and large blocks leave gaps between
// them.
const spread = 2

// dataRoom returns by how much the data of the process may grow within the limit of its address space.
func dataRoom() (int64, bool) {
	room, limited := addressRoom()
	return (room - reserve()) / spread, limited
}

// LimitError reports that the limit of the address space leaves too little room to work in.
type LimitError struct{ Room int64 }

// Error says how much the limit leaves, how much is needed, and what to do.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the limit of the address space (ulimit -v) leaves %d MB; want more than %d MB for threads and buffers "+
		"besides data: raise it by at least %d kB", max(0, e.Room)>>20, reserve()>>20, (reserve()-e.Room)>>10+1)
}

// InputError returns true: the user can raise the limit.
func (e *LimitError) InputError() bool { return true }

// UseLimit makes the garbage collector keep the data within the limit of the address space, unless GOMEMLIMIT is set.
// It returns a [*LimitError] if the limit leaves too little to work in. Call it at the start of a program: later, a
// failed allocation ends the process.
func UseLimit() error {
	room, limited := addressRoom()
	switch {
	case !limited:
	case room <= reserve():
		return &LimitError{room}
	case os.Getenv("GOMEMLIMIT") == "":
		debug.SetMemoryLimit(room - reserve())
	}
	return nil
}
