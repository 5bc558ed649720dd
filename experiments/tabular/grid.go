package tabular

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// Config is a choice of hyper-parameters. Those that a protocol does not
// choose are absent.
type Config struct {
	Kernel    string  `json:"kernel"` // as [rfm.ParseKernel] reads it
	Bandwidth float64 `json:"bandwidth,omitempty"`
	Ridge     float64 `json:"ridge"`
	Iteration int     `json:"iteration"` // of feature learning
	Diagonal  bool    `json:"diagonal,omitempty"`
	Centre    bool    `json:"centre_gradients,omitempty"`
	Sphere    bool    `json:"unit_sphere,omitempty"` // examples are scaled to norm 1
	Columns   string  `json:"columns,omitempty"`     // what numeric columns go through: standard or quantile
	Target    string  `json:"target,omitempty"`      // what targets of regressions go through: none, log or quantile
}

// tabularMethod is a method with the part of the grid that is its own.
type tabularMethod struct {
	name       string
	learns     bool // features: it has iterations, and a full or a diagonal metric
	kernels    []string
	bandwidths []float64 // nil for kernels without one
	about      string
}

var tabularMethods = []tabularMethod{
	{"rfm", true, []string{"laplace"}, []float64{rfm.DefaultBandwidth}, "recursive feature machine, Laplace kernel"},
	{"laplace", false, []string{"laplace"}, []float64{rfm.DefaultBandwidth},
		"ridge regression with the Laplace kernel, which is iteration 0 of an RFM"},
	{"ntk", false, []string{"ntk:1", "ntk:2", "ntk:3", "ntk:4", "ntk:5"}, nil,
		"ridge regression with the NTK of a ReLU network of 1 to 5 hidden layers"},
	{"h-exponential", false, []string{"h-exponential:0.5", "h-exponential:1", "h-exponential:1.5"}, []float64{1, 10},
		"ridge regression with the H-γ-exponential kernel, γ of .5, 1 and 1.5, bandwidths of 1 and 10: a grid of ours"},
	{"linear", false, []string{"polynomial:1"}, nil, "linear ridge regression, the intercept penalised as the rest is"},
}

// Methods are the names of the methods that a benchmark can compare.
func Methods() []string {
	var names []string
	for _, m := range tabularMethods {
		names = append(names, m.name)
	}
	return names
}

// findMethod returns the method of that name, nil if there is none.
func findMethod(name string) *tabularMethod {
	i := slices.IndexFunc(tabularMethods, func(m tabularMethod) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return &tabularMethods[i]
}

// The grids of Appendix D of paper rfm, the ridges of the 121 sets in the order
// in which the authors' code tries them: the first of equals is taken.
var (
	uciRidges        = []float64{10, 1, .1, .01, .001}
	grinsztajnRidges = []float64{1, .1, .01, .001, .0001}
	largeBandwidths  = []float64{1, 5, 10, 15, 20} // of large regressions
	columnTransforms = []string{"standard", "quantile"}
	targetTransforms = []string{"none", "log", "quantile"}
)

// smallTable is the number of rows below which the diagonal of M is tried too.
const smallTable = 5000

// extend makes of every configuration one for each value.
func extend[T any](grid []Config, values []T, set func(c *Config, v T)) []Config {
	if len(values) == 0 {
		return grid
	}
	out := make([]Config, 0, len(grid)*len(values))
	for _, c := range grid {
		for _, v := range values {
			set(&c, v)
			out = append(out, c)
		}
	}
	return out
}

// base is the grid of kernels, bandwidths and ridges.
func (m *tabularMethod) base(bandwidths, ridges []float64) []Config {
	grid := extend([]Config{{}}, m.kernels, func(c *Config, k string) { c.Kernel = k })
	grid = extend(grid, bandwidths, func(c *Config, b float64) { c.Bandwidth = b })
	return extend(grid, ridges, func(c *Config, r float64) { c.Ridge = r })
}

// uciGrid is the grid of the 121 sets for a table of so many rows. Without
// spheres, examples are never scaled to norm 1.
func (m *tabularMethod) uciGrid(rows int, spheres bool) []Config {
	grid := m.base(m.bandwidths, uciRidges)
	if spheres {
		grid = extend(grid, []bool{true, false}, func(c *Config, s bool) { c.Sphere = s })
	}
	if m.learns && rows < smallTable {
		grid = extend(grid, []bool{false, true}, func(c *Config, d bool) { c.Diagonal = d })
	}
	return grid
}

// grinsztajnGrid is the grid of the other benchmark.
func (m *tabularMethod) grinsztajnGrid(task rfm.Task, large bool) []Config {
	bandwidths := m.bandwidths
	if len(bandwidths) > 0 && large && task == rfm.Regression {
		bandwidths = largeBandwidths
	}
	grid := m.base(bandwidths, grinsztajnRidges)
	grid = extend(grid, columnTransforms, func(c *Config, t string) { c.Columns = t })
	if task == rfm.Regression {
		grid = extend(grid, targetTransforms, func(c *Config, t string) { c.Target = t })
	}
	if m.learns {
		grid = extend(grid, []bool{false, true}, func(c *Config, d bool) { c.Diagonal = d })
		grid = extend(grid, []bool{false, true}, func(c *Config, d bool) { c.Centre = d })
	}
	return grid
}

// drawConfigs takes n configurations of a grid, or all if there are not more, in an
// order drawn for a dataset and a method.
func drawConfigs(grid []Config, n int, seed uint64, dataset, method string) []Config {
	if n >= len(grid) {
		return grid
	}
	order := models.Stream(seed, fmt.Sprintf("configurations of %s for %s", method, dataset)).Perm(len(grid))
	var drawn []Config
	for _, i := range order[:n] {
		drawn = append(drawn, grid[i])
	}
	return drawn
}

// String says what was chosen, for a table.
func (c Config) String() string {
	parts := []string{c.Kernel, fmt.Sprintf("ridge %g", c.Ridge)}
	for _, p := range []struct {
		is   bool
		text string
	}{
		{c.Bandwidth != 0, fmt.Sprintf("bandwidth %g", c.Bandwidth)},
		{c.Iteration > 0, fmt.Sprintf("iteration %d", c.Iteration)},
		{c.Diagonal, "diagonal"}, {c.Centre, "centred"}, {c.Sphere, "unit sphere"},
		{c.Columns != "", c.Columns + " columns"}, {c.Target != "" && c.Target != "none", c.Target + " target"},
	} {
		if p.is {
			parts = append(parts, p.text)
		}
	}
	return strings.Join(parts, ", ")
}
