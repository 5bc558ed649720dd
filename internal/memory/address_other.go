//go:build !unix

package memory

// addressRoom returns false: this system has no such limit.
func addressRoom() (int64, bool) { return 0, false }
