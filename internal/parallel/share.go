// Package share divides tasks among workers, and things into even shares.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// Out has members do tasks, each the next that nobody has begun, and waits for
// them. Work prepares a member, counted from 0, and returns what does a task,
// counted from 0 too. Done, if not nil, is told how many are finished, by one
// goroutine at a time. The first error ends the context of the others and is
// returned; so is the end of ctx.
func Out(ctx context.Context, members, tasks int, done func(finished int), work func(member int) (func(ctx context.Context, task int) error, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		next     atomic.Int64
		wg       sync.WaitGroup
		mu       sync.Mutex
		finished int
	)
	tell := func() {
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
					tell()
				}
			}
			cancel(err)
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
