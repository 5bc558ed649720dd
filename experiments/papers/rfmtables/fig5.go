package rfmtables

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
)

// The measures of what Fig. 5 prints. Those of panels a and b are about large tables, those of c and d
// about the metrics of classifications and regressions. Each but the last is that of a panel.
var (
	follows        = study.NewMeasure("follows")         // share of the numbers that follow from the tables
	followsImputed = study.NewMeasure("follows_imputed") // where missing scores are the mean of the others
	beatsNetworks  = study.NewMeasure("networks")        // share of the datasets on which RFM beats all networks
	firsts         = study.NewMeasure("first")           // number of large tables on which RFM is the best
	largeFirst     = study.NewMeasure("large_first")     // the share of both panels
)

// BenchmarkSpec compares recursive feature machines with kernels that learn no features and
// with linear regression, on the four kinds of tables of rfm Fig. 5 and Tables 2 to 5.
type BenchmarkSpec struct {
	// Source is grinsztajn; uci, the tables in that folder of the data folder; or
	// generated.
	Source     string   `json:"source" toml:"source"`
	Methods    []string `json:"methods" toml:"methods"` // see [tabular.Methods]
	Rows       int      `json:"rows" toml:"rows"`       // most rows of a table, drawn by the seed; 0 is all
	Configs    int      `json:"configs" toml:"configs"` // configurations of a method's grid, drawn for every table
	Repeats    int      `json:"repeats" toml:"repeats"` // random splits
	Iterations int      `json:"iterations" toml:"iterations"`
	Large      bool     `json:"large" toml:"large"` // runs the large sizes of large tables too
}

