//go:build unix

package memory

import (
	"errors"
	"math"
	"runtime/debug"
	"strings"
	"testing"
)

// TestUseLimit checks how a limit of the address space is used. The reserve is not available for data. If the limit
// leaves more than the reserve, the garbage collector keeps to the rest. If it leaves less, it is refused with an error
// of one line.
func TestUseLimit(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	t.Setenv("GOMEMLIMIT", "")
	const room = 64 << 20
	withAddressRoom(t, reserve()+room, func() {
		if err := UseLimit(); err != nil {
			t.Errorf("with room: %v", err)
		}
		if got := debug.SetMemoryLimit(-1); got <= 0 || got > room {
			t.Errorf("the garbage collector keeps to %d bytes, want at most %d", got, room)
		}
		if got := Available(); got <= 0 || got > room/spread {
			t.Errorf("%d bytes are available, want at most %d", got, room/spread)
		}
	})
	debug.SetMemoryLimit(math.MaxInt64)
	withAddressRoom(t, reserve()/2, func() {
		err := UseLimit()
		var limit *LimitError
		if !errors.As(err, &limit) || strings.Contains(err.Error(), "\n") || !limit.InputError() {
			t.Errorf("without room: %v", err)
		}
		if got := Available(); got != 1 {
			t.Errorf("%d bytes are available, want 1, the least", got)
		}
	})
}
