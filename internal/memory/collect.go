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
	if os.Getenv("GOGC") != "" {
		return
	}
	small := int64(smallHeap)
	if free := Available(); free > 0 {
		small = min(small, free/4)
	}
	collector{small: float64(small)}.adjust()
}

// collector is the garbage collector with the percentage that it has.
type collector struct {
	small   float64 // bytes of a small heap with its garbage
	percent int
}

// adjust sets the percentage for the memory in use now, and again after every collection.
func (c collector) adjust() {
	if percent := c.percentFor(inUse()); percent != c.percent {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
	// The next collection finds that nothing refers to this block.
	runtime.AddCleanup(new([64]byte), collector.adjust, c)
}

// percentFor returns the percentage for a heap of which so many bytes are in use.
func (c collector) percentFor(used uint64) int {
	if used == 0 {
		return mostGarbage
	}
	return int(min(max(leastGarbage, 100*(c.small-float64(used))/float64(used)), mostGarbage))
}

// inUse returns the bytes of the heap that the last collection found in use; 0 before the first.
func inUse() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}
