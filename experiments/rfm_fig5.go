package experiments

const benchmarkAbout = "The benchmark of Grinsztajn et al.: 70 % of the rows to train, at most 10 000 (medium) or 50 000 (large), of the rest 30 % to validate; the configuration with the highest mean validation score over random splits, and its mean test score. " +
	"At scale small its tables are stood in for by the 20 of the UCI repository in the folder uci of the data folder, at most 800 rows of each, with 10 configurations of every method's grid and 3 splits: " +
	"without categorical variables those whose columns are all numeric, with them those that have nominal ones, with as many classes as they have, where the benchmark has two. " +
	"They have no regressions: the first numeric column without missing values is regressed on the others, in Table 2 on those of numeric tables, in Table 4 of all tables that have one, the class and other nominal columns among the features. Some of these have next to nothing to learn. " +
	"At scale smoke polynomials are the tables. RFM is compared with what is here: ridge regression with the Laplace kernel, which is RFM without features, with the NTK of ReLU networks of 1 to 5 hidden layers, and linear. There are no trees and no trained networks: for those there is what the paper prints, from which its own summary is computed again, the same at every scale."

// rfmFig5 is the benchmark of Grinsztajn et al.; Tables 2 to 5 show parts of it.
func rfmFig5() *Experiment {
	methods := []string{rfmMethod, "laplace", "ntk", "linear"}
	return &Experiment{
		ID: "rfm/fig5", Paper: "rfm", Figure: "Fig. 5", Title: "RFMs on a benchmark of tables, and the paper's summary of it",
		About: benchmarkAbout + " A number of the figure follows from the tables if scores that round to the printed ones give it.",
		Claims: []Claim{
			{"a_follows", "a: the scores on large classifications are those of Table 3: share that is.", "all", atLeast(1)},
			{"b_follows", "b: the scores on large regressions are those of Table 2: share that is.", "all", atLeast(1)},
			{"large_first", "RFMs are the top performing model on the majority of large tasks, by a and b: share.", "majority", above(.5)},
			{"c_follows", "c: the metrics of classifications follow from Table 3 by the rules of Appendix E: share that does.", "all", atLeast(1)},
			{"d_follows", "d: the metrics of regressions follow from Table 2 by the rules of Appendix E: share that does.", "all", atLeast(1)},
			{"d_follows_imputed", "d: they follow where missing scores are the mean of the others in every metric: share.", "not said by the paper", atLeast(1)},
			{"c_rfm_average", "c: RFM's average accuracy, from Table 3.", "83.84", within(83.84, .01)},
			{"c_rfm_adtm", "c: RFM's ADTM, from Table 3.", ".810", within(.810, .002)},
			{"c_rfm_pma", "c: RFM's PMA, from Table 3.", ".991", within(.991, .001)},
			{"c_rfm_rank", "c: RFM's Friedman rank, from Table 3.", "2.39", within(2.39, .01)},
			{"d_rfm_average", "d: RFM's average R², from Table 2.", ".776", within(.776, .001)},
			{"c_lead_average", "c: RFM has the highest average accuracy across all classifications of Table 3: lead, in points.", "+0.21", above(0)},
			{"c_lead_adtm", "c: the highest ADTM: lead.", "+.048", above(0)},
			{"c_lead_pma", "c: the highest PMA: lead.", "highest", above(0)},
			{"c_lead_rank", "c: the best Friedman rank: lead.", "+0.24", above(0)},
			{"d_xgboost_pma", "d: RFM is competitive with XGBoost across all regressions: PMA less that of XGBoost, from Table 2.", "competitive", atLeast(-.02)},
			{"c_networks", "RFMs outperform all neural network models on all classifications: share of the rows of Table 3.", "all", atLeast(1)},
			{"d_networks", "RFMs outperform all neural network models on all regressions: share of the rows of Table 2 that have one.", "all", atLeast(1)},
			{"table3_average", "Ours, classifications without categorical variables: RFM has the highest average accuracy: lead.", "highest of its methods", above(0)},
			{"table3_rank", "Ours: the best Friedman rank: lead.", "best of its methods", above(0)},
			{"table2_average", "Ours, regressions without categorical variables: RFM has the highest average R²: lead.", "second of its methods", above(0)},
			{"table2_rank", "Ours: the best Friedman rank: lead.", "second of its methods", above(0)},
		},
		Specs: map[Scale]Spec{
			Smoke:      &BenchmarkSpec{generatedTables, methods, 60, 2, 1, 1, false},
			Small:      &BenchmarkSpec{uciFolder, methods, 800, 10, 3, 5, false},
			PaperScale: &BenchmarkSpec{grinsztajnProtocol, methods, 0, 100, 3, 5, true},
		},
		Shows: []string{"fig5-*", "table[23]-standings*", "table[23]-metrics"},
	}
}

