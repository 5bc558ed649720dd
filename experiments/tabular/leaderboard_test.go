package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/google/go-cmp/cmp"
)

func readText(t *testing.T, text string) *Results {
	t.Helper()
	r, err := ReadResults("results.csv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func standingOf(t *testing.T, board []Standing, method string) Standing {
	t.Helper()
	i := slices.IndexFunc(board, func(s Standing) bool { return s.Method == method })
	if i < 0 {
		t.Fatalf("no %s in %v", method, board)
	}
	return board[i]
}

// The metrics agree with those computed by hand. The scores of a, b and c are .9, .81 and .45 on one, .5, .5 and 1 on
// two, and .8, none and .4 on three.
func TestLeaderboardByHand(t *testing.T) {
	r := readText(t, "dataset,a,b,c\none,.9,.81,.45\ntwo,.5,.5,1\nthree,.8,-,.4\n")
	dropped, imputed := r.Leaderboard(DropMissing), r.Leaderboard(ImputeMissing)
	sd := func(v ...float64) float64 {
		mean, sum := 0., 0.
		for _, x := range v {
			mean += x / float64(len(v))
		}
		for _, x := range v {
			sum += (x - mean) * (x - mean) / float64(len(v))
		}
		return math.Sqrt(sum)
	}
	for _, c := range []struct {
		board                                         []Standing
		method                                        string
		datasets                                      int
		average, p90, p95, pma, pmasd, friedman, adtm float64
	}{
		{dropped, "a", 3, 2.2 / 3, 2. / 3, 2. / 3, 2.5 / 3, sd(1, .5, 1), (1 + 2.5 + 1) / 3, 2. / 3},
		{dropped, "b", 2, .655, .5, 0, .7, sd(.9, .5), (2 + 2.5 + 2) / 3, .4},
		{dropped, "c", 3, 1.85 / 3, 1. / 3, 1. / 3, 2. / 3, sd(.5, 1, .5), (3 + 1 + 3) / 3., 1. / 3},
		{imputed, "b", 2, 1.91 / 3, 1. / 3, 0, 2.15 / 3, sd(.9, .5, .75), (2 + 2.5 + 2) / 3, 1.3 / 3},
	} {
		s := standingOf(t, c.board, c.method)
		got := []float64{*s.Average, *s.P90, *s.P95, *s.PMA, *s.PMASD, *s.Friedman, *s.ADTM}
		want := []float64{c.average, c.p90, c.p95, c.pma, c.pmasd, c.friedman, c.adtm}
		for k := range got {
			if math.Abs(got[k]-want[k]) > 1e-14 {
				t.Errorf("%s: metric %d is %v, want %v", c.method, k, got[k], want[k])
			}
		}
		if s.Datasets != c.datasets {
			t.Errorf("%s: %d datasets", c.method, s.Datasets)
		}
	}
	if dropped[0].Method != "a" || dropped[2].Method != "c" {
		t.Errorf("order %v", dropped)
	}
}

// randomResults draws a table in which equal and missing scores are common.
func randomResults(rng *rand.Rand, datasets, methods int) *Results {
	r := &Results{}
	for j := range methods {
		r.Methods = append(r.Methods, fmt.Sprint("m", j))
	}
	for i := range datasets {
		r.Datasets = append(r.Datasets, fmt.Sprint("d", i))
		row := make([]float64, methods)
		for j := range row {
			row[j] = float64(rng.IntN(8)) / 7
			if rng.IntN(5) == 0 {
				row[j] = math.NaN()
			}
		}
		r.Scores = append(r.Scores, row)
	}
	return r
}

// The leaderboard does not depend on the order of the datasets and methods, to the bit.
func TestLeaderboardOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		r := randomResults(rng, 1+rng.IntN(12), 1+rng.IntN(6))
		rows, columns := rng.Perm(len(r.Datasets)), rng.Perm(len(r.Methods))
		shuffled := &Results{}
		for _, j := range columns {
			shuffled.Methods = append(shuffled.Methods, r.Methods[j])
		}
		for _, i := range rows {
			shuffled.Datasets = append(shuffled.Datasets, r.Datasets[i])
			var row []float64
			for _, j := range columns {
				row = append(row, r.Scores[i][j])
			}
			shuffled.Scores = append(shuffled.Scores, row)
		}
		for _, rule := range []MissingRule{DropMissing, ImputeMissing} {
			if d := cmp.Diff(r.Leaderboard(rule), shuffled.Leaderboard(rule)); d != "" {
				t.Fatal(d)
			}
		}
	}
}

