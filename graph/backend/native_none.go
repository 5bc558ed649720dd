//go:build !native || !cgo

package backend

func nativeVersion() string { return "" }

func openNative(int, bool) (*Device, error) { return nil, ErrNoNative }

// HasBF16 reports whether [Options.BF16] works with this build and processor.
func HasBF16() bool { return false }

func setBLASThreads(int) {}

func blasThreads() int { return 1 }
