//go:build !linux

package isolate

// limitMemory does nothing on this system.
func limitMemory(uint64) {}
