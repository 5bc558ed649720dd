package cost

import (
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ansatz-lab/ansatz/internal/jsonfile"
)

// Point is a measured job.
type Point struct {
	Name    string // what it was, for a reader
	Job     Job
	Seconds float64
	Bytes   float64

	// Held says that the point is held back: it was measured after the models were made, to check
	// them.
	Held bool
}

//go:embed points.csv
var pointsCSV string

// Measured returns all points, those held back too.
var Measured = sync.OnceValues(func() ([]Point, error) { return ReadPoints(strings.NewReader(pointsCSV)) })

// pointColumns head the table of points.
var pointColumns = []string{"kind", "use", "name", "seconds", "mib", "job"}

// What points are used for.
const (
	toFit   = "fit"
	toCheck = "check"
)

// mostTaken is more seconds and MiB than any point took.
const mostTaken = 1e9

// ReadPoints reads a table of points as [WritePoints] writes it: lines that begin with # are
// remarks, then come the header and a row for each point.
func ReadPoints(r io.Reader) ([]Point, error) {
	rows, err := readRows(r, pointColumns)
	if err != nil {
		return nil, fmt.Errorf("table of points: %w", err)
	}
	var all []Point
	for _, row := range rows {
		p, err := readPoint(row)
		if err != nil {
			return nil, fmt.Errorf("table of points, %s %q: %w", row[0], row[2], err)
		}
		all = append(all, p)
	}
	return all, nil
}

// readRows reads the rows of a CSV file after remarks, which are lines that begin with #, and the given header.
func readRows(r io.Reader, header []string) ([][]string, error) {
	c := csv.NewReader(r)
	c.Comment, c.FieldsPerRecord = '#', len(header)
	rows, err := c.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || !slices.Equal(rows[0], header) {
		return nil, fmt.Errorf("want the header %v", header)
	}
	return rows[1:], nil
}

func readPoint(row []string) (Point, error) {
	empty, known := kinds[row[0]]
	if !known {
		return Point{}, errors.New("there is no such kind")
	}
	if row[1] != toFit && row[1] != toCheck {
		return Point{}, fmt.Errorf("use %q: want %s or %s", row[1], toFit, toCheck)
	}
	p := Point{Name: row[2], Held: row[1] == toCheck, Job: empty()}
	seconds, err := strconv.ParseFloat(row[3], 64)
	mib, err2 := strconv.ParseFloat(row[4], 64)
	if err := errors.Join(err, err2); err != nil ||
		!(seconds > 0 && seconds <= mostTaken && mib > 0 && mib <= mostTaken) {
		return p, fmt.Errorf("want seconds and MiB above 0, have %q and %q", row[3], row[4])
	}
	p.Seconds, p.Bytes = seconds, mib*(1<<20)
	return p, jsonfile.Decode([]byte(row[5]), p.Job)
}

// WritePoints writes a table of points under remarks, in the order of their kinds.
func WritePoints(w io.Writer, remarks []string, points []Point) error {
	for _, r := range remarks {
		if _, err := fmt.Fprintln(w, "#", r); err != nil {
			return err
		}
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b Point) int { return strings.Compare(a.Job.kind(), b.Job.kind()) })
	c := csv.NewWriter(w)
	_ = c.Write(pointColumns) // c.Error returns its error
	for _, p := range points {
		job, err := json.Marshal(p.Job)
		if err != nil {
			return err
		}
		use := toFit
		if p.Held {
			use = toCheck
		}
		_ = c.Write([]string{p.Job.kind(), use, p.Name, strconv.FormatFloat(p.Seconds, 'g', 4, 64),
			strconv.FormatFloat(p.Bytes/(1<<20), 'f', 0, 64), string(job)})
	}
	c.Flush()
	return c.Error()
}