// A method that is best on every dataset is first in every metric. The ranks add up to the sum from 1 to the number of
// methods. Metrics that lie in [0, 1] by definition do so.
func TestLeaderboardProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		r := randomResults(rng, 1+rng.IntN(12), 1+rng.IntN(6))
		best := len(r.Methods)
		r.Methods = append(r.Methods, "best")
		for i, row := range r.Scores {
			if math.IsNaN(row[0]) {
				row[0] = 0 // otherwise the imputed score may be that of best itself
			}
			r.Scores[i] = append(row, 1.5)
		}
		board := r.Leaderboard(DropMissing)
		if s := board[0]; s.Method != "best" || *s.Friedman != 1 || *s.PMA != 1 || *s.PMASD != 0 || *s.P90 != 1 ||
			*s.P95 != 1 || s.ADTM != nil && *s.ADTM != 1 {
			t.Fatalf("%+v of %d methods", s, best+1)
		}
		sum := 0.
		for _, s := range board {
			sum += *s.Friedman
			for _, v := range []*float64{s.P90, s.P95, s.PMA, s.ADTM} {
				if v != nil && !(*v >= 0 && *v <= 1) {
					t.Fatalf("%+v", s)
				}
			}
			if s.P90 != nil && *s.P90 < *s.P95 {
				t.Fatalf("%+v", s)
			}
		}
		if want := float64((best + 1) * (best + 2) / 2); math.Abs(sum-want) > 1e-9 {
			t.Fatalf("ranks sum to %v, want %v", sum, want)
		}
	}
}

// Metrics that are not defined are absent, and not a result of 0/0.
func TestLeaderboardUndefined(t *testing.T) {
	r := readText(t, "dataset,a,b,none\nsame,.5,.5,\nnegative,-1,-2,-\nempty,-,?,\n")
	board := r.Leaderboard(DropMissing)
	a, none := standingOf(t, board, "a"), standingOf(t, board, "none")
	if *a.PMA != 1 || *a.ADTM != 1 || *a.Friedman != (2+1)/2. || *a.Average != -.25 {
		t.Errorf("%+v", a)
	}
	if none.Average != nil || none.PMA != nil || none.ADTM != nil || none.Friedman == nil || none.Datasets != 0 {
		t.Errorf("%+v", none)
	}
	if text := summariseBoard(board, 3); !strings.Contains(text, "scores on 0 to 2 of these: --missing") {
		t.Error(text)
	}
	tie := readText(t, "dataset,a,b,c\none,.5,.5,.4\n").Leaderboard(DropMissing)
	if text := summariseBoard(tie, 1); text != "a and b come first of 3 methods on 1 dataset: mean rank 1.50." {
		t.Error(text)
	}
	all := readText(t, "dataset,a\none,-\n").Leaderboard(DropMissing)
	if all[0].Friedman != nil || summariseBoard(all, 1) != "There is no score to compare." {
		t.Errorf("%+v", all)
	}
}

func TestReadResults(t *testing.T) {
	r := readText(t, "set, n-train ,\"a, b\",rows,c,best method\nx,10, 1.5 ,7,–,c\nx,20,?,7,-2e3,c\ny,10,0,7,1,c\n")
	want := &Results{Datasets: []string{"x (10)", "x (20)", "y"}, Methods: []string{"a, b", "c"},
		Scores: [][]float64{{1.5, math.NaN()}, {math.NaN(), -2000}, {0, 1}}}
	if d := cmp.Diff(fmt.Sprint(want), fmt.Sprint(r)); d != "" {
		t.Error(d)
	}
}

