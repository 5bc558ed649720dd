package profile

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/patches"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// largestPatch is the largest number of elements of a patch. The time for the eigenvectors of the
// components grows with its cube.
const largestPatch = 4096

// Layer describes the layer of a network that reads the images.
type Layer struct {
	Name, kind string
	filters    int
	Patch      models.Shape // square
}

func (l Layer) size() int { return l.Patch.Channels * l.Patch.Height * l.Patch.Width }

// LayerOf returns a network's first convolution, or its first linear layer if that reads whole
// images. A layer that does not read square patches of the images is an [*input.Error].
func LayerOf(net *models.Network) (Layer, error) {
	name, layers := net.Arch.Name, net.Layers()
	if len(layers) == 0 {
		return Layer{}, input.Errorf("%s has no convolution or linear layer, and so no energy profile", name)
	}
	first, in := layers[0], net.Input
	l := Layer{Name: first.Name, kind: first.Kind, filters: first.Filters, Patch: in}
	if len(first.Patch) == 3 {
		l.Patch = models.Shape{Channels: first.Patch[0], Height: first.Patch[1], Width: first.Patch[2]}
	}
	switch {
	case first.Blocks() > 1:
		return l, input.Errorf("%s of %s is a convolution with %d groups, each of which reads different "+
			"channels: an energy profile needs filters that read whole patches of the images",
			l.Name, name, first.Blocks())
	case l.size() != first.PatchSize() || l.Patch.Channels != in.Channels:
		return l, input.Errorf("%s of %s reads %d numbers that are not the pixels of the images of %v: an energy "+
			"profile needs a layer that reads images", l.Name, name, first.PatchSize(), in)
	case l.Patch.Height != l.Patch.Width:
		return l, input.Errorf("%s of %s reads patches of %v: principal components need square patches", l.Name,
			name, l.Patch)
	case l.size() > largestPatch:
		return l, input.Errorf("%s of %s reads patches of %d numbers: want at most %d for their principal components",
			l.Name, name, l.size(), largestPatch)
	}
	return l, nil
}

// checkSamePatch returns an error if the patches of another layer differ: profiles on different
// components cannot be compared.
func (l Layer) checkSamePatch(other Layer, arch, otherArch string) error {
	if l.Patch == other.Patch {
		return nil
	}
	return input.Errorf("%s of %s reads patches of %v, %s of %s of %v: their energy profiles are on different "+
		"components and cannot be compared; take a network with the same kernel size",
		l.Name, arch, l.Patch, other.Name, otherArch, other.Patch)
}

// Basis is the principal components of patches, on which profiles are measured.
type Basis struct {
	*patches.Components                    // of patches of normalised pixels
	normalisation       data.Normalisation // of these pixels
	Kept                int                // the number of components that have variance
}

// OpenBasis computes the components of the q×q patches of at most limit images of a set, 0 for all,
// in pixels that are normalised by n.
func OpenBasis(ctx context.Context, set data.Dataset, q, limit int, n data.Normalisation) (*Basis, error) {
	raw, err := patches.FindComponents(ctx, set, q, limit)
	if err != nil {
		if ctx.Err() == nil {
			err = &input.Error{Err: err}
		}
		return nil, err
	}
	b := &Basis{normalisation: n}
	if b.Components, err = raw.Normalised(n); err != nil {
		return nil, &input.Error{Err: err}
	}
	if b.Kept = b.Rank(); b.Kept == 0 {
		return nil, input.Errorf("the %d×%d patches of %s are all equal, so they have no principal components; "+
			"give images whose patches differ", q, q, set.Name())
	}
	return b, nil
}

// CommonBasis returns the components of the patches of two bases together, each set with the same weight. On them,
// profiles of networks that learned different images can be compared component by component. It returns an [*input.Error]
// unless both bases have patches of one size, in pixels that are normalised alike.
func CommonBasis(a, b *Basis) (*Basis, error) {
	if a.normalisation.String() != b.normalisation.String() {
		return nil, input.Errorf("components of pixels normalised by %v and by %v cannot be pooled", a.normalisation,
			b.normalisation)
	}
	pooled, err := patches.Pool(a.Components, b.Components)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	return &Basis{Components: pooled, normalisation: a.normalisation, Kept: pooled.Rank()}, nil
}

// Reliability returns how far the profile of filters that read the pixels of the basis is free of noise, see
// [energy.Reliability]; NaN if it is undefined.
func (b *Basis) Reliability(w *mat.Dense, splits int, rng *rand.Rand) float64 {
	r, err := energy.Reliability(w, b.Vectors[:b.Kept], splits, rng)
	if err != nil {
		return math.NaN()
	}
	return r
}

// LeftOut says which components profiles leave out; "" if they leave out none.
func (b *Basis) LeftOut() string {
	d := len(b.Variances)
	if b.Kept == d {
		return ""
	}
	return fmt.Sprintf("Only %d of the %d principal components of the patches have variance above rounding (grey "+
		"images stored as colours, and images without detail, have few). The other %d are arbitrary directions "+
		"that the patches do not span, and are left out of all profiles.",
		b.Kept, d, d-b.Kept)
}

// Profile returns the energy profile of filters that read pixels normalised by n. If the basis is of
// differently normalised pixels, it rescales the filters: W·x/s is (W/s)·x.
func (b *Basis) Profile(w *mat.Dense, n data.Normalisation) (*energy.Profile, error) {
	return energy.ProfileOf(b.RescaleFilters(w, n), b.Vectors[:b.Kept], b.Variances[:b.Kept])
}

// RescaleFilters returns the filters as they act on pixels normalised like the basis.
func (b *Basis) RescaleFilters(w *mat.Dense, n data.Normalisation) *mat.Dense {
	ours, theirs := b.normalisation.Scales(b.Channels), n.Scales(b.Channels)
	area := b.Patch * b.Patch
	out := mat.DenseCopyOf(w)
	out.Apply(func(_, j int, v float64) float64 { return v * ours[j/area] / theirs[j/area] }, out)
	return out
}

// Change returns W − W₀.
func Change(w, w0 *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(w)
	out.Sub(w, w0)
	return out
}

// Series returns a profile as a curve, scaled to a root mean square of 1; ok is false if the filters
// are zero.
func Series(label string, p *energy.Profile) (s report.Series, ok bool) {
	y, err := p.Scaled()
	return record.NumberedSeries(label, y), err == nil
}

// RelativeChange returns ‖W − W₀‖/‖W₀‖ in the Frobenius norm.
func RelativeChange(w, w0 *mat.Dense) float64 { return mat.Norm(Change(w, w0), 2) / mat.Norm(w0, 2) }
