package rfmtables

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
)

// The measures of what Fig. 5 prints. Panels a and b are about large tables, and c and d about the metrics of
// classifications and regressions. Each measure but the last belongs to a panel.
var (
	follows        = study.NewMeasure("follows")         // share of the numbers that follow from the tables
	followsImputed = study.NewMeasure("follows_imputed") // the same, with missing scores replaced by the mean of the others
	beatsNetworks  = study.NewMeasure("networks")        // share of the datasets on which RFM beats all networks
	firsts         = study.NewMeasure("first")           // number of large tables on which RFM is the best
	largeFirst     = study.NewMeasure("large_first")     // the share of both panels
)

// BenchmarkSpec compares recursive feature machines with kernels that learn no features and
// with linear regression, on the four kinds of tables of rfm Fig. 5 and Tables 2 to 5.
type BenchmarkSpec struct {
	// Source is grinsztajn; uci, for the tables in that folder of the data folder; or generated.
	Source     string   `json:"source" toml:"source"`
	Methods    []string `json:"methods" toml:"methods"` // see [tabular.Methods]
	Rows       int      `json:"rows" toml:"rows"`       // largest number of rows of a table, drawn by the seed; 0 is all
	Configs    int      `json:"configs" toml:"configs"` // configurations of a method's grid, drawn for every table
	Repeats    int      `json:"repeats" toml:"repeats"` // random splits
	Iterations int      `json:"iterations" toml:"iterations"`
	Large      bool     `json:"large" toml:"large"` // also run large tables at their large sizes
}

// Fig5 returns the benchmark of Grinsztajn et al. Tables 2 to 5 show parts of it.
func Fig5() *study.Experiment {
	methods := []string{rfmMethod, "laplace", "ntk", "linear"}
	return &study.Experiment{
		ID: "rfm/fig5", Paper: "rfm", Figure: "Fig. 5",
		Title: "RFMs on a benchmark of tables, and the paper's summary of it",
		About: study.About{
			Done: "RFM, kernels and linear regression are compared on the benchmark of Grinsztajn et al. What " +
				"the paper prints for trees and networks is computed again from its own tables, the same at every " +
				"scale.",
			Deviations: []string{
				"At scale small the 20 tables of the UCI repository in the folder uci of the data folder stand " +
					"in for the benchmark's, with at most 800 rows of each, 10 configurations of every method's " +
					"grid and 3 splits. At scale smoke the tables are polynomials.",
				"At scale small tables whose columns are all numeric stand in for those without categorical " +
					"variables, and tables with categorical columns for those with them. They have as many " +
					"classes as they have; the benchmark has two.",
				"The UCI tables have no regressions. The first numeric column without missing values is " +
					"regressed on the others: in Table 2 on those of numeric tables, in Table 4 on those of all " +
					"tables that have one, with the class and other categorical columns among the features.",
				"A regression on which no method reaches a validation R² of .05 has nothing to learn and is left " +
					"out of the comparison. No test row and no single method decides that.",
				"There are no trees and no trained networks here.",
			},
			Conventions: []string{
				"The benchmark trains on 70 % of the rows, at most 10 000 (medium) or 50 000 (large), and " +
					"validates on 30 % of the rest. It takes the configuration with the highest mean validation " +
					"score over random splits, and its mean test score. At scale paper all configurations are " +
					"tried, as in Appendix D.",
				"RFM and the Laplace kernel, its iteration 0, have the same configurations. The methods here are " +
					"ridge regression with the Laplace kernel, which is RFM without features, and with the NTK of " +
					"ReLU networks of 1 to 5 hidden layers, and linear regression.",
				"A number of the figure follows from the tables if some scores that round to the printed ones " +
					"give it.",
			},
		},
		Panels: []string{"fig5-c-metrics", "fig5-d-metrics"},
		Printed: []study.Printed{
			{Chart: "fig5-c-metrics", Of: "RFM", X: []float64{0, 3, 4}, Y: []float64{.8384, .991, .810}},
			{Chart: "fig5-d-metrics", Of: "RFM", X: []float64{0, 3, 4}, Y: []float64{.776, .984, .701}},
		},
		Claims: append(figure5Claims(), boardChecks()...),
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &BenchmarkSpec{
				Source: generatedTables, Methods: methods, Rows: 240, Configs: 2, Repeats: 1, Iterations: 1,
			},
			study.Small: &BenchmarkSpec{
				Source: uciFolder, Methods: methods, Rows: 800, Configs: 10, Repeats: 3, Iterations: 5,
			},
			study.PaperScale: &BenchmarkSpec{
				Source: tabular.GrinsztajnProtocol, Methods: methods, Configs: wholeGrid, Repeats: 3, Iterations: 5,
				Large: true,
			},
		},
		Shows: []string{"fig5-*", "table[23]-standings*", "table[23]-metrics"},
	}
}

// wholeGrid is at least the number of configurations in every method's grid.
const wholeGrid = 600

