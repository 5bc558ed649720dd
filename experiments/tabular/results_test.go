package tabular

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// The numbers of the methods in results/tables.md agree with the files of results beside it.
func TestResultsOfTables(t *testing.T) {
	dir := filepath.Join("..", "..", "results")
	r, _, err := CompareMethods(LeaderboardSpec{Source: filepath.Join(dir, "tables", "results.csv"),
		Others: []string{filepath.Join(dir, "tables", "baselines", "results.csv"), filepath.Join(dir, "tables", "search", "results.csv")}})
	if err != nil {
		t.Fatal(err)
	}
	page := readFile(t, dir, "tables.md")
	for _, s := range r.Leaderboard {
		row := fmt.Sprintf("| %s | %.2f | %.3f | %.3f | %.3f | %.3f |", s.Method, *s.Friedman, *s.Average, *s.P95, *s.PMA, *s.ADTM)
		if !strings.Contains(page, row) {
			t.Errorf("results/tables.md has no row %q", row)
		}
	}
	if r.Datasets != 20 || r.Methods != 9 {
		t.Errorf("%d methods on %d datasets", r.Methods, r.Datasets)
	}
}
