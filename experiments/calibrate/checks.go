package calibrate

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/cost/measured"
	"github.com/ansatz-lab/ansatz/experiments/papers/alignmentpaper"
	"github.com/ansatz-lab/ansatz/experiments/papers/cnfapaper"
	"github.com/ansatz-lab/ansatz/experiments/papers/energypaper"
	"github.com/ansatz-lab/ansatz/experiments/papers/hyperbfpaper"
	"github.com/ansatz-lab/ansatz/experiments/papers/ntkpaper"
	"github.com/ansatz-lab/ansatz/experiments/papers/rfmpaper"
	"github.com/ansatz-lab/ansatz/experiments/papers/rfmtables"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// costScale returns the scale under which the table of costs lists the settings of a hash.
func costScale(e *study.Experiment, hash string) study.Scale {
	if s, err := checkVariant(e.Source()); err == nil {
		if _, h, err := e.Hash(s); err == nil && h == hash {
			return measured.CheckScale
		}
	}
	return e.ScaleOf(hash)
}

// MeasureVariants runs one seed of the variant of each named experiment, or of all that have one, into the folder out,
// for [WriteCosts]. It does not repeat existing runs. It sets OpenBLAS to one thread. Progress is called with each
// experiment's ID before it runs.
func MeasureVariants(ctx context.Context, dir, out string, names []string, progress func(name string)) error {
	backend.SetBLASThreads(1)
	for _, e := range experiments.All() {
		if checkVariants()[e.ID] == nil || len(names) > 0 && !slices.Contains(names, e.ID) {
			continue
		}
		s, err := checkVariant(e)
		if err != nil {
			return err
		}
		progress(e.ID)
		r := study.Run{Experiment: e, Scale: study.OtherScale, Spec: s, Seeds: 1, Setting: study.Setting{
			DataDir: dir, Threads: 1,
		}, Out: out, Resume: true}
		if _, err := r.Run(ctx); err != nil {
			return fmt.Errorf("%s: %w", e.ID, err)
		}
	}
	return nil
}

// checkVariant returns the settings on which the experiment's estimates are checked: those of scale small,
// reduced. Their cost was measured, but estimates do not use it.
func checkVariant(e *study.Experiment) (study.Spec, error) {
	change, ok := checkVariants()[e.ID]
	if !ok {
		return nil, fmt.Errorf("%s has no variant to check estimates on", e.ID)
	}
	s, err := e.SpecWith(study.Small, "")
	if err == nil {
		change(s)
	}
	return s, err
}

// variant turns a function that changes one type of spec into one that changes any spec.
func variant[S study.Spec](change func(S)) func(study.Spec) {
	return func(s study.Spec) { change(s.(S)) }
}

