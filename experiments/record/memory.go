package record

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// FreeMemory is the number of bytes that can be taken without swapping, 0 where
// the system does not tell.
func FreeMemory() int64 { return AvailableMemory() }

// AvailableMemory is the number of bytes that can be taken without swapping, 0
// where the system does not tell.
func AvailableMemory() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kb int64
		if rest, ok := strings.CutPrefix(s.Text(), "MemAvailable:"); ok {
			if _, err := fmt.Sscan(rest, &kb); err == nil {
				return kb << 10
			}
		}
	}
	return 0
}
