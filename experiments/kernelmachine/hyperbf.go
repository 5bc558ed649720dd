package kernelmachine

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/optim"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// HyperBFSpec holds the settings of networks of hyper basis functions. All fields but Data may be zero.
type HyperBFSpec struct {
	examples.Spec
	Update       string    // agop, gd, gd+centres, or all, which adds a plain RFM; "" is all
	Kernel       string    // as [rfm.ParseKernel] reads it; "" is gaussian. The plain RFM has laplace
	Bandwidths   []float64 // the best on validation examples is selected; nil is [rfm.DefaultBandwidth]
	Ridges       []float64 // likewise; nil is [DefaultHyperBFRidge]
	Rates        []float64 // likewise, of gradient steps; nil is the optimiser's default
	Iterations   int       // of the AGOP
	Steps        int       // gradient steps in all
	SolveEvery   int       // gradient steps between regressions; 0 is [rfm.DefaultSteps]
	Optimiser    string    // adam or sgd; "" is adam
	Momentum     float64   // of sgd
	Batch        int       // examples in a gradient step; 0 is all
	Centres      int       // 0 is all training examples
	Coefficients string    // solved or descended; "" is solved
	Diagonal     bool
	Scale        string  // what divides the AGOP: none, max or trace; "" is none
	Select       string  // validation or last; "" is validation
	Holdout      float64 // 0 is [rfm.DefaultHoldout]
	Seeds        int     // runs, each on Train different examples; 0 is 1
	Precision    int     // 32 or 64 bits; 0 is 32
	Backend      string
	Threads      int
}

// Defaults of [HyperBFSpec].
const (
	DefaultHyperBFRidge = 1
	defaultSGDRate      = .1
)

// HyperBF is a comparison of networks of hyper basis functions with its examples, ready to be fitted.
type HyperBF struct {
	in       study.Setting
	spec     HyperBFSpec
	methods  []hyperMethod
	Examples *examples.Set
}

// hyperMethod is a method of the paper's Table 1, with the settings to select from.
type hyperMethod struct {
	name     string
	settings []hyperSetting
}

// hyperSetting is a setting with its network.
type hyperSetting struct {
	HyperBFSetting
	network rfm.HyperBF
}

// HyperBFSetting holds the hyper-parameters that are selected on validation examples.
type HyperBFSetting struct {
	Bandwidth float64 `json:"bandwidth,omitempty"`
	Ridge     float64 `json:"ridge"`
	Rate      float64 `json:"rate,omitempty"`
}

// PlainRFM is the name of the recursive feature machine with the Laplace kernel.
const PlainRFM = "rfm"

// NewHyperBF opens the examples that the spec names. in is the setting of an experiment's seed, or zero for
// a comparison on its own. All errors are input errors. In a dry run the examples are outlines.
func NewHyperBF(ctx context.Context, in study.Setting, s HyperBFSpec) (*HyperBF, error) {
	h := &HyperBF{in: in, spec: s.withDefaults()}
	s = h.spec
	if err := s.check(); err != nil {
		return nil, err
	}
	names := []string{s.Update}
	if s.Update == "all" {
		names = []string{PlainRFM, rfm.ByAGOP.String(), rfm.ByDescent.String(), rfm.ByDescentWithCentres.String()}
		if s.Kernel == (rfm.Laplace{}).String() && s.Centres == 0 {
			names = names[1:] // the plain RFM equals the network that learns by the AGOP
		}
	}
	for _, name := range names {
		m, err := s.method(name)
		if err != nil {
			return nil, err
		}
		h.methods = append(h.methods, m)
	}
	data := s.Spec
	data.Train *= s.Seeds
	in.DataDir, in.Seed = s.Dir, s.Seed
	var err error
	if h.Examples, err = OpenExamples(ctx, in, data); err != nil {
		return nil, err
	}
	if n := linalg.RowCount(h.Examples.Train.X); s.Seeds > 1 && n < data.Train {
		return nil, input.Errorf("--seeds %d of --train %d: there are %d training examples", s.Seeds, s.Train, n)
	}
	return h, nil
}

