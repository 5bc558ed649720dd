package rfmtables

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/stat/distuv"
)

// The sources of tables, besides the two benchmarks of rfm, section 3.3.
const (
	// uciFolder is a folder of the data folder with tables of the UCI repository.
	uciFolder = "uci"
	// generatedTables are polynomials with few of their features, as tables.
	generatedTables = "generated"
)

// rfmMethod is the name of the paper's method on leaderboards.
const rfmMethod = "rfm"

// runBenchmark compares methods on tables within an experiment. The name tells the benchmarks
// of an experiment apart. It returns an *input.Error if there are no tables, or no method has
// a score.
func runBenchmark(
	ctx context.Context, in study.Setting, name string, s tabular.Spec, members []tabular.Member,
) (*tabular.Record, error) {
	s.Seed, s.Threads, s.Dir = in.Seed, in.Threads, in.DataDir
	if s = s.WithDefaults(); len(members) == 0 {
		return nil, input.Errorf("there are no tables")
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	defer backend.SetBLASThreads(in.Threads) // the benchmark sets it to 1
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
	r, err := (&tabular.Benchmark{Spec: s, Members: members}).Run(ctx, run)
	if err == nil && len(r.Results().Datasets) == 0 {
		err = input.Errorf("nothing has a score: %s", r.Summary())
	}
	return r, err
}

// listTables returns the tables of a folder of the data folder.
func listTables(in study.Setting, folder string) ([]tabular.Member, error) {
	root, err := data.FindTables(folder, in.DataDir)
	var missing *data.NotFoundError
	if errors.As(err, &missing) || errors.Is(err, fs.ErrNotExist) {
		return nil, input.Errorf("there is no folder %s of tables in the data folder: put tables there, .arff or "+
			".csv, or set the source to %q", folder, generatedTables)
	}
	if err != nil {
		return nil, err
	}
	return tabular.PathMembers(filepath.Clean(root))
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

// errUnknownTables returns the error of a source without known sizes of tables.
func errUnknownTables(source string) error {
	return fmt.Errorf("it is not known how large the tables of %s are", source)
}

// benchmarkJobs returns the costs of a benchmark on tables, cut to the spec's number of rows.
func benchmarkJobs(s tabular.Spec, tables []tabular.TableSize) []cost.Job {
	var all []cost.Job
	for _, t := range tables {
		t.Rows = workload.ImagesUsed(s.Rows, t.Rows)
		all = append(all, s.Job(t))
	}
	return all
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

// boardMeasures are the metrics of a leaderboard by which the paper compares, with their keys.
// Of the last one, less is better.
var boardMeasures = []struct {
	key, name string
	of        func(tabular.Standing) *float64
}{
	{"average", "average score", func(s tabular.Standing) *float64 { return s.Average }},
	{"p90", "P90", func(s tabular.Standing) *float64 { return s.P90 }},
	{"p95", "P95", func(s tabular.Standing) *float64 { return s.P95 }},
	{"pma", "PMA", func(s tabular.Standing) *float64 { return s.PMA }},
	{"adtm", "ADTM", func(s tabular.Standing) *float64 { return s.ADTM }},
	{"rank", "Friedman rank", func(s tabular.Standing) *float64 { return s.Friedman }},
}

// leads returns, by the key of each metric, how far a method is ahead of the best of some
// others, or of all others if none are given. Of ranks it is how much lower the method's own
// rank is. A lead is negative where another method is better.
func leads(board []tabular.Standing, method string, others ...string) map[string]float64 {
	out := map[string]float64{}
	i := slices.IndexFunc(board, func(s tabular.Standing) bool { return s.Method == method })
	if i < 0 {
		return out
	}
	for _, m := range boardMeasures {
		own, sign, least := m.of(board[i]), 1., math.Inf(1)
		if m.key == "rank" {
			sign = -1
		}
		for k, s := range board {
			if v := m.of(s); k != i && v != nil && own != nil &&
				(len(others) == 0 || slices.Contains(others, s.Method)) {
				least = min(least, sign*(*own-*v))
			}
		}
		if !math.IsInf(least, 0) {
			out[m.key] = least
		}
	}
	return out
}

// meanLead returns the mean over the datasets of a method's score less another's, and the
// numbers of datasets on which it is higher and lower.
func meanLead(r *tabular.Results, method, other string) (mean float64, more, less int) {
	i, j := slices.Index(r.Methods, method), slices.Index(r.Methods, other)
	if i < 0 || j < 0 {
		return math.NaN(), 0, 0
	}
	n := 0
	for _, row := range r.Scores {
		switch d := row[i] - row[j]; {
		case math.IsNaN(d):
			continue
		case d > 0:
			more++
		case d < 0:
			less++
		}
		mean, n = mean+row[i]-row[j], n+1
	}
	return mean / float64(n), more, less
}

// signTest returns the probability that more + less fair coins show at least as many heads as
// more, 1 if more is 0.
func signTest(more, less int) float64 {
	if more == 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(more + less), P: .5}.CDF(float64(more-1))
}

// orderedBoard returns the leaderboard in the order of the methods, which is the same for
// every seed.
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
		Caption: "Metrics of Appendix E, where they are defined; ranks are in the table.",
	}
	shown := boardMeasures[:len(boardMeasures)-1]
	for _, m := range shown {
		c.Labels = append(c.Labels, m.name)
	}
	for _, method := range orderedBoard(r) {
		s := report.Series{Label: method.Method, X: study.Places(len(shown))}
		for _, m := range shown {
			y := record.ValueOrNaN(m.of(method))
			if m.key == "average" && y > 1.5 { // in percent, as the paper prints it
				y /= 100
			}
			s.Y = append(s.Y, y)
		}
		c.Series = append(c.Series, s)
	}
	return c
}
