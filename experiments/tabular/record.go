package tabular

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
)

// Record is a benchmark as scripts read it.
type Record struct {
	Benchmark   string      `json:"benchmark"`
	Datasets    []Dataset   `json:"datasets"`
	Leaderboard []Standing  `json:"leaderboard"`
	Spec        Spec        `json:"spec"`
	Seconds     float64     `json:"seconds"` // summed over methods and tables
	Conventions Conventions `json:"conventions"`
	// Versions lists the versions of ansatz that made the results, unless one made them and the record.
	Versions []string `json:"versions,omitempty"`
	// Others are results of other programs that the leaderboard also ranks.
	Others []Others `json:"others,omitempty"`

	page record.PageData
}

// Dataset is a table with the results of the methods. If the table could not be read, Error says why.
type Dataset struct {
	Name      string   `json:"name"`
	Rows      int      `json:"rows"`
	TableRows int      `json:"table_rows"` // before some were drawn
	Features  int      `json:"features"`
	Classes   int      `json:"classes"`           // 0 for a regression
	Measure   string   `json:"measure,omitempty"` // accuracy or r2
	Target    string   `json:"target,omitempty"`  // the column to predict, of a table of one's own
	SHA256    string   `json:"sha256,omitempty"`
	Methods   []Result `json:"methods"`
	Error     string   `json:"error,omitempty"`
}

