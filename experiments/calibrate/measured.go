package calibrate

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/cost/measured"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// WriteCosts writes the table of the experiments' costs. It takes new costs from runs in the folders that ansatz run
// made with the settings of a scale, and keeps the old costs of other experiments. The cost of several seeds is their
// mean time and their largest memory.
func WriteCosts(w io.Writer, dirs []string) error {
	old, err := measured.Costs()
	if err != nil {
		return err
	}
	costs := maps.Clone(old)
	var versions, machines []string
	for _, dir := range dirs {
		for _, e := range experiments.All() {
			if e.Of != nil || e.Absent != "" {
				continue
			}
			seeds, err := seedsByScale(e, dir)
			if err != nil {
				return err
			}
			for scale, all := range seeds {
				costs[measured.Key{ID: e.ID, Scale: string(scale)}] = meanCost(all)
				for _, s := range all {
					versions = append(versions, s.Version)
					machines = append(machines, fmt.Sprintf("%d processors, %s, %s", s.Processors, s.System, s.Backend))
				}
			}
		}
	}
	distinct := func(all []string) []string { slices.Sort(all); return slices.Compact(all) }
	return costs.WriteCSV(w, []string{
		"What experiments take: seconds of a seed on one thread, and the largest that the process is.",
		fmt.Sprintf("Measured last on %s; version %s. make costs and make needs make it again.",
			strings.Join(distinct(machines), "; "), strings.Join(distinct(versions), ", ")),
	}, measuredKeys())
}

// measuredKeys returns the keys of a table of costs, in the order of the catalogue.
func measuredKeys() []measured.Key {
	var all []measured.Key
	for _, e := range experiments.All() {
		if e.Of != nil {
			continue
		}
		for _, scale := range study.Scales {
			all = append(all, measured.Key{ID: e.ID, Scale: string(scale)})
		}
		all = append(all, measured.Key{ID: e.ID, Scale: measured.CheckScale})
	}
	return all
}

// seedsByScale returns the seeds of an experiment in a folder, by scale.
func seedsByScale(e *study.Experiment, dir string) (map[study.Scale][]study.SeedMade, error) {
	seeds, err := e.SeedsIn(dir)
	if err != nil {
		return nil, err
	}
	all := map[study.Scale][]study.SeedMade{}
	for _, s := range seeds {
		scale := costScale(e, s.Hash)
		if s.Resumed && scale != study.OtherScale {
			return nil, input.Errorf("%s was interrupted while it was measured: remove it, and measure it again",
				s.Folder)
		}
		if scale != study.OtherScale {
			all[scale] = append(all[scale], s)
		}
	}
	return all, nil
}

// meanCost returns the mean time of seeds, on one thread, and their largest memory.
func meanCost(seeds []study.SeedMade) cost.Resources {
	var c cost.Resources
	for _, s := range seeds {
		c.Seconds += s.OneThread(s.Threads) / float64(len(seeds))
		c.Bytes = max(c.Bytes, float64(s.Peak))
	}
	c.Seconds = max(c.Seconds, leastSeconds)
	return c
}

// leastSeconds is the smallest time in the tables.
const leastSeconds = .01
