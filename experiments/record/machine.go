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

	"github.com/ansatz-lab/ansatz/internal/memory"
)

// ProcessorName returns the model name of this machine's processor, "" if the system does not say.
func ProcessorName() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	return modelName(f)
}

// modelName returns the first model name in text like Linux's /proc/cpuinfo.
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

// Usage is the time and memory of a run. Fields that the system does not report are 0.
type Usage struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds,omitempty"` // CPU time of all threads
	Peak    int64   `json:"peak_bytes,omitempty"`  // peak memory of the process
}

// MeasureUsage runs f, and returns its time and memory with its error.
func MeasureUsage(f func() error) (Usage, error) {
	debug.FreeOSMemory()
	// Writing 5 resets the peak to the present size (Linux, proc(5)).
	reset := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
	start, cpu := time.Now(), processorTime()
	err := f()
	u := Usage{Seconds: time.Since(start).Seconds(), CPU: max(0, processorTime()-cpu)}
	if reset {
		u.Peak = memory.OfProcess("VmHWM")
	}
	return u, err
}

// processorTime returns the CPU seconds of all threads of the process, 0 if the system does not report them.
func processorTime() float64 {
	text, _ := os.ReadFile("/proc/self/stat") // empty on other systems than Linux
	// After the name, in brackets that may hold anything, come the state and then numbers. The 11th and 12th are the
	// times in user and in system mode, in hundredths of a second (Linux, proc(5)).
	_, rest, _ := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), " ")
	var user, system float64
	if fields := strings.Fields(rest); len(fields) > 12 {
		if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err == nil {
			return (user + system) / 100
		}
	}
	return 0
}

// OneThread estimates the seconds of the run on one thread of an idle machine.
func (u Usage) OneThread(threads int) float64 {
	switch {
	case u.CPU > 0 && threads == 1:
		return min(u.Seconds, u.CPU) // the garbage collector may run on other threads
	case u.CPU > 0:
		return u.CPU
	}
	return u.Seconds * Speedup(threads)
}

// Speedup estimates the factor by which a number of threads make a run faster. On two cores it was measured as 1.2 for
// small arrays and up to 1.9 for large ones.
func Speedup(threads int) float64 { return math.Pow(float64(max(1, threads)), .7) }

// version is set by the Makefile, from git.
var version string

// Version returns the version of the program: what the Makefile set, or the commit that it was
// built from if that is known.
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return versionIn(info)
}

// versionIn returns the commit of a build, which ends in -dirty if the sources were changed since, as the Makefile's does.
func versionIn(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	if commit == "" {
		return info.Main.Version
	}
	if commit = commit[:min(12, len(commit))]; settings["vcs.modified"] == "true" {
		commit += "-dirty"
	}
	return commit
}
