package main

import (
	"runtime"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// TestCommandsSetBLASThreads checks that a command sets the number of OpenBLAS's threads even without --threads,
// whatever the environment says. For this reason a resumed run, which is another process, has the numbers of one that
// was not interrupted.
func TestCommandsSetBLASThreads(t *testing.T) {
	found := backend.BLASThreads()
	defer backend.SetBLASThreads(found)
	before := runtime.GOMAXPROCS(0) + 1 // as if OMP_NUM_THREADS had set it
	for args, want := range map[string]int{"": runtime.GOMAXPROCS(0), "--threads=1": 1} {
		backend.SetBLASThreads(before)
		if backend.BLASThreads() != before {
			t.Skip("this build has no OpenBLAS")
		}
		line := []string{"arch", "lenet"}
		if args != "" {
			line = append(line, args)
		}
		if code, _, stderr := ansatz(t, line...); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", line, code, stderr)
		}
		if got := backend.BLASThreads(); got != want {
			t.Errorf("%v: %d threads, want %d", line, got, want)
		}
	}
}