// Fig5 returns the benchmark of Grinsztajn et al. Tables 2 to 5 show parts of it.
func Fig5() *study.Experiment {
	methods := []string{rfmMethod, "laplace", "ntk", "linear"}
	return &study.Experiment{
		ID: "rfm/fig5", Paper: "rfm", Figure: "Fig. 5",
		Title: "RFMs on a benchmark of tables, and the paper's summary of it",
		About: "The benchmark of Grinsztajn et al.: 70 % of the rows to train, at most 10 000 (medium) or 50 000 " +
			"(large), of the rest 30 % to validate; the configuration with the highest mean validation score over " +
			"random splits, and its mean test score. At scale small its tables are stood in for by the 20 of the UCI " +
			"repository in the folder uci of the data folder, at most 800 rows of each, with 10 configurations of " +
			"every method's grid and 3 splits: without categorical variables those whose columns are all numeric, " +
			"with them those that have nominal ones, with as many classes as they have, where the benchmark has two. " +
			"They have no regressions: the first numeric column without missing values is regressed on the others, " +
			"in Table 2 on those of numeric tables, in Table 4 of all tables that have one, the class and other " +
			"nominal columns among the features. Some of these have next to nothing to learn. At scale smoke " +
			"polynomials are the tables. RFM is compared with what is here: ridge regression with the Laplace " +
			"kernel, which is RFM without features, with the NTK of ReLU networks of 1 to 5 hidden layers, and " +
			"linear. There are no trees and no trained networks: for those there is what the paper prints, from " +
			"which its own summary is computed again, the same at every scale. A number of the figure follows from " +
			"the tables if scores that round to the printed ones give it.",
		Claims: []study.Claim{
			follows.Of("a").Claim("a: the scores on large classifications are those of Table 3: share that is.",
				"all", study.AtLeast(1)),
			follows.Of("b").Claim("b: the scores on large regressions are those of Table 2: share that is.",
				"all", study.AtLeast(1)),
			largeFirst.Claim("RFMs are the top performing model on the majority of large tasks, by a and b: share.",
				"majority", study.Above(.5)),
			follows.Of("c").Claim("c: the metrics of classifications follow from Table 3 by the rules of Appendix E: "+
				"share that does.",
				"all", study.AtLeast(1)),
			follows.Of("d").Claim("d: the metrics of regressions follow from Table 2 by the rules of Appendix E: "+
				"share that does.",
				"all", study.AtLeast(1)),
			followsImputed.Of("d").Claim("d: they follow where missing scores are the mean of the others in every "+
				"metric: share.",
				"not said by the paper", study.AtLeast(1)),
			averageScore.Of("rfm").Of("c").Claim("c: RFM's average accuracy, from Table 3.",
				"83.84", study.Within(83.84, .01)),
			adtm.Of("rfm").Of("c").Claim("c: RFM's ADTM, from Table 3.",
				".810", study.Within(.810, .002)),
			pma.Of("rfm").Of("c").Claim("c: RFM's PMA, from Table 3.",
				".991", study.Within(.991, .001)),
			friedmanRank.Of("rfm").Of("c").Claim("c: RFM's Friedman rank, from Table 3.",
				"2.39", study.Within(2.39, .01)),
			averageScore.Of("rfm").Of("d").Claim("d: RFM's average R², from Table 2.",
				".776", study.Within(.776, .001)),
			averageScore.Of("lead").Of("c").Claim("c: RFM has the highest average accuracy across all "+
				"classifications of Table 3: lead, in points.",
				"+0.21", study.Above(0)),
			adtm.Of("lead").Of("c").Claim("c: the highest ADTM: lead.",
				"+.048", study.Above(0)),
			pma.Of("lead").Of("c").Claim("c: the highest PMA: lead.",
				"highest", study.Above(0)),
			friedmanRank.Of("lead").Of("c").Claim("c: the best Friedman rank: lead.",
				"+0.24", study.Above(0)),
			pma.Of("xgboost").Of("d").Claim("d: RFM is competitive with XGBoost across all regressions: PMA less "+
				"that of XGBoost, from Table 2.",
				"competitive", study.AtLeast(-.02)),
			beatsNetworks.Of("c").Claim("RFMs outperform all neural network models on all classifications: share of "+
				"the rows of Table 3.",
				"all", study.AtLeast(1)),
			beatsNetworks.Of("d").Claim("RFMs outperform all neural network models on all regressions: share of the "+
				"rows of Table 2 that have one.",
				"all", study.AtLeast(1)),
			averageScore.Of("table3").Claim("Ours, classifications without categorical variables: RFM has the "+
				"highest average accuracy: lead.",
				"highest of its methods", study.Above(0)),
			friedmanRank.Of("table3").Claim("Ours: the best Friedman rank: lead.",
				"best of its methods", study.Above(0)),
			averageScore.Of("table2").Claim("Ours, regressions without categorical variables: RFM has the highest "+
				"average R²: lead.",
				"second of its methods", study.Above(0)),
			friedmanRank.Of("table2").Claim("Ours: the best Friedman rank: lead.",
				"second of its methods", study.Above(0)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &BenchmarkSpec{
				Source: generatedTables, Methods: methods, Rows: 60, Configs: 2, Repeats: 1, Iterations: 1,
			},
			study.Small: &BenchmarkSpec{
				Source: uciFolder, Methods: methods, Rows: 800, Configs: 10, Repeats: 3, Iterations: 5,
			},
			study.PaperScale: &BenchmarkSpec{
				Source: tabular.GrinsztajnProtocol, Methods: methods, Configs: 100, Repeats: 3, Iterations: 5,
				Large: true,
			},
		},
		Shows: []string{"fig5-*", "table[23]-standings*", "table[23]-metrics"},
	}
}

// Run implements Spec.
func (s *BenchmarkSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if !slices.Contains(s.Methods, rfmMethod) {
		return nil, input.Errorf("methods %q: want rfm among them", s.Methods)
	}
	o := &study.Outcome{}
	var all []*tabular.Results
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

// addOurs adds what was found on tables of ours.
func (s *BenchmarkSpec) addOurs(g benchmarkGroup, found *tabular.Results, o *study.Outcome) {
	for _, other := range s.Methods {
		if other != rfmMethod {
			mean, more, less := meanLead(found, rfmMethod, other)
			o.Set(scoreOver(other).Of(g.key), mean)
			o.Set(signsOver(other).Of(g.key), testSigns(more, less))
		}
	}
	setLeads(o, g.key, found.Leaderboard(tabular.DropMissing), rfmMethod)
	ours := tabular.ScoresTable(found)
	ours.Name = g.key + "-ours"
	ours.Caption = fmt.Sprintf("Tables of ours, %s: mean score over the splits, the best of each marked.",
		g.describe(""))
	o.Tables = append(o.Tables, standingsTable(found, g.key+"-standings",
		fmt.Sprintf("The methods on %d tables of ours, %s.", len(found.Datasets), g.describe(""))), *ours)
	o.Charts = append(o.Charts, metricsChart(found, g.key+"-metrics", "Ours: "+g.describe("")))
}

// runGroup runs the methods on the tables of a group.
func (s *BenchmarkSpec) runGroup(
	ctx context.Context, in study.Setting, g benchmarkGroup, o *study.Outcome,
) (*tabular.Results, error) {
	tables, err := g.tables(in, s.Source)
	if err != nil {
		return nil, err
	}
	spec := tabular.Spec{
		Benchmark: s.Source, Protocol: tabular.GrinsztajnProtocol, Methods: s.Methods, Rows: s.Rows,
		Iters: s.Iterations, Configs: s.Configs, Repeats: s.Repeats, Size: tabular.MediumSize,
	}
	r, err := runBenchmark(ctx, in, g.key, spec, tables)
	if err != nil {
		return nil, err
	}
	recordTables(o, r)
	found := r.Results()
	if !s.Large {
		return found, nil
	}
	if tables, err = tables.large(); err != nil || tables.empty() {
		return found, err
	}
	spec.Size = tabular.LargeSize
	if r, err = runBenchmark(ctx, in, g.key, spec, tables); err != nil {
		return nil, err
	}
	more := r.Results()
	for _, name := range more.Datasets {
		found.Datasets = append(found.Datasets, name+" (large)")
	}
	found.Scores = append(found.Scores, more.Scores...)
	return found, nil
}
