package tabular

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// LeaderboardSpec says which results to compare.
type LeaderboardSpec struct {
	Source string   // the path of a CSV file, see [ReadResults], or one of [PaperTables]
	Others []string // paths of files with more methods, on the same datasets and perhaps on others
	// Missing is drop (default) or impute: see [MissingRule].
	Missing string
}

// LeaderboardRecord is a comparison of methods as scripts read it.
type LeaderboardRecord struct {
	Source      string     `json:"source"`
	SHA256      string     `json:"sha256,omitempty"` // of the file
	Others      []Others   `json:"others,omitempty"`
	Title       string     `json:"title"`
	Datasets    int        `json:"datasets"`
	Methods     int        `json:"methods"`
	Leaderboard []Standing `json:"leaderboard"`
	// Figure and FigureScores compare the metrics and the scores that a figure of the paper prints
	// with the paper's own table.
	Figure       []Compared             `json:"figure,omitempty"`
	FigureScores []Compared             `json:"figure_scores,omitempty"`
	Conventions  LeaderboardConventions `json:"conventions"`

	results *Results
	page    record.PageData // the table and the figure of the scores
}

// LeaderboardConventions says what the metrics depend on.
type LeaderboardConventions struct {
	Missing  string `json:"missing" fact:"missing scores"`
	Friedman string `json:"friedman" fact:"Friedman rank"`
	P90      string `json:"p90" fact:"P90, P95"`
	PMA      string `json:"pma" fact:"PMA"`
	ADTM     string `json:"adtm" fact:"ADTM"`
	Version  string `json:"version"`
}

func leaderboardConventions(m MissingRule) LeaderboardConventions {
	c := LeaderboardConventions{
		Missing: "dropped from a method's means, as Appendix E of paper rfm states",
		Friedman: "mean rank, 1 the best; equal scores share the mean of their ranks; a missing score is the mean " +
			"of the dataset's others",
		P90: "share of the datasets with at least 90 % (P95: 95 %) of the best score",
		PMA: "mean of score/best score; its deviation is that of the population; datasets whose best score is " +
			"not positive are left out",
		ADTM: "mean of (score − least)/(best − least), where Appendix E prints a denominator without the least; " +
			"datasets without a spread are left out",
		Version: record.Version(),
	}
	if m == ImputeMissing {
		c.Missing = "the mean of the dataset's other scores, in every metric, by which Fig. 5d of paper rfm comes out"
	}
	return c
}

// parseMissing reads drop or impute.
func parseMissing(text string) (MissingRule, error) {
	switch cmp.Or(text, "drop") {
	case "drop":
		return DropMissing, nil
	case "impute":
		return ImputeMissing, nil
	}
	return 0, input.Errorf("--missing %q: want drop or impute", text)
}

// CompareMethods compares the methods of a file, or of a table of the paper. It returns the record and
// the results that it compares.
func CompareMethods(s LeaderboardSpec) (*LeaderboardRecord, *Results, error) {
	missing, err := parseMissing(s.Missing)
	if err != nil {
		return nil, nil, err
	}
	r := &LeaderboardRecord{
		Source: s.Source, Title: shortPath(s.Source), Conventions: leaderboardConventions(missing),
	}
	var results *Results
	if t := FindPaperTable(s.Source); t != nil {
		r.Title = t.title
		if results, _, err = t.Read(); err == nil {
			r.Figure, r.FigureScores, err = t.compareFigure()
		}
	} else {
		results, r.SHA256, err = openResults(s.Source)
	}
	if err == nil && len(s.Others) > 0 {
		err = r.addOthers(results, s)
	}
	if err != nil {
		return nil, nil, err
	}
	r.Datasets, r.Methods = len(results.Datasets), len(results.Methods)
	r.Leaderboard = results.Leaderboard(missing)
	r.results, r.page.Tables = results, []report.Table{*ScoresTable(results)}
	return r, results, nil
}

// addOthers adds the results of more files.
func (r *LeaderboardRecord) addOthers(results *Results, s LeaderboardSpec) error {
	for _, path := range s.Others {
		o, err := OpenOthers(path)
		if err != nil {
			return err
		}
		r.Others = append(r.Others, *o)
		r.Title += ", " + shortPath(path)
	}
	return results.merge(s.Source, r.Others)
}

