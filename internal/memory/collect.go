package memory

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The garbage that may pile up before a collection, in percent of the memory in use. Much of it is large arrays of numbers,
// which cost nothing to collect, so that leastGarbage is enough for a large heap. A small heap would be collected hundreds of
// times a second: the percentage is larger while the heap with its garbage stays below smallHeap, up to mostGarbage.
const (
	leastGarbage = 40
	mostGarbage  = 400
	smallHeap    = 256 << 20
)

// UseCollector sets how often the garbage collector runs, unless GOGC says it. Call it at the start of a program.
func UseCollector() {
	if os.Getenv("GOGC") == "" {
		adjustCollector(0)
	}
}

// adjustCollector sets the percentage for the memory in use now, and again after every collection. The collector had the
// given percentage before.
func adjustCollector(before int) {
	percent := garbagePercent(inUse())
	if percent != before {
		debug.SetGCPercent(percent)
	}
	// The next collection finds that nothing refers to this block.
	runtime.AddCleanup(new([64]byte), adjustCollector, percent)
}

// garbagePercent returns the percentage for a heap of which so many bytes are in use.
func garbagePercent(used uint64) int {
	if used == 0 {
		return mostGarbage
	}
	return int(min(max(leastGarbage, 100*(smallHeap-float64(used))/float64(used)), mostGarbage))
}

// inUse returns the bytes of the heap that the last collection found in use; 0 before the first.
func inUse() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}
