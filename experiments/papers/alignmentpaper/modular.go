package alignmentpaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/mat"
)

// ModularSpec has the settings of modular addition by a recursive feature machine and by a network.
type ModularSpec struct {
	Modulus    int                `json:"modulus" toml:"modulus"`       // p
	Share      float64            `json:"share" toml:"share"`           // the share of the p² pairs used for training
	Bandwidth  float64            `json:"bandwidth" toml:"bandwidth"`   // L of the Gaussian kernel
	Iterations int                `json:"iterations" toml:"iterations"` // of the recursive feature machine
	Draws      int                `json:"draws" toml:"draws"`           // of every null
	Net        setups.NetworkSpec `json:"net" toml:"net"`
}

// fittedAccuracy is the accuracy at which pairs count as learned.
const fittedAccuracy = .99

// chanceLimit is the largest accuracy that counts as chance: three times 1/p.
func chanceLimit(p int) float64 { return 3 / float64(p) }

// labelsPart begins the names of measures with random labels.
const labelsPart = "labels"

// The measures of the recursive feature machine. Its hidden iterations are those before the test accuracy first
// exceeds [chanceLimit].
var (
	rfmTrainLeast      = study.NewMeasure("rfm_train_least")
	rfmTestFirst       = study.NewMeasure("rfm_test_first")
	rfmTestLast        = study.NewMeasure("rfm_test_last")
	rfmHidden          = study.NewMeasure("rfm_hidden")
	rfmHiddenLoss      = study.NewMeasure("rfm_hidden_loss")      // ratio of test errors
	rfmHiddenDeviation = study.NewMeasure("rfm_hidden_deviation") // ratio of circulant deviations
	rfmHiddenAlignment = study.NewMeasure("rfm_hidden_alignment") // gain of the excess over the null
	rfmDeviation       = study.NewMeasure("rfm_deviation")
	rfmBelowNull       = study.NewMeasure("rfm_below_null")
	rfmFrequencies     = study.NewMeasure("rfm_frequencies")
	circulantTest      = study.NewMeasure("circulant_test")
	hankelTest         = study.NewMeasure("hankel_test")
	renamedTest        = study.NewMeasure("renamed_test")
)

// The measures of the network. The delay is the ratio of the epochs at which test and training pairs are fitted.
var (
	netTrainLast     = study.NewMeasure("net_train_last")
	netTestLast      = study.NewMeasure("net_test_last")
	netTestFitted    = study.NewMeasure("net_test_fitted") // test accuracy when the training pairs are fitted
	netDelay         = study.NewMeasure("net_delay")
	netDeviation     = study.NewMeasure("net_deviation")
	netBelowNull     = study.NewMeasure("net_below_null")
	netAGOPDeviation = study.NewMeasure("net_agop_deviation")
	netAGOPBelowNull = study.NewMeasure("net_agop_below_null")
	netFrequencies   = study.NewMeasure("net_frequencies")
	netRoot          = study.NewMeasure("net_root") // Pearson's correlation with AGOP^½
	netRootExcess    = study.NewMeasure("net_root_excess")
)

// modular returns modular addition.
func modular() *study.Experiment {
	return &study.Experiment{
		ID: "alignment/modular", Paper: "alignment", Figure: "Figs. 1 to 6",
		Title: "Modular addition: a kernel machine and a network generalise suddenly, by circulant features",
		About: modularAbout, Claims: modularClaims(),
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &ModularSpec{
				Modulus: 17, Share: .8, Bandwidth: 2.5, Iterations: 12, Draws: 3, Net: squares(128, 16, 3e-3, 40),
			},
			study.Small: &ModularSpec{
				Modulus: 61, Share: .5, Bandwidth: 2.5, Iterations: 30, Draws: 20, Net: squares(1024, 32, 1e-3, 100),
			},
			study.PaperScale: &ModularSpec{
				Modulus: 61, Share: .5, Bandwidth: 2.5, Iterations: 50, Draws: 50, Net: squares(1024, 32, 1e-3, 1000),
			},
		},
	}
}

