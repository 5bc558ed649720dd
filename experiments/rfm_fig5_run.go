package experiments

import (
	"context"
	"fmt"
	"slices"
)

// BenchmarkSpec compares recursive feature machines with kernels that learn no
// features and with linear regression, on the tables of four kinds that rfm's Tables 2
// to 5 are about (Fig. 5 too).
type BenchmarkSpec struct {
	// Source is grinsztajn; uci, the tables in that folder of the data folder; or
	// generated.
	Source     string   `json:"source" toml:"source"`
	Methods    []string `json:"methods" toml:"methods"` // see [TabularMethods]
	Rows       int      `json:"rows" toml:"rows"`       // of a table with more, drawn by the seed; 0 is all
	Configs    int      `json:"configs" toml:"configs"` // of a method's grid, drawn for every table
	Repeats    int      `json:"repeats" toml:"repeats"` // random splits
	Iterations int      `json:"iterations" toml:"iterations"`
	Large      bool     `json:"large" toml:"large"` // the large sizes of large tables too
}

// Run implements Spec.
func (s *BenchmarkSpec) Run(ctx context.Context, in Setting) (*Outcome, error) {
	if !slices.Contains(s.Methods, rfmMethod) {
		return nil, badInput("methods %q: want rfm among them", s.Methods)
	}
	o := &Outcome{Values: map[string]float64{}}
	for _, g := range benchmarkGroups {
		found, err := s.compare(ctx, in, g, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.key, err)
		}
		for _, other := range s.Methods {
			if mean, more, less := found.meanLead(rfmMethod, other); other != rfmMethod {
				o.Values[fmt.Sprintf("%s_over_%s", g.key, other)] = mean
				o.Values[fmt.Sprintf("%s_sign_%s", g.key, other)] = signTest(more, less)
			}
		}
		for key, v := range leads(found.Leaderboard(DropMissing), rfmMethod) {
			o.Values[g.key+"_"+key] = v
		}
		ours := scoresTable(found)
		ours.Name, ours.Caption = g.key+"-ours", fmt.Sprintf("Tables of ours, %s: mean score over the splits, the best of each marked.", g.about())
		o.Tables = append(o.Tables, found.standings(g.key+"-standings", fmt.Sprintf("The methods on %d tables of ours, %s.", len(found.Datasets), g.about())), *ours)
		o.Charts = append(o.Charts, found.metricsChart(g.key+"-metrics", "Ours: "+g.about()))
		if err := g.printed(o); err != nil {
			return nil, err
		}
	}
	return o, figure5(o)
}

// compare runs the methods on the tables of a group.
func (s *BenchmarkSpec) compare(ctx context.Context, in Setting, g benchmarkGroup, o *Outcome) (*Results, error) {
	members, err := s.members(in, g)
	if err != nil {
		return nil, err
	}
	spec := TabularSpec{
		Benchmark: s.Source, Protocol: grinsztajnProtocol, Methods: s.Methods, Rows: s.Rows, Iters: s.Iterations, Configs: s.Configs, Repeats: s.Repeats, Size: mediumSize,
	}
	r, err := in.benchmark(ctx, g.key, spec, members)
	if err != nil {
		return nil, err
	}
	o.usedTables(r)
	found := r.Results()
	if !s.Large {
		return found, nil
	}
	if members, err = large(members); err != nil || len(members) == 0 {
		return found, err
	}
	spec.Size = largeSize
	if r, err = in.benchmark(ctx, g.key, spec, members); err != nil {
		return nil, err
	}
	more := r.Results()
	for _, name := range more.Datasets {
		found.Datasets = append(found.Datasets, name+" (large)")
	}
	found.Scores = append(found.Scores, more.Scores...)
	return found, nil
}
