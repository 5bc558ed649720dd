package rfmtables

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
)

// The measures of one of Tables 2 to 5, which is the part that they are of: RFM's lead in Friedman rank
// over the best of the networks and of the trees, as printed.
var (
	leadOverNetworks = study.NewMeasure("printed_networks")
	leadOverTrees    = study.NewMeasure("printed_trees")
)

// scoreOver returns the measure of RFM's mean score less that of another method, on tables of ours.
func scoreOver(method string) study.Measure { return study.NewMeasure("over_" + method) }

// signsOver returns the measure of the sign test of RFM against another method, on tables of ours.
func signsOver(method string) study.Measure { return study.NewMeasure("sign_" + method) }

// benchmarkGroup is the kind of tables of one of rfm's Tables 2 to 5, and what the paper says of it.
type benchmarkGroup struct {
	key             string // table2 to table5
	folder          string // folder of the benchmark
	regression      bool
	nominal         bool // with categorical variables
	networks, trees rankClaim
}

// rankClaim is a claim about RFM's lead in Friedman rank over the best of some methods, as printed.
type rankClaim struct {
	says, paper string
	holds       study.Interval
}

// claim returns the claim about a measure.
func (c rankClaim) claim(m study.Measure) study.Claim {
	return m.Claim("As printed: "+c.says+": lead in Friedman rank over the best of them.", c.paper, c.holds)
}

var (
	outperform  = rankClaim{"RFMs outperform modern neural networks", "outperform", study.Above(0)}
	improve     = rankClaim{"RFMs generally provide an improvement over neural networks", "improvement", study.Above(0)}
	competitive = rankClaim{"they are competitive with tree-based models", "competitive", study.AtLeast(-1)}
)

var benchmarkGroups = []benchmarkGroup{
	{"table2", "reg_num", true, false, outperform, competitive},
	{"table3", "clf_num", false, false, outperform, competitive},
	{"table4", "reg_cat", true, true, improve,
		rankClaim{"they are slightly outperformed by tree-based models on regressions", "outperformed",
			study.AtMost(0)}},
	{"table5", "clf_cat", false, true, improve,
		rankClaim{"they come near tree-based models", "not said of classifications", study.AtLeast(-1)}},
}

// describe returns the kind of tables in words, with the given ending of the first.
func (g benchmarkGroup) describe(ending string) string {
	task, with := "classification", "without"
	if g.regression {
		task = "regression"
	}
	if g.nominal {
		with = "with"
	}
	return fmt.Sprintf("%s%s %s categorical variables", task, ending, with)
}

// Table returns one of Tables 2 to 5 of the paper, which shows a part of [Fig5].
func Table(number int) *study.Experiment {
	g := benchmarkGroups[number-2]
	title := g.describe("s")
	return &study.Experiment{
		ID: "rfm/" + g.key, Paper: "rfm", Figure: fmt.Sprintf("Table %d", number),
		Title: strings.ToUpper(title[:1]) + title[1:],
		About: "The table as the paper prints it, what follows from it, and RFM, kernels and linear regression on " +
			"tables of ours.",
		Claims: []study.Claim{
			g.networks.claim(leadOverNetworks.Of(g.key)),
			g.trees.claim(leadOverTrees.Of(g.key)),
			scoreOver("laplace").Of(g.key).Claim("Ours: learning features helps: mean score of RFM less that of the "+
				"Laplace kernel.",
				"not in the table", study.Above(0)),
			signsOver("laplace").Of(g.key).Claim("Ours: RFM is ahead of the Laplace kernel on more tables than "+
				"chance gives: sign test.",
				"not asked by the paper", study.AtMost(.05)),
			scoreOver("ntk").Of(g.key).Claim("Ours: mean score of RFM less that of the NTK, the kernel of wide "+
				"networks.",
				"not in the table", study.Above(0)),
			scoreOver("linear").Of(g.key).Claim("Ours: mean score of RFM less that of linear regression.",
				"not in the table", study.Above(0)),
		},
		Of: Fig5(), Shows: []string{g.key + "-*"},
	}
}

// tables returns the group's tables from a source.
func (g benchmarkGroup) tables(in study.Setting, source string) (t tableSet, err error) {
	switch {
	case source == generatedTables:
		for _, p := range []table.Polynomial{table.LowRank(), table.Hermite()} {
			made := tabular.GeneratedTable{Polynomial: p, Rows: 60, Seed: in.Seed, Classes: !g.regression}
			if g.nominal {
				made.Nominal = 2
			}
			t.add(made)
		}
	case in.Dry() && source == tabular.GrinsztajnProtocol:
		t.sizes = tabular.BenchmarkTables(g.folder)
	case in.Dry():
		t.sizes, err = folderSizes(source, g.sizeOf)
	case source == tabular.GrinsztajnProtocol:
		t.members, err = tabular.GrinsztajnMembers(in.DataDir)
		t.members = slices.DeleteFunc(t.members,
			func(m tabular.Member) bool { return !strings.HasPrefix(m.Name, g.folder+"/") })
	default:
		if t.members, err = listTables(in, source); err == nil {
			t.members, err = g.selectMembers(t.members)
		}
	}
	return t, err
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

// sizeOf returns the size of a table in the group, and whether the group has it. A regression has a
// column less, and with nominal columns a feature more for each class.
func (g benchmarkGroup) sizeOf(t folderTable) (tabular.TableSize, bool) {
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