// squares returns the paper's network in a size.
func squares(width, batch int, rate float64, epochs int) setups.NetworkSpec {
	return setups.NetworkSpec{Width: width, Squares: true, Adam: true, Rate: rate, Decay: 1, Beta2: .98, Batch: batch,
		Epochs: epochs}
}

// modularClaims returns the claims. The paper has pictures and few numbers: thresholds without one are ours.
func modularClaims() []study.Claim {
	const picture = "picture"
	return []study.Claim{
		rfmTrainLeast.Claim("On addition modulo p, an RFM without a ridge fits all training pairs at every iteration: "+
			"least training accuracy.", "100 %", study.AtLeast(.995)),
		rfmTestFirst.Claim("On addition modulo p, the Gaussian kernel without learned features is no better than chance "+
			"on test pairs: accuracy at iteration 0.", "near 0", study.AtMost(.05)),
		rfmTestLast.Claim("On addition modulo p, an RFM generalises to all test pairs: test accuracy at the last iteration.",
			"100 %", study.AtLeast(.99)),
		rfmHidden.Claim("On addition modulo p, an RFM first stays at the level of chance: iterations with a test accuracy of "+
			"at most 3/p.", "about 10", study.AtLeast(3)),
		rfmHiddenLoss.Claim("On addition modulo p, the test loss of an RFM hardly falls while the test accuracy is at the "+
			"level of chance: last loss there over the first.", "constant", study.AtLeast(.9)).
			Diagnosed("The loss falls by a twelfth or so until the accuracy leaves the level of chance; the threshold, which is " +
				"ours, allows a tenth. Ten seeds would decide, half an hour of a core."),
		rfmHiddenDeviation.Claim("On addition modulo p, an RFM's block of M becomes circulant while the test accuracy is at "+
			"the level of chance: last circulant deviation there over that of iteration 1.", "gradual",
			study.AtMost(.5)).InLogs(),
		rfmHiddenAlignment.Claim("On addition modulo p, an RFM's M becomes like its last M while the test accuracy is at the "+
			"level of chance: gain in cosine over its null.", "gradual", study.Above(0)),
		rfmDeviation.Claim("On addition modulo p, an RFM learns a circulant block: circulant deviation of the last M.", "0",
			study.AtMost(.1)).WithControl(rfmBelowNull),
		rfmBelowNull.Check("On addition modulo p, the last block of an RFM is more circulant than with its rows and columns "+
			"permuted: null less circulant deviation.", study.AtLeast(.5)),
		rfmFrequencies.Claim("On addition modulo p, the features of an RFM are not low rank: effective share of the "+
			"frequencies in its circulant block.", "not low rank", study.AtLeast(.5)),
		circulantTest.Claim("On addition modulo p, a kernel machine on random circulant features generalises without "+
			"learning any: test accuracy.", picture, study.AtLeast(.99)),
		hankelTest.Check("On addition modulo p, a kernel machine does not generalise on random features that are constant "+
			"along a + b in place of a − b: test accuracy.", study.AtMost(.05)),
		renamedTest.Check("On addition modulo p, a kernel machine does not generalise on random features of the same "+
			"spectrum that are not circulant: test accuracy.", study.AtMost(.05)),

		netTrainLast.Claim("On addition modulo p, a network of squares fits the training pairs: training accuracy after the "+
			"last epoch.", "100 %", study.AtLeast(.99)),
		netTestFitted.Claim("On addition modulo p, a network of squares is at the level of chance when it first fits 99 % of "+
			"the training pairs: test accuracy.", "0 %", study.AtMost(.05)),
		netTestLast.Claim("On addition modulo p, a network of squares generalises to all test pairs: test accuracy after the "+
			"last epoch.", "100 %", study.AtLeast(.99)),
		netDelay.Claim("On addition modulo p, a network of squares groks: epochs to a test accuracy of 99 % over those to "+
			"the same training accuracy.", picture, study.AtLeast(1.5)).InLogs(),
		netDeviation.Claim("On addition modulo p, a network of squares learns a circulant block of W₁ᵀW₁: circulant "+
			"deviation after the last epoch.", picture, study.AtMost(.5)).WithControl(netBelowNull),
		netBelowNull.Check("On addition modulo p, a network's block of W₁ᵀW₁ is more circulant than with its rows and "+
			"columns permuted: null less circulant deviation.", study.AtLeast(.25)),
		netAGOPDeviation.Claim("On addition modulo p, the block of a network's AGOP^½ is circulant: circulant deviation "+
			"after the last epoch.", picture, study.AtMost(.5)).WithControl(netAGOPBelowNull),
		netAGOPBelowNull.Check("On addition modulo p, the block of a network's AGOP^½ is more circulant than with its rows "+
			"and columns permuted: null less circulant deviation.", study.AtLeast(.25)),
		netFrequencies.Claim("On addition modulo p, the features of a network of squares are not low rank: effective share "+
			"of the frequencies in its circulant block.", "not low rank", study.AtLeast(.5)),
		netRoot.Claim("On addition modulo p, W₁ᵀW₁ of a network of squares is proportional to AGOP^½: Pearson correlation.",
			"> .92", study.AtLeast(.92)).WithControl(netRootExcess),
		netRootExcess.Check("On addition modulo p, W₁ᵀW₁ of a network of squares is more like its AGOP^½ than like that of "+
			"gradients rotated at random: excess.", study.AtLeast(.05)),

		rfmTrainLeast.Of(labelsPart).Check("On random labels, an RFM without a ridge fits all training pairs at every "+
			"iteration: least training accuracy.", study.AtLeast(.995)),
		rfmTestLast.Of(labelsPart).Check("On random labels, an RFM stays at the level of chance: test accuracy at the last "+
			"iteration.", study.AtMost(.05)),
		rfmBelowNull.Of(labelsPart).Check("On random labels, an RFM learns no circulant block: null less circulant deviation "+
			"of the last M.", study.AtMost(.05)),
		netTrainLast.Of(labelsPart).Check("On random labels, a network of squares fits the training pairs: training accuracy "+
			"after the last epoch.", study.AtLeast(.99)),
		netTestLast.Of(labelsPart).Check("On random labels, a network of squares stays at the level of chance: test accuracy "+
			"after the last epoch.", study.AtMost(.05)),
		netBelowNull.Of(labelsPart).Check("On random labels, a network of squares learns no circulant block of W₁ᵀW₁: null "+
			"less circulant deviation after the last epoch.", study.AtMost(.05)),
	}
}

