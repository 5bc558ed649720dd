package rfmtables

import (
	"fmt"
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
		return tabular.BenchmarkTables[g.folder], nil
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