func TestReadResultsErrors(t *testing.T) {
	for _, c := range []struct {
		name, text, message string
		line                int
	}{
		{"empty", "", "found nothing", 0},
		{"no methods", "dataset,rows\nx,1\n", "a column for a method", 1},
		{"no rows", "dataset,a\n", "only a header", 0},
		{"no name", "dataset,a,\nx,1,2\n", "none for column 3", 1},
		{"method twice", "dataset,a,a\nx,1,2\n", `two columns "a"`, 1},
		{"dataset twice", "dataset,a\nx,1\ny,1\nx,2\n", `"x", which line 2 has`, 4},
		{"twice with one n-train", "dataset,n-train,a\nx,5,1\nx,5,2\n", "line 2 has", 3},
		{"too few", "dataset,a,b\nx,1\n", "3 values", 2},
		{"too many", "dataset,a\nx,1\ny,1,2\n", "2 values", 3},
		{"no dataset", "dataset,a\n,1\n", "the name of a dataset", 2},
		{"a word", "dataset,a\nx,1\ny,high\n", `"high"`, 3},
		{"infinite", "dataset,a\nx,inf\n", `"inf"`, 2},
		{"NaN", "dataset,a\nx,nan\n", `"nan"`, 2},
		{"too large", "dataset,a\nx,1e300\n", `"1e300"`, 2},
		{"quotes", "dataset,a\nx,\"1\ny,2\n", "quotes in pairs", 3},
	} {
		_, err := ReadResults("bad.csv", strings.NewReader(c.text))
		var e *table.FormatError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.message) ||
			!strings.Contains(err.Error(), "bad.csv") || e.Line != c.line || e.Offset < 0 {
			t.Errorf("%s: %v (line %d)", c.name, err, c.line)
		}
		if !input.IsError(err) {
			t.Errorf("%s: not the input's fault", c.name)
		}
	}
	var wide bytes.Buffer
	wide.WriteString("dataset")
	for j := range maxMethods + 1 {
		fmt.Fprintf(&wide, ",m%d", j)
	}
	if _, err := ReadResults("wide.csv", &wide); err == nil || !strings.Contains(err.Error(), "at most 4096 methods") {
		t.Errorf("many methods: %v", err)
	}
}

// A file that is cut at any byte gives an error with a position, or a table of the rows so far.
func TestReadResultsCut(t *testing.T) {
	text, err := papers.ReadFile("papers/rfm_table5.csv")
	if err != nil {
		t.Fatal(err)
	}
	for n := range text {
		r, err := ReadResults("cut.csv", bytes.NewReader(text[:n]))
		var e *table.FormatError
		switch {
		case err == nil && (len(r.Datasets) == 0 || len(r.Scores) != len(r.Datasets)):
			t.Fatalf("cut at %d: %+v", n, r)
		case err != nil && (!errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(n)):
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}

func FuzzReadResults(f *testing.F) {
	for _, name := range []string{"papers/rfm_table2.csv", "papers/rfm_table5.csv"} {
		text, err := papers.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("dataset,a,b\nx,1,-\ny,\"2\",3\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ReadResults("fuzz.csv", bytes.NewReader(text))
		if err != nil {
			if !input.IsError(err) {
				t.Errorf("%v", err)
			}
			return
		}
		for _, rule := range []MissingRule{DropMissing, ImputeMissing} {
			for _, s := range r.Leaderboard(rule) {
				for _, v := range []*float64{s.Average, s.P90, s.P95, s.PMA, s.PMASD, s.Friedman, s.ADTM} {
					if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
						t.Errorf("%+v", s)
					}
				}
			}
		}
	})
}