func (s HyperBFSpec) withDefaults() HyperBFSpec {
	s.Update, s.Kernel = cmp.Or(s.Update, "all"), cmp.Or(s.Kernel, rfm.Gaussian{}.String())
	s.SolveEvery, s.Seeds = cmp.Or(s.SolveEvery, rfm.DefaultSteps), cmp.Or(s.Seeds, 1)
	s.Optimiser = cmp.Or(s.Optimiser, "adam")
	if len(s.Bandwidths) == 0 {
		s.Bandwidths = []float64{rfm.DefaultBandwidth}
	}
	if len(s.Ridges) == 0 {
		s.Ridges = []float64{DefaultHyperBFRidge}
	}
	if len(s.Rates) == 0 {
		s.Rates = []float64{map[string]float64{"adam": rfm.DefaultRate, "sgd": defaultSGDRate}[s.Optimiser]}
	}
	return s
}

func (s HyperBFSpec) check() error {
	several := len(s.Bandwidths) > 1 || len(s.Ridges) > 1 || len(s.Rates) > 1
	switch {
	case s.Seeds < 1:
		return input.Errorf("--seeds %d: want at least 1", s.Seeds)
	case s.Seeds > 1 && s.Train < 1:
		return input.Errorf("--seeds %d: give --train N, the number of examples for each seed", s.Seeds)
	case s.Iterations < 0 || s.Steps < 0 || s.SolveEvery < 1:
		return input.Errorf("--iters %d, --steps %d, --solve-every %d: want at least 0, 0 and 1", s.Iterations,
			s.Steps, s.SolveEvery)
	case s.Steps%s.SolveEvery != 0:
		return input.Errorf("--steps %d is not a multiple of --solve-every %d", s.Steps, s.SolveEvery)
	case several && s.Select == rfm.Last.String():
		return input.Errorf("several bandwidths, ridges or learning rates with --select last: give one of each, " +
			"or --select validation, which chooses among them")
	case s.Optimiser != "adam" && s.Optimiser != "sgd":
		return input.Errorf("--opt %q: want adam or sgd", s.Optimiser)
	case s.Optimiser == "adam" && s.Momentum != 0:
		return input.Errorf("--momentum is for --opt sgd")
	}
	return nil
}

// method returns a method with a network for each of its settings.
func (s HyperBFSpec) method(name string) (hyperMethod, error) {
	m := hyperMethod{name: name}
	n := rfm.HyperBF{Steps: s.SolveEvery, Batch: s.Batch, Centres: s.Centres}
	kernel := s.Kernel
	var err error
	if name == PlainRFM {
		kernel, n.Centres = rfm.Laplace{}.String(), 0
	} else if n.Update, err = rfm.ParseUpdate(name); err != nil {
		return m, &input.Error{Err: fmt.Errorf("--update %q: want agop, gd, gd+centres or all", name)}
	}
	rates := s.Rates
	if n.Update == rfm.ByAGOP {
		rates = []float64{0}
	} else if n.Coefficients, err = input.Choice("--coefficients", s.Coefficients, rfm.Solved,
		rfm.Descended); err != nil {
		return m, err
	}
	for _, bandwidth := range s.Bandwidths {
		for _, ridge := range s.Ridges {
			if n.Machine, err = s.machine(kernel, bandwidth, ridge); err != nil {
				return m, err
			}
			for _, rate := range rates {
				n := n
				if n.Update != rfm.ByAGOP {
					n.Optimiser = s.optimiser(rate)
					n.Iterations = s.Steps / s.SolveEvery
				}
				m.settings = append(m.settings, hyperSetting{HyperBFSetting{rfm.Bandwidth(n.Kernel), ridge, rate}, n})
			}
		}
	}
	return m, nil
}

// machine returns the machine of a kernel, a bandwidth and a ridge.
func (s HyperBFSpec) machine(kernel string, bandwidth, ridge float64) (rfm.Machine, error) {
	return RFMSpec{
		Kernel: kernel, Bandwidth: bandwidth, Ridge: ridge, Iterations: s.Iterations, Diagonal: s.Diagonal,
		Scale:  s.Scale,
		Select: s.Select, Holdout: s.Holdout, Precision: s.Precision, Backend: s.Backend, Threads: s.Threads,
	}.machine()
}

func (s HyperBFSpec) optimiser(rate float64) optim.Optimiser {
	if s.Optimiser == "sgd" {
		return optim.SGD{LR: rate, Momentum: s.Momentum}
	}
	return optim.Adam{LR: rate}
}

