package study

import "sync"

// attempt is one at a seed, which may go on from an earlier one. The zero value is ready
// to use.
type attempt struct {
	mu      sync.Mutex
	made    map[string]bool // paths of what this attempt has kept itself
	resumed bool
}

// Resume notes that what was kept at a path is taken.
func (a *attempt) Resume(path string) {
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.resumed = a.resumed || !a.made[path]
	}
}

// keep notes that this attempt keeps something at a path.
func (a *attempt) keep(path string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.made == nil {
		a.made = map[string]bool{}
	}
	a.made[path] = true
}
