package energypaper

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/profile"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// ProfilesSpec trains networks and compares the energy profiles of their first
// layers, pair by pair (energy, Tables 1, 2 and 4, Figs. 2, 6, 7 and 10 to 18).
type ProfilesSpec struct {
	Training setups.EnergyTraining  `json:"training" toml:"training"`
	Networks []setups.EnergyNetwork `json:"networks" toml:"networks"`
	Pairs    []ProfilePair          `json:"pairs" toml:"pairs"`
	// Change takes W − W₀ in the place of W.
	Change bool `json:"change" toml:"change"`
	// Images is of how many training images the patches have their components
	// taken; 0 is all.
	Images int `json:"images" toml:"images"`
	Draws  int `json:"draws" toml:"draws"` // of the null of how uneven a profile is
	// Matrix is whether all networks are compared with each other too, and with
	// their filters before training (Figs. 10 to 15).
	Matrix bool `json:"matrix" toml:"matrix"`
	// Sensitivity is whether profiles are held against human vision (Fig. 2d),
	// without a matrix.
	Sensitivity bool `json:"sensitivity" toml:"sensitivity"`
}

// profiledNet is a network with its profiles, on the components of the images
// that it was trained on.
type profiledNet struct {
	*setups.EnergyNet
	basis *profile.Basis
	// shown is what is compared: the profile of W, or of W − W₀.
	shown    *cnfa.EnergyProfile
	initial0 *cnfa.EnergyProfile // of W₀
	spread   cnfa.ProfileSpread  // of what is shown
	ownInit  float64             // Pearson of the profiles of W and W₀
	moved    float64             // ‖W − W₀‖/‖W₀‖; NaN of weights from a file
}

// Run implements Spec.
func (s *ProfilesSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	o := &study.Outcome{Values: map[string]float64{}, Matrices: map[string]*mat.Dense{}}
	var found []*profiledNet
	for _, n := range s.Networks {
		p, err := s.profile(ctx, in, n, o)
		if missing := input.MissingFile(err); missing != "" {
			o.Notes = append(o.Notes, fmt.Sprintf("%s is left out: %s.", n.Name, missing))
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	if len(found) == 0 {
		return nil, input.Errorf("none of the networks can be had: %v", o.Notes)
	}
	pairs, err := s.compare(found)
	if err != nil {
		return nil, err
	}
	tellProfiles(found, pairs, o)
	o.Tables = append(o.Tables, pairsTable(pairs), profiledTable(found))
	if err := s.draw(found, pairs, o); err != nil {
		return nil, err
	}
	f, err := profile.ComponentsFigure("components", found[0].basis)
	o.Figures = append(o.Figures, f)
	return o, err
}

// draw draws the profiles: all in one chart beside the matrix of their
// correlations, or by panels.
func (s *ProfilesSpec) draw(found []*profiledNet, pairs []comparedPair, o *study.Outcome) error {
	if s.Matrix {
		o.Charts = append(o.Charts, profilesChart(found, s.Change))
		return tellMatrix(found, pairs, o)
	}
	o.Charts = append(o.Charts, panelCharts(pairs, s.Change)...)
	if s.Sensitivity {
		tellSensitivity(found, o)
	}
	return nil
}

func (s *ProfilesSpec) check() error {
	names := map[string]bool{}
	for _, n := range s.Networks {
		if names[n.Name] || n.Name == "" {
			return input.Errorf("networks: the name %q is empty or there twice", n.Name)
		}
		names[n.Name] = true
		if s.Change && n.Weights != "" {
			return input.Errorf("%s: W − W₀ is not known of weights from a file", n.Name)
		}
	}
	for _, p := range s.Pairs {
		if !names[p.A] || !names[p.B] || p.A == p.B {
			return input.Errorf("pairs: %q and %q: want two of the networks", p.A, p.B)
		}
		if p.From < 0 || p.From > 0 && p.To < p.From+cnfa.LeastComponents-1 {
			return input.Errorf("%s and %s: components %d to %d: want at least %d", p.A, p.B, p.From, p.To, cnfa.LeastComponents)
		}
	}
	return nil
}

// profile trains or opens a network and takes its profiles.
func (s *ProfilesSpec) profile(ctx context.Context, in study.Setting, n setups.EnergyNetwork, o *study.Outcome) (*profiledNet, error) {
	var e *setups.EnergyNet
	var err error
	if n.Weights != "" {
		e, err = n.Open(in, s.Training, s.Images)
	} else {
		e, err = n.Train(ctx, in, s.Training)
	}
	if err != nil {
		return nil, err
	}
	if err := o.AddDataset(n.Name, e.Images); err != nil {
		return nil, err
	}
	l, err := profile.LayerOf(e.Net)
	if err != nil {
		return nil, err
	}
	p := &profiledNet{EnergyNet: e}
	if p.basis, err = profile.OpenBasis(ctx, e.Images, l.Patch.Height, s.Images, data.Normalisation{}); err != nil {
		return nil, err
	}
	if note := p.basis.LeftOut(); note != "" {
		o.Notes = append(o.Notes, n.Name+": "+note)
	}
	e.Images = nil // all networks stay, their images need not
	return p, p.measure(l, s, in.Seed)
}

// measure takes the profiles.
func (p *profiledNet) measure(l profile.Layer, s *ProfilesSpec, seed uint64) error {
	w, w0 := p.Net.Filters(l.Name), p.Initial.Filters(l.Name)
	trained, err := p.basis.Profile(w, p.Normalisation)
	if err != nil {
		return err
	}
	if p.initial0, err = p.basis.Profile(w0, p.Normalisation); err != nil {
		return err
	}
	p.ownInit, p.moved = math.NaN(), math.NaN()
	if alike, err := cnfa.CompareProfiles(trained, p.initial0); err == nil {
		p.ownInit = alike.Pearson
	}
	if p.Weights == "" {
		p.moved = profile.RelativeChange(w, w0)
	}
	p.shown = trained
	if s.Change {
		w = profile.Change(w, w0)
		if p.shown, err = p.basis.Profile(w, p.Normalisation); err != nil {
			return err
		}
	}
	p.spread, err = cnfa.SpreadOf(p.shown, p.basis.RescaleFilters(w, p.Normalisation), s.Draws, models.Stream(seed, "rotations of "+p.Name))
	if errors.Is(err, cnfa.ErrZero) {
		return input.Errorf("%s: the filters that are compared are zero: nothing in the first layer was learned", p.Name)
	}
	return err
}
