package tabular

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/record"
)

// papers holds the result tables of paper rfm and the numbers of its Figs. 4 and 5, which
// papers/make_rfm_tables.py extracted from the paper's text, and sizes of benchmark tables.
//
//go:embed papers/*.csv
var papers embed.FS

// paperTable is a table of results of a paper.
type paperTable struct {
	name, title string
	file        string
	// metrics and scores are the panels of Fig. 5 that show the table's metrics and some of its rows;
	// "" for none.
	metrics, scores string
}

var paperTables = []paperTable{
	{"rfm-table2", "R² on regressions without categorical variables (rfm, Table 2)",
		"papers/rfm_table2.csv", "d", "b"},
	{"rfm-table3", "Accuracy in % on classifications without categorical variables (rfm, Table 3)",
		"papers/rfm_table3.csv", "c", "a"},
	{"rfm-table4", "R² on regressions with categorical variables (rfm, Table 4)", "papers/rfm_table4.csv", "", ""},
	{"rfm-table5", "Accuracy in % on classifications with categorical variables (rfm, Table 5)",
		"papers/rfm_table5.csv", "", ""},
}

// PaperTables returns the names of the papers' tables of results.
func PaperTables() []string {
	var names []string
	for _, t := range paperTables {
		names = append(names, t.name)
	}
	return names
}

// FindPaperTable returns the table of that name, or nil.
func FindPaperTable(name string) *paperTable {
	i := slices.IndexFunc(paperTables, func(t paperTable) bool { return t.name == name })
	if i < 0 {
		return nil
	}
	return &paperTables[i]
}

// Read returns the results of a table, and half a unit of their last decimal.
func (t *paperTable) Read() (*Results, float64, error) {
	text, err := papers.ReadFile(t.file)
	if err != nil {
		return nil, 0, err
	}
	return readPaperResults(t.file, text)
}

func readPaperResults(path string, text []byte) (*Results, float64, error) {
	r, digits, err := readResults(path, bytes.NewReader(text))
	return r, .5 * math.Pow10(-digits), err
}

// printed is a number that Fig. 5 prints.
type printed struct {
	panel   string // a to d
	measure string // score, or the name of a metric as in JSON
	dataset string // of a score, named as in Results
	method  string
	text    string
}

func (p printed) decimals() int { return record.Decimals(p.text) }

// readFigure returns the numbers of a panel of Fig. 5.
func readFigure(panel string, r *Results) ([]printed, error) {
	rows, err := paperRows("papers/rfm_fig5.csv")
	if err != nil {
		return nil, err
	}
	var all []printed
	for _, c := range rows { // panel, measure, dataset, n-train, method, printed, sd
		if c[0] != panel {
			continue
		}
		p := printed{panel: c[0], measure: c[1], dataset: c[2], method: c[4], text: c[5]}
		if name := withTrain(c[2], c[3]); slices.Contains(r.Datasets, name) {
			p.dataset = name
		}
		all = append(all, p)
		if c[6] != "" {
			p.measure, p.text = c[1]+"_sd", c[6]
			all = append(all, p)
		}
	}
	return all, nil
}

// paperRows returns the rows of an embedded CSV file, without its header.
func paperRows(path string) ([][]string, error) {
	text, err := papers.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows[1:], nil
}

// An Agreement says whether a number of a figure agrees with the paper's tables.
type Agreement string

const (
	// Agrees means that the numbers are equal to the printed digit.
	Agrees Agreement = "agrees"
	// Rounding means that some scores which round to the table's scores give the printed number.
	Rounding Agreement = "rounding"
	// Differs means that no such scores give it or, for a standard deviation, that none were found.
	Differs Agreement = "differs"
)

// Compared is a number of a figure beside the number that follows from the paper's own table.
type Compared struct {
	Figure  string `json:"figure"` // 5a to 5d
	Measure string `json:"measure"`
	Dataset string `json:"dataset,omitempty"`
	Method  string `json:"method"`
	Printed string `json:"printed"`
	// Dropped is the metric with [DropMissing], Imputed the metric with [ImputeMissing]; nil if not defined.
	Dropped          *float64  `json:"dropped,omitempty"`
	DroppedAgreement Agreement `json:"dropped_verdict"`
	Imputed          *float64  `json:"imputed,omitempty"`
	ImputedAgreement Agreement `json:"imputed_verdict"`
}

// compareFigure compares the numbers of Fig. 5 with the table: the metrics, and the scores of datasets.
func (t *paperTable) compareFigure() (metrics, scores []Compared, err error) {
	if t.metrics == "" {
		return nil, nil, nil
	}
	r, half, err := t.Read()
	if err != nil {
		return nil, nil, err
	}
	all, err := readFigure(t.metrics, r)
	if err != nil {
		return nil, nil, err
	}
	dropped, imputed := newRanges(r, DropMissing, half), newRanges(r, ImputeMissing, half)
	for _, p := range all {
		c := Compared{Figure: "5" + p.panel, Measure: p.measure, Method: p.method, Printed: p.text}
		c.Dropped, c.DroppedAgreement = dropped.judge(p)
		c.Imputed, c.ImputedAgreement = imputed.judge(p)
		metrics = append(metrics, c)
	}
	if all, err = readFigure(t.scores, r); err != nil {
		return nil, nil, err
	}
	for _, p := range all {
		scores = append(scores, p.compareScore(r))
	}
	return metrics, scores, nil
}

