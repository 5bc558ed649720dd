package hyperbfpaper

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// An alignment is the similarity of M − I, not of M, with the AGOP of the claim. Its excesses are over its null and
// over the alignment with the images' covariance. Methods that were not compared set nothing.
func TestSetAlignments(t *testing.T) {
	alike := func(agop string, minusStart bool, pearson, null float64) kernelmachine.HyperBFMeanSimilarity {
		return kernelmachine.HyperBFMeanSimilarity{HyperBFSimilarity: kernelmachine.HyperBFSimilarity{
			AGOP: agop, MinusStart: minusStart, Record: similarity.Record{Pearson: &pearson, PearsonNull: &null},
		}}
	}
	c := &kernelmachine.HyperBFComparison{Methods: []kernelmachine.HyperBFMethod{
		{Method: "agop"},
		{Method: "gd", Alike: []kernelmachine.HyperBFMeanSimilarity{
			alike("own", false, .3, .2), alike("own", true, .9, .1), alike("covariance", true, .25, .1),
		}},
	}}
	o := &study.Outcome{}
	setAlignments(mnistName, "", c, o)
	setAlignments(mnistName, adamFit, c, o)
	for name, want := range map[string]float64{"mnist_gd_own": .9, "mnist_gd_own_excess": .8,
		"mnist_gd_own_covariance_excess": .65, "mnist_adam_gd_own": .9} {
		if got := o.Value(study.NewMeasure(name)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if len(o.Values) != 4 {
		t.Errorf("%v: want nothing of methods that are not compared", o.Values)
	}
}

// A bandwidth or rate of 0 is refused: the fit would take it for its default.
func TestZeroSettings(t *testing.T) {
	for _, s := range []*HyperTableSpec{{Bandwidths: []float64{5, 0}}, {Rates: []float64{0}},
		{Alignments: []AlignmentFit{{Rate: .1}}}, {Alignments: []AlignmentFit{{Bandwidth: 5}}}} {
		s.Sets = []setups.ImageTask{{Name: mnistName, Data: "glyphs"}}
		if _, err := s.Run(t.Context(), study.Setting{}); !input.IsError(err) || !strings.Contains(err.Error(), "above 0") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// Generated glyphs are named as the stand-in for a dataset. The paper's own dataset is not.
func TestStandIns(t *testing.T) {
	s := &HyperTableSpec{Sets: []setups.ImageTask{{Name: mnistName, Data: "glyphs"}, {Name: cifarName, Data: cifarName}}}
	if got, want := s.StandIns(), map[string]string{"MNIST": "glyphs"}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The paper's accuracies stand at the bars of its own methods. Its GD moves the centres.
func TestPrintedMethods(t *testing.T) {
	e := table1()
	s := *e.Specs[study.Smoke].(*HyperTableSpec)
	s.Alignments = nil
	o, err := s.Run(t.Context(), study.Setting{Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range e.Printed {
		for _, c := range o.Charts {
			if c.Name != p.Chart {
				continue
			}
			var at []string
			for _, x := range p.X {
				at = append(at, c.Labels[int(x)])
			}
			if !slices.Equal(at, paperMethods) {
				t.Errorf("%s: the paper's numbers stand at %q, want %q", p.Chart, at, paperMethods)
			}
		}
	}
}
