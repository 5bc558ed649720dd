package experiments

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data/table"
)

// benchmarkGroup is the tables of one of rfm's Tables 2 to 5.
type benchmarkGroup struct {
	key        string // table2 to table5
	paper      string // of [PaperTables]
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
func (s *BenchmarkSpec) members(in Setting, g benchmarkGroup) ([]tabularMember, error) {
	switch s.Source {
	case grinsztajnProtocol:
		all, err := grinsztajnMembers(in.DataDir)
		if err != nil {
			return nil, err
		}
		var kept []tabularMember
		for _, m := range all {
			if strings.HasPrefix(m.name, g.folder+"/") {
				kept = append(kept, m)
			}
		}
		return kept, nil
	case generatedTables:
		return g.generated(in.Seed), nil
	}
	all, err := in.tablesIn(s.Source)
	if err != nil {
		return nil, err
	}
	return g.among(all)
}

// generated are polynomials as tables of the group.
func (g benchmarkGroup) generated(seed uint64) []tabularMember {
	var all []tabularMember
	for _, p := range []table.Polynomial{table.LowRank(), table.Hermite()} {
		made := generatedTable{polynomial: p, rows: 60, seed: seed, classes: !g.regression}
		if g.nominal {
			made.nominal = 2
		}
		all = append(all, made.member())
	}
	return all
}

// among takes those of some tables that are of the group, those of regressions made
// ones.
func (g benchmarkGroup) among(all []tabularMember) ([]tabularMember, error) {
	var kept []tabularMember
	for _, m := range all {
		t, _, err := m.open()
		if err != nil {
			return nil, err
		}
		numeric, nominal := columnKinds(t)
		switch {
		case !g.regression && nominal == g.nominal:
			kept = append(kept, m)
		case g.regression && numeric && (g.nominal || !nominal):
			kept = append(kept, regressionMember(m, g.nominal))
		}
	}
	return kept, nil
}

// large are the tables of more training rows than a medium one has.
func large(all []tabularMember) ([]tabularMember, error) {
	const share, medium = .7, 10_000
	var kept []tabularMember
	for _, m := range all {
		t, _, err := m.open()
		if err != nil {
			return nil, err
		}
		if share*float64(t.Rows) > medium {
			kept = append(kept, m)
		}
	}
	return kept, nil
}
