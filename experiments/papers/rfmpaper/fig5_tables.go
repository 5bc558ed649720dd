package rfmpaper

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
)

// benchmarkGroup is the tables of one of rfm's Tables 2 to 5.
type benchmarkGroup struct {
	key        string // table2 to table5
	paper      string // of [tabular.PaperTables]
	folder     string // of the benchmark
	regression bool
	nominal    bool // with categorical variables
}

// about says what the group is.
func (g benchmarkGroup) about() string {
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

// members are the group's tables of a source.
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
		return g.generated(in.Seed), nil
	}
	all, err := tablesIn(in, s.Source)
	if err != nil {
		return nil, err
	}
	return g.among(all)
}

// generated are polynomials as tables of the group.
func (g benchmarkGroup) generated(seed uint64) []tabular.Member {
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

// among takes those of some tables that are of the group, those of regressions made
// ones.
func (g benchmarkGroup) among(all []tabular.Member) ([]tabular.Member, error) {
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

// large are the tables of more training rows than a medium one has.
func large(all []tabular.Member) ([]tabular.Member, error) {
	const share, medium = .7, 10_000
	var kept []tabular.Member
	for _, m := range all {
		t, _, err := m.Open()
		if err != nil {
			return nil, err
		}
		if share*float64(t.Rows) > medium {
			kept = append(kept, m)
		}
	}
	return kept, nil
}
