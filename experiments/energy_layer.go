package experiments

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// largestEnergyPatch is the most elements of a patch whose components are taken:
// the time that their eigenvectors take grows with the cube.
const largestEnergyPatch = 4096

// energyLayer is the layer of a network that reads the images, without its
// filters.
type energyLayer struct {
	name, kind string
	filters    int
	patch      models.Shape // square
}

func (l energyLayer) size() int { return l.patch.Channels * l.patch.Height * l.patch.Width }

// energyLayerOf is a network's first convolution, or its first linear layer where
// that reads whole images. Only square patches have components.
func energyLayerOf(net *models.Network) (energyLayer, error) {
	name, layers := net.Arch.Name, net.Layers()
	if len(layers) == 0 {
		return energyLayer{}, badInput("%s has no convolution or linear layer, and so no energy profile", name)
	}
	first, in := layers[0], net.Input
	l := energyLayer{name: first.Name, kind: first.Kind, filters: first.Filters, patch: in}
	if len(first.Patch) == 3 {
		l.patch = models.Shape{Channels: first.Patch[0], Height: first.Patch[1], Width: first.Patch[2]}
	}
	switch {
	case l.size() != first.PatchSize() || l.patch.Channels != in.Channels:
		return l, badInput("%s of %s reads %d numbers that are not the pixels of the images of %v: an energy profile is of a layer that reads images", l.name, name, first.PatchSize(), in)
	case l.patch.Height != l.patch.Width:
		return l, badInput("%s of %s reads patches of %v: principal components are of square patches", l.name, name, l.patch)
	case l.size() > largestEnergyPatch:
		return l, badInput("%s of %s reads patches of %d numbers: want at most %d for their principal components", l.name, name, l.size(), largestEnergyPatch)
	}
	return l, nil
}

// sameComponents refuses layers whose patches differ: their profiles are on
// different components.
func (l energyLayer) sameComponents(other energyLayer, arch, otherArch string) error {
	if l.patch == other.patch {
		return nil
	}
	return badInput("%s of %s reads patches of %v, %s of %s of %v: their energy profiles are on different components and cannot be compared; take a network with the same kernel size",
		l.name, arch, l.patch, other.name, otherArch, other.patch)
}

// energyBasis is the principal components on which profiles are taken.
type energyBasis struct {
	*data.Components                    // of patches whose pixels are normalised
	normalisation    data.Normalisation // by this
	rank             int                // of the components, those that have variance
}

// openEnergyBasis finds the components of the q×q patches of at most limit images
// of a set, 0 for all, in pixels as they are normalised.
func openEnergyBasis(ctx context.Context, set data.Dataset, q, limit int, n data.Normalisation) (*energyBasis, error) {
	raw, err := data.PatchComponents(ctx, set, q, limit)
	if err != nil {
		if ctx.Err() == nil {
			err = &InputError{err}
		}
		return nil, err
	}
	b := &energyBasis{normalisation: n}
	if b.Components, err = raw.Normalised(n); err != nil {
		return nil, &InputError{err}
	}
	if b.rank = b.Rank(); b.rank == 0 {
		return nil, badInput("the %d×%d patches of %s are all alike: they have no principal components; give images that differ within and between them", q, q, set.Name())
	}
	return b, nil
}

// left says which components profiles leave out, "" for none.
func (b *energyBasis) left() string {
	d := len(b.Variances)
	if b.rank == d {
		return ""
	}
	return fmt.Sprintf("Only %d of the %d principal components of the patches have variance above rounding (grey images stored as colours, and images without detail, have few): the other %d are any basis of what the patches do not span, and are left out of all profiles.",
		b.rank, d, d-b.rank)
}

// profile is that of filters which read pixels normalised by n. Filters for
// other pixels than the basis has are rescaled to those: W·x/s is (W/s)·x.
func (b *energyBasis) profile(w *mat.Dense, n data.Normalisation) (*cnfa.EnergyProfile, error) {
	return cnfa.Profile(b.inPixels(w, n), b.Vectors[:b.rank], b.Variances[:b.rank])
}

// inPixels is the filters as they act on pixels normalised as the basis is.
func (b *energyBasis) inPixels(w *mat.Dense, n data.Normalisation) *mat.Dense {
	ours, theirs := b.normalisation.Scales(b.Channels), n.Scales(b.Channels)
	area := b.Patch * b.Patch
	out := mat.DenseCopyOf(w)
	out.Apply(func(_, j int, v float64) float64 { return v * ours[j/area] / theirs[j/area] }, out)
	return out
}

// change is W − W₀.
func change(w, w0 *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(w)
	out.Sub(w, w0)
	return out
}

// profileSeries is a profile as a curve; ok is false of filters that are zero.
func profileSeries(label string, p *cnfa.EnergyProfile) (s report.Series, ok bool) {
	y, err := p.Scaled()
	if err != nil {
		return s, false
	}
	s = report.Series{Label: label, Y: y}
	for i := range y {
		s.X = append(s.X, float64(i+1))
	}
	return s, true
}

// moved is ‖W − W₀‖/‖W₀‖.
func moved(w, w0 *mat.Dense) float64 { return mat.Norm(change(w, w0), 2) / mat.Norm(w0, 2) }
