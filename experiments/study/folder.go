package study

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// SeedFolder is where a run with one seed is kept; "" for nowhere.
type SeedFolder string

func (r Run) folder(hash string, seed uint64) SeedFolder {
	if r.Out == "" {
		return ""
	}
	return SeedFolder(filepath.Join(r.dir(r.Experiment.Source(), hash), SeedName(seed)))
}

// SeedName is what the folder of a seed is called.
func SeedName(seed uint64) string { return fmt.Sprintf("seed-%d", seed) }

// run is the folder that it is in with the other seeds.
func (f SeedFolder) run() string { return filepath.Dir(string(f)) }

// hold takes the seed for this process, see [hold], and removes what writers of it
// that were killed left behind.
func (f SeedFolder) hold() (release func() error, err error) {
	if f == "" {
		return input.HoldFolder("", "")
	}
	if release, err = input.HoldFolder(f.run(), "."+filepath.Base(string(f))+".lock"); err != nil {
		return nil, err
	}
	if err := atomicfile.Sweep(string(f)); err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

// Kept is the folder for what the seed goes on from if it is interrupted, "" for
// none.
func (f SeedFolder) Kept() string {
	if f == "" {
		return ""
	}
	return filepath.Join(f.run(), "."+filepath.Base(string(f))+".kept")
}

// forget removes what was kept.
func (f SeedFolder) forget() error {
	if f == "" {
		return nil
	}
	return os.RemoveAll(f.Kept())
}

// SweepKept removes of what was kept what is not to be taken: all of it, or what writers
// that were killed left behind.
func (f SeedFolder) SweepKept(resume bool) error {
	switch {
	case f == "":
		return nil
	case !resume:
		return f.forget()
	}
	return atomicfile.SweepAll(f.Kept())
}

// forgetLeft removes what a process that was killed after the seed was whole has left
// of what was kept. Another process that works there sees to it itself.
func (f SeedFolder) forgetLeft() error {
	if f == "" {
		return nil
	}
	if _, err := os.Stat(f.Kept()); err != nil {
		return nil
	}
	release, err := f.hold()
	if err != nil {
		return nil
	}
	return errors.Join(f.forget(), release())
}

// hash is that of the settings, by which the run's folder is called.
func (f SeedFolder) hash() string { return filepath.Base(f.run()) }

// there says whether a run is in the folder.
func (f SeedFolder) there() bool {
	_, err := os.Stat(filepath.Join(string(f), RunFile))
	return f != "" && err == nil
}

// dir is the folder of an experiment: of its page and, if it has a run of its own,
// of the seeds.
func (r Run) dir(e *Experiment, hash string) string {
	return filepath.Join(r.Out, filepath.FromSlash(e.ID), hash)
}

// machineRecord is where a run was made.
type machineRecord struct {
	Version    string `json:"version"`
	Backend    string `json:"backend"`
	Threads    int    `json:"threads"`
	Processors int    `json:"processors"`
	Processor  string `json:"processor,omitempty"` // as it calls itself, "" where that is not told
	System     string `json:"system"`
	Go         string `json:"go"`
}

func thisMachine(threads int) machineRecord {
	return machineRecord{
		Version: record.Version(), Backend: input.BackendName(""),
		Threads: cmp.Or(threads, runtime.GOMAXPROCS(0)), Processors: runtime.NumCPU(), Processor: record.ProcessorName(),
		System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
	}
}

// finiteValues leaves out what JSON has no word for.
func finiteValues(values map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for name, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out[name] = v
		}
	}
	return out
}

// The files of a run, besides its figures, tables and matrices.
const (
	RunFile     = "run.json"
	metricsFile = "metrics.csv"
)

// write makes the folder, whole or not at all.
func (f SeedFolder) write(s *seedRecord) error {
	if f == "" {
		return nil
	}
	return atomicfile.WriteFolder(string(f), s.writeTo)
}

// writeTo writes the run into a folder that is there.
func (s *seedRecord) writeTo(dir string) error {
	for _, name := range slices.Sorted(maps.Keys(s.outcome.Matrices)) {
		if err := array.WriteNPY(filepath.Join(dir, name+".npy"), s.outcome.Matrices[name]); err != nil {
			return err
		}
	}
	return errors.Join(s.draw(dir), record.WriteJSON(filepath.Join(dir, RunFile), s))
}

// draw writes the page of the run, with its figures and tables, and its metrics.
func (s *seedRecord) draw(dir string) error {
	page := report.Page{Title: s.Experiment, Sections: []report.Section{{Figures: s.outcome.Figures, Tables: s.Tables}}}
	charts, err := ChartsOverSeeds([]*Outcome{s.outcome})
	if err != nil {
		return err
	}
	page.Sections[0].Figures = slices.Concat(charts, s.outcome.Figures)
	if _, err := page.Save(dir); err != nil {
		return err
	}
	return s.writeMetrics(filepath.Join(dir, metricsFile))
}

// writeMetrics writes the values, a line each.
func (s *seedRecord) writeMetrics(path string) error {
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		c := csv.NewWriter(w)
		_ = c.Write([]string{"metric", "value"}) // Error tells
		for _, name := range slices.Sorted(maps.Keys(s.Values)) {
			_ = c.Write([]string{name, strconv.FormatFloat(s.Values[name], 'g', -1, 64)})
		}
		c.Flush()
		return c.Error()
	})
}
