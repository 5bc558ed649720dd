package rfmpaper

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// jobsOn are a spec's on tables, of which it takes so many rows at most, 0 for all.
func jobsOn(s tabular.Spec, tables []tabular.TableSize) []cost.Job {
	var all []cost.Job
	for _, t := range tables {
		t.Rows = workload.ImagesUsed(s.Rows, t.Rows)
		all = append(all, s.Job(t))
	}
	return all
}

// Jobs implements [study.Worker].
func (s *ClassifySpec) Jobs() ([]cost.Job, error) {
	tables, err := s.sizes()
	spec := tabular.Spec{Protocol: tabular.UciProtocol, Methods: s.Methods, Rows: s.Rows, Iters: s.Iterations, PaperMode: s.PaperMode}
	return jobsOn(spec, tables), err
}

// sizes are those of the tables of the source.
func (s *ClassifySpec) sizes() ([]tabular.TableSize, error) {
	var all []tabular.TableSize
	switch s.Source {
	case tabular.UciProtocol:
		return tabular.PublishedTables(), nil
	case generatedTables:
		for i, p := range table.Polynomials()[:3] {
			all = append(all, tabular.TableSize{Name: p.Name, Rows: 32 + 8*i, Features: p.Features, Classes: 2})
		}
		return all, nil
	case uciFolder:
		for _, t := range folderTables {
			all = append(all, t.TableSize)
		}
		return all, nil
	}
	return nil, errUnknownTables(s.Source)
}

func errUnknownTables(source string) error {
	return fmt.Errorf("it is not known how large the tables of %s are", source)
}

// Jobs implements [study.Worker].
func (s *BenchmarkSpec) Jobs() ([]cost.Job, error) {
	spec := tabular.Spec{
		Protocol: tabular.GrinsztajnProtocol, Methods: s.Methods, Rows: s.Rows, Iters: s.Iterations, Configs: s.Configs, Repeats: s.Repeats, Size: tabular.MediumSize,
	}
	return train.JobsOf(benchmarkGroups, func(g benchmarkGroup) ([]cost.Job, error) {
		tables, err := g.sizes(s.Source)
		jobs := jobsOn(spec, tables)
		if s.Large {
			large := spec
			large.Size = tabular.LargeSize
			jobs = append(jobs, jobsOn(large, largeTables(tables))...)
		}
		return jobs, err
	})
}

// largeTables are those of which the large size is another than the medium one.
func largeTables(all []tabular.TableSize) []tabular.TableSize {
	var kept []tabular.TableSize
	for _, t := range all {
		if tabular.GrinsztajnShare*float64(t.Rows) > tabular.MostMediumRows {
			kept = append(kept, t)
		}
	}
	return kept
}

// sizes are those of the group's tables of a source.
func (g benchmarkGroup) sizes(source string) ([]tabular.TableSize, error) {
	var all []tabular.TableSize
	switch source {
	case tabular.GrinsztajnProtocol:
		return tabular.BenchmarkTables[g.folder], nil
	case generatedTables:
		for _, p := range []table.Polynomial{table.LowRank(), table.Hermite()} {
			t := tabular.TableSize{Name: p.Name, Rows: 60, Features: p.Features, Classes: 2}
			if g.regression {
				t.Classes = 0
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
	tabular.TableSize
	numeric, nominal bool // what columns it has
}

// in is the table as a group has it, if it has it. A regression is of a column less,
// and with nominal columns of the class more.
func (t folderTable) in(g benchmarkGroup) (tabular.TableSize, bool) {
	size := t.TableSize
	if !g.regression {
		return size, t.nominal == g.nominal
	}
	size.Features--
	if g.nominal {
		size.Features += size.Classes
	}
	size.Classes = 0
	return size, t.numeric && (g.nominal || !t.nominal)
}

// folderTables are the tables of the folder uci that costs were measured on, with
// their features as they are encoded.
var folderTables = []folderTable{
	{tabular.TableSize{Name: "balance.scale", Rows: 625, Features: 4, Classes: 3}, true, false}, {tabular.TableSize{Name: "breast.w", Rows: 699, Features: 9, Classes: 2}, true, false},
	{tabular.TableSize{Name: "car", Rows: 1728, Features: 21, Classes: 4}, false, true}, {tabular.TableSize{Name: "credit.g", Rows: 1000, Features: 61, Classes: 2}, true, true},
	{tabular.TableSize{Name: "glass", Rows: 214, Features: 9, Classes: 7}, true, false}, {tabular.TableSize{Name: "heart.statlog", Rows: 270, Features: 13, Classes: 2}, true, false},
	{tabular.TableSize{Name: "hepatitis", Rows: 155, Features: 19, Classes: 2}, true, true}, {tabular.TableSize{Name: "ionosphere", Rows: 351, Features: 34, Classes: 2}, true, false},
	{tabular.TableSize{Name: "iris", Rows: 150, Features: 4, Classes: 3}, true, false}, {tabular.TableSize{Name: "letter", Rows: 20000, Features: 16, Classes: 26}, true, false},
	{tabular.TableSize{Name: "pendigits", Rows: 10992, Features: 16, Classes: 10}, true, false}, {tabular.TableSize{Name: "segment", Rows: 2310, Features: 19, Classes: 7}, true, false},
	{tabular.TableSize{Name: "sonar", Rows: 208, Features: 60, Classes: 2}, true, false}, {tabular.TableSize{Name: "splice", Rows: 3190, Features: 287, Classes: 3}, false, true},
	{tabular.TableSize{Name: "tic-tac-toe", Rows: 958, Features: 27, Classes: 2}, false, true}, {tabular.TableSize{Name: "vehicle", Rows: 846, Features: 18, Classes: 4}, true, false},
	{tabular.TableSize{Name: "vowel", Rows: 990, Features: 27, Classes: 11}, true, true}, {tabular.TableSize{Name: "waveform5000", Rows: 5000, Features: 40, Classes: 3}, true, false},
	{tabular.TableSize{Name: "wine", Rows: 178, Features: 13, Classes: 3}, true, false}, {tabular.TableSize{Name: "zoo", Rows: 101, Features: 16, Classes: 7}, true, true},
}
