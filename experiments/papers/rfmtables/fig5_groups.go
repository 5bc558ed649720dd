package rfmtables

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
)

// benchmarkGroup is the kind of tables of one of rfm's Tables 2 to 5.
type benchmarkGroup struct {
	key        string // table2 to table5
	paper      string // key in [tabular.PaperTables]
	folder     string // folder of the benchmark
	regression bool
	nominal    bool // with categorical variables
}

// describe returns the kind of tables in words.
func (g benchmarkGroup) describe() string {
	task, with := "classification", "without"
	if g.regression {
		task = "regression"
	}
	if g.nominal {
		with = "with"
	}
	return fmt.Sprintf("%s %s categorical variables", task, with)
}

var benchmarkGroups = []benchmarkGroup{
	{"table2", "rfm-table2", "reg_num", true, false}, {"table3", "rfm-table3", "clf_num", false, false},
	{"table4", "rfm-table4", "reg_cat", true, true}, {"table5", "rfm-table5", "clf_cat", false, true},
}

// members returns the group's tables from the spec's source.
func (s *BenchmarkSpec) members(in study.Setting, g benchmarkGroup) ([]tabular.Member, error) {
	switch s.Source {
	case tabular.GrinsztajnProtocol:
		all, err := tabular.GrinsztajnMembers(in.DataDir)
		if err != nil {
			return nil, err
		}
		var kept []tabular.Member
		for _, m := range all {
			if strings.HasPrefix(m.Name, g.folder+"/") {
				kept = append(kept, m)
			}
		}
		return kept, nil
	case generatedTables:
		return g.generateTables(in.Seed), nil
	}
	all, err := listTables(in, s.Source)
	if err != nil {
		return nil, err
	}
	return g.selectMembers(all)
}

// generateTables returns polynomials as tables of the group.
func (g benchmarkGroup) generateTables(seed uint64) []tabular.Member {
	var all []tabular.Member
	for _, p := range []table.Polynomial{table.LowRank(), table.Hermite()} {
		made := tabular.GeneratedTable{Polynomial: p, Rows: 60, Seed: seed, Classes: !g.regression}
		if g.nominal {
			made.Nominal = 2
		}
		all = append(all, made.Member())
	}
	return all
}

// selectMembers returns those of some tables that are of the group's kind, made regressions
// where the group has regressions.
func (g benchmarkGroup) selectMembers(all []tabular.Member) ([]tabular.Member, error) {
	var kept []tabular.Member
	for _, m := range all {
		t, _, err := m.Open()
		if err != nil {
			return nil, err
		}
		numeric, nominal := tabular.ColumnKinds(t)
		switch {
		case !g.regression && nominal == g.nominal:
			kept = append(kept, m)
		case g.regression && numeric && (g.nominal || !nominal):
			kept = append(kept, tabular.RegressionMember(m, g.nominal))
		}
	}
	return kept, nil
}

// largeMembers returns the tables of which a large training set has more rows than a medium
// one.
func largeMembers(all []tabular.Member) ([]tabular.Member, error) {
	var kept []tabular.Member
	for _, m := range all {
		t, _, err := m.Open()
		if err != nil {
			return nil, err
		}
		if isLarge(t.Rows) {
			kept = append(kept, m)
		}
	}
	return kept, nil
}

// isLarge returns whether a table has more training rows than a medium one keeps.
func isLarge(rows int) bool { return tabular.GrinsztajnShare*float64(rows) > tabular.MostMediumRows }

// largeSizes does the same for sizes of tables.
func largeSizes(all []tabular.TableSize) []tabular.TableSize {
	var kept []tabular.TableSize
	for _, t := range all {
		if isLarge(t.Rows) {
			kept = append(kept, t)
		}
	}
	return kept
}

// sizes returns the sizes of the group's tables from a source.
func (g benchmarkGroup) sizes(source string) ([]tabular.TableSize, error) {
	var all []tabular.TableSize
	switch source {
	case tabular.GrinsztajnProtocol:
		return tabular.BenchmarkTables(g.folder), nil
	case generatedTables:
		for _, p := range []table.Polynomial{table.LowRank(), table.Hermite()} {
			t := tabular.TableSize{Name: p.Name, Rows: 60, Features: p.Features, Classes: 2}
			if g.regression {
				t.Classes = 0
			}
			all = append(all, t)
		}
		return all, nil
	case uciFolder:
		for _, t := range folderTables {
			if size, is := t.sizeIn(g); is {
				all = append(all, size)
			}
		}
		return all, nil
	}
	return nil, errUnknownTables(source)
}

// folderTable is a table of the folder uci, with the kinds of its columns.
type folderTable struct {
	tabular.TableSize
	numeric, nominal bool // the kinds of columns that it has
}

// sizeIn returns the size of the table in a group, and whether the group has it. A regression
// has a column less, and with nominal columns a feature more for each class.
func (t folderTable) sizeIn(g benchmarkGroup) (tabular.TableSize, bool) {
	size := t.TableSize
	if !g.regression {
		return size, t.nominal == g.nominal
	}
	size.Features--
	if g.nominal {
		size.Features += size.Classes
	}
	size.Classes = 0
	return size, t.numeric && (g.nominal || !t.nominal)
}

// folderTables are the tables of the folder uci on which costs were measured. Features are
// counted after encoding.
var folderTables = []folderTable{
	{tabular.TableSize{Name: "balance.scale", Rows: 625, Features: 4, Classes: 3}, true, false},
	{tabular.TableSize{Name: "breast.w", Rows: 699, Features: 9, Classes: 2}, true, false},
	{tabular.TableSize{Name: "car", Rows: 1728, Features: 21, Classes: 4}, false, true},
	{tabular.TableSize{Name: "credit.g", Rows: 1000, Features: 61, Classes: 2}, true, true},
	{tabular.TableSize{Name: "glass", Rows: 214, Features: 9, Classes: 7}, true, false},
	{tabular.TableSize{Name: "heart.statlog", Rows: 270, Features: 13, Classes: 2}, true, false},
	{tabular.TableSize{Name: "hepatitis", Rows: 155, Features: 19, Classes: 2}, true, true},
	{tabular.TableSize{Name: "ionosphere", Rows: 351, Features: 34, Classes: 2}, true, false},
	{tabular.TableSize{Name: "iris", Rows: 150, Features: 4, Classes: 3}, true, false},
	{tabular.TableSize{Name: "letter", Rows: 20000, Features: 16, Classes: 26}, true, false},
	{tabular.TableSize{Name: "pendigits", Rows: 10992, Features: 16, Classes: 10}, true, false},
	{tabular.TableSize{Name: "segment", Rows: 2310, Features: 19, Classes: 7}, true, false},
	{tabular.TableSize{Name: "sonar", Rows: 208, Features: 60, Classes: 2}, true, false},
	{tabular.TableSize{Name: "splice", Rows: 3190, Features: 287, Classes: 3}, false, true},
	{tabular.TableSize{Name: "tic-tac-toe", Rows: 958, Features: 27, Classes: 2}, false, true},
	{tabular.TableSize{Name: "vehicle", Rows: 846, Features: 18, Classes: 4}, true, false},
	{tabular.TableSize{Name: "vowel", Rows: 990, Features: 27, Classes: 11}, true, true},
	{tabular.TableSize{Name: "waveform5000", Rows: 5000, Features: 40, Classes: 3}, true, false},
	{tabular.TableSize{Name: "wine", Rows: 178, Features: 13, Classes: 3}, true, false},
	{tabular.TableSize{Name: "zoo", Rows: 101, Features: 16, Classes: 7}, true, true},
}
