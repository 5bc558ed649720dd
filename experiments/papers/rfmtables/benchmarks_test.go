package rfmtables

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
)

func TestLeads(t *testing.T) {
	nan := math.NaN()
	r := &tabular.Results{
		Datasets: []string{"p", "q", "r", "s"}, Methods: []string{"a", "b", "c"},
		Scores: [][]float64{{.9, .8, .7}, {.5, .6, .4}, {.8, .7, nan}, {.5, .5, .5}},
	}
	board := orderedBoard(r)
	if board[0].Method != "a" || board[1].Method != "b" || board[2].Method != "c" {
		t.Errorf("%+v", board)
	}
	// Ranks: 1 2 3, 2 1 3, 1 then 2.5 for .7 and the mean .75 between: a 1, c 2, b 3; 2 2 2.
	if got, want := friedmanRank.lead(board, "a"), (2.+1+3+2)/4-(1.+2+1+2)/4; math.Abs(got-want) > 1e-12 {
		t.Errorf("rank %v, want %v", got, want)
	}
	if got, want := averageScore.lead(board, "a"), .675-.65; math.Abs(got-want) > 1e-12 {
		t.Errorf("average %v, want %v", got, want)
	}
	if v, w := averageScore.lead(board, "c", "b"), friedmanRank.lead(board, "c", "b"); v > 0 || w > 0 {
		t.Errorf("of the worst: %v, %v", v, w)
	}
	if v, w := pma.lead(board, "nobody"), pma.lead(board, "a", "nobody"); !math.IsNaN(v) || !math.IsNaN(w) {
		t.Errorf("leads of nobody: %v, %v", v, w)
	}
	mean, more, less := meanLead(r, "a", "c")
	if math.Abs(mean-.1) > 1e-12 || more != 2 || less != 0 {
		t.Errorf("%v %d %d", mean, more, less)
	}
	if mean, _, _ := meanLead(r, "a", "nobody"); !math.IsNaN(mean) {
		t.Errorf("over nobody %v", mean)
	}
	if v := shareAhead(r, "a", []string{"b", "c"}); v != .75 {
		t.Errorf("ahead on %v", v)
	}
	if o := selectMethods(r, "c", "a"); !slices.Equal(o.Methods, []string{"a", "c"}) || o.Scores[1][1] != .4 ||
		len(o.Datasets) != 4 {
		t.Errorf("%+v", o)
	}
}

// The probabilities are counts of the tosses of a few coins.
func TestSignTest(t *testing.T) {
	for _, c := range []struct {
		more, less int
		want       float64
	}{{0, 0, 1}, {0, 5, 1}, {1, 0, .5}, {3, 0, 1. / 8}, {4, 1, 6. / 32}, {2, 2, 11. / 16}} {
		if p := testSigns(c.more, c.less); math.Abs(p-c.want) > 1e-12 {
			t.Errorf("%d of %d: %v, want %v", c.more, c.more+c.less, p, c.want)
		}
	}
}

// mixed is a table of a name of the rows, two numeric columns, one of them with a
// missing value, a nominal one and a class.
func mixed() *table.Table {
	names := table.Column{
		Name: "id", Kind: table.Nominal, Categories: []string{"a", "b", "c", "d"}, Codes: []int32{0, 1, 2, 3},
	}
	return &table.Table{Name: "mixed", Rows: 4, Columns: []table.Column{
		names,
		{Name: "u", Values: []float64{1, 2, 0, 4}, Missing: []bool{false, false, true, false}},
		{Name: "class", Kind: table.Nominal, Categories: []string{"no", "yes"}, Codes: []int32{0, 1, 1, 0}},
		{Name: "v", Values: []float64{5, 6, 7, 8}},
		{Name: "w", Values: []float64{9, 8, 7, 6}},
		{Name: "colour", Kind: table.Nominal, Categories: []string{"red", "blue"}, Codes: []int32{0, 0, 1, 1}},
	}}
}

func TestRegressionOf(t *testing.T) {
	for _, c := range []struct {
		nominal bool
		want    []string
	}{{false, []string{"u", "w", "v"}}, {true, []string{"id", "u", "was class", "w", "colour", "v"}}} {
		r, err := tabular.RegressionOf(mixed(), c.nominal)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, column := range r.Columns {
			names = append(names, column.Name)
		}
		if !slices.Equal(names, c.want) || r.DefaultTarget() != len(names)-1 || r.Rows != 4 {
			t.Errorf("%q, want %q", names, c.want)
		}
		m := tabular.RegressionMember(tabular.Member{
			Name: "mixed", Open: func() (*table.Table, *table.UCI, error) { return mixed(), nil, nil },
		}, c.nominal)
		set, err := m.Load(tabular.Spec{Protocol: tabular.GrinsztajnProtocol})
		if err != nil || set.Measure() != "r2" || set.Labels.Target != "v" {
			t.Errorf("%+v, %v", set, err)
		}
	}
	if numeric, nominal := tabular.ColumnKinds(mixed()); !numeric || !nominal {
		t.Error("a mixed table is not seen to be one")
	}
	for _, bare := range []*table.Table{
		{Name: "one", Rows: 4, Columns: mixed().Columns[2:4]}, {Name: "none", Rows: 4, Columns: mixed().Columns[:3]},
	} {
		if r, err := tabular.RegressionOf(bare, false); err == nil {
			t.Errorf("%s: %+v", bare.Name, r)
		}
	}
}

func TestGeneratedTables(t *testing.T) {
	g := tabular.GeneratedTable{Polynomial: table.LowRank(), Rows: 50, Seed: 3, Nominal: 2, Classes: true}
	one, err := g.Generate()
	if err != nil {
		t.Fatal(err)
	}
	last := one.Columns[len(one.Columns)-1]
	if one.Rows != 50 || len(one.Columns) != 21 || last.Kind != table.Nominal ||
		one.Columns[19].Kind != table.Nominal || one.Columns[17].Kind != table.Numeric {
		t.Errorf("%d rows, %d columns", one.Rows, len(one.Columns))
	}
	regress := g
	regress.Classes = false
	other, err := regress.Generate()
	if err != nil {
		t.Fatal(err)
	}
	for i, y := range other.Columns[20].Values {
		if (y > 0) != (last.Codes[i] == 1) {
			t.Fatalf("row %d: %g is of class %d", i, y, last.Codes[i])
		}
	}
	if again, err := g.Generate(); err != nil || !slices.Equal(again.Columns[0].Values, one.Columns[0].Values) {
		t.Errorf("the same seed gives other rows: %v", err)
	}
	for _, bad := range []study.Spec{
		&ClassifySpec{Source: "nothere", Methods: []string{rfmMethod, "laplace"}, Few: 10},
		&ClassifySpec{Source: generatedTables, Methods: []string{rfmMethod}, Few: 10},
		&ClassifySpec{Source: generatedTables, Methods: []string{rfmMethod, "laplace"}},
		&BenchmarkSpec{Source: generatedTables, Methods: []string{"laplace"}},
		&BenchmarkSpec{Source: generatedTables, Methods: []string{rfmMethod, "forest"}},
	} {
		if _, err := bad.Run(t.Context(), study.Setting{DataDir: t.TempDir()}); !input.IsError(err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
