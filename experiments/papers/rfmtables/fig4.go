package rfmtables

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"gonum.org/v1/gonum/stat"
)

// The measures of panels c and d, besides the leads of panels a and b: of RFM against the Laplace
// kernel, the sign test and the share of tables where RFM is ahead; the mean relative decrease of the
// error on large and on wide tables, and its correlation with rows and features; and the share of
// folds in which iteration 0 is chosen.
var (
	signTest      = study.NewMeasure("sign_test")
	shareBetter   = study.NewMeasure("over_laplace")
	decreaseMany  = study.NewMeasure("decrease_many")
	decreaseWide  = study.NewMeasure("decrease_wide")
	trendRows     = study.NewMeasure("trend_rows")
	trendFeatures = study.NewMeasure("trend_features")
	iteration0    = study.NewMeasure("iteration_0")
)

// ClassifySpec compares recursive feature machines on tables to classify with kernels that
// learn no features (rfm Fig. 4).
type ClassifySpec struct {
	// Source is uci121; uci, the tables in that folder of the data folder; or
	// generated.
	Source     string   `json:"source" toml:"source"`
	Methods    []string `json:"methods" toml:"methods"` // see [tabular.Methods]
	Rows       int      `json:"rows" toml:"rows"`       // most rows of a table, drawn by the seed; 0 is all
	Iterations int      `json:"iterations" toml:"iterations"`
	// PaperMode follows the published procedure, in which test rows take part in choices.
	PaperMode bool `json:"paper_mode" toml:"paper_mode"`
	Few       int  `json:"few" toml:"few"` // most rows of a table of panel b
}

// Fig4 returns the benchmark of 121 tables.
func Fig4() *study.Experiment {
	methods := []string{rfmMethod, "laplace", "ntk", "h-exponential"}
	e := &study.Experiment{
		ID: "rfm/fig4", Paper: "rfm", Figure: "Fig. 4",
		Title: "RFMs and kernels without features on tables to classify",
		About: "At scale paper the 121 tables of Fernández-Delgado et al. by the published procedure, which learns " +
			"the metric and chooses all else on rows among which the test rows are. At scale small the 20 tables of " +
			"the UCI repository in the folder uci of the data folder stand in for them, at most 1000 rows of each, " +
			"drawn by the seed, of each class its share; four folds, nested, so that no test row chooses anything. " +
			"At scale smoke polynomials are the tables. a compares RFM with the Laplace kernel and the NTK on all " +
			"tables; b with the H-γ-exponential kernel too, on those of at most 5000 rows (before any are left out). " +
			"Kernels are ridge regressions. Of the paper's other methods, random forests, Gaussian support vector " +
			"machines, networks, none is here: ranks are among three and four methods, not among 182. Of the shares " +
			"P90 and P95 a tie holds only where the paper has one, in b; until a review that knew of a tie in a it " +
			"held everywhere. The sign test is what so few tables can show: the probability that RFM were ahead of " +
			"the Laplace kernel on as many of them, ties left out, if either were as likely to be ahead.",
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &ClassifySpec{
				Source: generatedTables, Methods: methods[:3], Rows: 48, Iterations: 1, Few: 40,
			},
			study.Small: &ClassifySpec{Source: uciFolder, Methods: methods, Rows: 1000, Iterations: 5, Few: 5000},
			study.PaperScale: &ClassifySpec{
				Source: tabular.UciProtocol, Methods: methods, Iterations: 5, PaperMode: true, Few: 5000,
			},
		},
	}
	e.Claims = append(panelClaims("a", "the paper's 121 tables", "the Laplace kernel and the NTK",
		[5]string{"+.0163", "+.0248", "+.1158", "+.0141", "+10.69"}),
		panelClaims("b", "the paper's 90 tables of at most 5000 rows", "H-γ-exponential kernel, NTK and Laplace kernel",
			[5]string{"+.0096", "0", "+.1223", "+.0115", "+9.79"})...)
	e.Claims = append(e.Claims,
		signTest.Claim("a: RFM is ahead of the Laplace kernel on more tables than chance gives: sign test over the "+
			"tables.",
			"not asked by the paper", study.AtMost(.05)),
		shareBetter.Claim("c: RFM errs less than the Laplace kernel: share of the tables, of those where one is ahead.",
			"dots", study.AtLeast(.6)),
		decreaseMany.Claim("d: the error falls on tables of as many rows as the median has, and more: mean relative "+
			"decrease.",
			"dots", study.AtLeast(.05)),
		decreaseWide.Claim("d: it falls on tables of as many features as the median has, and more.",
			"dots", study.AtLeast(.05)),
		trendRows.Claim("d: it falls by more on larger tables: correlation of the relative decrease with log rows.",
			"dots", study.AtLeast(.1)),
		trendFeatures.Claim("d: and on those of higher dimension: correlation with log features.",
			"dots", study.AtLeast(.1)),
		iteration0.Claim("Cross-validation chooses iteration 0, the Laplace kernel, on some tables: share of the "+
			"folds (section 7).",
			"45 of 121", study.Within(.37, .2)))
	return e
}

