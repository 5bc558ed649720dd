//go:build linux || darwin

package kernel

import (
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// guarded returns n zeros that end where a protected page begins, so that reading or writing beyond their end is a
// fault.
func guarded[T float32 | int32](t *testing.T, n int) []T {
	t.Helper()
	page := os.Getpagesize()
	size := (4*n + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	if err := syscall.Mprotect(memory[size:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[size-4*n])), n)
}
