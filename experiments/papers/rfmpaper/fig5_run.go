package rfmpaper

import (
	"context"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
)

// BenchmarkSpec compares recursive feature machines with kernels that learn no
// features and with linear regression, on the tables of four kinds that rfm's Tables 2
// to 5 are about (Fig. 5 too).
type BenchmarkSpec struct {
	// Source is grinsztajn; uci, the tables in that folder of the data folder; or
	// generated.
	Source     string   `json:"source" toml:"source"`
	Methods    []string `json:"methods" toml:"methods"` // see [tabular.Methods]
	Rows       int      `json:"rows" toml:"rows"`       // of a table with more, drawn by the seed; 0 is all
	Configs    int      `json:"configs" toml:"configs"` // of a method's grid, drawn for every table
	Repeats    int      `json:"repeats" toml:"repeats"` // random splits
	Iterations int      `json:"iterations" toml:"iterations"`
	Large      bool     `json:"large" toml:"large"` // the large sizes of large tables too
}

// Run implements Spec.
func (s *BenchmarkSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if !slices.Contains(s.Methods, rfmMethod) {
		return nil, input.Errorf("methods %q: want rfm among them", s.Methods)
	}
	o := &study.Outcome{Values: map[string]float64{}}
	for _, g := range benchmarkGroups {
		found, err := s.compare(ctx, in, g, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.key, err)
		}
		for _, other := range s.Methods {
			if mean, more, less := meanLead(found, rfmMethod, other); other != rfmMethod {
				o.Values[fmt.Sprintf("%s_over_%s", g.key, other)] = mean
				o.Values[fmt.Sprintf("%s_sign_%s", g.key, other)] = signTest(more, less)
			}
		}
		for key, v := range leads(found.Leaderboard(tabular.DropMissing), rfmMethod) {
			o.Values[g.key+"_"+key] = v
		}
		ours := tabular.ScoresTable(found)
		ours.Name, ours.Caption = g.key+"-ours", fmt.Sprintf("Tables of ours, %s: mean score over the splits, the best of each marked.", g.about())
		o.Tables = append(o.Tables, standings(found, g.key+"-standings", fmt.Sprintf("The methods on %d tables of ours, %s.", len(found.Datasets), g.about())), *ours)
		o.Charts = append(o.Charts, metricsChart(found, g.key+"-metrics", "Ours: "+g.about()))
		if err := g.printed(o); err != nil {
			return nil, err
		}
	}
	return o, figure5(o)
}

// compare runs the methods on the tables of a group.
func (s *BenchmarkSpec) compare(ctx context.Context, in study.Setting, g benchmarkGroup, o *study.Outcome) (*tabular.Results, error) {
	members, err := s.members(in, g)
	if err != nil {
		return nil, err
	}
	spec := tabular.Spec{
		Benchmark: s.Source, Protocol: tabular.GrinsztajnProtocol, Methods: s.Methods, Rows: s.Rows, Iters: s.Iterations, Configs: s.Configs, Repeats: s.Repeats, Size: tabular.MediumSize,
	}
	r, err := benchmarkIn(ctx, in, g.key, spec, members)
	if err != nil {
		return nil, err
	}
	recordTables(o, r)
	found := r.Results()
	if !s.Large {
		return found, nil
	}
	if members, err = large(members); err != nil || len(members) == 0 {
		return found, err
	}
	spec.Size = tabular.LargeSize
	if r, err = benchmarkIn(ctx, in, g.key, spec, members); err != nil {
		return nil, err
	}
	more := r.Results()
	for _, name := range more.Datasets {
		found.Datasets = append(found.Datasets, name+" (large)")
	}
	found.Scores = append(found.Scores, more.Scores...)
	return found, nil
}
