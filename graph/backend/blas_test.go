package backend

import "testing"

// Work that lowers OpenBLAS to one thread leaves behind what it found, nested or side by side, so that what is computed
// after it does not depend on it.
func TestOneBLASThreadRestores(t *testing.T) {
	found := BLASThreads()
	defer SetBLASThreads(found)
	const before = 3 // neither 1 nor, on most machines, all cores
	SetBLASThreads(before)
	if BLASThreads() != before {
		t.Skip("this build has no OpenBLAS")
	}
	want := func(when string, threads int) {
		t.Helper()
		if got := BLASThreads(); got != threads {
			t.Errorf("%s: %d threads, want %d", when, got, threads)
		}
	}
	first := OneBLASThread()
	second := OneBLASThread()
	want("lowered twice", 1)
	first()
	first() // once more does nothing
	want("one of two has ended", 1)
	second()
	want("both have ended", before)
	last := OneBLASThread()
	SetBLASThreads(2)
	want("set while lowered", 1)
	last()
	want("ended after it was set", 2)
}
