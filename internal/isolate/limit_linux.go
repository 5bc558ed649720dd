package isolate

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// limitMemory lets the address space grow by that many bytes at most, if the system says how large it is.
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
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &limit) // without it only a damaged file takes more memory
}
