package experiments

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/need"
)

// jobsOn are a spec's on tables, of which it takes so many rows at most, 0 for all.
func (s TabularSpec) jobsOn(tables []tableSize) []need.Job {
	var all []need.Job
	for _, t := range tables {
		t.rows = ofImages(s.Rows, t.rows)
		all = append(all, s.job(t))
	}
	return all
}

// Jobs implements [Worker].
func (s *ClassifySpec) Jobs() ([]need.Job, error) {
	tables, err := s.sizes()
	spec := TabularSpec{Protocol: uciProtocol, Methods: s.Methods, Rows: s.Rows, Iters: s.Iterations, PaperMode: s.PaperMode}
	return spec.jobsOn(tables), err
}

// sizes are those of the tables of the source.
func (s *ClassifySpec) sizes() ([]tableSize, error) {
	var all []tableSize
	switch s.Source {
	case uciProtocol:
		return publishedTables(), nil
	case generatedTables:
		for i, p := range table.Polynomials()[:3] {
			all = append(all, tableSize{p.Name, 32 + 8*i, p.Features, 2})
		}
		return all, nil
	case uciFolder:
		for _, t := range folderTables {
			all = append(all, t.tableSize)
		}
		return all, nil
	}
	return nil, errUnknownTables(s.Source)
}

func errUnknownTables(source string) error {
	return fmt.Errorf("it is not known how large the tables of %s are", source)
}

// Jobs implements [Worker].
func (s *BenchmarkSpec) Jobs() ([]need.Job, error) {
	spec := TabularSpec{
		Protocol: grinsztajnProtocol, Methods: s.Methods, Rows: s.Rows, Iters: s.Iterations, Configs: s.Configs, Repeats: s.Repeats, Size: mediumSize,
	}
	return jobsOf(benchmarkGroups, func(g benchmarkGroup) ([]need.Job, error) {
		tables, err := g.sizes(s.Source)
		jobs := spec.jobsOn(tables)
		if s.Large {
			large := spec
			large.Size = largeSize
			jobs = append(jobs, large.jobsOn(largeTables(tables))...)
		}
		return jobs, err
	})
}

// largeTables are those of which the large size is another than the medium one.
func largeTables(all []tableSize) []tableSize {
	var kept []tableSize
	for _, t := range all {
		if grinsztajnShare*float64(t.rows) > mostMediumRows {
			kept = append(kept, t)
		}
	}
	return kept
}

// sizes are those of the group's tables of a source.
func (g benchmarkGroup) sizes(source string) ([]tableSize, error) {
	var all []tableSize
	switch source {
	case grinsztajnProtocol:
		return benchmarkTables[g.folder], nil
	case generatedTables:
		for _, p := range []table.Polynomial{table.LowRank(), table.Hermite()} {
			t := tableSize{p.Name, 60, p.Features, 2}
			if g.regression {
				t.classes = 0
			}
			all = append(all, t)
		}
		return all, nil
	case uciFolder:
		for _, t := range folderTables {
			if size, is := t.in(g); is {
				all = append(all, size)
			}
		}
		return all, nil
	}
	return nil, errUnknownTables(source)
}

// folderTable is a table of the folder uci.
type folderTable struct {
	tableSize
	numeric, nominal bool // what columns it has
}

// in is the table as a group has it, if it has it. A regression is of a column less,
// and with nominal columns of the class more.
func (t folderTable) in(g benchmarkGroup) (tableSize, bool) {
	size := t.tableSize
	if !g.regression {
		return size, t.nominal == g.nominal
	}
	size.features--
	if g.nominal {
		size.features += size.classes
	}
	size.classes = 0
	return size, t.numeric && (g.nominal || !t.nominal)
}
