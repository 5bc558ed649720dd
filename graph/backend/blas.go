package backend

import "sync"

// lowered counts the callers that keep OpenBLAS at one thread.
var lowered struct {
	sync.Mutex
	holders int // calls of OneBLASThread that were not undone yet
	threads int // the number of threads that the last of them restores
}

// SetBLASThreads sets the number of threads with which OpenBLAS, one for the
// whole process, multiplies gonum's matrices. Devices have their own threads.
// Between [OneBLASThread] and its restore it sets the number to restore.
func SetBLASThreads(n int) {
	lowered.Lock()
	defer lowered.Unlock()
	if lowered.threads = n; lowered.holders == 0 {
		setBLASThreads(n)
	}
}

// BLASThreads returns the number of threads that OpenBLAS has: 1 in builds without it.
func BLASThreads() int { return blasThreads() }

// OneBLASThread sets OpenBLAS to one thread, for work that computes several products concurrently, and
// returns a function that restores the previous number. If calls are nested or overlap, the last restore
// takes effect. So such work does not change the order of summation in later products.
func OneBLASThread() (restore func()) {
	lowered.Lock()
	defer lowered.Unlock()
	if lowered.holders == 0 {
		lowered.threads = blasThreads()
		setBLASThreads(1)
	}
	lowered.holders++
	return sync.OnceFunc(func() {
		lowered.Lock()
		defer lowered.Unlock()
		if lowered.holders--; lowered.holders == 0 {
			setBLASThreads(lowered.threads)
		}
	})
}
