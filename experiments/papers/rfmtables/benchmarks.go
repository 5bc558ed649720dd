package rfmtables

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
)

// rfmMethod is the name of the paper's method on leaderboards.
const rfmMethod = "rfm"

// runBenchmark compares methods on tables within an experiment. The name distinguishes the experiment's benchmarks. It
// returns an *input.Error if there are no tables, or if no method has a score. In a dry run it adds a job for each
// table and returns an empty record.
func runBenchmark(
	ctx context.Context, in study.Setting, name string, s tabular.Spec, tables tableSet,
) (*tabular.Record, error) {
	s.Seed, s.Threads, s.Dir = in.Seed, in.Threads, in.DataDir
	if s = s.WithDefaults(); tables.empty() {
		return nil, input.Errorf("there are no tables")
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	if in.Dry() {
		return &tabular.Record{}, tables.addJobs(in, s)
	}
	run := tabular.Run{Progress: func(p tabular.Progress) {
		if p.Stage == "fitting" {
			in.Report("tables", p.Done, p.Total)
		}
	}}
	var err error
	if run.Out, err = in.CheckpointPath("tables, "+name, s); err != nil {
		return nil, err
	}
	if run.Out != "" {
		run.RecordsOnly, run.Checkpoints = true, in.WithCheckpoints(filepath.Join(run.Out, "fits"))
	}
	r, err := (&tabular.Benchmark{Spec: s, Members: tables.members}).Run(ctx, run)
	if err == nil && len(r.Results().Datasets) == 0 {
		err = input.Errorf("nothing has a score: %s", r.Summary())
	}
	return r, err
}

// recordTables adds the tables to the data of the outcome, and failures to its notes.
func recordTables(o *study.Outcome, r *tabular.Record) {
	for _, d := range r.Datasets {
		if d.Error != "" {
			continue
		}
		rows := fmt.Sprintf("%d rows", d.Rows)
		if d.Rows < d.TableRows {
			rows = fmt.Sprintf("%d of %d rows, drawn", d.Rows, d.TableRows)
		}
		o.Data = append(o.Data, study.DataUsed{
			Name: fmt.Sprintf("%s: %s, %d features", d.Name, rows, d.Features), SHA256: d.SHA256,
		})
	}
	for _, f := range r.Failures() {
		o.Notes = append(o.Notes, "Without a score: "+f+".")
	}
}

// selectMethods returns the results of the given methods.
func selectMethods(r *tabular.Results, methods ...string) *tabular.Results {
	out := &tabular.Results{Datasets: r.Datasets}
	var at []int
	for j, m := range r.Methods {
		if slices.Contains(methods, m) {
			out.Methods, at = append(out.Methods, m), append(at, j)
		}
	}
	for _, row := range r.Scores {
		var kept []float64
		for _, j := range at {
			kept = append(kept, row[j])
		}
		out.Scores = append(out.Scores, kept)
	}
	return out
}

// resultsOn returns the results on those tables of a record for which passes is true.
func resultsOn(r *tabular.Record, passes func(d tabular.Dataset) bool) *tabular.Results {
	all := r.Results()
	out := &tabular.Results{Methods: all.Methods}
	for i, name := range all.Datasets {
		k := slices.IndexFunc(r.Datasets, func(d tabular.Dataset) bool { return d.Name == name })
		if passes(r.Datasets[k]) {
			out.Datasets, out.Scores = append(out.Datasets, name), append(out.Scores, all.Scores[i])
		}
	}
	return out
}

// boardMetric is a metric by which the paper compares methods on leaderboards, with the measure of a method's lead by
// it. The part "rfm" of the measure is the value of RFM's metric.
type boardMetric struct {
	study.Measure
	title string
	of    func(tabular.Standing) *float64
}

var (
	averageScore = boardMetric{study.NewMeasure("average"), "average score",
		func(s tabular.Standing) *float64 { return s.Average }}
	p90          = boardMetric{study.NewMeasure("p90"), "P90", func(s tabular.Standing) *float64 { return s.P90 }}
	p95          = boardMetric{study.NewMeasure("p95"), "P95", func(s tabular.Standing) *float64 { return s.P95 }}
	pma          = boardMetric{study.NewMeasure("pma"), "PMA", func(s tabular.Standing) *float64 { return s.PMA }}
	adtm         = boardMetric{study.NewMeasure("adtm"), "ADTM", func(s tabular.Standing) *float64 { return s.ADTM }}
	friedmanRank = boardMetric{study.NewMeasure("rank"), "Friedman rank",
		func(s tabular.Standing) *float64 { return s.Friedman }}
)

// sharedMetrics are the metrics between 0 and 1, which charts show; boardMetrics are all metrics.
var (
	sharedMetrics = []boardMetric{averageScore, p90, p95, pma, adtm}
	boardMetrics  = append(sharedMetrics[:5:5], friedmanRank)
)

// lead returns a method's lead over the best of some others, or of all others if none are given. For ranks it is by
// how much the method's rank is lower. A lead is negative if another method is better, and NaN if there is nothing to
// compare.
func (m boardMetric) lead(board []tabular.Standing, method string, others ...string) float64 {
	i := slices.IndexFunc(board, func(s tabular.Standing) bool { return s.Method == method })
	if i < 0 || m.of(board[i]) == nil {
		return math.NaN()
	}
	own, sign, least := *m.of(board[i]), 1., math.Inf(1)
	if m.Measure == friedmanRank.Measure {
		sign = -1
	}
	for k, s := range board {
		if v := m.of(s); k != i && v != nil && (len(others) == 0 || slices.Contains(others, s.Method)) {
			least = min(least, sign*(own-*v))
		}
	}
	if math.IsInf(least, 0) {
		return math.NaN()
	}
	return least
}

// setLeads sets a method's leads over all others by each metric, as a part of the experiment.
func setLeads(o *study.Outcome, part string, board []tabular.Standing, method string) {
	for _, m := range boardMetrics {
		o.Set(m.Of(part), m.lead(board, method))
	}
}

// subtractScores returns a method's score minus another's on every dataset, NaN if one is missing.
func subtractScores(r *tabular.Results, method, other string) map[string]float64 {
	i, j := slices.Index(r.Methods, method), slices.Index(r.Methods, other)
	if i < 0 || j < 0 {
		return nil
	}
	differences := map[string]float64{}
	for k, name := range r.Datasets {
		differences[name] = r.Scores[k][i] - r.Scores[k][j]
	}
	return differences
}

// orderedBoard returns the leaderboard sorted by the order of the methods, which is the same for every seed.
func orderedBoard(r *tabular.Results) []tabular.Standing {
	board := r.Leaderboard(tabular.DropMissing)
	slices.SortFunc(board, func(a, b tabular.Standing) int {
		return slices.Index(r.Methods, a.Method) - slices.Index(r.Methods, b.Method)
	})
	return board
}

// standingsTable returns the leaderboard as a table.
func standingsTable(r *tabular.Results, name, caption string) report.Table {
	t := tabular.BoardTable(orderedBoard(r))
	t.Name, t.Caption = name, caption
	return *t
}

// metricsChart returns the metrics of the methods between 0 and 1, as bars.
func metricsChart(r *tabular.Results, name, title string) study.Chart {
	c := study.Chart{
		Name: name, Title: title, YLabel: "share",
		Caption: "Metrics of Appendix E, if defined; ranks are in the table.",
	}
	for _, m := range sharedMetrics {
		c.Labels = append(c.Labels, m.title)
	}
	for _, method := range orderedBoard(r) {
		s := report.Series{Label: method.Method, X: study.Places(len(sharedMetrics))}
		for _, m := range sharedMetrics {
			y := record.ValueOrNaN(m.of(method))
			if m.Measure == averageScore.Measure && y > 1.5 { // in percent, as in the paper
				y /= 100
			}
			s.Y = append(s.Y, y)
		}
		c.Series = append(c.Series, s)
	}
	return c
}
