package study

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// CostKey is what a cost is of.
type CostKey struct {
	ID    string
	Scale Scale
}

// CostsCSV is the table of what experiments were measured to take.
//
//go:embed costs.csv
var CostsCSV string

// MeasuredCosts are those that were measured, of experiments that have a run of
// their own. They are read once and not changed.
var MeasuredCosts = sync.OnceValues(func() (map[CostKey]workload.Cost, error) { return ReadCosts(strings.NewReader(CostsCSV)) })

// CostColumns head the table of costs.
var CostColumns = []string{"id", "scale", "seconds", "mib"}

// mostCost is more seconds and MiB than anything takes, 30,000 years and an
// exabyte, and can be counted with.
const mostCost = 1e12

// ReadCosts reads a table of costs: lines that begin with # are remarks, then
// comes the header, and a line for each.
func ReadCosts(r io.Reader) (map[CostKey]workload.Cost, error) {
	c := csv.NewReader(r)
	c.Comment, c.FieldsPerRecord, c.ReuseRecord = '#', len(CostColumns), true
	costs := map[CostKey]workload.Cost{}
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
		costs[CostKey{row[0], Scale(row[1])}] = workload.Cost{Seconds: seconds, Bytes: mib * (1 << 20)}
	}
}

// CheckScale is that of the variants in the table of costs.
const CheckScale Scale = "check"
