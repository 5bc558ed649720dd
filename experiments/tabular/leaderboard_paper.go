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

// The result tables of paper rfm and the numbers of its Figs. 4 and 5, as
// papers/make_rfm_tables.py finds them in the paper's text.
//
//go:embed papers/*.csv
var papers embed.FS

// paperTable is a table of results of a paper.
type paperTable struct {
	name, title string
	file        string
	// metrics and scores are the panels of Fig. 5 that are of this table: those
	// with the metrics, and those with some of its rows; "" for none.
	metrics, scores string
}

var paperTables = []paperTable{
	{"rfm-table2", "R² on regressions without categorical variables (rfm, Table 2)", "papers/rfm_table2.csv", "d", "b"},
	{"rfm-table3", "Accuracy in % on classifications without categorical variables (rfm, Table 3)",
		"papers/rfm_table3.csv", "c", "a"},
	{"rfm-table4", "R² on regressions with categorical variables (rfm, Table 4)", "papers/rfm_table4.csv", "", ""},
	{"rfm-table5", "Accuracy in % on classifications with categorical variables (rfm, Table 5)",
		"papers/rfm_table5.csv", "", ""},
}

// PaperTables are the names of the tables of results that papers print.
func PaperTables() []string {
	var names []string
	for _, t := range paperTables {
		names = append(names, t.name)
	}
	return names
}

// FindPaperTable returns the table of that name, nil if there is none.
func FindPaperTable(name string) *paperTable {
	i := slices.IndexFunc(paperTables, func(t paperTable) bool { return t.name == name })
	if i < 0 {
		return nil
	}
	return &paperTables[i]
}

// Read returns the results of a table, and half of a unit of their last decimal.
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

// printed is a number of Fig. 5.
type printed struct {
	panel   string // a to d
	measure string // score, or the name of a metric as in JSON
	dataset string // of a score, as Results has it
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

// paperRows are the rows of a file of ours, without its header.
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
	// Agrees is to the printed digit.
	Agrees Agreement = "agrees"
	// Rounding is not to the digit, but scores that round to those of the table
	// give the printed number.
	Rounding Agreement = "rounding"
	// Differs is that no scores that round to those of the table give it, or, of
	// a standard deviation, that none were found.
	Differs Agreement = "differs"
)

// Compared is a number of a figure beside what the paper's own table gives.
type Compared struct {
	Figure  string `json:"figure"` // 5a to 5d
	Measure string `json:"measure"`
	Dataset string `json:"dataset,omitempty"`
	Method  string `json:"method"`
	Printed string `json:"printed"`
	// Dropped is the metric when missing scores are dropped, as Appendix E
	// states; Imputed when they are the mean of the others. They are absent
	// where not defined.
	Dropped          *float64  `json:"dropped,omitempty"`
	DroppedAgreement Agreement `json:"dropped_verdict"`
	Imputed          *float64  `json:"imputed,omitempty"`
	ImputedAgreement Agreement `json:"imputed_verdict"`
}

// compareFigure holds what Fig. 5 prints for a table against the table: the
// metrics, and then the rows.
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

// compareScore holds a score of a figure against that of the table.
func (p printed) compareScore(r *Results) Compared {
	c := Compared{Figure: "5" + p.panel, Measure: p.measure, Dataset: p.dataset, Method: p.method, Printed: p.text,
		DroppedAgreement: Differs}
	i, j := slices.Index(r.Datasets, p.dataset), slices.Index(r.Methods, p.method)
	if i >= 0 && j >= 0 && !math.IsNaN(r.Scores[i][j]) {
		v := r.Scores[i][j]
		c.Dropped = &v
		if p.rounds(v) {
			c.DroppedAgreement = Agrees
		}
	}
	c.Imputed, c.ImputedAgreement = c.Dropped, c.DroppedAgreement
	return c
}

// rounds says whether a number, rounded to the printed decimals, is the printed
// one.
func (p printed) rounds(v float64) bool {
	return strconv.FormatFloat(v, 'f', p.decimals(), 64) == p.text
}

// ranges are the metrics of a table of rounded scores, and between what numbers
// they lie for the scores that round to those of the table.
type ranges struct {
	methods []string
	at      []contributions // by method, as the table has it
	lo, hi  []contributions // by method, the least and the greatest of each dataset
}

// newRanges takes scores that are known up to half a unit of their last decimal.
// Every score of a dataset is moved to either end of where it may lie, in all
// combinations: what one dataset adds to a mean depends on no other.
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
				lo[j], hi[j] = lo[j].with(c, math.Min), hi[j].with(c, math.Max)
			}
		})
		for j := range r.Methods {
			s.lo[j].append(lo[j])
			s.hi[j].append(hi[j])
		}
	}
	return s
}

// eachCorner moves every score that is not missing up or down, in all
// combinations.
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

// with takes the lesser or greater of each number. One that is defined for some
// scores only, a distance where all might be equal, is taken from those.
func (c contribution) with(d contribution, take func(a, b float64) float64) contribution {
	pick := func(a, b float64) float64 {
		switch {
		case math.IsNaN(a):
			return b
		case math.IsNaN(b):
			return a
		}
		return take(a, b)
	}
	return contribution{pick(c.score, d.score), pick(c.share, d.share), pick(c.distance, d.distance),
		pick(c.rank, d.rank)}
}

// judge compares a printed metric with that of the table.
func (s *ranges) judge(p printed) (*float64, Agreement) {
	j := slices.Index(s.methods, p.method)
	if j < 0 {
		return nil, Differs
	}
	at, lo, hi := s.metric(p.measure, j)
	if at == nil {
		return nil, Differs
	}
	if p.rounds(*at) {
		return at, Agrees
	}
	want, _ := strconv.ParseFloat(p.text, 64) // of a file of ours
	half := .5 * math.Pow10(-p.decimals())
	if *lo <= want+half && want-half <= *hi {
		return at, Rounding
	}
	return at, Differs
}

// metric returns a metric of a method, and its range.
func (s *ranges) metric(name string, j int) (at, lo, hi *float64) {
	of := map[string]func(c contributions) []float64{
		"average":  func(c contributions) []float64 { return c.score },
		"pma":      func(c contributions) []float64 { return c.share },
		"adtm":     func(c contributions) []float64 { return c.distance },
		"friedman": func(c contributions) []float64 { return c.rank },
	}[name]
	if of != nil {
		return meanSorted(of(s.at[j])), meanSorted(of(s.lo[j])), meanSorted(of(s.hi[j]))
	}
	if name != "pma_sd" || len(s.at[j].share) == 0 {
		return nil, nil, nil
	}
	return s.spread(j)
}

// spread is the standard deviation of the shares of the best score, and those
// when every share moves as far as it may towards the mean and away from it.
func (s *ranges) spread(j int) (at, lo, hi *float64) {
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
	of := func(v []float64) *float64 { return record.Ptr(deviation(v, *meanSorted(v))) }
	return of(shares), of(near), of(far)
}
