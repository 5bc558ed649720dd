//go:build !linux

package memory

// UseHugePages does nothing: this system has no such setting.
func UseHugePages() {}

// mayHoldUnwritten returns false: this system may count memory that was never written.
func mayHoldUnwritten() bool { return false }

// unwritten is not called on this system.
func unwritten(int64) []byte { return nil }