// examplesOfSeed returns the examples of the k-th seed.
func (h *HyperBF) examplesOfSeed(k int) *examples.Set {
	e := *h.Examples
	if h.spec.Seeds == 1 {
		return &e
	}
	n := h.spec.Train
	order := models.Stream(h.spec.Seed, "parts of the seeds").Perm(linalg.RowCount(e.Train.X))
	e.Train = e.Train.Rows(order[k*n : (k+1)*n])
	e.Conventions.Train = fmt.Sprintf("%s; part %d of %d of them, %d drawn by seed %d", e.Conventions.Train, k+1,
		h.spec.Seeds, n, h.spec.Seed)
	return &e
}

// HyperBFConventions says what the numbers depend on, besides the examples and the machine.
type HyperBFConventions struct {
	RFMConventions
	Update       string `json:"update" fact:"update"`
	Centres      string `json:"centres" fact:"centres"`
	Coefficients string `json:"coefficients" fact:"coefficients"`
	Gradient     string `json:"gradient,omitempty" fact:"gradient"`
	Optimiser    string `json:"optimiser,omitempty" fact:"optimiser"`
	Alike        string `json:"alike,omitempty"`
	Chosen       string `json:"chosen" fact:"chosen"`
}

// conventions returns the conventions of a method's record.
func (h *HyperBF) conventions(m hyperMethod, r *HyperBFRecord, e *examples.Set) HyperBFConventions {
	n := m.network(r.Chosen)
	base := &RFM{spec: RFMSpec{}, machine: n.Machine, examples: e}
	base.machine.Seed = r.Seed
	base.setConventions()
	c := HyperBFConventions{RFMConventions: base.conv, Update: updateText(n.Update), Centres: "all examples that are fitted",
		Coefficients: base.conv.Solver}
	if n.Centres > 0 {
		c.Centres = fmt.Sprintf("%d of the training examples, drawn", n.Centres)
	}
	if n.Centres > 0 || n.Update == rfm.ByDescentWithCentres {
		c.Coefficients = "(GᵀG + λg)c = GᵀY, G the kernel of examples and centres, g that of the centres; (K + " +
			"λI)c = Y if the centres are the examples"
		c.Solver = c.Coefficients
	}
	if c.Chosen = "nothing"; len(m.settings) > 1 {
		c.Chosen = fmt.Sprintf("bandwidth, ridge and learning rate: the best of %d settings on the validation examples",
			len(m.settings))
	}
	if n.Update == rfm.ByAGOP {
		return c
	}
	if c.AGOP, c.Scale = "", ""; n.Coefficients == rfm.Descended {
		c.Coefficients = "gradient descent, from the regression with M = I"
	} else {
		c.Coefficients += fmt.Sprintf("; after every %d gradient steps", n.Steps)
	}
	c.Metric = "M = WᵀW; W starts at I; trace is that of the M with which an iteration was solved"
	c.Gradient = "of H/H₀, H the squared error over the training examples and outputs, H₀ that before the first " +
		"step; by the pullback (paper hyperbf, eqs. 8–10, with its misprint of G′ corrected)"
	if n.Batch > 0 {
		c.Gradient += fmt.Sprintf("; %d examples a step", n.Batch)
	}
	c.Optimiser = n.Optimiser.String()
	c.Alike = "M = WᵀW of the last iteration, or M − I, and the AGOP over the training examples, including " +
		"held-out ones; null: the AGOP rotated at random"
	return c
}

// network returns the network of a setting.
func (m hyperMethod) network(chosen HyperBFSetting) rfm.HyperBF {
	for _, s := range m.settings {
		if s.HyperBFSetting == chosen {
			return s.network
		}
	}
	return rfm.HyperBF{}
}

func updateText(u rfm.Update) string {
	switch u {
	case rfm.ByDescent:
		return "W by gradient descent, centres fixed"
	case rfm.ByDescentWithCentres:
		return "W and the centres by gradient descent"
	}
	return "M is the AGOP of the previous network, centres fixed"
}

// paperHyperBF holds Table 1 of the paper: accuracies in per cent, by dataset and method. The paper's GD
// moves the centres. The paper gives no number of examples, bandwidth, learning rate or number of steps.
var paperHyperBF = map[string]map[string]float64{
	"mnist":   {PlainRFM: 96.56, "agop": 96.88, "gd+centres": 97.34},
	"cifar10": {PlainRFM: 46.30, "agop": 45.78, "gd+centres": 46.60},
}

// paperAccuracy returns the accuracy of a method in the paper's table, nil if it has none.
func paperAccuracy(data, method string) *float64 {
	name := strings.ReplaceAll(strings.ToLower(data), "-", "")
	if v, ok := paperHyperBF[name][method]; ok {
		v /= 100
		return &v
	}
	return nil
}
