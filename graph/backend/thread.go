//go:build native && cgo

package backend

import "runtime"

// thread is a worker on one operating system thread. OpenMP keeps a team of
// threads for every thread that calls it. Calls from whichever thread Go happens
// to use would therefore start new teams.
type thread struct {
	jobs  chan job
	ended chan struct{}
}

type job struct {
	run  func() error
	done chan error
}

func newThread(prepare func()) *thread {
	t := &thread{jobs: make(chan job), ended: make(chan struct{})}
	go func() {
		defer close(t.ended)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		prepare()
		for j := range t.jobs {
			j.done <- protect(j.run)
		}
	}()
	return t
}

func (t *thread) do(f func() error) error {
	done := make(chan error, 1)
	t.jobs <- job{f, done}
	return <-done
}

// close ends the thread, and waits for that. On a single processor Go may otherwise pass over the thread for seconds, as long as
// two others hand work to each other, and threads pile up.
func (t *thread) close() {
	close(t.jobs)
	<-t.ended
}
