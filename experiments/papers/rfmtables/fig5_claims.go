package rfmtables

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// grinsztajn names the paper's tables of Fig. 5 and of Tables 2 to 5.
const grinsztajn = "the benchmark of Grinsztajn et al."

// competitiveMargin is by how much a competitive PMA may be below the best of some methods: .02. The paper calls .984
// beside .988 competitive, which is a fifth of that.
const competitiveMargin = .02

// figure5Claims returns the claims of Fig. 5 and of its text about the tables that the paper prints.
func figure5Claims() []study.Claim {
	all := []study.Claim{
		follows.Of("a").Claim("Paper rfm's Fig. 5a prints the scores that its Table 3 has for large "+
			"classifications: share of the scores that agree.", "all", study.AtLeast(1)).Diagnosed("The scores of " +
			"other methods differ by up to .22 points, on three tasks (table fig5-a); those of RFM agree. Both are the " +
			"paper's print, so that no run decides: its authors would know which is right."),
		follows.Of("b").Claim("Paper rfm's Fig. 5b prints the scores that its Table 2 has for large regressions: "+
			"share of the scores that agree.", "all", study.AtLeast(1)),
		largeFirst.Claim("RFM is the top performing model on the majority of the large tasks, those of paper "+
			"rfm's Figs. 5a and 5b: share of the tasks.", "majority", study.Above(.5)),
		follows.Of("c").Claim("The metrics of paper rfm's Fig. 5c follow from its Table 3 by the rules of its "+
			"Appendix E: share of the metrics.", "all", study.AtLeast(1)),
		follows.Of("d").Claim("The metrics of paper rfm's Fig. 5d follow from its Table 2 by the rules of its "+
			"Appendix E: share of the metrics.", "all", study.AtLeast(1)).Diagnosed("Appendix E leaves missing scores out " +
			"of a mean. If they are the mean of the others instead, all metrics follow (table fig5-d). This is " +
			"arithmetic on what is printed, which no run changes."),
		followsImputed.Of("d").Check("The metrics of paper rfm's Fig. 5d follow from its Table 2 if missing "+
			"scores are the mean of the others in every metric: share of the metrics.", study.AtLeast(1)),
	}
	for _, c := range []struct {
		metric           boardMetric
		panel, name      string
		table            int
		printed          string
		value, tolerance float64
	}{
		{averageScore, "c", "average accuracy", 3, "83.84", 83.84, .01},
		{adtm, "c", "ADTM", 3, ".810", .810, .002},
		{pma, "c", "PMA", 3, ".991", .991, .001},
		{friedmanRank, "c", "Friedman rank", 3, "2.39", 2.39, .01},
		{averageScore, "d", "average R²", 2, ".776", .776, .001},
	} {
		all = append(all, c.metric.Of("rfm").Of(c.panel).Claim(fmt.Sprintf("RFM's %s over the rows of paper "+
			"rfm's Table %d is what its Fig. 5%s prints.",
			c.name, c.table, c.panel), c.printed, study.Within(c.value, c.tolerance)))
	}
	for _, c := range []struct {
		metric        boardMetric
		says, printed string
	}{
		{averageScore, "the highest average accuracy, in points", "+0.21"},
		{adtm, "the highest ADTM", "+.048"},
		{pma, "the highest PMA", "highest"},
		{friedmanRank, "the best Friedman rank", "+0.24"},
	} {
		all = append(all, c.metric.Of("lead").Of("c").Claim(fmt.Sprintf("Across all classifications of paper "+
			"rfm's Table 3, RFM has %s: its lead.", c.says), c.printed, study.Above(0)))
	}
	return append(all,
		pma.Of("xgboost").Of("d").Claim("RFM is competitive with XGBoost across all regressions of paper rfm's "+
			"Table 2: its PMA less that of XGBoost.", "competitive", study.AtLeast(-competitiveMargin)),
		beatsNetworks.Of("c").Claim("RFM outperforms all neural networks on all classifications of paper rfm's "+
			"Table 3: share of the rows.", "all", study.AtLeast(1)).Diagnosed("In a quarter of the rows of the paper's own "+
			"table a network has the higher score. No run changes what is printed."),
		beatsNetworks.Of("d").Claim("RFM outperforms all neural networks on all regressions of paper rfm's Table "+
			"2: share of the rows that have a network.", "all", study.AtLeast(1)))
}

// boardChecks compares RFM with the other methods that run here; the paper has none of these.
func boardChecks() []study.Claim {
	var all []study.Claim
	for _, c := range []struct {
		key, tables string
		metric      boardMetric
		says        string
	}{
		{"table3", "classifications", averageScore, "the highest average accuracy"},
		{"table3", "classifications", friedmanRank, "the best Friedman rank"},
		{"table2", "regressions", averageScore, "the highest average R²"},
		{"table2", "regressions", friedmanRank, "the best Friedman rank"},
	} {
		all = append(all, c.metric.Of(c.key).Check(fmt.Sprintf("On %s without categorical variables, RFM has %s: its "+
			"lead over the best of the Laplace kernel, the NTK and linear regression.", c.tables, c.says),
			study.Above(0)).On(grinsztajn))
	}
	return all
}
