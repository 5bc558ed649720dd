package record

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// PeakMemory runs f and returns how many bytes more than before it the process
// held at its peak, the garbage of that time included; 0 where the system does
// not tell.
func PeakMemory(f func() error) (int64, error) {
	debug.FreeOSMemory()
	// 5 sets the peak to what is held now (Linux, proc(5)).
	told := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
	before := processMemory("VmRSS")
	if err := f(); err != nil || !told {
		return 0, err
	}
	return max(0, processMemory("VmHWM")-before), nil
}

// processMemory is a number of bytes from /proc/self/status, 0 where there is
// none.
func processMemory(field string) int64 {
	text, _ := os.ReadFile("/proc/self/status") // elsewhere there is none
	for line := range strings.Lines(string(text)) {
		var kb int64
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			if _, err := fmt.Sscan(rest, &kb); err == nil {
				return kb << 10
			}
		}
	}
	return 0
}
