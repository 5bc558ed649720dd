package tabular

import (
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/rfm"
)

// TableSize is what the cost of fits depends on in a table.
type TableSize struct {
	Name           string
	Rows, Features int
	Classes        int // 0 for a regression
}

// Job returns the cost of running all methods of the spec on a table.
func (s Spec) Job(t TableSize) cost.Table {
	s = s.WithDefaults()
	j := cost.Table{Data: float64(t.Rows) * float64(t.Features)}
	for _, name := range s.Methods {
		if m := findMethod(name); m != nil && (m.mostRows == 0 || t.Rows <= m.mostRows) {
			for _, f := range s.fits(m, t) {
				f.addTo(&j, t, s.solver(Config{}, t.Rows))
			}
		}
	}
	return j
}

// similarFits are fits on one table that cost the same.
type similarFits struct {
	count, train, scored int // number of fits; rows that each fit trains on and scores
	iterations           float64
	depth                int // of an NTK; 0 for other kernels
}

// fits returns the fits that the protocol needs for a method. The selected configuration is fitted
// again on every fold, on average with about half of the iterations.
func (s Spec) fits(m *method, t TableSize) []similarFits {
	iterations := float64(m.iterations(s))
	var all []similarFits
	add := func(grid []Config, repeats, train, scored int) {
		for _, c := range grid {
			depth := 0
			if k, err := rfm.ParseKernel(c.Kernel, c.Bandwidth); err == nil {
				if ntk, ok := k.(rfm.NTK); ok {
					depth = ntk.Depth
				}
			}
			all = append(all, similarFits{repeats, train, scored, iterations, depth})
		}
	}
	addSelected := func(repeats, train, scored int, share float64) {
		all = append(all, similarFits{repeats, train, scored, share * iterations, medianDepth(all)})
	}
	if s.Protocol == GrinsztajnProtocol {
		train := min(int(GrinsztajnShare*float64(t.Rows)), s.mostRows())
		scored := min((t.Rows-train)/2, mostLargeRows)
		add(m.drawGrinsztajn(s, taskOf(t), t.Name), s.Repeats, train, scored)
		addSelected(s.Repeats, train, scored, .5)
		return all
	}
	grid, fold := m.uciGrid(s, t.Rows, true), t.Rows*(foldCount-1)/foldCount
	if s.PaperMode {
		add(grid, 1, t.Rows/2, t.Rows/2)
		addSelected(foldCount, fold, t.Rows-fold, 0)
		return all
	}
	tuned := int((1 - validationShare) * float64(fold))
	add(grid, foldCount, tuned, fold-tuned)
	addSelected(foldCount, fold, t.Rows-fold, .5)
	return all
}

// The benchmark of Grinsztajn et al. trains on GrinsztajnShare of the rows, but on no more than
// MostMediumRows or, with the size large, mostLargeRows; see [table.GrinsztajnSplit].
const (
	GrinsztajnShare = .7
	MostMediumRows  = 10_000
	mostLargeRows   = 50_000
)

func (s Spec) mostRows() int {
	if s.Size == LargeSize {
		return mostLargeRows
	}
	return MostMediumRows
}

func taskOf(t TableSize) rfm.Task {
	if t.Classes > 0 {
		return rfm.Classification
	}
	return rfm.Regression
}

// medianDepth returns the median of the depths of fits, 0 for none.
func medianDepth(fits []similarFits) int {
	var depths []int
	for _, f := range fits {
		depths = append(depths, f.depth)
	}
	if len(depths) == 0 {
		return 0
	}
	slices.Sort(depths)
	return depths[len(depths)/2]
}

// addTo adds the cost of the fits to j.
func (f similarFits) addTo(j *cost.Table, t TableSize, solver rfm.Solver) {
	count, n, d := float64(f.count), float64(f.train), float64(t.Features)
	regressions, pairs := f.iterations+1, n*(n+float64(f.scored))
	j.Fits += count * regressions
	if _, passes := solver.(rfm.EigenPro); passes {
		// Half of the training rows' kernel is enough, since it is symmetric.
		j.Passes += count * regressions * agreedEpochs * n * (n + 2*float64(f.scored)) * d
	} else {
		j.Cubes += count * regressions * n * n * n
		j.Rows = max(j.Rows, n)
	}
	if f.depth > 0 {
		j.Depths += count * pairs * float64(f.depth)
	} else {
		j.Pairs += count * regressions * pairs
	}
	j.Wide += count * regressions * pairs * d
	j.AGOPs += count * f.iterations * n * min(n, agopRows) * d * float64(max(1, t.Classes))
}

// size returns the size of a table that was read.
func (p *plannedTable) size() TableSize {
	return TableSize{p.Name, p.record.Rows, p.record.Features, p.record.Classes}
}

// PublishedTables returns approximate sizes of the 121 tables of Fernández-Delgado et al., for
// estimates only: sizes of the larger tables were not read from the files, and all other tables get
// one typical size.
func PublishedTables() []TableSize {
	all := BenchmarkTables(UciProtocol)
	for len(all) < 121 {
		all = append(all, TableSize{"another", 300, 20, 3})
	}
	return all
}

// BenchmarkTables returns approximate sizes of the tables in a folder of the benchmark of Grinsztajn
// et al., such as clf_num. A categorical variable counts as one feature.
func BenchmarkTables(folder string) []TableSize {
	rows, err := paperRows("papers/table_sizes.csv")
	if err != nil {
		panic(err) // the file is embedded, and a test reads it
	}
	var all []TableSize
	for _, row := range rows { // benchmark, table, rows, features, classes
		if row[0] != folder {
			continue
		}
		t := TableSize{Name: row[1]}
		for i, v := range []*int{&t.Rows, &t.Features, &t.Classes} {
			if *v, err = strconv.Atoi(row[2+i]); err != nil {
				panic(err)
			}
		}
		all = append(all, t)
	}
	return all
}
