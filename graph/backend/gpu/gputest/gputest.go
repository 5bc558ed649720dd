// Package gputest says to tests which backends there are.
package gputest

import (
	"os"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu"
)

// Backends returns the names of the backends that this build and this machine have: go, native, gpu.
func Backends(t testing.TB) []string {
	t.Helper()
	names := []string{"go"}
	if backend.Native() {
		names = append(names, "native")
	}
	if Available(t) {
		names = append(names, "gpu")
	}
	return names
}

// Available reports whether there is a device for the backend gpu. In CI, in a build that looks for one, its absence is a
// failure: tests that are all skipped would look as if they had passed.
func Available(t testing.TB) bool {
	t.Helper()
	err := gpu.Available()
	if err == nil {
		// What reads a value without copying it from the device then shows.
		if err := os.Setenv("ANSATZ_GPU_POISON", "1"); err != nil {
			t.Fatal(err)
		}
		return true
	}
	if backend.Native() && (os.Getenv("CI") != "" || os.Getenv("ANSATZ_SHARED") != "") {
		t.Fatalf("the GPU cannot be tested: %v", err)
	}
	t.Logf("the GPU is not tested: %v", err)
	return false
}
