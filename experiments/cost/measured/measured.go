// Package measured holds the measured time and memory of experiments. Begin with [Costs].
package measured

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

// Table holds the measured time and memory, with one seed, of experiments that have a run of their own.
type Table map[Key]cost.Resources

// Key is an experiment's ID and a scale.
type Key struct{ ID, Scale string }

// CheckScale stands in a [Table] for settings between two scales, on which package calibrate checks estimates.
const CheckScale = "check"

//go:embed costs.csv
var costsTable string

var costs = sync.OnceValues(func() (Table, error) { return Read(strings.NewReader(costsTable)) })

// Costs returns the table that this version of the program was measured with. Do not change it.
func Costs() (Table, error) { return costs() }

// costColumns is the header of the table.
var costColumns = []string{"id", "scale", "seconds", "mib"}

// mostCost bounds seconds and MiB: 30,000 years and an exabyte.
const mostCost = 1e12

// Read reads a table as [Table.WriteCSV] writes it: lines that begin with # are remarks,
// then come the header and a row for each experiment and scale.
func Read(r io.Reader) (Table, error) {
	c := csv.NewReader(r)
	c.Comment, c.FieldsPerRecord, c.ReuseRecord = '#', len(costColumns), true
	t := Table{}
	for first := true; ; first = false {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("table of costs: %w", err)
		}
		if first {
			if !slices.Equal(row, costColumns) {
				return nil, fmt.Errorf("table of costs: want the header %v, found %v", costColumns, row)
			}
			continue
		}
		line, _ := c.FieldPos(0)
		seconds, err := strconv.ParseFloat(row[2], 64)
		mib, err2 := strconv.ParseFloat(row[3], 64)
		if err := errors.Join(err, err2); err != nil ||
			!(seconds > 0 && seconds <= mostCost && mib >= 0 && mib <= mostCost) {
			return nil, fmt.Errorf("table of costs, line %d: want seconds above 0 and MiB, both at most %g, have %q and %q",
				line, float64(mostCost), row[2], row[3])
		}
		t[Key{row[0], row[1]}] = cost.Resources{Seconds: seconds, Bytes: mib * (1 << 20)}
	}
}

// WriteCSV writes the rows of the given keys, in their order, under remarks. It skips keys that the table lacks.
func (t Table) WriteCSV(w io.Writer, remarks []string, keys []Key) error {
	for _, r := range remarks {
		if _, err := fmt.Fprintln(w, "#", r); err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	_ = out.Write(costColumns) // out.Error returns its error
	for _, k := range keys {
		if c, known := t[k]; known {
			_ = out.Write([]string{
				k.ID, k.Scale, strconv.FormatFloat(c.Seconds, 'g', 3, 64),
				strconv.FormatFloat(math.Ceil(c.Bytes/(1<<20)), 'f', 0, 64),
			})
		}
	}
	out.Flush()
	return out.Error()
}