// benchmarkClaims are those that all four tables have of tables of ours.
func benchmarkClaims(key string) []Claim {
	return []Claim{
		{key + "_over_laplace", "Ours: learning features helps: mean score of RFM less that of the Laplace kernel.", "not in the table", above(0)},
		{key + "_sign_laplace", "Ours: RFM is ahead of the Laplace kernel on more tables than chance gives: sign test.", "not asked by the paper", atMost(.05)},
		{key + "_over_ntk", "Ours: mean score of RFM less that of the NTK, the kernel of wide networks.", "not in the table", above(0)},
		{key + "_over_linear", "Ours: mean score of RFM less that of linear regression.", "not in the table", above(0)},
	}
}

// benchmarkTable is a view of one of the tables.
func benchmarkTable(number, title string, claims ...Claim) *Experiment {
	key := "table" + number
	return &Experiment{
		ID: "rfm/" + key, Paper: "rfm", Figure: "Table " + number, Title: title,
		About:  "The table as the paper prints it, what follows from it, and RFM, kernels and linear regression on tables of ours.",
		Claims: append(claims, benchmarkClaims(key)...),
		Of:     rfmFig5(), Shows: []string{key + "-*"},
	}
}

func rfmTable2() *Experiment {
	return benchmarkTable("2", "Regressions without categorical variables",
		Claim{"table2_printed_networks", "As printed: RFMs outperform modern neural networks: lead in Friedman rank over the best of them.", "outperform", above(0)},
		Claim{"table2_printed_trees", "As printed: they are competitive with tree-based models: lead in Friedman rank over the best of them.", "competitive", atLeast(-1)})
}

func rfmTable3() *Experiment {
	return benchmarkTable("3", "Classifications without categorical variables",
		Claim{"table3_printed_networks", "As printed: RFMs outperform modern neural networks: lead in Friedman rank over the best of them.", "outperform", above(0)},
		Claim{"table3_printed_trees", "As printed: they are competitive with tree-based models: lead in Friedman rank over the best of them.", "competitive", atLeast(-1)})
}

func rfmTable4() *Experiment {
	return benchmarkTable("4", "Regressions with categorical variables",
		Claim{"table4_printed_networks", "As printed: RFMs generally provide an improvement over neural networks: lead in Friedman rank over the best of them.", "improvement", above(0)},
		Claim{"table4_printed_trees", "As printed: they are slightly outperformed by tree-based models on regressions: lead in Friedman rank over the best of them.", "outperformed", atMost(0)})
}

func rfmTable5() *Experiment {
	return benchmarkTable("5", "Classifications with categorical variables",
		Claim{"table5_printed_networks", "As printed: RFMs generally provide an improvement over neural networks: lead in Friedman rank over the best of them.", "improvement", above(0)},
		Claim{"table5_printed_trees", "As printed: they come near tree-based models: lead in Friedman rank over the best of them.", "not said of classifications", atLeast(-1)})
}
