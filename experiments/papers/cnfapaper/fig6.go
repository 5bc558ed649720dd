package cnfapaper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Gains in test accuracy, across datasets.
var (
	convrfmGainMean = study.NewMeasure("convrfm_gain_mean") // of ConvRFM over the CNTK
	deepGainMean    = study.NewMeasure("deep_gain_mean")    // of Deep ConvRFM over the CNTK
	gainShare       = study.NewMeasure("gain_share")        // the share of the datasets' gains that are above 0
	followsNet      = study.NewMeasure("follows_net")       // the smallest gain where the CNN is better than the CNTK
	layersGainMean  = study.NewMeasure("layers_gain_mean")  // of all layers over one
)

// SweepTask is a dataset to compare machines on.
type SweepTask struct {
	Name string `json:"name" toml:"name"`
	Data string `json:"data" toml:"data"`
	Size int    `json:"size" toml:"size"` // to which its images are scaled; 0 is their own
}

// SetsSpec compares convolutional machines on sets of images (cnfa Fig. 6).
type SetsSpec struct {
	Sets   []SweepTask        `json:"sets" toml:"sets"` // datasets that are not in the data folder are skipped
	Images setups.SweepImages `json:"images" toml:"images"`
	Sweep  setups.SweepSpec   `json:"sweep" toml:"sweep"`
}

// fig6 returns accuracy by dataset and by layers.
func fig6() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig6", Paper: "cnfa", Figure: "Fig. 6",
		Title: "Gain from learning features, by dataset and by number of layers",
		About: study.About{
			Done: "Machines that learn features and machines that do not are compared on sets of images. A: gain in " +
				"test accuracy over the CNTK, by dataset. B: the gain by the number of layers that learn " +
				"features, where 0 is the CNTK and 1 is ConvRFM.",
			Deviations: []string{
				"The paper's datasets are EMNIST, CIFAR-10, CIFAR-100, SVHN and GTSRB. Its bars have no numbers, " +
					"and it does not say how many images it took. At scale small those of MNIST, CIFAR-10 and " +
					"GTSRB that the data folder has are used, with 600 images, 32 filters, and networks with " +
					"larger steps and fewer epochs.",
				"600 images of two or three datasets cannot decide what the paper says about almost all " +
					"datasets: gains of a point or two need some 2000 images for training and for the test.",
			},
			Conventions: []string{
				"Where Deep ConvRFM is one number, it is the machine of two layers or more that does best on the " +
					"validation images.",
			},
		}.With(setups.SweepAbout),
		Claims: []study.Claim{
			convrfmGainMean.Claim("ConvRFM is more accurate than the CNTK on sets of images: gain in test "+
				"accuracy, mean over the datasets.",
				"bars", study.Above(0)).On(sweepSets),
			deepGainMean.Claim("Deep ConvRFM is more accurate than the CNTK on sets of images: gain in test "+
				"accuracy, mean over the datasets.",
				"bars", study.Above(0)).On(sweepSets),
			gainShare.Claim("ConvRFM and Deep ConvRFM are more accurate than the CNTK on almost all sets of "+
				"images: share of the gains that are above 0.",
				"almost all", study.AtLeast(.8)).From(study.PaperScale,
				"A share of at least .8 of two datasets, with two machines each, is all four."),
			followsNet.Claim("ConvRFM and Deep ConvRFM are more accurate than the CNTK on every set of images on "+
				"which the convolutional network is: the smallest of their gains there.",
				"consistently", study.Above(0)).From(study.PaperScale,
				"The least of a few gains is as noisy as the least accurate of them, with 500 test images."),
			layersGainMean.Claim("Deep ConvRFM gains from more layers that learn features: gain in test accuracy "+
				"of all layers over one, mean over the sets of images.",
				"on select sets", study.Above(0)).On(sweepSets).Diagnosed("More layers gain on MNIST, lose on CIFAR-10 and change " +
				"nothing on GTSRB, so that the mean over the sets is about 0 (panel B). On CIFAR-10 the validation images " +
				"mostly choose a deep machine before its first iteration, which has learned no features (table of sets). The paper's " +
				"sizes would decide, weeks of a core."),
		},
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &SetsSpec{
				Sets:   []SweepTask{{"glyphs", "glyphs", 14}, {"dead leaves", "deadleaves", 16}},
				Images: setups.SweepImages{Train: 40, Validation: 20, Test: 20, Draws: 1}, Sweep: noiseSmoke().Sweep,
			},
			study.Small: &SetsSpec{
				Sets: []SweepTask{
					{"MNIST", "mnist", 0}, {"CIFAR-10", "cifar10", 0}, {"GTSRB", "gtsrb", 32},
				},
				Images: setups.SweepImages{Train: 600, Validation: 150, Test: 500, Draws: 7},
				Sweep:  noiseSmall().Sweep,
			},
			study.PaperScale: &SetsSpec{
				Sets: []SweepTask{
					{"EMNIST", "emnist:letters", 0}, {"CIFAR-10", "cifar10", 0}, {"CIFAR-100", "cifar100", 0},
					{"SVHN", "svhn", 0}, {"GTSRB", "gtsrb", 32},
				},
				Images: setups.SweepImages{Train: 5000, Validation: nothingHeldOut, Test: 3000, Draws: 3},
				Sweep:  withEpochs(noisePaper().Sweep, 500, 2000),
			},
		},
	}
}

