package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ansatz-lab/ansatz/experiments/tabular"
)

func (a *app) leaderboard() *cobra.Command {
	var s tabular.LeaderboardSpec
	c := &cobra.Command{
		Use:   "leaderboard FILE.csv|" + strings.Join(tabular.PaperTables(), "|"),
		Short: "Compare methods over datasets: average, Friedman rank, P90, P95, PMA, ADTM",
		Long: `leaderboard reads a table of results, a column of datasets and one for each method under a
line of their names, "-" or nothing where a score is missing, and prints the metrics by
which paper rfm compares methods (its Appendix E), the best mean rank first. The columns
n-train, rows, features, classes and best method are left out: results.csv of ansatz
tabular can be given as it is, with columns of other methods added.

rfm-table2 to rfm-table5 are the result tables that paper rfm prints. For the first two it
holds every number of Fig. 5 against them, and says which are those of the table to the
printed digit, which are but for the rounding of the table's scores, and which are not.`,
		Example: `  ansatz leaderboard rfm-table3
  ansatz leaderboard rfm-table2 --missing impute --out out/table2
  ansatz leaderboard out/tabular-uci/results.csv --json`,
		Args: oneArg("table"),
		RunE: func(_ *cobra.Command, args []string) error {
			s.Source = args[0]
			r, _, err := tabular.CompareMethods(s)
			if err != nil {
				return err
			}
			return errors.Join(show(a, r, r.Summary(), r.Tables()...), a.savePage(r.Save))
		},
	}
	c.Flags().StringVar(&s.Missing, "missing", "drop", "what becomes of missing scores in means: drop, or impute "+
		"(the mean of the dataset's others)")
	return c
}
