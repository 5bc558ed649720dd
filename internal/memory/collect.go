package memory

import (
	"os"
	"runtime/debug"
	"sync/atomic"
)

// GarbagePercent is the garbage that may pile up before a collection, in percent of the memory in use. Most of it is large
// arrays of numbers, which cost nothing to collect.
const GarbagePercent = 40

// ballastBytes is the size of the ballast. It lets 100 MB more garbage pile up.
const ballastBytes = 256 << 20

// ballast is a block that counts as memory in use and is never written, so that it takes addresses and no memory. Without it
// the collector would run hundreds of times a second where the memory in use is small.
var ballast atomic.Pointer[[]byte]

// UseCollector sets how often the garbage collector runs, unless GOGC says it. Call it at the start of a program.
func UseCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(GarbagePercent)
	if mayHoldUnwritten() {
		block := unwritten(ballastBytes)
		ballast.Store(&block)
	}
}

// Limit makes the garbage collector keep the memory of the process below so many bytes, as far as it can, until restore is
// called. It never raises a limit that is set already, and 0 or less is no limit. A limit ends the use of the ballast.
func Limit(bytes int64) (restore func()) {
	if bytes <= 0 {
		return func() {}
	}
	ballast.Store(nil) // the runtime counts its addresses as memory
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(bytes, before))
	return func() { debug.SetMemoryLimit(before) }
}