// sweepSets are the paper's data, by the name that claims give them.
const sweepSets = "EMNIST, CIFAR-10, CIFAR-100, SVHN and GTSRB"

// StandIns implements [study.Substituter].
func (s *SetsSpec) StandIns() map[string]string {
	var used []string
	for _, t := range s.Sets {
		used = append(used, t.Name)
	}
	if slices.Equal(used, []string{"EMNIST", "CIFAR-10", "CIFAR-100", "SVHN", "GTSRB"}) {
		return nil
	}
	return map[string]string{sweepSets: strings.Join(used, ", ")}
}

// withEpochs returns the spec with other numbers of epochs for the networks.
func withEpochs(s setups.SweepSpec, adam, sgd int) setups.SweepSpec {
	s.Net.Epochs, s.SGD.Epochs = adam, sgd
	return s
}

// Run implements Spec.
func (s *SetsSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	o := &study.Outcome{}
	if s.Sweep.PaperMode {
		o.Notes = append(o.Notes, setups.PaperModeNote)
	}
	var found []setResult
	for _, t := range s.Sets {
		e, err := setups.OpenSweep(ctx, in, t.Data, t.Size, s.Images, o)
		var missing *data.NotFoundError
		if errors.As(err, &missing) {
			o.Notes = append(o.Notes, fmt.Sprintf("%s is not here, and is left out.", t.Name))
			continue
		}
		if err != nil {
			return nil, err
		}
		c, err := s.Sweep.Compare(ctx, in, e, false)
		if err != nil {
			return nil, err
		}
		o.Notes = append(o.Notes, c.Notes(t.Name)...)
		found = append(found, setResult{t.Name, c})
	}
	if in.Dry() {
		return o, nil
	}
	if len(found) == 0 {
		return nil, input.Errorf("none of the sets is here: ansatz data list shows which are")
	}
	setSetsMeasures(found, o)
	addSetsFigures(found, s.Sweep, o)
	return o, nil
}

// setResult holds the machines and the network on one dataset.
type setResult struct {
	name string
	*setups.SweepResult
}

// deepAccuracy returns the test accuracy of Deep ConvRFM: that of the machine with at least two layers that is best on
// the validation images, or of the last machine.
func (r setResult) deepAccuracy() float64 {
	best := r.Machines[len(r.Machines)-1]
	for _, m := range r.Machines[:len(r.Machines)-1] {
		if m.Layers > 1 && !best.Valid.Better(m.Valid) {
			best = m
		}
	}
	return best.Test.Accuracy
}

// setSetsMeasures sets the measures. [followsNet] is NaN if no network is better than the CNTK.
func setSetsMeasures(found []setResult, o *study.Outcome) {
	n := float64(len(found))
	var convrfm, deep, layers, share float64
	var followed []float64 // gains where the network is better than the CNTK
	for _, r := range found {
		kernel := r.TestAccuracy(0)
		gains := []float64{r.TestAccuracy(1) - kernel, r.deepAccuracy() - kernel}
		convrfm += gains[0] / n
		deep += gains[1] / n
		layers += (r.TestAccuracy(len(r.Machines)-1) - r.TestAccuracy(1)) / n
		for _, gain := range gains {
			if gain > 0 {
				share += .5 / n
			}
			if r.Net.Test > kernel {
				followed = append(followed, gain)
			}
		}
	}
	o.Set(convrfmGainMean, convrfm)
	o.Set(deepGainMean, deep)
	o.Set(gainShare, share)
	o.Set(followsNet, leastDefined(followed))
	o.Set(layersGainMean, layers)
}

// overCNTK is the unit of [setResult.gains].
const overCNTK = "percentage points over the CNTK"

// gains returns by how many percentage points each of [setups.SweepResult.Accuracies] exceeds that of the CNTK, the
// first.
func (r setResult) gains() []float64 {
	all := r.Accuracies()
	kernel := all[0]
	for i := range all {
		all[i] = 100 * (all[i] - kernel)
	}
	return all
}

// addSetsFigures adds the table and the charts.
func addSetsFigures(found []setResult, sweep setups.SweepSpec, o *study.Outcome) {
	layers := sweep.Machines.Layers
	var rows []setups.SweepRow
	bars := study.Chart{Name: "sets", Title: "A. Gain in test accuracy over the CNTK, by images", YLabel: overCNTK}
	curves := study.Chart{
		Name: "layers", Title: "B. Gain in test accuracy over the CNTK, by layers that learn features",
		XLabel: "layers that learn features", YLabel: overCNTK,
	}
	for _, r := range found {
		rows = append(rows, r.Rows(r.name)...)
		bars.Labels = append(bars.Labels, r.name)
		curves.Series = append(curves.Series,
			report.Series{Label: r.name, X: study.Places(layers + 1), Y: r.gains()[:layers+1]})
	}
	for i, name := range sweep.Names()[1:] {
		bars.Series = append(bars.Series,
			record.BarsOf(name, found, func(r setResult) float64 { return r.gains()[i+1] }))
	}
	o.Tables = append(o.Tables, setups.SweepTable("sets", "Accuracies in percent, with the iteration (of the CNN: the "+
		"epoch) and the ridge that were chosen.", "images", rows))
	o.Charts = append(o.Charts, bars, curves)
}
