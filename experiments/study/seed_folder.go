package study

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	"gonum.org/v1/gonum/mat"
)

// seedFolder is where a run with one seed is kept; "" for nowhere.
type seedFolder string

func (r Run) folder(hash string, seed uint64) seedFolder {
	if r.Out == "" {
		return ""
	}
	return seedFolder(filepath.Join(r.dir(r.Experiment.Source(), hash), SeedName(seed)))
}

// SeedName is what the folder of a seed is called.
func SeedName(seed uint64) string { return fmt.Sprintf("seed-%d", seed) }

// run is the folder that it is in with the other seeds.
func (f seedFolder) run() string { return filepath.Dir(string(f)) }

// hold takes the seed for this process, see [hold], and removes what writers of it
// that were killed left behind.
func (f seedFolder) hold() (release func() error, err error) {
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
func (f seedFolder) checkpoints() string {
	if f == "" {
		return ""
	}
	return filepath.Join(f.run(), "."+filepath.Base(string(f))+".kept")
}

// forget removes what was kept.
func (f seedFolder) removeCheckpoints() error {
	if f == "" {
		return nil
	}
	return os.RemoveAll(f.checkpoints())
}

// sweepCheckpoints removes of what was kept what is not to be taken: all of it, or what writers
// that were killed left behind.
func (f seedFolder) sweepCheckpoints(resume bool) error {
	switch {
	case f == "":
		return nil
	case !resume:
		return f.removeCheckpoints()
	}
	return atomicfile.SweepAll(f.checkpoints())
}

// removeLeftovers removes what a process that was killed after the seed was whole has left
// of what was kept. Another process that works there sees to it itself.
func (f seedFolder) removeLeftovers() error {
	if f == "" {
		return nil
	}
	if _, err := os.Stat(f.checkpoints()); err != nil {
		return nil
	}
	release, err := f.hold()
	if err != nil {
		return nil
	}
	return errors.Join(f.removeCheckpoints(), release())
}

// hash is that of the settings, by which the run's folder is called.
func (f seedFolder) hash() string { return filepath.Base(f.run()) }

// there says whether a run is in the folder.
func (f seedFolder) there() bool {
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
func (f seedFolder) write(s *seedRecord) error {
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

// read reads the run in the folder, nil if there is none. What it returns is whole:
// of the settings and the seed that the folder is named by, with tables and charts
// that can be shown.
func (f seedFolder) read() (*seedRecord, error) {
	if f == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(string(f), RunFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	s := &seedRecord{}
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	if err == nil {
		err = s.check(f)
	}
	if err != nil {
		return nil, input.Errorf("%s: %w: want what ansatz run wrote there; remove the folder, and run the experiment again", filepath.Join(string(f), RunFile), err)
	}
	o := &Outcome{Values: s.Values, Statements: s.Statements, Tables: s.Tables, Charts: s.Charts, Notes: s.Notes, Data: s.Data, Matrices: map[string]*mat.Dense{}}
	for _, fig := range s.Figures {
		readPicture(&fig, string(f))
		o.Figures = append(o.Figures, fig)
	}
	s.outcome, s.folder = o, f
	return s, nil
}

// check reports what keeps a record in a folder from being counted: a copy of
// another seed would be taken for one more.
func (s *seedRecord) check(f seedFolder) error {
	if want := SeedName(s.Seed); filepath.Base(string(f)) != want {
		return fmt.Errorf("it is of seed %d, in a folder that is not %s", s.Seed, want)
	}
	var spec bytes.Buffer
	if err := json.Compact(&spec, s.Spec); err != nil {
		return fmt.Errorf("its spec: %w", err)
	}
	if hash, at := hashOf(s.Experiment, spec.Bytes()), f.hash(); hash != at {
		return fmt.Errorf("it is of %q with settings of hash %s, in a folder of %s", s.Experiment, hash, at)
	}
	for i := range s.Tables {
		if err := s.Tables[i].Check(); err != nil {
			return err
		}
	}
	for _, c := range s.Charts {
		for _, line := range c.Series {
			points := len(line.X)
			if len(line.Y) != points || len(line.Low) != len(line.High) || len(line.Low) != 0 && len(line.Low) != points {
				return fmt.Errorf("chart %q, series %q: %d, %d, %d and %d of x, y, low and high", c.Name, line.Label, points, len(line.Y), len(line.Low), len(line.High))
			}
		}
	}
	for _, fig := range s.Figures {
		if !filepath.IsLocal(fig.Name) || fig.Name != filepath.Base(fig.Name) {
			return fmt.Errorf("figure %q: want the name of a file", fig.Name)
		}
	}
	return nil
}

// readPicture reads the picture of a figure, and its numbers, from the folder of a
// report. What is not there is nil.
func readPicture(f *report.Figure, dir string) {
	stem := filepath.Join(dir, "figures", f.Name)
	f.SVG, _ = os.ReadFile(stem + ".svg")
	f.PNG, _ = os.ReadFile(stem + ".png")
	f.CSV, _ = os.ReadFile(stem + ".csv")
}