// StandIns implements [study.Substituter].
func (s *BenchmarkSpec) StandIns() map[string]string {
	if s.Source == tabular.GrinsztajnProtocol {
		return nil
	}
	return map[string]string{grinsztajn: nameSource(s.Source)}
}

// Run implements Spec.
func (s *BenchmarkSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if !slices.Contains(s.Methods, rfmMethod) {
		return nil, input.Errorf("methods %q: want rfm among them", s.Methods)
	}
	o := &study.Outcome{}
	var all []groupResults
	for _, g := range benchmarkGroups {
		found, err := s.runGroup(ctx, in, g, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.key, err)
		}
		all = append(all, found)
	}
	if in.Dry() {
		return nil, nil
	}
	for i, g := range benchmarkGroups {
		s.addOurs(g, all[i], o)
		if err := g.addPrinted(o); err != nil {
			return nil, err
		}
	}
	return o, addFigure5(o)
}

// addOurs adds our results on the tables that are run here.
func (s *BenchmarkSpec) addOurs(g benchmarkGroup, found groupResults, o *study.Outcome) {
	for _, other := range s.Methods {
		if other != rfmMethod {
			o.SetUnits(scoreOver(other).Of(g.key), subtractScores(found.learnable, rfmMethod, other))
		}
	}
	setLeads(o, g.key, found.learnable.Leaderboard(tabular.DropMissing), rfmMethod)
	ours := tabular.ScoresTable(found.all)
	ours.Name = g.key + "-ours"
	ours.Caption = fmt.Sprintf("The tables that run here, %s: mean score over the splits, the best of each marked.",
		g.describe(""))
	o.Tables = append(o.Tables, standingsTable(found.learnable, g.key+"-standings", fmt.Sprintf(
		"The methods on %d tables that run here, %s.", len(found.learnable.Datasets), g.describe(""))), *ours)
	o.Charts = append(o.Charts, metricsChart(found.learnable, g.key+"-metrics", "Run here: "+g.describe("")))
}

// groupResults are the results on the tables of a group.
type groupResults struct{ all, learnable *tabular.Results }

// add adds the results of a benchmark, with a suffix to the names of its tables, and a note on every table that is not
// learnable.
func (g *groupResults) add(r *tabular.Record, ending string, o *study.Outcome) {
	all := resultsOn(r, func(tabular.Dataset) bool { return true })
	learnable := resultsOn(r, func(d tabular.Dataset) bool {
		best := bestValidated(d)
		if d.Measure != "r2" || best >= leastR2 {
			return true
		}
		o.Notes = append(o.Notes, fmt.Sprintf("%s as a regression is left out of the comparison: no method "+
			"reaches a validation R² of %g.", d.Name, leastR2))
		return false
	})
	for _, part := range []struct{ to, from *tabular.Results }{{g.all, all}, {g.learnable, learnable}} {
		part.to.Methods = part.from.Methods
		for i, name := range part.from.Datasets {
			part.to.Datasets = append(part.to.Datasets, name+ending)
			part.to.Scores = append(part.to.Scores, part.from.Scores[i])
		}
	}
}

// leastR2 is the validation R² that some method must reach for a regression to count as learnable.
const leastR2 = .05

// bestValidated returns the highest score of any method on the validation rows, averaged over the splits.
func bestValidated(d tabular.Dataset) float64 {
	best := math.Inf(-1)
	for _, m := range d.Methods {
		mean := 0.
		for _, f := range m.ByFold {
			mean += f.Validated / float64(len(m.ByFold))
		}
		if len(m.ByFold) > 0 {
			best = max(best, mean)
		}
	}
	return best
}

// runGroup runs the methods on the tables of a group.
func (s *BenchmarkSpec) runGroup(
	ctx context.Context, in study.Setting, g benchmarkGroup, o *study.Outcome,
) (found groupResults, err error) {
	tables, err := g.tables(in, s.Source)
	if err != nil {
		return found, err
	}
	spec := tabular.Spec{
		Benchmark: s.Source, Protocol: tabular.GrinsztajnProtocol, Methods: s.Methods, Rows: s.Rows,
		Iters: s.Iterations, Configs: s.Configs, Repeats: s.Repeats, Size: tabular.MediumSize,
	}
	r, err := runBenchmark(ctx, in, g.key, spec, tables)
	if err != nil {
		return found, err
	}
	recordTables(o, r)
	found = groupResults{&tabular.Results{}, &tabular.Results{}}
	found.add(r, "", o)
	if !s.Large {
		return found, nil
	}
	if tables, err = tables.large(); err != nil || tables.empty() {
		return found, err
	}
	spec.Size = tabular.LargeSize
	if r, err = runBenchmark(ctx, in, g.key, spec, tables); err != nil {
		return found, err
	}
	recordTables(o, r)
	found.add(r, " (large)", o)
	return found, nil
}
