package memory

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// TestBallast checks that the ballast raises the size at which the heap is collected, and takes no memory, and that a limit
// removes it.
func TestBallast(t *testing.T) {
	if !mayHoldUnwritten() {
		t.Skip("the memory of this process is limited")
	}
	t.Setenv("GOGC", "")
	var with uint64
	grown, err := Peak(func() error {
		UseCollector()
		runtime.GC()
		with = goal()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if with < ballastBytes*(100+GarbagePercent)/100 || grown > ballastBytes/4 {
		t.Errorf("with the ballast the heap is collected at %d bytes, and %d of memory were used", with, grown)
	}
	Limit(0)()
	runtime.GC()
	if still := goal(); still < ballastBytes {
		t.Errorf("without a limit the heap is collected at %d bytes", still)
	}
	defer Limit(1 << 40)()
	runtime.GC()
	if without := goal(); without > with-ballastBytes {
		t.Errorf("under a limit the heap is collected at %d bytes, before at %d", without, with)
	}
}

// goal returns the size of the heap at the end of the next collection.
func goal() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