// Summary says which method comes first and, for a table of the paper, whether the paper's figure
// agrees with it.
func (r *LeaderboardRecord) Summary() string {
	parts := []string{summariseBoard(r.Leaderboard, r.Datasets)}
	if len(r.Figure) > 0 {
		parts = append(parts, r.summariseFigure())
	}
	if text := r.disagreements(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n")
}

// summariseBoard says which methods come first, and whether means are over different datasets.
func summariseBoard(board []Standing, datasets int) string {
	if len(board) == 0 || board[0].Friedman == nil {
		return "There is no score to compare."
	}
	first, verb := []string{board[0].Method}, "comes"
	least, most := board[0].Datasets, board[0].Datasets
	for _, s := range board[1:] {
		if s.Friedman != nil && *s.Friedman == *board[0].Friedman {
			first, verb = append(first, s.Method), "come"
		}
		least, most = min(least, s.Datasets), max(most, s.Datasets)
	}
	text := fmt.Sprintf("%s %s first of %s on %s: mean rank %.2f", words.List(first), verb,
		words.Count(len(board), "method"), words.Count(datasets, "dataset"), *board[0].Friedman)
	if board[0].Average != nil && len(first) == 1 {
		text += fmt.Sprintf(", mean score %s", boardScore(*board[0].Average))
	}
	if text += "."; least < most {
		text += fmt.Sprintf(" The methods have scores on %d to %d of these: --missing says what their means take for the others.",
			least, most)
	}
	return text
}

// boardScore formats a score: a percentage with two decimals, another one with three.
func boardScore(v float64) string {
	if math.Abs(v) > 1.5 {
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// summariseFigure says how many numbers of the figure agree with the table.
func (r *LeaderboardRecord) summariseFigure() string {
	figure := r.Figure[0].Figure
	text := fmt.Sprintf("Fig. %s prints %d metrics. ", figure, len(r.Figure))
	dropped := countVerdicts(r.Figure, func(c Compared) Agreement { return c.DroppedAgreement })
	imputed := countVerdicts(r.Figure, func(c Compared) Agreement { return c.ImputedAgreement })
	if dropped == imputed && !r.anyMissing() {
		return text + "Of them the table gives " + dropped + "."
	}
	return text + fmt.Sprintf("Missing scores dropped, as Appendix E states, the table gives %s; imputed by the mean "+
		"of the others, %s.%s", dropped, imputed, r.differingAverages())
}

// differingAverages lists the averages of the figure that the table does not give when missing scores
// are dropped.
func (r *LeaderboardRecord) differingAverages() string {
	var parts []string
	for _, c := range r.Figure {
		if c.Measure == "average" && c.DroppedAgreement == Differs && c.Dropped != nil {
			parts = append(parts, fmt.Sprintf("%s %s, the table %.4f (imputed %.4f)", c.Method, c.Printed, *c.Dropped,
				*c.Imputed))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " The averages that the figure prints otherwise than by Appendix E: " + strings.Join(parts, "; ") + "."
}

// anyMissing says whether a score is missing.
func (r *LeaderboardRecord) anyMissing() bool {
	return slices.ContainsFunc(r.Leaderboard, func(s Standing) bool { return s.Datasets < r.Datasets })
}

// countVerdicts says how many numbers have each verdict.
func countVerdicts(all []Compared, verdict func(Compared) Agreement) string {
	count := map[Agreement]int{}
	for _, c := range all {
		count[verdict(c)]++
	}
	var parts []string
	for _, v := range []struct {
		verdict Agreement
		text    string
	}{{Agrees, "%d to the printed digit"}, {Rounding, "%d within the rounding of its scores"}, {Differs, "%d not"}} {
		if n := count[v.verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf(v.text, n))
		}
	}
	return strings.Join(parts, ", ")
}

// disagreements lists the scores in which the figure and the table differ.
func (r *LeaderboardRecord) disagreements() string {
	var parts []string
	for _, c := range r.FigureScores {
		if c.DroppedAgreement == Agrees {
			continue
		}
		score := "none"
		if c.Dropped != nil {
			score = boardScore(*c.Dropped)
		}
		parts = append(parts, fmt.Sprintf("%s on %s %s, the table %s", c.Method, c.Dataset, c.Printed, score))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("Fig. %s disagrees with the table in %d of %d scores: %s.", r.FigureScores[0].Figure,
		len(parts), len(r.FigureScores), strings.Join(parts, "; "))
}
