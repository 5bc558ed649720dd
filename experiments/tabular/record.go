package tabular

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
)

// Record is a benchmark as scripts read it.
type Record struct {
	Benchmark   string      `json:"benchmark"`
	Datasets    []Dataset   `json:"datasets"`
	Leaderboard []Standing  `json:"leaderboard"`
	Spec        Spec        `json:"spec"`
	Seconds     float64     `json:"seconds"` // of all methods on all tables, as if one after the other
	Conventions Conventions `json:"conventions"`

	page record.PageData
}

// Dataset is a table and what the methods did on it. Error says why there
// is nothing.
type Dataset struct {
	Name      string   `json:"name"`
	Rows      int      `json:"rows"`
	TableRows int      `json:"table_rows"` // before some were drawn
	Features  int      `json:"features"`
	Classes   int      `json:"classes"`           // 0 for a regression
	Measure   string   `json:"measure,omitempty"` // accuracy or r2
	SHA256    string   `json:"sha256,omitempty"`
	Methods   []Result `json:"methods"`
	Error     string   `json:"error,omitempty"`
}

// Result is what a method did on a table. Where it failed, Error says why
// and Score is absent.
type Result struct {
	Method string    `json:"method"`
	Score  *float64  `json:"score,omitempty"` // the mean over the folds
	Folds  []float64 `json:"folds,omitempty"` // the score of each
	// Chosen is the configuration that was chosen in most folds.
	Chosen  *Config  `json:"chosen,omitempty"`
	ByFold  []Fold   `json:"by_fold,omitempty"`
	Fits    int      `json:"fits"`
	Seconds float64  `json:"seconds"`
	Notes   []string `json:"notes,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// add notes the folds, their mean and what was chosen most often.
func (r *Result) add(folds []Fold) {
	r.ByFold = folds
	count, mean := map[Config]int{}, 0.
	for _, f := range folds {
		r.Folds = append(r.Folds, f.Score)
		mean += f.Score / float64(len(folds))
		count[f.Chosen]++
	}
	r.Score = &mean
	for _, f := range folds {
		if r.Chosen == nil || count[f.Chosen] > count[*r.Chosen] {
			r.Chosen = &f.Chosen
		}
	}
}

// record puts the results together, tables by name, methods in the order of the
// spec.
func (s *Session) record() *Record {
	r := &Record{Benchmark: s.Spec.Benchmark, Spec: s.Spec, Conventions: s.Spec.conventions(), page: record.NewPageData()}
	for _, t := range s.Tables {
		for _, j := range s.jobs {
			if j.table == t {
				t.record.Methods = append(t.record.Methods, *j.result)
				r.Seconds += j.result.Seconds
			}
		}
		r.Datasets = append(r.Datasets, t.record)
	}
	r.Leaderboard = r.Results().Leaderboard(DropMissing)
	return r
}

// Results are the scores, without the tables on which nothing has one.
func (r *Record) Results() *Results {
	out := &Results{Methods: slices.Clone(r.Spec.Methods)}
	for _, d := range r.Datasets {
		row := make([]float64, len(out.Methods))
		for j := range row {
			row[j] = math.NaN()
			if j < len(d.Methods) {
				row[j] = record.ValueOrNaN(d.Methods[j].Score)
			}
		}
		if slices.ContainsFunc(row, func(v float64) bool { return !math.IsNaN(v) }) {
			out.Datasets, out.Scores = append(out.Datasets, d.Name), append(out.Scores, row)
		}
	}
	return out
}

// Failures lists what failed, and why.
func (r *Record) Failures() []string {
	var all []string
	for _, d := range r.Datasets {
		if d.Error != "" {
			all = append(all, fmt.Sprintf("%s: %s", d.Name, d.Error))
		}
		for _, m := range d.Methods {
			if m.Error != "" {
				all = append(all, fmt.Sprintf("%s, %s: %s", d.Name, m.Method, m.Error))
			}
		}
	}
	return all
}

// Summary says who comes first, under which protocol, and what failed.
func (r *Record) Summary() string {
	scored := len(r.Results().Datasets)
	text := summariseBoard(r.Leaderboard, scored)
	if r.Spec.PaperMode {
		text += " Published procedure: " + r.Conventions.Leak + "."
	}
	if f := r.Failures(); len(f) > 0 {
		text += fmt.Sprintf("\n%d failed:\n  %s", len(f), strings.Join(f, "\n  "))
	}
	return text
}
