package memory

import (
	"os"
	"runtime/debug"
	"sync/atomic"
)

// garbagePercent is the garbage that may pile up before a collection, in percent of the memory in use. Most of it is large
// arrays of numbers, which cost nothing to collect.
const garbagePercent = 40

// ballastBytes is the size of the ballast, whose share of the garbage is 100 MB.
const ballastBytes = 256 << 20

// ballast is memory that counts as used, and that nothing is ever written to. It takes addresses and no memory. Without it a
// small heap, of which little garbage is 40 %, would be collected hundreds of times a second.
var ballast atomic.Pointer[[]byte]

// UseCollector sets how often the garbage collector runs, unless GOGC says it. Call it at the start of a program.
func UseCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(garbagePercent)
	if mayHoldUnwritten() {
		block := unwritten(ballastBytes)
		ballast.Store(&block)
	}
}

// Limit makes the garbage collector keep the memory of the process below so many bytes, as far as it can, until restore is
// called.
func Limit(bytes int64) (restore func()) {
	ballast.Store(nil) // the runtime counts its addresses as memory
	before := debug.SetMemoryLimit(bytes)
	return func() { debug.SetMemoryLimit(before) }
}
