package experiments

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/data/table"
)

// ClassifySpec compares recursive feature machines with kernels that learn no features
// on tables to classify (rfm Fig. 4).
type ClassifySpec struct {
	// Source is uci121; uci, the tables in that folder of the data folder; or
	// generated.
	Source     string   `json:"source" toml:"source"`
	Methods    []string `json:"methods" toml:"methods"` // see [TabularMethods]
	Rows       int      `json:"rows" toml:"rows"`       // of a table with more, drawn by the seed; 0 is all
	Iterations int      `json:"iterations" toml:"iterations"`
	// PaperMode is the published procedure, by which test rows take part in choices.
	PaperMode bool `json:"paper_mode" toml:"paper_mode"`
	Few       int  `json:"few" toml:"few"` // rows that a table of panel b has at most
}

// rfmFig4 is the benchmark of 121 tables.
func rfmFig4() *Experiment {
	methods := []string{rfmMethod, "laplace", "ntk", "h-exponential"}
	e := &Experiment{
		ID: "rfm/fig4", Paper: "rfm", Figure: "Fig. 4", Title: "RFMs and kernels without features on tables to classify",
		About: "At scale paper the 121 tables of Fernández-Delgado et al. by the published procedure, which learns the metric and chooses all else on rows among which the test rows are. " +
			"At scale small the 20 tables of the UCI repository in the folder uci of the data folder stand in for them, at most 1000 rows of each, drawn by the seed, of each class its share; four folds, nested, so that no test row chooses anything. At scale smoke polynomials are the tables. " +
			"a compares RFM with the Laplace kernel and the NTK on all tables; b with the H-γ-exponential kernel too, on those of at most 5000 rows (before any are left out). Kernels are ridge regressions. Of the paper's other methods, random forests, Gaussian support vector machines, networks, none is here: ranks are among three and four methods, not among 182. " +
			"Of the shares P90 and P95 a tie holds only where the paper has one, in b; until a review that knew of a tie in a it held everywhere. " +
			"The sign test is what so few tables can show: the probability that RFM were ahead of the Laplace kernel on as many of them, ties left out, if either were as likely to be ahead.",
		Specs: map[Scale]Spec{
			Smoke:      &ClassifySpec{generatedTables, methods[:3], 48, 1, false, 40},
			Small:      &ClassifySpec{uciFolder, methods, 1000, 5, false, 5000},
			PaperScale: &ClassifySpec{uciProtocol, methods, 0, 5, true, 5000},
		},
	}
	e.Claims = append(panelClaims("a", "the paper's 121 tables", "the Laplace kernel and the NTK", [5]string{"+.0163", "+.0248", "+.1158", "+.0141", "+10.69"}),
		panelClaims("b", "the paper's 90 tables of at most 5000 rows", "H-γ-exponential kernel, NTK and Laplace kernel", [5]string{"+.0096", "0", "+.1223", "+.0115", "+9.79"})...)
	e.Claims = append(e.Claims,
		Claim{"sign_test", "a: RFM is ahead of the Laplace kernel on more tables than chance gives: sign test over the tables.", "not asked by the paper", atMost(.05)},
		Claim{"over_laplace", "c: RFM errs less than the Laplace kernel: share of the tables, of those where one is ahead.", "dots", atLeast(.6)},
		Claim{"decrease_many", "d: the error falls on tables of as many rows as the median has, and more: mean relative decrease.", "dots", atLeast(.05)},
		Claim{"decrease_wide", "d: it falls on tables of as many features as the median has, and more.", "dots", atLeast(.05)},
		Claim{"trend_rows", "d: it falls by more on larger tables: correlation of the relative decrease with log rows.", "dots", atLeast(.1)},
		Claim{"trend_features", "d: and on those of higher dimension: correlation with log features.", "dots", atLeast(.1)},
		Claim{"iteration_0", "Cross-validation chooses iteration 0, the Laplace kernel, on some tables: share of the folds (section 7).", "45 of 121", within(.37, .2)})
	return e
}

