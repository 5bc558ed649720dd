package experiments

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/rfm"
)

// tableSize is a table of a benchmark, as far as the time of fits is concerned.
type tableSize struct {
	name           string
	rows, features int
	classes        int // 0 of a regression
}

// job is what all methods of a spec take on a table.
func (s TabularSpec) job(t tableSize) need.Table {
	s = s.withDefaults()
	j := need.Table{Data: float64(t.rows) * float64(t.features)}
	for _, name := range s.Methods {
		if m := findTabularMethod(name); m != nil {
			for _, f := range s.fits(m, t) {
				f.addTo(&j, t)
			}
		}
	}
	return j
}

// tableFits are fits of a table that are alike.
type tableFits struct {
	count, train, scored int
	iterations           float64
	depth                int // of an NTK, 0 of others
}

// fits are those that a protocol asks for of a method. The features of what was
// chosen are learned anew on a fold, as often as half of the iterations, about.
func (s TabularSpec) fits(m *tabularMethod, t tableSize) []tableFits {
	iterations := 0.
	if m.learns {
		iterations = float64(s.Iters)
	}
	var all []tableFits
	add := func(grid []TabularConfig, repeats, train, scored int) {
		for _, c := range grid {
			depth := 0
			if k, err := rfm.ParseKernel(c.Kernel, c.Bandwidth); err == nil {
				if ntk, is := k.(rfm.NTK); is {
					depth = ntk.Depth
				}
			}
			all = append(all, tableFits{repeats, train, scored, iterations, depth})
		}
	}
	last := func(repeats, train, scored int, share float64) {
		all = append(all, tableFits{repeats, train, scored, share * iterations, medianDepth(all)})
	}
	if s.Protocol == grinsztajnProtocol {
		train := min(int(grinsztajnShare*float64(t.rows)), s.mostRows())
		left := min((t.rows-train)/2, mostLargeRows)
		grid := m.grinsztajnGrid(taskOf(t), s.Size == largeSize)
		add(draw(grid, s.Configs, s.Seed, t.name, m.name), s.Repeats, train, left)
		last(s.Repeats, train, left, .5)
		return all
	}
	grid, fold := m.uciGrid(t.rows, true), t.rows*(foldCount-1)/foldCount
	if s.PaperMode {
		add(grid, 1, t.rows/2, t.rows/2)
		last(foldCount, fold, t.rows-fold, 0)
		return all
	}
	tuned := int((1 - validationShare) * float64(fold))
	add(grid, foldCount, tuned, fold-tuned)
	last(foldCount, fold, t.rows-fold, .5)
	return all
}

// grinsztajnShare is the share of the rows that the benchmark of Grinsztajn et al.
// trains on, at most so many; see [table.GrinsztajnSplit].
const (
	grinsztajnShare = .7
	mostMediumRows  = 10_000
	mostLargeRows   = 50_000
)

func (s TabularSpec) mostRows() int {
	if s.Size == largeSize {
		return mostLargeRows
	}
	return mostMediumRows
}

func taskOf(t tableSize) rfm.Task {
	if t.classes > 0 {
		return rfm.Classification
	}
	return rfm.Regression
}

func medianDepth(fits []tableFits) int {
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

// addTo adds what the fits take.
func (f tableFits) addTo(j *need.Table, t tableSize) {
	count, n, d := float64(f.count), float64(f.train), float64(t.features)
	regressions, pairs := f.iterations+1, n*(n+float64(f.scored))
	j.Fits += count * regressions
	if f.train > directRows {
		j.Passes += count * regressions * agreedEpochs * n * n * d
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
	j.AGOPs += count * f.iterations * n * min(n, agopRows) * d * float64(max(1, t.classes))
}

// size is that of a table that was read.
func (p *tabularPlanned) size() tableSize {
	return tableSize{p.name, p.record.Rows, p.record.Features, p.record.Classes}
}
