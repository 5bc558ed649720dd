package backend

import "testing"

// OneBLASThread restores the number of threads that OpenBLAS had, also if calls are nested or overlap. So the results
// of later products do not depend on it.
func TestOneBLASThreadRestores(t *testing.T) {
	found := BLASThreads()
	defer SetBLASThreads(found)
	const before = 3 // differs from 1 and, on most machines, from the number of cores
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
	first() // a second call does nothing
	want("one of two has ended", 1)
	second()
	want("both have ended", before)
	last := OneBLASThread()
	SetBLASThreads(2)
	want("set while lowered", 1)
	last()
	want("ended after it was set", 2)
}