// panelClaims are those of panel a or b, with the leads of the paper's numbers. A tie
// is a lead only where the paper has one.
func panelClaims(panel, tables, others string, paper [5]string) []Claim {
	lead := func(printed string) Interval {
		if printed == "0" {
			return atLeast(0)
		}
		return above(0)
	}
	return []Claim{
		{panel + "_average", fmt.Sprintf("%s: RFM has the highest average accuracy (%s): lead over %s.", panel, tables, others), paper[0], above(0)},
		{panel + "_p90", panel + ": the largest share of tables with 90 % of the best accuracy: lead.", paper[1], lead(paper[1])},
		{panel + "_p95", panel + ": the largest share with 95 %: lead.", paper[2], lead(paper[2])},
		{panel + "_pma", panel + ": the highest percentage of the maximum accuracy: lead.", paper[3], above(0)},
		{panel + "_rank", panel + ": the best Friedman rank: lead, in ranks.", paper[4], atLeast(.1)},
	}
}

// Run implements Spec.
func (s *ClassifySpec) Run(ctx context.Context, in Setting) (*Outcome, error) {
	if s.Few < 1 || !slices.Contains(s.Methods, rfmMethod) || !slices.Contains(s.Methods, "laplace") {
		return nil, badInput("few %d, methods %q: want at least 1 row, and rfm and laplace among the methods", s.Few, s.Methods)
	}
	members, err := s.members(in)
	if err != nil {
		return nil, err
	}
	r, err := in.benchmark(ctx, "all", TabularSpec{
		Benchmark: s.Source, Protocol: uciProtocol, Methods: s.Methods, Rows: s.Rows, Iters: s.Iterations, PaperMode: s.PaperMode,
	}, members)
	if err != nil {
		return nil, err
	}
	o := &Outcome{Values: map[string]float64{}}
	o.usedTables(r)
	o.Notes = append(o.Notes, r.notes()...)
	all := r.Results().only(rfmMethod, "laplace", "ntk")
	few := r.few(s.Few)
	for _, panel := range []struct {
		name, about string
		results     *Results
	}{{"a", "all tables", all}, {"b", fmt.Sprintf("tables of at most %d rows", s.Few), few}} {
		for key, v := range leads(panel.results.Leaderboard(DropMissing), rfmMethod) {
			o.Values[panel.name+"_"+key] = v
		}
		o.Tables = append(o.Tables, panel.results.standings(panel.name, fmt.Sprintf("%s: the methods on %d tables, %s.", panel.name, len(panel.results.Datasets), panel.about)))
		o.Charts = append(o.Charts, panel.results.metricsChart(panel.name+"-metrics", fmt.Sprintf("Panel %s: %s", panel.name, panel.about)))
	}
	o.compareErrors(r, all)
	o.Tables = append(o.Tables, *r.scoresTable().WithoutEmpty())
	printed, err := printedBoards()
	if err != nil {
		return nil, err
	}
	o.Tables = append(o.Tables, *printed)
	return o, o.errorPictures(r)
}

// members are the tables of the source.
func (s *ClassifySpec) members(in Setting) ([]tabularMember, error) {
	switch s.Source {
	case uciProtocol:
		return uciMembers(in.DataDir)
	case generatedTables:
		var all []tabularMember
		for i, p := range table.Polynomials()[:3] {
			all = append(all, generatedTable{polynomial: p, rows: 32 + 8*i, seed: in.Seed, classes: true}.member())
		}
		return all, nil
	}
	return in.tablesIn(s.Source)
}

// few are the results on tables of at most so many rows.
func (r *TabularRecord) few(rows int) *Results {
	all := r.Results()
	out := &Results{Methods: all.Methods}
	for i, name := range all.Datasets {
		k := slices.IndexFunc(r.Datasets, func(d TabularDataset) bool { return d.Name == name })
		if r.Datasets[k].TableRows <= rows {
			out.Datasets, out.Scores = append(out.Datasets, name), append(out.Scores, all.Scores[i])
		}
	}
	return out
}
