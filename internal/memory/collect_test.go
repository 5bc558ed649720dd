package memory

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

func TestGarbagePercent(t *testing.T) {
	c := collector{small: 256 << 20}
	for used, want := range map[uint64]int{
		0: 400, 1: 400, 10 << 20: 400, 64 << 20: 300, 128 << 20: 100, 182 << 20: 40, 256 << 20: 40, 8 << 30: 40,
	} {
		if got := c.percentFor(used); got != want {
			t.Errorf("%d bytes in use: %d %%, want %d", used, got, want)
		}
	}
}

// TestCollectorFollowsTheHeap checks that the percentage falls when the heap grows, and rises when it shrinks.
func TestCollectorFollowsTheHeap(t *testing.T) {
	c := collector{small: 16 << 20}
	c.adjust()
	block := make([]byte, int(c.small))
	waitForPercent(t, leastGarbage)
	runtime.KeepAlive(block)
	block = nil
	waitForPercent(t, mostGarbage)
}

// waitForPercent collects garbage until the collector has the given percentage.
func waitForPercent(t *testing.T, want uint64) {
	t.Helper()
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	for range 100 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
		if metrics.Read(percent); percent[0].Value.Uint64() == want {
			return
		}
	}
	t.Fatalf("the collector has %d %%, want %d", percent[0].Value.Uint64(), want)
}
