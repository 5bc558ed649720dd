package record

import (
	"bufio"
	"io"
	"os"
	"strings"
)

// ProcessorName is what this machine's processor calls itself, "" where that is not
// told.
func ProcessorName() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	return modelName(f)
}

// modelName reads the first model name in the form of Linux's /proc/cpuinfo.
func modelName(r io.Reader) string {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
