// Package memory measures the available and the used memory.
package memory

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// Available returns how many bytes the process can allocate without swapping and within its limits: those of its
// control groups (containers, Slurm's --mem) and of its address space (ulimit -v), which must hold more than data. It
// returns 0 if the system does not report this, and at least 1 otherwise.
func Available() int64 {
	free := int64(math.MaxInt64)
	for _, room := range []func() (int64, bool){
		machineRoom, func() (int64, bool) { return groupRoom("/proc/self/cgroup", "/sys/fs/cgroup") }, dataRoom,
	} {
		if bytes, limited := room(); limited {
			free = min(free, max(1, bytes))
		}
	}
	if free == math.MaxInt64 {
		return 0
	}
	return free
}

// machineRoom returns the available memory of the machine.
func machineRoom() (int64, bool) { return kilobytesIn("/proc/meminfo", "MemAvailable") }

// groupRoom returns the least room in the control groups of the process and in their parents: the limit minus the used
// memory, not counting cached files that can be dropped. The groups are listed in a file like /proc/self/cgroup, and
// are folders below root, in version 1 or 2.
func groupRoom(list, root string) (int64, bool) {
	text, err := os.ReadFile(list)
	if err != nil {
		return 0, false
	}
	least, limited := int64(math.MaxInt64), false
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		dir, limit, usage, files := root, "memory.max", "memory.current", "inactive_file"
		if fields[1] != "" { // version 1
			if fields[1] != "memory" {
				continue
			}
			dir, limit, usage = filepath.Join(root, "memory"), "memory.limit_in_bytes", "memory.usage_in_bytes"
			files = "total_inactive_file"
		}
		for group := filepath.Clean("/" + fields[2]); ; group = filepath.Dir(group) {
			at := filepath.Join(dir, group)
			most, ok := numberIn(filepath.Join(at, limit))
			used, ok2 := numberIn(filepath.Join(at, usage))
			if ok && ok2 {
				least, limited = min(least, most-used+statIn(filepath.Join(at, "memory.stat"), files)), true
			}
			if group == "/" {
				break
			}
		}
	}
	return least, limited
}

// numberIn returns the number in a file, and false if the file has none ("max") or does not exist.
func numberIn(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	// Version 1 writes the largest multiple of a page if there is no limit.
	return n, err == nil && n < math.MaxInt64>>12<<12
}

// statIn returns a number from a file of lines "name number", 0 if the name is missing.
func statIn(path, name string) int64 {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if rest, is := strings.CutPrefix(line, name+" "); is {
			n, _ := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return n
		}
	}
	return 0
}

// kilobytesIn returns a field of a file of lines "Name: 12 kB" in bytes, and false if the field is missing.
func kilobytesIn(path, field string) (int64, bool) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kb int64
		if rest, ok := strings.CutPrefix(s.Text(), field+":"); ok {
			if _, err := fmt.Sscan(rest, &kb); err == nil {
				return kb << 10, true
			}
		}
	}
	return 0, false
}

// Peak runs f and returns by how many bytes the process grew at its peak, including garbage; 0 if the system does not
// report it.
func Peak(f func() error) (int64, error) {
	debug.FreeOSMemory()
	// Writing 5 resets the peak to the present size (Linux, proc(5)).
	reset := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
	before := OfProcess("VmRSS")
	if err := f(); err != nil || !reset {
		return 0, err
	}
	return max(0, OfProcess("VmHWM")-before), nil
}

// OfProcess returns a field of /proc/self/status in bytes, such as VmHWM for the peak; 0 if the field is missing.
func OfProcess(field string) int64 {
	bytes, _ := kilobytesIn("/proc/self/status", field)
	return bytes
}