// checkVariants returns the functions that reduce specs to variants, by experiment: for all experiments whose specs
// list the jobs of a run. They change what differs most between scales: numbers of examples, and widths.
func checkVariants() map[string]func(study.Spec) {
	return map[string]func(study.Spec){
		"cnfa/features": variant(func(s *cnfapaper.ConvFeaturesSpec) { s.Task.Train, s.Task.Test = 350, 100 }),
		"cnfa/fig1":     variant(func(s *cnfapaper.AnsatzSpec) { reduceAnsatz(s, 1200) }),
		"cnfa/fig3":     variant(reduceEdges),
		"cnfa/fig4":     variant(reduceResponses),
		"cnfa/fig5": variant(func(s *cnfapaper.NoiseSpec) {
			s.Tasks[0].Images.Train, s.Tasks[1].Images.Train, s.Sweep.Machines.Filters = 250, 350, 16
		}),
		"cnfa/fig6": variant(func(s *cnfapaper.SetsSpec) { s.Images.Train, s.Sweep.Machines.Filters = 400, 16 }),
		"cnfa/fig8": variant(func(s *cnfapaper.AnsatzSpec) { reduceAnsatz(s, 600) }),
		"cnfa/fig9": variant(func(s *cnfapaper.PoolingSpec) {
			s.Lessons.Train, s.Lessons.Test, s.Width = 400, 300, .2
		}),
		"cnfa/fig10": variant(reduceResponses), "cnfa/fig11": variant(reduceEdges), "cnfa/fig12": variant(reduceEdges),

		"rfm/fig3":     variant(func(s *rfmpaper.CentreSpec) { s.Train, s.Net.Width = 2200, 384 }),
		"rfm/fig4":     variant(func(s *rfmtables.ClassifySpec) { s.Rows = 700 }),
		"rfm/fig5":     variant(func(s *rfmtables.BenchmarkSpec) { s.Rows = 600 }),
		"rfm/fig6":     variant(func(s *rfmpaper.TicketsSpec) { s.Train = 4000 }),
		"rfm/fig7":     variant(func(s *rfmpaper.GrokkingSpec) { s.Train, s.Validation, s.Net.Width = 400, 80, 768 }),
		"rfm/fig8":     variant(func(s *rfmpaper.SimplicitySpec) { s.Train, s.Net.Width = 1800, 384 }),
		"rfm/fig9":     variant(func(s *rfmpaper.SpuriousSpec) { s.Train, s.Net.Width = 1800, 768 }),
		"rfm/fig10":    variant(func(s *rfmpaper.DepthSpec) { s.Train, s.Net.Width = 800, 800 }),
		"rfm/fig11":    variant(func(s *rfmpaper.ImageDepthSpec) { s.Train, s.Net.Width = 1400, 200 }),
		"rfm/fig14":    variant(func(s *rfmpaper.DepthSpec) { s.Train, s.Net.Width = 800, 800 }),
		"rfm/fig15":    variant(func(s *rfmpaper.FeaturesSpec) { s.Train, s.Net.Width = 700, 400 }),
		"rfm/fig16":    variant(func(s *rfmpaper.LowRankPanelsSpec) { s.Signs.Train, s.Hermite.Train = 600, 600 }),
		"rfm/table1":   variant(func(s *rfmpaper.ConnectionsSpec) { s.Draws = 280 }),
		"rfm/tutorial": variant(func(s *rfmpaper.PolynomialSpec) { s.Train = 1400 }),
		"rfm/lowrank":  variant(func(s *rfmpaper.PolynomialSpec) { s.Train = 3000 }),

		"hyperbf/table1": variant(func(s *hyperbfpaper.HyperTableSpec) { s.Train = 1000 }),

		"alignment/networks": variant(func(s *alignmentpaper.NetworksSpec) { s.Images, s.Networks = 100, s.Networks[4:8] }),
		"alignment/exact":    variant(func(s *alignmentpaper.ExactSpec) { s.Width, s.Steps = 8, 20000 }),
		"alignment/modular":  variant(func(s *alignmentpaper.ModularSpec) { s.Modulus, s.Net.Width = 47, 768 }),

		"energy/fig3": variant(func(s *energypaper.FrozenSpec) { s.Training.Train, s.Networks = 700, s.Networks[1:] }),
		"energy/fig5": variant(func(s *energypaper.LabelsSpec) { s.Images, s.Permutations = 1000, 40 }),
		"energy/fig7": variant(reduceProfiles), "energy/fig10": variant(reduceProfiles),
		"energy/fig11": variant(reduceProfiles),
		"energy/fig12": variant(reduceProfiles), "energy/fig13": variant(reduceProfiles),
		"energy/fig14":  variant(reduceProfiles),
		"energy/table1": variant(reduceProfiles), "energy/table2": variant(reduceProfiles),
		"energy/table4": variant(reduceProfiles),
		"energy/table3": variant(func(s *energypaper.LinearTableSpec) { s.Images, s.Width, s.Epochs = 3000, 48, 100 }),

		"ntk/fig2": variant(reduceGap), "ntk/fig3": variant(reduceGap), "ntk/fig4": variant(reduceGap),
		"ntk/fig5": variant(reduceGap),
		"ntk/fig6": variant(func(s *ntkpaper.KernelsSpec) {
			for i := range s.Tasks {
				t := &s.Tasks[i]
				t.Images = 240
				t.Widths[len(t.Widths)-1] *= .7
			}
		}),
		"ntk/figa2":  variant(func(s *ntkpaper.TrajectorySpec) { s.Train = 30000 }),
		"ntk/table1": variant(reduceBinary), "ntk/table2": variant(reduceBinary),
		"ntk/threshold": variant(func(s *ntkpaper.ThresholdSpec) { s.Train = 1500 }),
		"ntk/kernel":    variant(func(s *ntkpaper.KernelChangeSpec) { s.Train, s.Widths = 4500, []float64{1, 2, 4} }),
	}
}

func reduceAnsatz(s *cnfapaper.AnsatzSpec, train int) {
	s.Images = 70
	for i := range s.Networks {
		if n := &s.Networks[i]; n.Weights == "" {
			n.Lessons.Train = train
		}
	}
}

func reduceEdges(s *cnfapaper.EdgesSpec) {
	for i := range s.Machines {
		s.Machines[i].Task.Train, s.Machines[i].Task.Validation = 300, 300
	}
}

func reduceResponses(s *cnfapaper.ResponsesSpec) {
	for i := range s.Tasks {
		s.Tasks[i].Train = s.Tasks[i].Train * 7 / 10
	}
}

func reduceProfiles(s *energypaper.ProfilesSpec) { s.Training.Train, s.Training.Test = 600, 300 }

// reduceGap reduces examples and all widths but the smallest.
func reduceGap(s *ntkpaper.GapSpec) {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Train = t.Train * 6 / 10; t.Train == 0 { // all images
			t.Train = 20000
		}
		for k := range t.Widths {
			if k > 0 {
				t.Widths[k] *= .9
			}
		}
	}
}

func reduceBinary(s *ntkpaper.BinarySpec) {
	s.Train, s.Test, s.Widths = 1500, 3000, []float64{.22, 1, 2, 4}
}

// estimatedVariant holds the estimated and the measured cost of a variant.
type estimatedVariant struct {
	id             string
	estimate, took cost.Resources
}

// seconds and bytes return the relative error of the estimate.
func (v estimatedVariant) seconds() float64 { return v.estimate.Seconds/v.took.Seconds - 1 }
func (v estimatedVariant) bytes() float64   { return v.estimate.Bytes/v.took.Bytes - 1 }

// estimatedVariants returns the measured variants, in the order of the experiments.
func estimatedVariants() ([]estimatedVariant, error) {
	costs, err := measured.Costs()
	if err != nil {
		return nil, err
	}
	var all []estimatedVariant
	for _, e := range experiments.All() {
		took, measured := costs[measured.Key{ID: e.ID, Scale: measured.CheckScale}]
		if !measured {
			continue
		}
		s, err := checkVariant(e)
		if err != nil {
			return nil, err
		}
		all = append(all, estimatedVariant{e.ID, e.Cost(s), took})
	}
	return all, nil
}
