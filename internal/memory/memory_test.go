package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestGroupRoom checks that the control group with the least room determines how much memory is left, for both versions
// of control groups.
func TestGroupRoom(t *testing.T) {
	dir := t.TempDir()
	write := func(path string, text any) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(fmt.Sprintln(text)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := func(room int64, limited bool) {
		t.Helper()
		if got, is := groupRoom(filepath.Join(dir, "cgroup"), dir); is != limited || limited && got != room {
			t.Errorf("%d, %t, want %d, %t", got, is, room, limited)
		}
	}
	want(0, false) // there is no such file
	write("cgroup", "0::/slurm/job")
	want(0, false) // nor is there a folder of the group
	write("slurm/job/memory.max", "max")
	write("slurm/job/memory.current", 700)
	want(0, false)
	write("slurm/memory.max", 5000)
	write("slurm/memory.current", 1000)
	want(4000, true)
	write("slurm/memory.stat", "anon 5\ninactive_file 300")
	want(4300, true)
	write("slurm/job/memory.max", 1000)
	want(300, true)

	write("cgroup", "5:cpu:/x\n4:memory:/y\n0::/")
	want(0, false)
	write("memory/y/memory.limit_in_bytes", int64(9223372036854771712)) // no limit
	write("memory/y/memory.usage_in_bytes", 10)
	want(0, false)
	write("memory/y/memory.limit_in_bytes", 100)
	want(90, true)
}
