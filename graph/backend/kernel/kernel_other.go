//go:build !amd64

package kernel

// assembled lists the sets in assembly: there are none for this processor.
func assembled() []*Set { return nil }
