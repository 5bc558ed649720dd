package rfm

import (
	"context"
	"runtime"
	"sync"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/parallel"
)

// team is some devices of one thread each, which divide the tiles of kernel matrices among them. The maps
// of a tile stay in the cache of a core.
type team struct {
	devices   []*backend.Device
	precision graph.Precision
	kept      int64 // bytes of patches that may be kept; see seenBytes
}

func newTeam(backendName string, threads int, p graph.Precision) (*team, error) {
	if threads < 0 {
		return nil, badInput("%d threads: want at least 1, or 0 for all cores", threads)
	}
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	t := &team{precision: p, kept: seenBytes}
	for range backend.Workers(backendName, threads) {
		d, err := backend.Open(backend.Options{Backend: backendName, Threads: 1})
		if err != nil {
			t.close()
			return nil, err
		}
		t.devices = append(t.devices, d)
	}
	return t, nil
}

func (t *team) close() {
	for _, d := range t.devices {
		d.Close()
	}
}

// machinery returns the machinery of a member.
func (t *team) machinery(member int) machinery {
	return machinery{device: t.devices[member], precision: t.precision}
}

// share divides tasks among the members, as [parallel.Run] does.
func (t *team) share(ctx context.Context, tasks int, done func(finished int),
	work func(member int) (func(ctx context.Context, task int) error, error)) error {
	return parallel.Run(ctx, len(t.devices), tasks, done, work)
}

// inTurn lets concurrent tasks add up their results in the order of the tasks.
type inTurn struct {
	mu   sync.Mutex
	next int
	held map[int]func()
}

// do calls add once all earlier tasks have been added.
func (o *inTurn) do(task int, add func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held == nil {
		o.held = map[int]func(){}
	}
	o.held[task] = add
	for o.held[o.next] != nil {
		o.held[o.next]()
		delete(o.held, o.next)
		o.next++
	}
}

// extractPatches computes the patches of the images, of as many as may be kept.
func extractPatches[T backend.Float](ctx context.Context, t *team, s sight, x Images) (*patchStore[T], error) {
	var zero T
	width := int64(4)
	if _, double := any(zero).(float64); double {
		width = 8
	}
	keep := min(x.Len(), int(t.kept/(width*int64(s.size()))))
	out := &patchStore[T]{sight: s, images: x, kept: make([]T, keep*s.size())}
	tasks := (keep + looked - 1) / looked
	return out, t.share(ctx, tasks, nil, func(member int) (func(context.Context, int) error, error) {
		e, err := newPatchExtractor[T](t.machinery(member), s, min(looked, keep))
		return func(ctx context.Context, task int) error {
			lo, hi := task*looked, min((task+1)*looked, keep)
			return e.extract(ctx, x.Slice(lo, hi), out.kept[lo*s.size():hi*s.size()])
		}, err
	})
}

// looked is how many images a patchExtractor transforms at a time.
const looked = 16
