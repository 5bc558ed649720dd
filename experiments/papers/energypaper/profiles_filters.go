package energypaper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/profile"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// filterBank holds filters with their profile on the components of the images that the network learned.
type filterBank struct {
	filters     *mat.Dense // as they act on the pixels of these components
	profile     *energy.Profile
	reliability float64 // see [energy.Reliability]; NaN where it is undefined
}

// profiledNet is a network with its profiles.
type profiledNet struct {
	*setups.TrainedEnergyNetwork
	basis *profile.Basis
	// The filters W, the initial filters W₀, and W − W₀. Change is nil for weights from a file.
	whole, initial, change *filterBank
	compared               *filterBank   // what the paper compares: whole or change
	spread                 energy.Spread // of the compared profile
	initialSpread          energy.Spread // of the profile before training
	ownInit                float64       // Pearson of the profiles of W and W₀
	moved                  float64       // ‖W − W₀‖/‖W₀‖; NaN for weights from a file
	// Pearson's correlation of the compared profile with the standard deviations of the patches along the components,
	// and with 1, 2, ….
	withDeviations, withRanks float64
	withProjection            float64 // see labelCorrelation
}

// measureProfiles sets the profiles before and after training, and what is derived from them.
func (p *profiledNet) measureProfiles(l profile.Layer, s *ProfilesSpec, seed uint64) (err error) {
	w, w0 := p.Net.Filters(l.Name), p.Initial.Filters(l.Name)
	if p.whole, err = p.newBank(w, s.Draws, seed); err != nil {
		return err
	}
	if p.initial, err = p.newBank(w0, s.Draws, seed); err != nil {
		return err
	}
	alike, err := profileSimilarity(p.whole.profile, p.initial.profile)
	if err != nil {
		return err
	}
	p.ownInit, p.moved, p.compared = alike.Pearson, math.NaN(), p.whole
	if p.Weights == "" {
		p.moved = profile.RelativeChange(w, w0)
		if p.change, err = p.newBank(profile.Change(w, w0), s.Draws, seed); err != nil {
			return err
		}
	}
	if s.Change {
		p.compared = p.change
	}
	p.withDeviations, p.withRanks = p.compared.profile.WithSpectrum()
	rng := models.Stream(seed, "rotations of "+p.Name)
	if p.initialSpread, err = energy.SpreadOf(p.initial.profile, p.initial.filters, s.Draws, rng); err != nil {
		return err
	}
	p.spread, err = energy.SpreadOf(p.compared.profile, p.compared.filters, s.Draws, rng)
	if errors.Is(err, cnfa.ErrZero) {
		return input.Errorf("%s: the filters that are compared are zero: nothing in the first layer was learned",
			p.Name)
	}
	return err
}

// reliabilityOrNaN returns the reliability, NaN if there are no filters.
func (b *filterBank) reliabilityOrNaN() float64 {
	if b == nil {
		return math.NaN()
	}
	return b.reliability
}

// newBank measures the profile of filters of the network.
func (p *profiledNet) newBank(w *mat.Dense, splits int, seed uint64) (*filterBank, error) {
	b := &filterBank{filters: p.basis.RescaleFilters(w, p.Normalisation)}
	var err error
	if b.profile, err = p.basis.Profile(w, p.Normalisation); err != nil {
		return nil, err
	}
	b.reliability = p.basis.Reliability(b.filters, splits, models.Stream(seed, "halves of "+p.Name))
	return b, nil
}

// labelCorrelation returns the correlation of the labels with the images' projections from which they were made; NaN
// for other labels.
func labelCorrelation(ctx context.Context, b *profile.Basis, set data.Dataset, labels string) (float64, error) {
	k, ok := parseComponent(labels)
	if !ok {
		return math.NaN(), nil
	}
	projections, err := b.Projections(ctx, set, k)
	if err != nil {
		return 0, &input.Error{Err: err}
	}
	y, err := labelNumbers(set)
	return stat.Correlation(projections, y, nil), err
}

// parseComponent returns K of labels pc:K.
func parseComponent(labels string) (k int, ok bool) {
	rest, ok := strings.CutPrefix(labels, "pc:")
	if !ok {
		return 0, false
	}
	number, _, _ := strings.Cut(rest, ":")
	k, err := strconv.Atoi(number)
	return k, err == nil
}

// filtersFigure draws some filters of each network in two rows: before training in the first, after training in the
// second.
func filtersFigure(found []*profiledNet) (report.Figure, error) {
	const most = 16
	var rows [][]report.Image
	var names []string
	for _, p := range found {
		patch := []int{p.basis.Channels, p.basis.Patch, p.basis.Patch}
		for _, b := range []*filterBank{p.initial, p.whole} {
			var row []report.Image
			k, _ := b.filters.Dims()
			for i := range min(k, most) {
				row = append(row, record.PatchImage(b.filters.RawRowView(i), patch))
			}
			name := p.Name
			if b == p.initial {
				name += ", before"
			}
			rows, names = append(rows, row), append(names, name)
		}
	}
	f, err := report.ImageGrid("filters", nil, rows, names...)
	f.Caption = fmt.Sprintf("As Fig. 1: the first %d filters of every network before training and, in the row below, "+
		"after it. Each is scaled to its own range; mid-grey is 0.", most)
	f.Alt, f.Wide = "Filters of the first layers, random ones and learned ones", true
	return f, err
}
