package cnfapaper

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
)

var (
	convrfmGainMean = study.NewMeasure("convrfm_gain_mean")
	deepGainMean    = study.NewMeasure("deep_gain_mean")
	gainShare       = study.NewMeasure("gain_share")
	followsNet      = study.NewMeasure("follows_net")
	layersGainMean  = study.NewMeasure("layers_gain_mean")
)

// SweepTask is a dataset to compare machines on.
type SweepTask struct {
	Name string `json:"name" toml:"name"`
	Data string `json:"data" toml:"data"`
	Size int    `json:"size" toml:"size"` // to which its images are scaled; 0 is their own
}

// SetsSpec compares convolutional machines on sets of images (cnfa Fig. 6).
type SetsSpec struct {
	Sets   []SweepTask        `json:"sets" toml:"sets"` // datasets that are not in the data folder are left out
	Images setups.SweepImages `json:"images" toml:"images"`
	Sweep  setups.SweepSpec   `json:"sweep" toml:"sweep"`
}

// fig6 returns accuracy by dataset and by layers.
func fig6() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig6", Paper: "cnfa", Figure: "Fig. 6",
		Title: "What learning features is worth, by images and by layers",
		About: "A: test accuracy by set of images. B: by the number of layers that learn features: none is the CNTK, " +
			"one is ConvRFM. " + setups.SweepAbout +
			"Deep ConvRFM, where it is one number, is the one of two layers or more that does best on the validation " +
			"images. The paper's sets are EMNIST, CIFAR-10, CIFAR-100, SVHN and GTSRB, its bars have no numbers, and " +
			"it does not say how many images it took; at scale small MNIST, CIFAR-10 and Fashion-MNIST stand, those " +
			"of them that are here, with 600 images, 32 filters, and a network of larger steps and fewer epochs.",
		Claims: []study.Claim{
			convrfmGainMean.Claim("ConvRFM is more accurate than the CNTK, on average over the sets.",
				"bars", study.Above(0)),
			deepGainMean.Claim("Deep ConvRFM is more accurate than the CNTK, on average over the sets.",
				"bars", study.Above(0)),
			gainShare.Claim("ConvRFM and Deep ConvRFM improve over the CNTK on almost all sets: the share of the sets "+
				"and machines.",
				"almost all", study.AtLeast(.8)),
			followsNet.Claim("Where the CNN outperforms the CNTK, ConvRFM and Deep ConvRFM do: the least gain there.",
				"consistently", study.Above(0)),
			layersGainMean.Claim("More layers that learn features are better: all of them against one, on average over the "+
				"sets.",
				"on select sets", study.Above(0)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &SetsSpec{
				Sets:   []SweepTask{{"glyphs", "glyphs", 14}, {"dead leaves", "deadleaves", 16}},
				Images: setups.SweepImages{Train: 40, Validation: 20, Test: 20, Draws: 1}, Sweep: noiseSmoke().Sweep,
			},
			study.Small: &SetsSpec{
				Sets: []SweepTask{
					{"MNIST", "mnist", 0}, {"CIFAR-10", "cifar10", 0}, {"Fashion-MNIST", "fashionmnist", 0},
				},
				Images: setups.SweepImages{Train: 600, Validation: 150, Test: 500, Draws: 10},
				Sweep:  noiseSmall().Sweep,
			},
			study.PaperScale: &SetsSpec{
				Sets: []SweepTask{
					{"EMNIST", "emnist:letters", 0}, {"CIFAR-10", "cifar10", 0}, {"CIFAR-100", "cifar100", 0},
					{"SVHN", "svhn", 0}, {"GTSRB", "gtsrb", 32},
				},
				Images: setups.SweepImages{Train: 5000, Validation: 1000, Test: 3000, Draws: 3},
				Sweep:  withEpochs(noisePaper().Sweep, 500),
			},
		},
	}
}

