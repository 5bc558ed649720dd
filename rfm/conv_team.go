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
	kept int64 // bytes of patches that may be kept; see keptPatchBytes
}

func newTeam(backendName string, threads int, p graph.Precision) (*team, error) {
	if threads < 0 {
		return nil, badInput("%d threads: want at least 1, or 0 for all cores", threads)
	}
	c, err := crew.New(backendName, threads, p)
	return &team{Crew: c, kept: keptPatchBytes}, err
}

// machinery returns the machinery of a member.
func (t *team) machinery(member int) machinery {
	return machinery{device: t.Devices[member], precision: t.Precision}
}

// extractPatches returns a store of the images' patches, and computes those of as many images as may be kept.
func extractPatches[T backend.Float](ctx context.Context, t *team, s patchView, x Images) (*patchStore[T], error) {
	var zero T
	width := int64(4)
	if _, double := any(zero).(float64); double {
		width = 8
	}
	keep := min(x.Len(), int(t.kept/(width*int64(s.size()))))
	out := &patchStore[T]{patchView: s, images: x, kept: make([]T, keep*s.size())}
	tasks := (keep + imagesAtOnce - 1) / imagesAtOnce
	return out, t.Share(ctx, tasks, nil, func(member int) (func(context.Context, int) error, error) {
		e, err := newPatchExtractor[T](t.machinery(member), s, min(imagesAtOnce, keep))
		return func(ctx context.Context, task int) error {
			lo, hi := task*imagesAtOnce, min((task+1)*imagesAtOnce, keep)
			return e.extract(ctx, x.Slice(lo, hi), out.kept[lo*s.size():hi*s.size()])
		}, err
	})
}

// imagesAtOnce is how many images a patchExtractor transforms at a time.
const imagesAtOnce = 16