// compareScore compares a printed score with the table's score.
func (p printed) compareScore(r *Results) Compared {
	c := Compared{Figure: "5" + p.panel, Measure: p.measure, Dataset: p.dataset, Method: p.method, Printed: p.text,
		DroppedAgreement: Differs}
	i, j := slices.Index(r.Datasets, p.dataset), slices.Index(r.Methods, p.method)
	if i >= 0 && j >= 0 && !math.IsNaN(r.Scores[i][j]) {
		v := r.Scores[i][j]
		c.Dropped = &v
		if p.equals(v) {
			c.DroppedAgreement = Agrees
		}
	}
	c.Imputed, c.ImputedAgreement = c.Dropped, c.DroppedAgreement
	return c
}

// equals says whether v, rounded to the printed decimals, is the printed number.
func (p printed) equals(v float64) bool {
	return strconv.FormatFloat(v, 'f', p.decimals(), 64) == p.text
}

// ranges holds the metrics of a table, and the ranges of their values over all scores that round to
// the table's scores.
type ranges struct {
	methods []string
	at      []contributions // by method, with the scores of the table
	lo, hi  []contributions // by method, the least and the greatest term of each dataset
}

// newRanges computes the ranges of scores that are known up to ±half. It moves every score of a
// dataset to either end of its range, in all combinations. It can take one dataset at a time, since
// their terms do not depend on each other.
func newRanges(r *Results, missing MissingRule, half float64) *ranges {
	n := len(r.Methods)
	s := &ranges{r.Methods, make([]contributions, n), make([]contributions, n), make([]contributions, n)}
	for _, row := range r.Scores {
		lo := contribute(row, missing)
		hi := slices.Clone(lo)
		for j, c := range lo {
			s.at[j].append(c)
		}
		eachCorner(row, half, func(moved []float64) {
			for j, c := range contribute(moved, missing) {
				lo[j], hi[j] = lo[j].combine(c, math.Min), hi[j].combine(c, math.Max)
			}
		})
		for j := range r.Methods {
			s.lo[j].append(lo[j])
			s.hi[j].append(hi[j])
		}
	}
	return s
}

// eachCorner calls do with the scores of a dataset moved up or down by half, in all combinations; missing ones stay NaN.
func eachCorner(row []float64, half float64, do func(moved []float64)) {
	var present []int
	for j, v := range row {
		if !math.IsNaN(v) {
			present = append(present, j)
		}
	}
	moved := slices.Clone(row)
	for signs := range 1 << len(present) {
		for k, j := range present {
			moved[j] = row[j] - half
			if signs>>k&1 == 1 {
				moved[j] = row[j] + half
			}
		}
		do(moved)
	}
}

// combine returns pick of each pair of terms, where pick is math.Min or math.Max. A term that only one
// of them defines, such as a distance where all scores might be equal, is the other's.
func (c contribution) combine(d contribution, pick func(a, b float64) float64) contribution {
	either := func(a, b float64) float64 {
		switch {
		case math.IsNaN(a):
			return b
		case math.IsNaN(b):
			return a
		}
		return pick(a, b)
	}
	return contribution{either(c.score, d.score), either(c.share, d.share), either(c.distance, d.distance),
		either(c.rank, d.rank)}
}

// judge returns the table's value of a printed metric, and whether they agree.
func (s *ranges) judge(p printed) (*float64, Agreement) {
	j := slices.Index(s.methods, p.method)
	if j < 0 {
		return nil, Differs
	}
	at, lo, hi := s.metric(p.measure, j)
	if at == nil {
		return nil, Differs
	}
	if p.equals(*at) {
		return at, Agrees
	}
	want, _ := strconv.ParseFloat(p.text, 64) // the embedded file has numbers only
	half := .5 * math.Pow10(-p.decimals())
	if *lo <= want+half && want-half <= *hi {
		return at, Rounding
	}
	return at, Differs
}

// metric returns a metric of a method, and its range.
func (s *ranges) metric(name string, j int) (at, lo, hi *float64) {
	terms := map[string]func(c contributions) []float64{
		"average":  func(c contributions) []float64 { return c.score },
		"pma":      func(c contributions) []float64 { return c.share },
		"adtm":     func(c contributions) []float64 { return c.distance },
		"friedman": func(c contributions) []float64 { return c.rank },
	}[name]
	if terms != nil {
		return meanSorted(terms(s.at[j])), meanSorted(terms(s.lo[j])), meanSorted(terms(s.hi[j]))
	}
	if name != "pma_sd" || len(s.at[j].share) == 0 {
		return nil, nil, nil
	}
	return s.shareDeviation(j)
}

// shareDeviation returns the standard deviation of the shares of the best score. Its range is found by
// moving every share as far as it may towards the mean, and away from it.
func (s *ranges) shareDeviation(j int) (at, lo, hi *float64) {
	shares := s.at[j].share
	mean := *meanSorted(shares)
	near, far := slices.Clone(shares), slices.Clone(shares)
	for i := range shares {
		least, most := s.lo[j].share[i], s.hi[j].share[i]
		near[i] = min(max(mean, least), most)
		far[i] = least
		if most-mean > mean-least {
			far[i] = most
		}
	}
	sd := func(v []float64) *float64 { return record.Ptr(deviation(v, *meanSorted(v))) }
	return sd(shares), sd(near), sd(far)
}