// withEpochs returns the spec with n epochs for the network.
func withEpochs(s setups.SweepSpec, n int) setups.SweepSpec {
	s.Net.Epochs = n
	return s
}

// Run implements Spec.
func (s *SetsSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	o := &study.Outcome{Values: map[string]float64{}}
	if s.Sweep.PaperMode {
		o.Notes = append(o.Notes, setups.PaperModeNote)
	}
	r := &setsResult{layers: s.Sweep.Machines.Layers}
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
		r.names, r.all = append(r.names, t.Name), append(r.all, c)
	}
	if len(r.all) == 0 {
		return nil, input.Errorf("none of the sets is here: ansatz data list shows which are")
	}
	r.setMeasures(o.Values)
	r.addTables(o)
	return o, nil
}

// Jobs implements [study.Worker].
func (s *SetsSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Sets, func(t SweepTask) ([]cost.Job, error) {
		return s.Sweep.Jobs(t.Data, t.Size, s.Images,
			false)
	})
}

// setsResult holds the comparisons on the datasets.
type setsResult struct {
	layers int
	names  []string
	all    []*setups.SweepResult
}

// deepAccuracy returns the test accuracy of Deep ConvRFM: of the machine with at least two
// layers that does best on the validation images, or of the last machine.
func deepAccuracy(c *setups.SweepResult) float64 {
	best := c.Machines[len(c.Machines)-1]
	for _, r := range c.Machines[:len(c.Machines)-1] {
		if r.Layers > 1 && !best.Valid.Better(r.Valid) {
			best = r
		}
	}
	return best.Test.Accuracy
}

// setMeasures fills in the values that the claims are judged by.
func (r *setsResult) setMeasures(v map[string]float64) {
	n := float64(len(r.all))
	v["gain_share"], v["follows_net"] = 0, math.Inf(1)
	for _, c := range r.all {
		one, deep := c.TestAccuracy(1)-c.TestAccuracy(0), deepAccuracy(c)-c.TestAccuracy(0)
		v["convrfm_gain_mean"] += one / n
		v["deep_gain_mean"] += deep / n
		v["layers_gain_mean"] += (c.TestAccuracy(r.layers) - c.TestAccuracy(1)) / n
		for _, gain := range []float64{one, deep} {
			if gain > 0 {
				v["gain_share"] += .5 / n
			}
			if c.Net.Test > c.TestAccuracy(0) {
				v["follows_net"] = math.Min(v["follows_net"], gain)
			}
		}
	}
	if math.IsInf(v["follows_net"], 1) {
		v["follows_net"] = math.NaN() // no network was better
	}
}

// addTables adds tables and charts.
func (r *setsResult) addTables(o *study.Outcome) {
	machines := setups.SweepNames(r.layers)
	t := report.Table{
		Name: "sets", Caption: "Accuracies in percent, with the iteration (of the CNN: the epoch) and the ridge that " +
			"were chosen.", Columns: setups.SweepColumns("images"),
	}
	bars := make([]report.Series, len(machines))
	var curves []report.Series
	for k, c := range r.all {
		t.Rows = append(t.Rows, c.Rows(r.names[k])...)
		a := c.Accuracies()
		for i, name := range machines {
			bars[i].Label, bars[i].X, bars[i].Y = name, study.Places(len(r.all)), append(bars[i].Y, a[i])
		}
		curves = append(curves, report.Series{Label: r.names[k], X: study.Places(r.layers + 1), Y: a[:r.layers+1]})
	}
	o.Tables = append(o.Tables, t)
	o.Charts = append(o.Charts,
		study.Chart{
			Name: "sets", Title: "A. Test accuracy by images", YLabel: "accuracy", Labels: r.names, Series: bars,
		},
		study.Chart{
			Name: "layers", Title: "B. Test accuracy by layers that learn features",
			XLabel: "layers that learn features", YLabel: "accuracy", Series: curves,
		})
}