// check returns an [input.Error] for settings that make no sense.
func (s *ModularSpec) check() error {
	if s.Iterations < 1 || s.Draws < 2 || !(s.Bandwidth > 0) {
		return input.Errorf("iterations = %d, draws = %d, bandwidth = %v: want at least 1, 2, and more than 0",
			s.Iterations, s.Draws, s.Bandwidth)
	}
	return nil
}

// Run implements [study.Spec].
func (s *ModularSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	o := &study.Outcome{Matrices: map[string]*mat.Dense{}}
	found := &modularFound{spec: s, out: o}
	for _, random := range []bool{false, true} {
		t, err := s.task(in, random)
		if err != nil {
			return nil, err
		}
		learned := &found.addition
		if random {
			learned = &found.labels
		}
		if learned.machine, err = s.fitMachine(ctx, in, t); err != nil {
			return nil, err
		}
		if !random {
			if found.fixed, err = s.fitFixed(ctx, in, t); err != nil {
				return nil, err
			}
		}
		if learned.net, err = s.trainNetwork(ctx, in, t, !random); err != nil {
			return nil, err
		}
	}
	if in.Dry() {
		return o, nil
	}
	found.setMeasures()
	o.Notes = append(o.Notes, found.note())
	return o, found.draw()
}

// learned is what the recursive feature machine and the network made of a task.
type learned struct {
	machine []machineState
	net     *followed
}

