package experiments

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// WriteCosts writes the table of what experiments take, anew from the runs in some
// folders that ansatz run left with the settings of a scale; what is not in them is
// as it was measured before. Of several seeds it is the mean of the times, and the
// largest memory.
func WriteCosts(w io.Writer, dirs []string) error {
	old, err := measuredCosts()
	if err != nil {
		return err
	}
	costs := maps.Clone(old)
	var versions, machines []string
	for _, dir := range dirs {
		for _, e := range All() {
			if e.Of != nil || e.Absent != "" {
				continue
			}
			seeds, err := e.usedIn(dir)
			if err != nil {
				return err
			}
			for scale, all := range seeds {
				costs[costKey{e.ID, scale}] = meanCost(all)
				for _, s := range all {
					versions = append(versions, s.Machine.Version)
					machines = append(machines, fmt.Sprintf("%d processors, %s, %s", s.Machine.Processors, s.Machine.System, s.Machine.Backend))
				}
			}
		}
	}
	distinct := func(all []string) []string { slices.Sort(all); return slices.Compact(all) }
	return writeCosts(w, []string{
		"What experiments take: seconds of a seed on one thread, and the largest that the process is.",
		fmt.Sprintf("Measured last on %s; version %s. make costs and make needs make it again.", strings.Join(distinct(machines), "; "), strings.Join(distinct(versions), ", ")),
	}, costs)
}

// usedIn are the seeds in a folder, by scale.
func (e *Experiment) usedIn(dir string) (map[Scale][]*seedRecord, error) {
	seeds, err := e.seedsIn(dir)
	if err != nil {
		return nil, err
	}
	all := map[Scale][]*seedRecord{}
	for _, s := range seeds {
		scale := e.costScale(s.folder.hash())
		if s.Resumed && scale != OtherScale {
			return nil, badInput("%s was interrupted while it was measured: remove it, and measure it again", s.folder)
		}
		if scale != OtherScale {
			all[scale] = append(all[scale], s)
		}
	}
	return all, nil
}

func meanCost(seeds []*seedRecord) Cost {
	var c Cost
	for _, s := range seeds {
		c.Seconds += s.Usage.oneThread(s.Machine.Threads) / float64(len(seeds))
		c.Bytes = max(c.Bytes, float64(s.Usage.Peak))
	}
	c.Seconds = max(c.Seconds, leastSeconds)
	return c
}

// leastSeconds is what the table knows to tell from nothing.
const leastSeconds = .01
