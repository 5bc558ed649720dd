package tabular

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

// Config is a choice of hyper-parameters. Those that the protocol does not choose are zero.
type Config struct {
	Kernel    string  `json:"kernel"` // as [rfm.ParseKernel] reads it
	Bandwidth float64 `json:"bandwidth,omitempty"`
	Ridge     float64 `json:"ridge"`
	C         float64 `json:"c,omitempty"`      // of a support vector machine, which takes no ridge
	Iteration int     `json:"iteration"`        // of feature learning
	Passes    int     `json:"passes,omitempty"` // of EigenPro
	Diagonal  bool    `json:"diagonal,omitempty"`
	Centre    bool    `json:"centre_gradients,omitempty"`
	Sphere    bool    `json:"unit_sphere,omitempty"` // examples are scaled to norm 1
	Columns   string  `json:"columns,omitempty"`     // transform of numeric columns: standard or quantile
	Target    string  `json:"target,omitempty"`      // transform of regression targets: none, log or quantile
}

// method is a method with its own part of the grid.
type method struct {
	name   string
	learns bool // it learns features, in iterations, with a full or a diagonal metric
	svm    bool // it is a support vector machine, for classification, and not a ridge regression
	// mostRows is the largest number of rows of a table for the method, 0 for any number.
	mostRows int
	// zeroOf is the method whose iteration 0 this method is. Both draw the same configurations, so that
	// they differ only in learning features.
	zeroOf     string
	kernels    []string
	bandwidths []float64 // nil for kernels without one
	about      string
}

var methods = []method{
	{name: "rfm", learns: true, kernels: []string{"laplace"}, bandwidths: []float64{rfm.DefaultBandwidth},
		about: "recursive feature machine, Laplace kernel"},
	{name: "laplace", zeroOf: "rfm", kernels: []string{"laplace"}, bandwidths: []float64{rfm.DefaultBandwidth},
		about: "ridge regression with the Laplace kernel, which is iteration 0 of an RFM"},
	{name: "ntk", kernels: []string{"ntk:1", "ntk:2", "ntk:3", "ntk:4", "ntk:5"},
		about: "ridge regression with the NTK of a ReLU network of 1 to 5 hidden layers"},
	{name: "ntk-svm", svm: true, mostRows: svmRows, kernels: []string{"ntk:1", "ntk:2", "ntk:3", "ntk:4", "ntk:5"},
		about: "support vector machine with the NTK of a ReLU network of 1 to 5 hidden layers, without an offset, " +
			"one class against the rest, of C .01 to 10 000; for classification of at most 5000 rows"},
	{name: "h-exponential", kernels: []string{"h-exponential:0.5", "h-exponential:1", "h-exponential:1.5"},
		bandwidths: []float64{1, 10},
		about: "ridge regression with the H-γ-exponential kernel, γ of .5, 1 and 1.5, bandwidths of 1 and " +
			"10: a grid of ours"},
	{name: "linear", kernels: []string{"polynomial:1"},
		about: "linear ridge regression, with a penalty on the intercept too"},
	{name: "rfm-tuned", learns: true, mostRows: tunedRows, kernels: []string{"laplace", "l1", "gaussian"},
		bandwidths: []float64{rfm.DefaultBandwidth, 1, 3, 30},
		about: "recursive feature machine with a larger grid, of ours: Laplace, L1 and Gaussian kernel, bandwidths of " +
			"1, 3, 10 and 30, by the protocol uci121 after all that rfm tries, which wins where another is not better; for " +
			"tables of at most 5000 rows"},
}

