package record

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"time"
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

// Usage is what a run took. What the system does not tell is 0.
type Usage struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds,omitempty"` // of all threads
	Peak    int64   `json:"peak_bytes,omitempty"`  // the largest that the process was
}

// MeasureUsage runs f and says what that took.
func MeasureUsage(f func() error) (Usage, error) {
	debug.FreeOSMemory()
	// 5 sets the peak to what is held now (Linux, proc(5)).
	told := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
	start, cpu := time.Now(), processorTime()
	err := f()
	u := Usage{Seconds: time.Since(start).Seconds(), CPU: max(0, processorTime()-cpu)}
	if told {
		u.Peak = processMemory("VmHWM")
	}
	return u, err
}

// processorTime is how many seconds the threads of the process have computed, 0
// where the system does not tell.
func processorTime() float64 {
	text, _ := os.ReadFile("/proc/self/stat") // elsewhere there is none
	// After the name, in brackets that may hold anything, come the state and then
	// numbers: of them the 11th and 12th are times in user and in system mode, in
	// hundredths of a second (Linux, proc(5)).
	_, rest, _ := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), " ")
	var user, system float64
	if fields := strings.Fields(rest); len(fields) > 12 {
		if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err == nil {
			return (user + system) / 100
		}
	}
	return 0
}

// OneThread is how long the run takes on one thread of a machine that does nothing
// else.
func (u Usage) OneThread(threads int) float64 {
	switch {
	case u.CPU > 0 && threads == 1:
		return min(u.Seconds, u.CPU) // garbage is collected beside it
	case u.CPU > 0:
		return u.CPU
	}
	return u.Seconds * Speedup(threads)
}

// Speedup is by how much several threads make a run faster: work on small arrays
// has little of it, on large ones nearly all. Measured here on two cores it was
// 1.2 to 1.9.
func Speedup(threads int) float64 { return math.Pow(float64(max(1, threads)), .7) }

// version is set by the Makefile, from git.
var version string

// Version is the program's version: the commit that it was built from, where
// that is known.
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return info.Main.Version
}
