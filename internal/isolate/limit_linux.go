package isolate

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// limitMemory limits the growth of the address space to that many bytes, if the system reports its present size.
func limitMemory(bytes uint64) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	first, _, _ := strings.Cut(string(text), " ")
	pages, err := strconv.ParseUint(first, 10, 40)
	var limit syscall.Rlimit
	if err != nil || syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil {
		return
	}
	limit.Cur = min(limit.Cur, pages*uint64(os.Getpagesize())+bytes)
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &limit) // if this fails, only a damaged file could use more memory
}
