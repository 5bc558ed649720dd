package backend

import "sync"

// lowered is who holds OpenBLAS at one thread, and what it goes back to.
var lowered struct {
	sync.Mutex
	holders int // calls of OneBLASThread that are not undone
	threads int // what the last of them restores
}

// SetBLASThreads sets the number of threads with which OpenBLAS, which serves
// the whole process, multiplies gonum's matrices. Devices have their own.
// Between [OneBLASThread] and its undoing it sets what is restored.
func SetBLASThreads(n int) {
	lowered.Lock()
	defer lowered.Unlock()
	if lowered.threads = n; lowered.holders == 0 {
		setBLASThreads(n)
	}
}

// BLASThreads returns the number of threads that OpenBLAS has: 1 in builds without it.
func BLASThreads() int { return blasThreads() }

// OneBLASThread gives OpenBLAS one thread, for work that does several products at once, and returns a
// function that restores what there was before. Where such work is nested, or runs side by side, what
// ends last restores it. So work leaves no trace in the sums of what comes after it.
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
