// Package parallel divides tasks among workers ([Run]), and a count into even shares ([Evenly]).
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// Run does tasks 0 to tasks−1 in parallel and waits for them. It starts up to members workers, each of which
// repeatedly takes the next task. Work prepares worker member, counted from 0, and returns the function for its tasks.
// Done, if not nil, is called with the number of finished tasks; its calls do not overlap. The first error cancels the
// context of the other tasks, and Run returns it. If ctx ends, Run returns its error.
func Run(ctx context.Context, members, tasks int, done func(finished int),
	work func(member int) (func(ctx context.Context, task int) error, error),
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		next     atomic.Int64
		wg       sync.WaitGroup
		mu       sync.Mutex
		finished int
	)
	countDone := func() {
		mu.Lock()
		defer mu.Unlock()
		finished++
		if done != nil {
			done(finished)
		}
	}
	for member := range min(members, tasks) {
		wg.Go(func() {
			do, err := work(member)
			for err == nil && ctx.Err() == nil {
				task := int(next.Add(1)) - 1
				if task >= tasks {
					return
				}
				if err = do(ctx, task); err == nil {
					countDone()
				}
			}
			cancel(err)
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// Evenly divides n into the fewest even shares of at most most each, and returns their size. The last share may be
// smaller. The arguments are at least 1.
func Evenly(n, most int) int {
	shares := (n + most - 1) / most
	return (n + shares - 1) / shares
}
