package parallel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// TestRun checks that every task is done once, by a valid member, and that the finished tasks are counted.
func TestRun(t *testing.T) {
	for _, members := range []int{1, 2, 7, 40} {
		var did [30]atomic.Int32
		last := 0
		err := Run(context.Background(), members, len(did), func(finished int) { last = finished },
			func(member int) (func(context.Context, int) error, error) {
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

// TestRunFails checks that an error of a task or of a member's preparation is returned and stops the others, and that
// no task begins after the context has ended.
func TestRunFails(t *testing.T) {
	broken := errors.New("broken")
	var began atomic.Int32
	err := Run(context.Background(), 2, 1000, nil, func(int) (func(context.Context, int) error, error) {
		return func(ctx context.Context, task int) error {
			began.Add(1)
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
	if n := began.Load(); n > 5 { // tasks 0 to 3, and one of the other member
		t.Errorf("%d tasks began", n)
	}
	err = Run(context.Background(), 2, 5, nil,
		func(int) (func(context.Context, int) error, error) { return nil, broken })
	if !errors.Is(err, broken) {
		t.Errorf("a member that cannot be prepared: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Run(ctx, 2, 5, nil, func(int) (func(context.Context, int) error, error) {
		return func(context.Context, int) error { t.Error("a task after the end"); return nil }, nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// TestEvenly checks that there are as few shares as possible, none is larger than allowed, and the last is not empty.
func TestEvenly(t *testing.T) {
	for n := 1; n < 200; n++ {
		for most := 1; most < 70; most++ {
			size := Evenly(n, most)
			if shares := (n + size - 1) / size; size < 1 || size > most || shares != (n+most-1)/most ||
				(shares-1)*size >= n {
				t.Fatalf("%d in shares of at most %d: %d shares of %d", n, most, shares, size)
			}
		}
	}
	if got := Evenly(40, 32); got != 20 {
		t.Errorf("40 in shares of at most 32: of %d, want 20", got)
	}
}