// panelClaims returns the claims of panel a or b, with the leads of the paper's numbers. A tie
// counts as a lead only where the paper has a tie.
func panelClaims(panel, tables, others string, paper [5]string) []study.Claim {
	lead := func(printed string) study.Interval {
		if printed == "0" {
			return study.AtLeast(0)
		}
		return study.Above(0)
	}
	return []study.Claim{
		averageScore.Of(panel).Claim(
			fmt.Sprintf("%s: RFM has the highest average accuracy (%s): lead over %s.", panel, tables, others),
			paper[0], study.Above(0)),
		p90.Of(panel).Claim(panel+": the largest share of tables with 90 % of the best accuracy: lead.",
			paper[1], lead(paper[1])),
		p95.Of(panel).Claim(panel+": the largest share with 95 %: lead.",
			paper[2], lead(paper[2])),
		pma.Of(panel).Claim(panel+": the highest percentage of the maximum accuracy: lead.",
			paper[3], study.Above(0)),
		friedmanRank.Of(panel).Claim(panel+": the best Friedman rank: lead, in ranks.",
			paper[4], study.AtLeast(.1)),
	}
}

// Run implements Spec.
func (s *ClassifySpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if s.Few < 1 || !slices.Contains(s.Methods, rfmMethod) || !slices.Contains(s.Methods, "laplace") {
		return nil, input.Errorf("few %d, methods %q: want at least 1 row, and rfm and laplace among the methods",
			s.Few, s.Methods)
	}
	tables, err := s.tables(in)
	if err != nil {
		return nil, err
	}
	r, err := runBenchmark(ctx, in, "all", tabular.Spec{
		Benchmark: s.Source, Protocol: tabular.UciProtocol, Methods: s.Methods, Rows: s.Rows, Iters: s.Iterations,
		PaperMode: s.PaperMode,
	}, tables)
	if err != nil || in.Dry() {
		return nil, err
	}
	o := &study.Outcome{}
	recordTables(o, r)
	o.Notes = append(o.Notes, r.Notes()...)
	all := selectMethods(r.Results(), rfmMethod, "laplace", "ntk")
	few := smallTables(r, s.Few)
	for _, panel := range []struct {
		name, about string
		results     *tabular.Results
	}{{"a", "all tables", all}, {"b", fmt.Sprintf("tables of at most %d rows", s.Few), few}} {
		setLeads(o, panel.name, panel.results.Leaderboard(tabular.DropMissing), rfmMethod)
		o.Tables = append(o.Tables, standingsTable(panel.results, panel.name,
			fmt.Sprintf("%s: the methods on %d tables, %s.", panel.name, len(panel.results.Datasets), panel.about)))
		o.Charts = append(o.Charts, metricsChart(panel.results, panel.name+"-metrics",
			fmt.Sprintf("Panel %s: %s", panel.name, panel.about)))
	}
	setErrorMeasures(o, r, all)
	o.Tables = append(o.Tables, *r.ScoresTable().WithoutEmpty())
	printed, err := tabular.PrintedBoards()
	if err != nil {
		return nil, err
	}
	o.Tables = append(o.Tables, *printed)
	return o, addErrorFigures(o, r)
}