// Methods returns the names of the methods that a benchmark can compare.
func Methods() []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// findMethod returns the method of that name, or nil.
func findMethod(name string) *method {
	i := slices.IndexFunc(methods, func(m method) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return &methods[i]
}

// iterations returns how often the method learns features, at most.
func (m *method) iterations(s Spec) int {
	if m.learns {
		return s.Iters
	}
	return 0
}

// The grids of Appendix D of paper rfm. The ridges of the 121 sets are in the order in which the
// authors' code tries them, since the first of equally good ones is selected.
var (
	uciRidges        = []float64{10, 1, .1, .01, .001}
	grinsztajnRidges = []float64{1, .1, .01, .001, .0001}
	largeBandwidths  = []float64{1, 5, 10, 15, 20} // for large regressions
	columnTransforms = []string{"standard", "quantile"}
	targetTransforms = []string{"none", "log", "quantile"}
)

// svmCosts are the C of support vector machines, the softest margin first.
var svmCosts = []float64{.01, .1, 1, 10, 100, 1000, 10_000}

// svmRows is the largest number of rows of a table for support vector machines, as in Fig. 4b of paper rfm.
const svmRows = 5000

// tunedRows is the largest number of rows of a table for rfm-tuned, whose grid is twelve times as large as rfm's.
const tunedRows = 5000

// smallTable is the number of rows below which a diagonal M is tried too.
const smallTable = 5000

// extend returns every configuration with every value, or the grid itself if there are no values.
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

// base returns the grid of kernels, bandwidths and ridges, or the C of support vector machines.
func (m *method) base(bandwidths, ridges []float64) []Config {
	grid := extend([]Config{{}}, m.kernels, func(c *Config, k string) { c.Kernel = k })
	grid = extend(grid, bandwidths, func(c *Config, b float64) { c.Bandwidth = b })
	if m.svm {
		return extend(grid, svmCosts, func(c *Config, v float64) { c.C = v })
	}
	return extend(grid, ridges, func(c *Config, r float64) { c.Ridge = r })
}

// uciGrid returns the grid of the 121 sets for a table with that many rows. Without spheres, no
// configuration scales examples to norm 1.
func (m *method) uciGrid(s Spec, rows int, spheres bool) []Config {
	ridges := uciRidges
	if s.byPasses(rows) {
		ridges = []float64{0}
	}
	grid := m.base(m.bandwidths, ridges)
	if spheres {
		grid = extend(grid, []bool{true, false}, func(c *Config, s bool) { c.Sphere = s })
	}
	if m.learns && rows < smallTable {
		grid = extend(grid, []bool{false, true}, func(c *Config, d bool) { c.Diagonal = d })
	}
	return grid
}

// grinsztajnGrid returns the grid of the benchmark of Grinsztajn et al.
func (m *method) grinsztajnGrid(task rfm.Task, large bool) []Config {
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

// drawGrinsztajn draws the configurations of the method on a table. A method that is iteration 0 of another
// tries each draw of the other once, without the settings of feature learning.
func (m *method) drawGrinsztajn(s Spec, task rfm.Task, table string) []Config {
	from := m
	if m.zeroOf != "" {
		from = findMethod(m.zeroOf)
	}
	drawn := drawConfigs(from.grinsztajnGrid(task, s.Size == LargeSize), s.Configs, s.Seed, table, from.name)
	if from == m {
		return drawn
	}
	var own []Config
	for _, c := range drawn {
		c.Diagonal, c.Centre = false, false
		if !slices.Contains(own, c) {
			own = append(own, c)
		}
	}
	return own
}

// drawConfigs draws n configurations of a grid, with a random stream for the dataset and the method.
// It returns a grid of at most n unchanged.
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

// String describes the configuration in a few words.
func (c Config) String() string {
	parts := []string{c.Kernel, fmt.Sprintf("ridge %g", c.Ridge)}
	if c.C > 0 {
		parts[1] = fmt.Sprintf("C %g", c.C)
	}
	for _, p := range []struct {
		shown bool
		text  string
	}{
		{c.Bandwidth != 0, fmt.Sprintf("bandwidth %g", c.Bandwidth)},
		{c.Iteration > 0, fmt.Sprintf("iteration %d", c.Iteration)},
		{c.Passes > 0, fmt.Sprintf("%d passes", c.Passes)},
		{c.Diagonal, "diagonal"}, {c.Centre, "centred"}, {c.Sphere, "unit sphere"},
		{c.Columns != "", c.Columns + " columns"}, {c.Target != "" && c.Target != "none", c.Target + " target"},
	} {
		if p.shown {
			parts = append(parts, p.text)
		}
	}
	return strings.Join(parts, ", ")
}
