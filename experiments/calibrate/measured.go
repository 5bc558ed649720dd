package calibrate

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// WriteCosts writes the table of what experiments take, anew from the runs in some
// folders that ansatz run left with the settings of a scale; what is not in them is
// as it was measured before. Of several seeds it is the mean of the times, and the
// largest memory.
func WriteCosts(w io.Writer, dirs []string) error {
	old, err := study.MeasuredCosts()
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
				costs[study.CostKey{ID: e.ID, Scale: scale}] = meanCost(all)
				for _, s := range all {
					versions = append(versions, s.Version)
					machines = append(machines, fmt.Sprintf("%d processors, %s, %s", s.Processors, s.System, s.Backend))
				}
			}
		}
	}
	distinct := func(all []string) []string { slices.Sort(all); return slices.Compact(all) }
	return WriteCostTable(w, []string{
		"What experiments take: seconds of a seed on one thread, and the largest that the process is.",
		fmt.Sprintf("Measured last on %s; version %s. make costs and make needs make it again.",
			strings.Join(distinct(machines), "; "), strings.Join(distinct(versions), ", ")),
	}, costs)
}

// seedsByScale are the seeds in a folder, by scale.
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

func meanCost(seeds []study.SeedMade) workload.Cost {
	var c workload.Cost
	for _, s := range seeds {
		c.Seconds += s.OneThread(s.Threads) / float64(len(seeds))
		c.Bytes = max(c.Bytes, float64(s.Peak))
	}
	c.Seconds = max(c.Seconds, leastSeconds)
	return c
}

// leastSeconds is what the table knows to tell from nothing.
const leastSeconds = .01

// WriteCostTable writes such a table, in the order of the experiments, under remarks.
func WriteCostTable(w io.Writer, remarks []string, costs map[study.CostKey]workload.Cost) error {
	for _, r := range remarks {
		if _, err := fmt.Fprintln(w, "#", r); err != nil {
			return err
		}
	}
	c := csv.NewWriter(w)
	_ = c.Write(study.CostColumns) // Error tells
	for _, e := range experiments.All() {
		for _, scale := range append(slices.Clone(study.Scales), study.CheckScale) {
			if cost, known := costs[study.CostKey{ID: e.ID, Scale: scale}]; known && e.Of == nil {
				_ = c.Write([]string{e.ID, string(scale), strconv.FormatFloat(cost.Seconds, 'g', 3, 64),
					strconv.FormatFloat(math.Ceil(cost.Bytes/(1<<20)), 'f', 0, 64)})
			}
		}
	}
	c.Flush()
	return c.Error()
}
