//go:build !linux

package memory

// UseHugePages does nothing: this system has no such setting.
func UseHugePages() {}
