package tabular

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/rfm"
)

// TableSize is a table of a benchmark, as far as the time of fits is concerned.
type TableSize struct {
	Name           string
	Rows, Features int
	Classes        int // 0 of a regression
}

// Job is what all methods of a spec take on a table.
func (s Spec) Job(t TableSize) cost.Table {
	s = s.WithDefaults()
	j := cost.Table{Data: float64(t.Rows) * float64(t.Features)}
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
func (s Spec) fits(m *tabularMethod, t TableSize) []tableFits {
	iterations := 0.
	if m.learns {
		iterations = float64(s.Iters)
	}
	var all []tableFits
	add := func(grid []Config, repeats, train, scored int) {
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
	if s.Protocol == GrinsztajnProtocol {
		train := min(int(GrinsztajnShare*float64(t.Rows)), s.mostRows())
		left := min((t.Rows-train)/2, mostLargeRows)
		grid := m.grinsztajnGrid(taskOf(t), s.Size == LargeSize)
		add(draw(grid, s.Configs, s.Seed, t.Name, m.name), s.Repeats, train, left)
		last(s.Repeats, train, left, .5)
		return all
	}
	grid, fold := m.uciGrid(t.Rows, true), t.Rows*(foldCount-1)/foldCount
	if s.PaperMode {
		add(grid, 1, t.Rows/2, t.Rows/2)
		last(foldCount, fold, t.Rows-fold, 0)
		return all
	}
	tuned := int((1 - validationShare) * float64(fold))
	add(grid, foldCount, tuned, fold-tuned)
	last(foldCount, fold, t.Rows-fold, .5)
	return all
}

// GrinsztajnShare is the share of the rows that the benchmark of Grinsztajn et al.
// trains on, at most so many; see [table.GrinsztajnSplit].
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
func (f tableFits) addTo(j *cost.Table, t TableSize) {
	count, n, d := float64(f.count), float64(f.train), float64(t.Features)
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
	j.AGOPs += count * f.iterations * n * min(n, agopRows) * d * float64(max(1, t.Classes))
}

// Size is that of a table that was read.
func (p *Planned) Size() TableSize {
	return TableSize{p.Name, p.record.Rows, p.record.Features, p.record.Classes}
}