// tables returns the tables of the source.
func (s *ClassifySpec) tables(in study.Setting) (t tableSet, err error) {
	switch {
	case s.Source == generatedTables:
		for i, p := range table.Polynomials()[:3] {
			t.add(tabular.GeneratedTable{Polynomial: p, Rows: 32 + 8*i, Seed: in.Seed, Classes: true})
		}
	case in.Dry() && s.Source == tabular.UciProtocol:
		t.sizes = tabular.PublishedTables()
	case in.Dry():
		t.sizes, err = folderSizes(s.Source, func(t folderTable) (tabular.TableSize, bool) { return t.TableSize, true })
	case s.Source == tabular.UciProtocol:
		t.members, err = tabular.UciMembers(in.DataDir)
	default:
		t.members, err = listTables(in, s.Source)
	}
	return t, err
}

// smallTables returns the results on tables of at most the given number of rows.
func smallTables(r *tabular.Record, rows int) *tabular.Results {
	all := r.Results()
	out := &tabular.Results{Methods: all.Methods}
	for i, name := range all.Datasets {
		k := slices.IndexFunc(r.Datasets, func(d tabular.Dataset) bool { return d.Name == name })
		if r.Datasets[k].TableRows <= rows {
			out.Datasets, out.Scores = append(out.Datasets, name), append(out.Scores, all.Scores[i])
		}
	}
	return out
}

// setErrorMeasures sets the measures of panels c and d, and the sign test.
func setErrorMeasures(o *study.Outcome, r *tabular.Record, all *tabular.Results) {
	_, more, less := meanLead(all, rfmMethod, "laplace")
	o.Set(signTest, testSigns(more, less))
	if more+less > 0 {
		o.Set(shareBetter, float64(more)/float64(more+less))
	}
	o.Set(iteration0, shareUnlearned(r))
	var decrease, rows, features []float64
	for _, p := range r.Pairs() {
		if d := p.Decrease(); !math.IsNaN(d) {
			decrease = append(decrease, d)
			rows = append(rows, math.Log(float64(p.Rows)))
			features = append(features, math.Log(float64(p.Features)))
		}
	}
	if len(decrease) == 0 {
		return
	}
	o.Set(decreaseMany, meanAbove(rows, decrease))
	o.Set(trendRows, stat.Correlation(rows, decrease, nil))
	o.Set(decreaseWide, meanAbove(features, decrease))
	o.Set(trendFeatures, stat.Correlation(features, decrease, nil))
}

// meanAbove returns the mean of y where x is at least its upper median.
func meanAbove(x, y []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	sum, n := 0., 0
	for i := range x {
		if x[i] >= sorted[len(sorted)/2] {
			sum, n = sum+y[i], n+1
		}
	}
	return sum / float64(n)
}

// shareUnlearned returns the share of the folds in which iteration 0 of RFM was chosen.
func shareUnlearned(r *tabular.Record) float64 {
	first, n := 0, 0
	for _, d := range r.Datasets {
		for _, m := range d.Methods {
			if m.Method != rfmMethod {
				continue
			}
			for _, f := range m.ByFold {
				if n++; f.Chosen.Iteration == 0 {
					first++
				}
			}
		}
	}
	return float64(first) / float64(n)
}

// addErrorFigures adds panels c and d of this seed.
func addErrorFigures(o *study.Outcome, r *tabular.Record) error {
	section, err := r.ComparisonSection()
	if err != nil || section == nil {
		return err
	}
	for _, f := range section.Figures {
		f.Alt = "Dots, one for each table"
		o.Figures = append(o.Figures, f)
	}
	return nil
}
