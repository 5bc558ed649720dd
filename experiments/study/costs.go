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

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// Worker is a [Spec] that knows of which jobs a run consists, one after another: from
// what it takes at one scale it is estimated what it takes with other settings.
type Worker interface {
	Jobs() ([]cost.Job, error)
}

// costAt is what a run takes at a scale.
func (e *Experiment) costAt(scale Scale) workload.Cost {
	spec, err := e.SpecAt(scale)
	if err != nil {
		return workload.Cost{}
	}
	return e.Cost(spec)
}

// Cost is what a run with some settings takes: as measured for those of a scale, or
// from what was measured at scale small, by how time and memory of the jobs grow. What
// scale smoke takes says nothing of larger ones: it is mostly what does not grow.
func (e *Experiment) Cost(spec Spec) workload.Cost {
	measured, err := MeasuredCosts()
	if err != nil {
		return workload.Cost{} // a test reads the table
	}
	id := e.Source().ID
	_, hash, err := e.Hash(spec)
	if err != nil {
		return workload.Cost{}
	}
	if c, known := measured[CostKey{id, e.ScaleOf(hash)}]; known {
		return c
	}
	small, there := e.Source().Specs[Small]
	if c, known := measured[CostKey{id, Small}]; known && there {
		return scaledCost(c, small, spec)
	}
	return workload.Cost{}
}

// scaledCost is what settings take, where others take c. There is no knowing of one of the
// two without the other.
func scaledCost(c workload.Cost, like, spec Spec) workload.Cost {
	a, known := predicted(like)
	b, alsoKnown := predicted(spec)
	if !known || !alsoKnown {
		return workload.Cost{}
	}
	out := workload.Cost{Seconds: c.Seconds * b.Seconds / a.Seconds}
	if c.Bytes > 0 {
		out.Bytes = c.Bytes * b.Bytes / a.Bytes
	}
	return out
}

// predicted is what the jobs of a run with some settings take, by models of jobs
// alone; false where that is not known.
func predicted(s Spec) (workload.Cost, bool) {
	w, is := s.(Worker)
	if !is {
		return workload.Cost{}, false
	}
	jobs, err := w.Jobs()
	if err != nil {
		return workload.Cost{}, false
	}
	c := workload.CostOf(jobs...)
	return c, c.Seconds > 0 && c.Bytes > 0
}

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
