package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm/crew"
)

// team is a crew that computes kernels of images.
type team struct {
	*crew.Crew
	kept int64 // bytes of patches that may be kept; see seenBytes
}

func newTeam(backendName string, threads int, p graph.Precision) (*team, error) {
	if threads < 0 {
		return nil, badInput("%d threads: want at least 1, or 0 for all cores", threads)
	}
	c, err := crew.New(backendName, threads, p)
	return &team{Crew: c, kept: seenBytes}, err
}

// machinery returns the machinery of a member.
func (t *team) machinery(member int) machinery {
	return machinery{device: t.Devices[member], precision: t.Precision}
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
	return out, t.Share(ctx, tasks, nil, func(member int) (func(context.Context, int) error, error) {
		e, err := newPatchExtractor[T](t.machinery(member), s, min(looked, keep))
		return func(ctx context.Context, task int) error {
			lo, hi := task*looked, min((task+1)*looked, keep)
			return e.extract(ctx, x.Slice(lo, hi), out.kept[lo*s.size():hi*s.size()])
		}, err
	})
}

// looked is how many images a patchExtractor transforms at a time.
const looked = 16