// modularFound is what a seed found.
type modularFound struct {
	spec             *ModularSpec
	out              *study.Outcome
	addition, labels learned
	fixed            fixedFeatures
}

// setMeasures sets the measures that claims are about.
func (f *modularFound) setMeasures() {
	o, all := f.out, f.addition.machine
	last, h := all[len(all)-1], hidden(all, chanceLimit(f.spec.Modulus))
	o.Set(rfmTestFirst, all[0].Test.Accuracy)
	o.Set(rfmHidden, float64(h))
	o.Set(rfmHiddenLoss, math.NaN())
	o.Set(rfmHiddenDeviation, math.NaN())
	o.Set(rfmHiddenAlignment, math.NaN())
	if h > 1 {
		first, then := all[1], all[h-1]
		o.Set(rfmHiddenLoss, then.Test.MSE/all[0].Test.MSE)
		o.Set(rfmHiddenDeviation, then.circularity.least()/first.circularity.least())
		o.Set(rfmHiddenAlignment, then.alignment-then.alignmentNull-(first.alignment-first.alignmentNull))
	}
	block := crossBlock(last.M.Dense())
	o.Set(rfmDeviation, last.circularity.least())
	o.Set(rfmFrequencies, usedFrequencies(leastDirection(block).frequencyShares(block)))
	o.Set(circulantTest, f.fixed.circulant)
	o.Set(hankelTest, f.fixed.hankel)
	o.Set(renamedTest, f.fixed.renamed)

	net := f.addition.net
	fitted := net.firstAt(networkScores.train)
	o.Set(netDelay, net.firstAt(networkScores.test)/fitted)
	o.Set(netTestFitted, math.NaN())
	if !math.IsNaN(fitted) {
		o.Set(netTestFitted, net.Scores[int(fitted)].Test)
	}
	features := net.Features[len(net.Features)-1]
	o.Set(netDeviation, features.Filters.least())
	o.Set(netAGOPDeviation, features.AGOP.least())
	o.Set(netAGOPBelowNull, features.AGOP.belowNull())
	w := net.lastBlock()
	o.Set(netFrequencies, usedFrequencies(leastDirection(w).frequencyShares(w)))
	for _, a := range features.Alignments {
		if a.Name == rootName {
			o.Set(netRoot, record.ValueOrNaN(a.Value))
			o.Set(netRootExcess, record.ValueOrNaN(a.Excess))
		}
	}
	for part, l := range map[string]learned{"": f.addition, labelsPart: f.labels} {
		machine, last := l.machine, l.machine[len(l.machine)-1]
		o.Set(rfmTrainLeast.Of(part), record.LeastOf(machine, machineState.train))
		o.Set(rfmTestLast.Of(part), last.Test.Accuracy)
		o.Set(rfmBelowNull.Of(part), last.circularity.belowNull())
		scores := l.net.Scores[len(l.net.Scores)-1]
		o.Set(netTrainLast.Of(part), scores.Train)
		o.Set(netTestLast.Of(part), scores.Test)
		o.Set(netBelowNull.Of(part), l.net.Features[len(l.net.Features)-1].Filters.belowNull())
	}
}

// note says along which diagonals the blocks are constant.
func (f *modularFound) note() string {
	along := func(a mat.Matrix) string {
		if leastDirection(a) == alongSum {
			return "a + b"
		}
		return "a − b"
	}
	machine := f.addition.machine
	return fmt.Sprintf("The block of the RFM's last M depends most on %s, that of the network's W₁ᵀW₁ on %s.",
		along(crossBlock(machine[len(machine)-1].M.Dense())), along(f.addition.net.lastBlock()))
}
