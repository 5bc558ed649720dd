package energypaper

import (
	"context"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/profile"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/mat"
)

// ProfilesSpec trains networks and compares the energy profiles of their first layers, pair by pair
// (energy, Tables 1, 2 and 4, Figs. 2, 6, 7 and 10 to 18).
type ProfilesSpec struct {
	Training setups.EnergyTraining  `json:"training" toml:"training"`
	Networks []setups.EnergyNetwork `json:"networks" toml:"networks"`
	Pairs    []ProfilePair          `json:"pairs" toml:"pairs"`
	// Change says that the paper compares the profiles of W − W₀ instead of those of W. Both are measured.
	Change bool `json:"change" toml:"change"`
	// Images is the number of training images from which the components of the patches are computed; 0 is all.
	Images int `json:"images" toml:"images"`
	// Draws is the number of random rotations in the null of the profiles' unevenness, and the number of divisions of
	// the filters into halves for the noise ceilings.
	Draws int `json:"draws" toml:"draws"`
	// Matrix compares all networks with each other, and with their filters before training (Figs. 10 to
	// 15).
	Matrix bool `json:"matrix" toml:"matrix"`
	// Sensitivity compares profiles with human contrast sensitivity (Fig. 2d). It needs Matrix to be false.
	Sensitivity bool `json:"sensitivity" toml:"sensitivity"`
	// Filters draws the filters before and after training (Fig. 1).
	Filters bool `json:"filters" toml:"filters"`
}

// StandIns implements [study.Substituter].
func (s *ProfilesSpec) StandIns() map[string]string { return standIns(s.Networks) }

// standIns returns the stand-ins for the paper's datasets among the networks' images.
func standIns(networks []setups.EnergyNetwork) map[string]string {
	used := map[string]string{}
	for _, n := range networks {
		switch text := n.StandIn(); {
		case n.StandsFor == "" || strings.Contains(used[n.StandsFor], text):
		case used[n.StandsFor] == "":
			used[n.StandsFor] = text
		default:
			used[n.StandsFor] += " and " + text
		}
	}
	return used
}

// Run implements Spec.
func (s *ProfilesSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	o := &study.Outcome{Matrices: map[string]*mat.Dense{}}
	var found []*profiledNet
	for _, n := range s.Networks {
		p, err := s.profileNetwork(ctx, in, n, o)
		if note := input.LeftOut("the network "+n.Name, err); note != "" {
			o.Notes = append(o.Notes, note)
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	if in.Dry() {
		return nil, nil
	}
	if len(found) == 0 {
		return nil, input.Errorf("none of the networks can be had: %v", o.Notes)
	}
	pairs, err := s.comparePairs(found)
	if err != nil {
		return nil, err
	}
	setProfileMeasures(found, pairs, o)
	o.Tables = append(o.Tables, pairsTable(pairs), networksTable(found))
	if err := s.addCharts(found, pairs, o); err != nil {
		return nil, err
	}
	return o, s.addPictures(found, o)
}

// addPictures draws the components and, where the spec asks for them, the filters.
func (s *ProfilesSpec) addPictures(found []*profiledNet, o *study.Outcome) error {
	f, err := profile.ComponentsFigure("components", found[0].basis)
	o.Figures = append(o.Figures, f)
	if err != nil || !s.Filters {
		return err
	}
	f, err = filtersFigure(found)
	o.Figures = append(o.Figures, f)
	return err
}

// addCharts draws the profiles: in one chart with the matrix of correlations, or in panels.
func (s *ProfilesSpec) addCharts(found []*profiledNet, pairs []comparedPair, o *study.Outcome) error {
	if s.Matrix {
		o.Charts = append(o.Charts, profilesChart(found, false), profilesChart(found, true))
		return addMatrices(found, pairs, o)
	}
	o.Charts = append(o.Charts, panelCharts(pairs, false)...)
	o.Charts = append(o.Charts, panelCharts(pairs, true)...)
	if s.Sensitivity {
		addSensitivity(found, o)
	}
	return nil
}

// check finds faults in the settings before any network is trained.
func (s *ProfilesSpec) check() error {
	names := map[string]bool{}
	for _, n := range s.Networks {
		if names[n.Name] || n.Name == "" {
			return input.Errorf("networks: the name %q is empty or there twice", n.Name)
		}
		names[n.Name] = true
		if n.Weights != "" && (n.Classes != "" || n.Labels != "" || n.Loss != "" || n.Freeze != "") {
			return input.Errorf("%s: weights from a file take no classes, labels, loss or freeze", n.Name)
		}
		if s.Change && n.Weights != "" {
			return input.Errorf("%s: W − W₀ is not known of weights from a file", n.Name)
		}
	}
	for _, p := range s.Pairs {
		if !names[p.A] || !names[p.B] || p.A == p.B {
			return input.Errorf("pairs: %q and %q: want two of the networks", p.A, p.B)
		}
		if p.From < 0 || p.From > 0 && p.To < p.From+energy.LeastComponents-1 {
			return input.Errorf("%s and %s: components %d to %d: want at least %d", p.A, p.B, p.From, p.To,
				energy.LeastComponents)
		}
	}
	return nil
}

// profileNetwork trains or opens a network and measures its profiles.
func (s *ProfilesSpec) profileNetwork(ctx context.Context, in study.Setting, n setups.EnergyNetwork,
	o *study.Outcome) (*profiledNet, error) {
	var e *setups.TrainedEnergyNetwork
	var err error
	if n.Weights != "" {
		e, err = n.Open(in, s.Training, s.Images)
	} else {
		e, err = n.Train(ctx, in, s.Training)
	}
	if err == nil && in.Dry() { // the nulls cost little, since there are few filters to rotate
		err = in.AddJob(n.ComponentsJob(s.Training, s.Images))
	}
	if err != nil || in.Dry() {
		return nil, err
	}
	if err := e.Record(o); err != nil {
		return nil, err
	}
	l, err := profile.LayerOf(e.Net)
	if err != nil {
		return nil, err
	}
	p := &profiledNet{TrainedEnergyNetwork: e}
	if p.basis, err = profile.OpenBasis(ctx, e.Images, l.Patch.Height, s.Images, data.Normalisation{}); err != nil {
		return nil, err
	}
	if note := p.basis.LeftOut(); note != "" {
		o.Notes = append(o.Notes, n.Name+": "+note)
	}
	if p.withProjection, err = labelCorrelation(ctx, p.basis, e.Images, n.Labels); err != nil {
		return nil, err
	}
	e.Images = nil // frees the memory: all networks are kept until the end
	return p, p.measureProfiles(l, s, in.Seed)
}
