package study

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

	"github.com/ansatz-lab/ansatz/experiments/cost"
)

// costAt returns what a run with one seed takes at a scale.
func (e *Experiment) costAt(scale Scale) cost.Resources {
	spec, err := e.SpecAt(scale)
	if err != nil {
		return cost.Resources{}
	}
	return e.Cost(spec)
}

// Cost returns what a run with one seed takes with some settings: what was measured if they are
// the settings of a scale, and otherwise what was measured at scale small, scaled as the jobs of a
// [DryRun] grow. (Scale smoke is no basis for an estimate: most of its time does not grow.) Of an
// experiment that was never measured it is what the jobs take. The zero value means that it is not
// known.
func (e *Experiment) Cost(spec Spec) cost.Resources {
	measured, err := MeasuredCosts()
	if err != nil {
		return cost.Resources{} // cannot happen: a test reads the table
	}
	id := e.Source().ID
	_, hash, err := e.Hash(spec)
	if err != nil {
		return cost.Resources{}
	}
	if c, known := measured[CostKey{id, e.ScaleOf(hash)}]; known {
		return c
	}
	small, there := e.Source().Specs[Small]
	if c, known := measured[CostKey{id, Small}]; known && there {
		return scaledCost(c, small, spec)
	}
	takes, _ := predicted(spec)
	return takes
}

// scaledCost returns what the settings in spec take if the settings in like take c. It returns
// the zero value if the jobs of either are not known.
func scaledCost(c cost.Resources, like, spec Spec) cost.Resources {
	a, known := predicted(like)
	b, alsoKnown := predicted(spec)
	if !known || !alsoKnown {
		return cost.Resources{}
	}
	out := cost.Resources{Seconds: c.Seconds * b.Seconds / a.Seconds}
	if c.Bytes > 0 {
		out.Bytes = c.Bytes * b.Bytes / a.Bytes
	}
	return out
}

// predicted returns what the jobs of a run take by the models of package cost, and whether that
// is known; if not it is zero.
func predicted(s Spec) (takes cost.Resources, known bool) {
	jobs, err := DryRun(s)
	if err != nil {
		return cost.Resources{}, false
	}
	takes, err = cost.Of(jobs...)
	if err != nil || !(takes.Seconds > 0) || !(takes.Bytes > 0) {
		return cost.Resources{}, false
	}
	return takes, true
}

// CostTable holds what experiments with a run of their own take with one seed.
type CostTable map[CostKey]cost.Resources

// CostKey is an experiment's ID and a scale.
type CostKey struct {
	ID    string
	Scale Scale
}

// CheckScale stands in a [CostTable] for settings between two scales, on which package calibrate
// checks estimates.
const CheckScale Scale = "check"

//go:embed costs.csv
var costsCSV string

var measuredCosts = sync.OnceValues(func() (CostTable, error) { return ReadCosts(strings.NewReader(costsCSV)) })

// MeasuredCosts returns the table that this version of the program was measured with. Do not
// change it.
func MeasuredCosts() (CostTable, error) { return measuredCosts() }

// costColumns is the header of the table.
var costColumns = []string{"id", "scale", "seconds", "mib"}

// mostCost bounds seconds and MiB: 30,000 years and an exabyte.
const mostCost = 1e12

// ReadCosts reads a table as [CostTable.WriteCSV] writes it: lines that begin with # are remarks,
// then come the header and a row for each experiment and scale.
func ReadCosts(r io.Reader) (CostTable, error) {
	c := csv.NewReader(r)
	c.Comment, c.FieldsPerRecord, c.ReuseRecord = '#', len(costColumns), true
	costs := CostTable{}
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
		if err := errors.Join(err, err2); err != nil ||
			!(seconds > 0 && seconds <= mostCost && mib >= 0 && mib <= mostCost) {
			return nil, fmt.Errorf("table of costs, line %d: want seconds above 0 and MiB, both at most %g, have "+
				"%q and %q",
				line, float64(mostCost), row[2], row[3])
		}
		costs[CostKey{row[0], Scale(row[1])}] = cost.Resources{Seconds: seconds, Bytes: mib * (1 << 20)}
	}
}

// WriteCSV writes the table under remarks, in the order of the catalogue. It leaves out
// experiments that are not in the catalogue or have no run of their own.
func (t CostTable) WriteCSV(w io.Writer, remarks []string, order Catalogue) error {
	for _, r := range remarks {
		if _, err := fmt.Fprintln(w, "#", r); err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	_ = out.Write(costColumns) // out.Error returns its error
	for _, e := range order {
		for _, scale := range append(slices.Clone(Scales), CheckScale) {
			if c, known := t[CostKey{e.ID, scale}]; known && e.Of == nil {
				_ = out.Write([]string{
					e.ID, string(scale), strconv.FormatFloat(c.Seconds, 'g', 3, 64),
					strconv.FormatFloat(math.Ceil(c.Bytes/(1<<20)), 'f', 0, 64),
				})
			}
		}
	}
	out.Flush()
	return out.Error()
}
