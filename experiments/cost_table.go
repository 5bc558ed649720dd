package experiments

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Cost is what a run with one seed takes on one thread. What is 0 is not known.
type Cost struct {
	Seconds float64
	Bytes   float64 // the largest that the process is
}

// sortKey is the time of so many seeds, infinite where it is not known.
func (c Cost) sortKey(seeds int) float64 {
	if c.Seconds == 0 {
		return math.Inf(1)
	}
	return c.Seconds * float64(seeds)
}

// costKey is what a cost is of.
type costKey struct {
	id    string
	scale Scale
}

//go:embed costs.csv
var costsCSV string

// measuredCosts are those that were measured, of experiments that have a run of
// their own. They are read once and not changed.
var measuredCosts = sync.OnceValues(func() (map[costKey]Cost, error) { return readCosts(strings.NewReader(costsCSV)) })

// costColumns head the table of costs.
var costColumns = []string{"id", "scale", "seconds", "mib"}

// mostCost is more seconds and MiB than anything takes, 30,000 years and an
// exabyte, and can be counted with.
const mostCost = 1e12

// readCosts reads a table of costs: lines that begin with # are remarks, then
// comes the header, and a line for each.
func readCosts(r io.Reader) (map[costKey]Cost, error) {
	c := csv.NewReader(r)
	c.Comment, c.FieldsPerRecord, c.ReuseRecord = '#', len(costColumns), true
	costs := map[costKey]Cost{}
	for first := true; ; first = false {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return costs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("table of costs: %w", err)
		}
		if first {
			continue
		}
		line, _ := c.FieldPos(0)
		seconds, err := strconv.ParseFloat(row[2], 64)
		mib, err2 := strconv.ParseFloat(row[3], 64)
		if err := errors.Join(err, err2); err != nil || !(seconds > 0 && seconds <= mostCost && mib >= 0 && mib <= mostCost) {
			return nil, fmt.Errorf("table of costs, line %d: want seconds above 0 and MiB, both at most %g, have %q and %q", line, float64(mostCost), row[2], row[3])
		}
		costs[costKey{row[0], Scale(row[1])}] = Cost{seconds, mib * (1 << 20)}
	}
}

// writeCosts writes such a table, in the order of the experiments, under remarks.
func writeCosts(w io.Writer, remarks []string, costs map[costKey]Cost) error {
	for _, r := range remarks {
		if _, err := fmt.Fprintln(w, "#", r); err != nil {
			return err
		}
	}
	c := csv.NewWriter(w)
	_ = c.Write(costColumns) // Error tells
	for _, e := range All() {
		for _, scale := range append(slices.Clone(scales), checkScale) {
			if cost, known := costs[costKey{e.ID, scale}]; known && e.Of == nil {
				_ = c.Write([]string{e.ID, string(scale), strconv.FormatFloat(cost.Seconds, 'g', 3, 64), strconv.FormatFloat(math.Ceil(cost.Bytes/(1<<20)), 'f', 0, 64)})
			}
		}
	}
	c.Flush()
	return c.Error()
}
