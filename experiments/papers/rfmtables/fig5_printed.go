package rfmtables

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
)

// addPrinted adds the paper's table and its standings.
func (g benchmarkGroup) addPrinted(o *study.Outcome) error {
	r, _, err := tabular.FindPaperTable("rfm-" + g.key).Read()
	if err != nil {
		return err
	}
	o.Set(winsOverNetworks.Of(g.key), leastWins(r, printedRFM, printedNetworks))
	o.Set(pmaOverTrees.Of(g.key), pma.lead(r.Leaderboard(tabular.DropMissing), printedRFM, printedTrees...))
	scores := tabular.ScoresTable(r)
	scores.Name = g.key + "-printed"
	scores.Caption = fmt.Sprintf("The paper's values, %s, with the best of each table marked.", g.describe(""))
	o.Tables = append(o.Tables, standingsTable(r, g.key+"-standings-printed",
		fmt.Sprintf("The paper's methods on its %d tables, %s, computed from its scores.", len(r.Datasets),
			g.describe(""))), *scores)
	return nil
}

// addFigure5 compares the numbers of Fig. 5 with those that follow from Tables 2 and 3.
func addFigure5(o *study.Outcome) error {
	for _, c := range []struct{ metrics, scores, table string }{{"d", "b", "rfm-table2"}, {"c", "a", "rfm-table3"}} {
		r, results, err := tabular.CompareMethods(tabular.LeaderboardSpec{Source: c.table})
		if err != nil {
			return err
		}
		t := r.FigureTable()
		t.Name = "fig5-" + c.metrics
		o.Tables = append(o.Tables, *t, printedTable("fig5-"+c.scores, r.FigureScores))
		o.Charts = append(o.Charts, metricsChart(results, "fig5-"+c.metrics+"-metrics",
			"The paper's methods: metrics from its scores, Fig. 5"+c.metrics))
		dropped := func(c tabular.Compared) tabular.Agreement { return c.DroppedAgreement }
		imputed := func(c tabular.Compared) tabular.Agreement { return c.ImputedAgreement }
		o.Set(follows.Of(c.metrics), shareFollowing(r.Figure, dropped))
		o.Set(followsImputed.Of(c.metrics), shareFollowing(r.Figure, imputed))
		o.Set(follows.Of(c.scores), shareFollowing(r.FigureScores, dropped))
		for _, s := range r.Leaderboard {
			if s.Method == printedRFM {
				for _, m := range boardMetrics {
					o.Set(m.Of("rfm").Of(c.metrics), record.ValueOrNaN(m.of(s)))
				}
			}
		}
		for _, m := range boardMetrics {
			o.Set(m.Of("lead").Of(c.metrics), m.lead(r.Leaderboard, printedRFM))
		}
		o.Set(pma.Of("xgboost").Of(c.metrics), pma.lead(r.Leaderboard, printedRFM, "XGBoost"))
		o.Set(beatsNetworks.Of(c.metrics), shareAhead(results, printedRFM, printedNetworks))
		o.Set(firsts.Of(c.scores), countFirsts(r.FigureScores))
	}
	o.Set(largeFirst, (o.Value(firsts.Of("a"))+o.Value(firsts.Of("b")))/float64(largeTasks))
	return nil
}

// The methods of the paper's tables.
var (
	printedRFM      = "RFM"
	printedNetworks = []string{"FT Transformer", "Resnet", "SAINT", "MLP"}
	printedTrees    = []string{"XGBoost", "Gradient Boosting Tree", "Hist Gradient Boosting Tree", "Random Forest"}
)

// largeTasks is the number of large tables in Figs. 5a and 5b.
const largeTasks = 7

// shareFollowing returns the share of a figure's numbers that follow from its table, exactly or within the rounding of
// the scores.
func shareFollowing(all []tabular.Compared, of func(tabular.Compared) tabular.Agreement) float64 {
	n := 0
	for _, c := range all {
		if of(c) != tabular.Differs {
			n++
		}
	}
	return float64(n) / float64(len(all))
}

// shareAhead returns the share of the datasets on which a method scores at least as high as all the given others.
// Datasets without scores of the others do not count; if the method itself has no score, it is behind.
func shareAhead(r *tabular.Results, method string, others []string) float64 {
	i, ahead, n := slices.Index(r.Methods, method), 0, 0
	for _, row := range r.Scores {
		scored, behind := false, false
		for j, m := range r.Methods {
			if slices.Contains(others, m) && row[j] == row[j] {
				scored, behind = true, behind || !(row[i] >= row[j])
			}
		}
		if scored {
			n++
			if !behind {
				ahead++
			}
		}
	}
	return float64(ahead) / float64(n)
}

// leastWins returns the share of the datasets on which a method beats another one, the minimum over some others. It
// counts datasets on which both have a score, with a tie as half a win, and skips others without such datasets.
func leastWins(r *tabular.Results, method string, others []string) float64 {
	least := math.NaN()
	for _, other := range others {
		wins, n := 0., 0.
		for _, d := range subtractScores(r, method, other) {
			switch {
			case d > 0:
				wins++
			case d == 0:
				wins += .5
			}
			if !math.IsNaN(d) {
				n++
			}
		}
		if n > 0 && !(wins/n >= least) {
			least = wins / n
		}
	}
	return least
}

// countFirsts returns the number of datasets for which the figure prints the highest score for RFM.
func countFirsts(all []tabular.Compared) float64 {
	own, best := map[string]float64{}, map[string]float64{}
	for _, c := range all {
		v := c.PrintedValue()
		if best[c.Dataset] = max(best[c.Dataset], v); c.Method == printedRFM {
			own[c.Dataset] = v
		}
	}
	n := 0.
	for name, v := range own {
		if v == best[name] {
			n++
		}
	}
	return n
}

// printedTable lists the figure's numbers for single datasets with the scores in the appendix.
func printedTable(name string, all []tabular.Compared) report.Table {
	t := report.Table{
		Name: name, Caption: fmt.Sprintf("The paper's values in Fig. %s for large tables, and the scores in the "+
			"appendix's table.",
			all[0].Figure),
		Columns: []report.Column{
			{Name: "dataset"}, {Name: "method"}, {Name: "printed", Numeric: true}, {Name: "table", Numeric: true},
			{Name: "verdict"},
		},
	}
	for _, c := range all {
		t.Rows = append(t.Rows, []report.Cell{
			{Text: c.Dataset}, {Text: c.Method}, {Text: c.Printed, Value: c.PrintedValue()},
			record.NumberCell(c.Dropped, fmt.Sprintf("%%.%df", record.Decimals(c.Printed))),
			tabular.VerdictCell(c.DroppedAgreement),
		})
	}
	return t
}
