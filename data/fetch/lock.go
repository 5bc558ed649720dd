package fetch

import (
	"context"
	"errors"
	"time"

	"github.com/ansatz-lab/ansatz/internal/lock"
)

// lockPoll is the time between attempts to take a held lock.
const lockPoll = time.Second

// acquire waits until the lock of the file at path is free. On a file system without locks it does not wait, and
// [lock.Held] is then false.
func (g *getter) acquire(ctx context.Context, f File, path string) (*lock.Lock, error) {
	for noted := false; ; noted = true {
		l, err := lock.Try(path)
		switch {
		case err == nil:
			return l, nil
		case !errors.Is(err, lock.ErrHeld):
			return nil, onDisk(path, err)
		case !noted:
			g.note(f, "waiting for another process, which is working on the same file and holds "+path)
		}
		if err := g.clock.Sleep(ctx, lockPoll); err != nil {
			return nil, interrupted(f, err)
		}
	}
}