// Result is the result of a method on a table. If the method failed, Error says why and Score is nil.
type Result struct {
	Method string    `json:"method"`
	Score  *float64  `json:"score,omitempty"` // the mean over the folds
	Folds  []float64 `json:"folds,omitempty"` // the scores of the folds
	// Chosen is the configuration that was chosen in most folds.
	Chosen  *Config  `json:"chosen,omitempty"`
	ByFold  []Fold   `json:"by_fold,omitempty"`
	Fits    int      `json:"fits"`
	Seconds float64  `json:"seconds"`
	Notes   []string `json:"notes,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// setFolds sets the folds, their mean score and the configuration that was chosen most often.
func (r *Result) setFolds(folds []Fold) {
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

// record returns the record of all results, with tables by name and methods in the order of the spec.
func (s *session) record() *Record {
	r := &Record{Benchmark: s.Spec.Benchmark, Spec: s.Spec, Conventions: s.Spec.conventions(),
		page: record.NewPageData()}
	r.page.Command = s.run.Command
	for _, t := range s.tables {
		for _, j := range s.jobs {
			if j.table == t {
				t.record.Methods = append(t.record.Methods, *j.result)
				r.Seconds += j.result.Seconds
			}
		}
		r.Datasets = append(r.Datasets, t.record)
	}
	if len(s.versions) > 0 && !slices.Equal(s.versions, []string{record.Version()}) {
		r.Versions = s.versions
	}
	r.Others = s.others
	r.Conventions.LeaderboardConventions = leaderboardConventions(s.missing)
	r.Leaderboard = r.Results().Leaderboard(s.missing)
	return r
}

// Results returns the scores, with those of others. It leaves out tables on which no method was scored here.
func (r *Record) Results() *Results {
	out := r.ownResults()
	for i := range r.Others {
		out.Add(&r.Others[i])
	}
	return out
}

// ownResults returns the scores that were computed here.
func (r *Record) ownResults() *Results {
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

// Failures returns a line for each table or method that failed.
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

// Summary says which method comes first, and what failed.
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

// Conventions says what the scores of a benchmark depend on.
type Conventions struct {
	Protocol  string            `json:"protocol" fact:"protocol"`
	PaperMode bool              `json:"paper_mode"`
	Leak      string            `json:"leak" fact:"leak"`
	Choice    string            `json:"choice" fact:"choice"`
	Grid      string            `json:"grid" fact:"grid"`
	Features  string            `json:"features" fact:"features"`
	Targets   string            `json:"targets" fact:"targets"`
	Score     string            `json:"score" fact:"score"`
	Solver    string            `json:"solver" fact:"solver"`
	Rows      string            `json:"rows" fact:"rows"`
	Methods   map[string]string `json:"methods"`
	Precision string            `json:"precision"`
	Backend   string            `json:"backend"`
	Seed      uint64            `json:"seed"`
	Version   string            `json:"version"`
	LeaderboardConventions
}

// conventions returns the conventions of the spec.
func (s Spec) conventions() Conventions {
	c := Conventions{
		Protocol: s.Protocol, PaperMode: s.PaperMode, Precision: fmt.Sprintf("float%d", s.Precision),
		Backend: input.BackendName(s.Backend), Seed: s.Seed, Version: record.Version(), Methods: map[string]string{},
		Rows: "all", Solver: "Cholesky", LeaderboardConventions: leaderboardConventions(DropMissing),
	}
	if s.Rows > 0 {
		c.Rows = fmt.Sprintf("at most %d of a table, drawn by seed in proportion to the classes", s.Rows)
	}
	for _, name := range s.Methods {
		c.Methods[name] = findMethod(name).about
	}
	if s.Protocol == UciProtocol {
		s.describeUCI(&c)
	} else {
		s.describeGrinsztajn(&c)
	}
	if slices.ContainsFunc(s.Methods, func(name string) bool { return findMethod(name).svm }) {
		c.Solver += "; support vector machines by coordinate ascent"
	}
	return c
}

// describeUCI sets the conventions of the protocol of the 121 sets.
func (s Spec) describeUCI(c *Conventions) {
	c.Choice = fmt.Sprintf("nested: for each fold on %.0f %% of its training rows, drawn by seed in proportion "+
		"to the classes; the metric is then learned from all its training rows; the first of equals, as in the "+
		"authors' code", 100*validationShare)
	c.Solver = fmt.Sprintf("Cholesky; EigenPro for tables of more than %d rows, without a ridge, in at most %d "+
		"passes, of which validation rows choose one", directRows, agreedEpochs)
	c.Leak = "none: no test row takes part in any choice"
	if s.PaperMode {
		c.Choice = "as published: once, on the tuning split (conxuntos); the first of equals"
		c.Leak = "hyper-parameters and the metric M are learned on the tuning split and used in every fold, whose " +
			"test rows are among those of that split; scores are too good. Sets with test rows of their own do not leak"
	}
	c.Grid = fmt.Sprintf("ridge %s; examples scaled to norm 1 or not, not where a row has norm 0; iterations 0 to "+
		"%d (the authors' code: 0 to 4); full and diagonal M, full alone from %d rows", joinNumbers(uciRidges),
		s.Iters, smallTable)
	c.Features = "published sets unchanged, since they are standardised; in other tables numeric columns " +
		"standardised on the training rows, categorical columns one-hot, except those that name the rows (more " +
		"than half as many categories as rows); missing values are the mean or the mode of the training rows"
	c.Targets = "one-hot, 0 and 1"
	c.Score = "accuracy, the mean over the folds; that on the test rows if a set has some"
}

// describeGrinsztajn sets the conventions of the protocol of Grinsztajn et al.
func (s Spec) describeGrinsztajn(c *Conventions) {
	c.Choice = fmt.Sprintf("the configuration and iteration with the highest mean validation score over %d random "+
		"splits, the first of equals; at most %d configurations, drawn by seed, of each table and method; the Laplace "+
		"kernel, which is iteration 0 of RFM, has those of RFM", s.Repeats, s.Configs)
	c.Leak = "none: test rows are used once, with the chosen configuration"
	c.Grid = fmt.Sprintf("ridge %s; iterations 0 to %d; columns standard or quantile (normal); gradients centred or "+
		"not; full and diagonal M; targets of regressions as they are, log sign(y)log(1+|y|), quantile (normal)",
		joinNumbers(grinsztajnRidges), s.Iters)
	if s.Size == LargeSize {
		c.Grid += "; bandwidth " + joinNumbers(largeBandwidths) + " for regressions"
	}
	c.Features = "numeric columns by their transform, fitted on the training rows; categorical columns one-hot, " +
		"except those that name the rows (more than half as many categories as rows)"
	c.Targets = "one-hot for classes; for regressions transformed, then scaled to mean 0 and variance 1; " +
		"predictions are transformed back before they are scored"
	c.Score = fmt.Sprintf("accuracy or R², the mean over the splits; %s: at most %d training rows", s.Size,
		s.mostRows())
}

func joinNumbers(v []float64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ", "), "[]")
}
