package measure

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/suggest"
	"gonum.org/v1/gonum/mat"
)

// Decision turns the outputs of a model for one-hot targets into probabilities and classes. It is saved with the model.
type Decision struct {
	Temperature *Temperature `json:"temperature,omitempty"` // nil if there were no rows to calibrate on
	// Weights are the costs of overlooking each class; nil means equal costs.
	Weights []float64 `json:"class_weights,omitempty"`
}

// Probabilities returns the class probabilities for outputs, n×classes: calibrated if possible, otherwise [Shares].
func (d Decision) Probabilities(outputs *mat.Dense) *mat.Dense {
	if d.Temperature == nil {
		return Shares(outputs)
	}
	return d.Temperature.Probabilities(outputs)
}

// Decide returns the predicted class of every row: the one with the largest weight times probability. Without weights
// it is the class of the largest output.
func (d Decision) Decide(outputs *mat.Dense) []int {
	if d.Weights == nil {
		return Decide(outputs, nil) // the same order as the probabilities, without rounding
	}
	return Decide(d.Probabilities(outputs), d.Weights)
}

// BalancedWeights names the weights that give every class the same total weight: n/(classes · rows of the class).
const BalancedWeights = "balanced"

// ParseWeights parses "balanced", for rows whose classes are given, or NAME=WEIGHT,…, where classes that are not named
// have weight 1. Parts are separated as the values of a CSV file: "A, B=2" in quotes is one. For "" it returns nil.
func ParseWeights(text string, names []string, classes []int) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	weights := make([]float64, len(names))
	if text == BalancedWeights {
		for _, k := range classes {
			weights[k]++
		}
		for k, n := range weights {
			if n > 0 {
				weights[k] = float64(len(classes)) / (float64(len(names)) * n)
			}
		}
		return weights, nil
	}
	given := make([]bool, len(names))
	for k := range weights {
		weights[k] = 1
	}
	parts, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil {
		return nil, fmt.Errorf("%q: want CLASS=WEIGHT,…, and double quotes around a part with a comma, as \"A, B=2\": %w", text, err)
	}
	for _, part := range parts {
		at := max(0, strings.LastIndex(part, "=")) // a class name may contain "="
		name := part[:at]
		v, err := strconv.ParseFloat(strings.TrimPrefix(part[at:], "="), 64)
		if at == 0 || err != nil || !(v > 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%q: want %s, or CLASS=WEIGHT,… with weights above 0, and double quotes around a part with a comma, "+
				"as \"A, B=2\"", part, BalancedWeights)
		}
		k := slices.Index(names, name)
		if k < 0 {
			return nil, fmt.Errorf("there is no class %q%s: there are %s", name, suggest.Hint(name, names),
				strings.Join(names, ", "))
		}
		if given[k] {
			return nil, fmt.Errorf("class %q has two weights: want each class once", name)
		}
		weights[k], given[k] = v, true
	}
	return weights, nil
}
