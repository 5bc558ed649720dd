package parallel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// TestOut: every task is done once, by members that there are, and counted.
func TestOut(t *testing.T) {
	for _, members := range []int{1, 2, 7, 40} {
		var did [30]atomic.Int32
		last := 0
		err := Out(context.Background(), members, len(did), func(finished int) { last = finished }, func(member int) (func(context.Context, int) error, error) {
			if member < 0 || member >= members {
				t.Errorf("member %d of %d", member, members)
			}
			return func(_ context.Context, task int) error { did[task].Add(1); return nil }, nil
		})
		if err != nil || last != len(did) {
			t.Errorf("%d members: %d of %d done, %v", members, last, len(did), err)
		}
		for task := range did {
			if n := did[task].Load(); n != 1 {
				t.Errorf("%d members: task %d was done %d times", members, task, n)
			}
		}
	}
}

// TestOutFails: an error of a task or of a member's preparation comes back, and
// stops the others.
func TestOutFails(t *testing.T) {
	broken := errors.New("broken")
	err := Out(context.Background(), 2, 1000, nil, func(int) (func(context.Context, int) error, error) {
		return func(ctx context.Context, task int) error {
			if task == 3 {
				return broken
			}
			if task > 3 {
				<-ctx.Done()
			}
			return nil
		}, nil
	})
	if !errors.Is(err, broken) {
		t.Errorf("a task that fails: %v", err)
	}
	err = Out(context.Background(), 2, 5, nil, func(int) (func(context.Context, int) error, error) { return nil, broken })
	if !errors.Is(err, broken) {
		t.Errorf("a member that cannot be prepared: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Out(ctx, 2, 5, nil, func(int) (func(context.Context, int) error, error) {
		return func(context.Context, int) error { t.Error("a task after the end"); return nil }, nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}
