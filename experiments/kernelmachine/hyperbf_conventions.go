package kernelmachine

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/rfm"
)

// HyperBFConventions is what the numbers of a network depend on besides the
// examples and the machine.
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

// conventions writes down what a method's record depends on.
func (h *HyperBF) conventions(m hyperMethod, r *HyperBFRecord, e *examples.Set) HyperBFConventions {
	n := m.of(r.Chosen)
	base := &RFM{spec: RFMSpec{}, machine: n.Machine, examples: e}
	base.machine.Seed = r.Seed
	base.describe()
	c := HyperBFConventions{RFMConventions: base.conv, Update: updateText(n.Update), Centres: "all training examples", Coefficients: base.conv.Solver}
	if n.Centres > 0 {
		c.Centres = fmt.Sprintf("%d of the training examples, drawn", n.Centres)
	}
	if n.Centres > 0 || n.Update == rfm.ByDescentWithCentres {
		c.Coefficients = "(GᵀG + λg)c = GᵀY, G the kernel of examples and centres, g that of the centres; (K + λI)c = Y where the centres are the examples"
	}
	if c.Chosen = "nothing"; len(m.settings) > 1 {
		c.Chosen = fmt.Sprintf("bandwidth, ridge and rate, the best of %d settings on the validation examples", len(m.settings))
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
	c.Gradient = "of H/H₀, H the squared error over the training examples and outputs, H₀ that before the first step; by the pullback (paper hyperbf, eqs. 8–10, with G′ for its misprint)"
	if n.Batch > 0 {
		c.Gradient += fmt.Sprintf("; %d examples a step", n.Batch)
	}
	c.Optimiser = n.Optimiser.String()
	c.Alike = "M = WᵀW of the last iteration, or M − I, and the AGOP over the training examples, those held out among them; null: the AGOP rotated at random"
	return c
}

// of returns the network of a setting.
func (m hyperMethod) of(chosen HyperBFSetting) rfm.HyperBF {
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
	return "M is the AGOP of the network before, centres fixed"
}

// paperHyperBF is Table 1 of the paper: accuracies in per cent, by dataset and
// method. Its GD has moving centres; how many examples, which bandwidth, which
// rate and how many steps it took it does not say.
var paperHyperBF = map[string]map[string]float64{
	"mnist":   {PlainRFM: 96.56, "agop": 96.88, "gd+centres": 97.34},
	"cifar10": {PlainRFM: 46.30, "agop": 45.78, "gd+centres": 46.60},
}

// paperAccuracy is what the paper's table has for a method, nil for what is not
// there.
func paperAccuracy(data, method string) *float64 {
	name := strings.ReplaceAll(strings.ToLower(data), "-", "")
	if v, ok := paperHyperBF[name][method]; ok {
		v /= 100
		return &v
	}
	return nil
}
