package tabular

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// TestFigure5 computes the metrics of Figs. 5c and 5d from Tables 3 and 2. With missing scores imputed, all of them
// agree with the figures to the printed digit or within the rounding of the tables.
func TestFigure5(t *testing.T) {
	for _, c := range []struct {
		table    string
		metrics  int
		rounding []string // agree within rounding, if missing scores are imputed
		differs  []string // differ, if missing scores are dropped
		scores   []string // that the figure prints differently from the table
	}{
		{"rfm-table3", 38, []string{"average MLP", "adtm Resnet"}, nil,
			[]string{"XGBoost 94.47", "Resnet 94.61", "FT Transformer 94.56", "XGBoost 72.87", "SAINT 89.59"}},
		{"rfm-table2", 35, []string{
			"average SAINT", "adtm RFM", "adtm XGBoost", "adtm Gradient Boosting Tree", "adtm Random Forest",
			"adtm Resnet", "adtm SAINT", "adtm FT Transformer",
			"pma_sd Resnet", "friedman RFM", "friedman XGBoost", "friedman Gradient Boosting Tree",
			"friedman Random Forest", "friedman Resnet", "friedman SAINT", "friedman FT Transformer",
		}, []string{
			"average XGBoost", "average Gradient Boosting Tree", "average Random Forest", "average Resnet",
			"average SAINT", "average FT Transformer",
			"adtm Resnet", "adtm SAINT", "adtm FT Transformer", "pma Random Forest", "pma_sd Random Forest",
			"pma Resnet", "pma_sd Resnet", "pma SAINT", "pma_sd SAINT", "pma FT Transformer", "pma_sd FT Transformer",
		}, nil},
	} {
		metrics, scores, err := FindPaperTable(c.table).compareFigure()
		if err != nil {
			t.Fatal(err)
		}
		var rounding, differs, other []string
		for _, m := range metrics {
			switch m.ImputedAgreement {
			case Rounding:
				rounding = append(rounding, m.Measure+" "+m.Method)
			case Differs:
				t.Errorf("%s: %+v", c.table, m)
			}
			if m.DroppedAgreement == Differs {
				differs = append(differs, m.Measure+" "+m.Method)
			}
		}
		for _, s := range scores {
			if s.DroppedAgreement != Agrees {
				other = append(other, s.Method+" "+s.Printed)
			}
		}
		if len(metrics) != c.metrics || !slices.Equal(rounding, c.rounding) || !slices.Equal(differs, c.differs) ||
			!slices.Equal(other, c.scores) {
			t.Errorf("%s: %d metrics\nrounding %q\ndiffers %q\nscores %q", c.table, len(metrics), rounding, differs,
				other)
		}
	}
}

// TestPaperTables checks some averages of the paper's tables, their numbers of rows and the rounding of their scores.
func TestPaperTables(t *testing.T) {
	for _, c := range []struct {
		table, method string
		datasets      int
		average       string
	}{{"rfm-table3", "RFM", 19, "83.84"}, {"rfm-table3", "XGBoost", 19, "83.63"}, {"rfm-table2", "RFM", 23, "0.776"},
		{"rfm-table2", "XGBoost", 22, "0.777"}} {
		r, _, err := CompareMethods(LeaderboardSpec{Source: c.table})
		if err != nil {
			t.Fatal(err)
		}
		if s := standingOf(t, r.Leaderboard, c.method); boardScore(*s.Average) != c.average ||
			s.Datasets != c.datasets {
			t.Errorf("%s %s: %v on %d", c.table, c.method, *s.Average, s.Datasets)
		}
	}
	rows := map[string]int{"rfm-table2": 23, "rfm-table3": 19, "rfm-table4": 18, "rfm-table5": 10}
	for _, name := range PaperTables() {
		r, half, err := FindPaperTable(name).Read()
		if err != nil || len(r.Datasets) != rows[name] {
			t.Errorf("%s: %d rows, %v", name, len(r.Datasets), err)
		}
		if want := map[bool]float64{
			true: .0005, false: .005,
		}[name == "rfm-table2" || name == "rfm-table4"]; math.Abs(half-want) > 1e-18 {
			t.Errorf("%s: known to %v", name, half)
		}
	}
}

// The paper's tables name the best method in the column "best method". That method has the highest score, which
// rounding may make others share.
func TestPaperTablesBest(t *testing.T) {
	for _, p := range paperTables {
		rows, err := paperRows(p.file)
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := p.Read()
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			best := slices.Max(slices.DeleteFunc(slices.Clone(r.Scores[i]), math.IsNaN))
			if j := slices.Index(r.Methods, row[len(row)-1]); j < 0 || r.Scores[i][j] != best {
				t.Errorf("%s, %s: %s is not the best", p.name, r.Datasets[i], row[len(row)-1])
			}
		}
	}
}

// Ranges hold the metrics that are possible if scores are rounded, and printed numbers are judged by them.
func TestRanges(t *testing.T) {
	r := readText(t, "dataset,a,b\none,.50,.51\ntwo,.70,.60\n")
	s := newRanges(r, DropMissing, .005)
	for _, c := range []struct {
		measure, printed string
		want             Agreement
	}{
		{"average", "0.60", Agrees}, {"average", "0.605", Rounding}, {"average", "0.606", Differs},
		{"friedman", "1.5", Agrees}, {"friedman", "1.25", Rounding}, {"friedman", "1.1", Differs},
		{"adtm", "0.5", Agrees}, {"adtm", "1.0", Differs}, {"unknown", "1", Differs},
	} {
		if _, got := s.judge(printed{measure: c.measure, method: "a", text: c.printed}); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.measure, c.printed, got, c.want)
		}
	}
	if v, got := s.judge(printed{measure: "average", method: "c", text: "1"}); v != nil || got != Differs {
		t.Errorf("an unknown method: %v %s", v, got)
	}
}

func TestLeaderboardSave(t *testing.T) {
	r, _, err := CompareMethods(LeaderboardSpec{Source: "rfm-table2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"XGBoost 0.780, the table 0.7765 (imputed 0.7805)", "35 metrics", "17 not"} {
		if !strings.Contains(r.Summary(), text) {
			t.Errorf("no %q in %s", text, r.Summary())
		}
	}
	dir := t.TempDir()
	path, err := r.Save(dir)
	if err != nil || path != filepath.Join(dir, "report.html") {
		t.Fatal(path, err)
	}
	for _, f := range []string{"record.json", "tables/leaderboard.csv", "tables/figure.csv", "tables/results.csv"} {
		if info, err := os.Stat(filepath.Join(dir, f)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f, err)
		}
	}
	again, _, err := CompareMethods(LeaderboardSpec{Source: filepath.Join(dir, "tables/results.csv")})
	if err != nil || standingOf(t, again.Leaderboard, "RFM").Friedman == nil ||
		*standingOf(t, again.Leaderboard, "RFM").Friedman != *standingOf(t, r.Leaderboard, "RFM").Friedman {
		t.Errorf("read again: %v", err)
	}
	for _, s := range []LeaderboardSpec{{Source: "nowhere.csv"}, {Source: "rfm-table2", Missing: "guess"}} {
		if _, _, err := CompareMethods(s); !input.IsError(err) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
