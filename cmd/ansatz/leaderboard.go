package main

import (
	"errors"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) leaderboard() *cobra.Command {
	var s tabular.LeaderboardSpec
	c := &cobra.Command{
		Use:   "leaderboard FILE.csv|" + strings.Join(tabular.PaperTables(), "|") + " [FILE.csv...]",
		Short: "Compare methods over datasets: average, Friedman rank, P90, P95, PMA, ADTM",
		Long: `leaderboard reads a table of results and prints the metrics by which paper rfm compares
methods (its Appendix E), best mean rank first. The table has a header, a column of datasets
and a column for each method; a missing score is empty or "-". The columns n-train, rows,
features, classes and best method are ignored, so results.csv of ansatz tabular can be given
as it is. Of several files, those after the first add their methods to its datasets, which
are matched by name.

rfm-table2 to rfm-table5 are the result tables that paper rfm prints. The first two are also
compared with every number of its Fig. 5: some agree to the printed digit, some only within the
rounding of the table's scores, and some do not agree.`,
		Example: `  ansatz leaderboard rfm-table3
  ansatz leaderboard rfm-table2 --missing impute --out out/table2
  ansatz leaderboard out/tabular-uci/results.csv out/baselines.csv --json`,
		Args: someArgs("a table of results"),
		RunE: func(_ *cobra.Command, args []string) error {
			s.Source, s.Others = args[0], args[1:]
			r, _, err := tabular.CompareMethods(s)
			if err != nil {
				return err
			}
			return errors.Join(show(a, r, r.Summary(), r.Tables()...), a.savePage(r.Save))
		},
	}
	missingFlag(c.Flags(), &s.Missing)
	return c
}

// missingFlag adds the flag that says how missing scores are treated.
func missingFlag(f *pflag.FlagSet, rule *string) {
	f.StringVar(rule, "missing", "drop", "missing scores in means: drop, or impute (the mean of the dataset's others)")
}
