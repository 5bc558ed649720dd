package study

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"gonum.org/v1/gonum/mat"
)

// seedFolder is the path of the folder of a run with one seed; "" if nothing is written.
type seedFolder string

// folder returns the folder of a seed of the run.
func (r Run) folder(hash string, seed uint64) seedFolder {
	if r.Out == "" {
		return ""
	}
	return seedFolder(filepath.Join(r.runFolder(hash), SeedName(seed)))
}

// runFolder returns the folder above the seeds' folders, "" if nothing is written.
func (r Run) runFolder(hash string) string {
	if r.Out == "" {
		return ""
	}
	return r.dir(r.Experiment.Source(), hash)
}

// SeedName returns the name of a seed's folder.
func SeedName(seed uint64) string { return fmt.Sprintf("seed-%d", seed) }

// run returns the folder of all seeds of the run.
func (f seedFolder) run() string { return filepath.Dir(string(f)) }

// lock locks the seed for this process, see [input.LockFolder], and removes temporary files of
// writers that were killed. The caller must call release.
func (f seedFolder) lock() (release func() error, err error) {
	if f == "" {
		return input.LockFolder("", "")
	}
	if release, err = input.LockFolder(f.run(), "."+filepath.Base(string(f))+".lock"); err != nil {
		return nil, err
	}
	if err := atomicfile.Sweep(string(f)); err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

// checkpoints returns the folder of the seed's checkpoints, "" for none.
func (f seedFolder) checkpoints() string {
	if f == "" {
		return ""
	}
	return filepath.Join(f.run(), "."+filepath.Base(string(f))+".kept")
}

// removeCheckpoints removes the checkpoints.
func (f seedFolder) removeCheckpoints() error {
	if f == "" {
		return nil
	}
	return os.RemoveAll(f.checkpoints())
}

// sweepCheckpoints removes all checkpoints or, to resume, only temporary files of writers that were killed.
func (f seedFolder) sweepCheckpoints(resume bool) error {
	switch {
	case f == "":
		return nil
	case !resume:
		return f.removeCheckpoints()
	}
	return atomicfile.SweepAll(f.checkpoints())
}

// removeLeftovers removes the checkpoints that a process left behind when it was killed after the
// seed was complete. If another process holds the seed, it does nothing.
func (f seedFolder) removeLeftovers() error {
	if f == "" {
		return nil
	}
	if _, err := os.Stat(f.checkpoints()); err != nil {
		return nil
	}
	release, err := f.lock()
	if err != nil {
		return nil
	}
	return errors.Join(f.removeCheckpoints(), release())
}

// hash returns the hash of the settings, which is the name of the run's folder.
func (f seedFolder) hash() string { return filepath.Base(f.run()) }

// exists reports whether the folder has a record.
func (f seedFolder) exists() bool {
	_, err := os.Stat(filepath.Join(string(f), RunFile))
	return f != "" && err == nil
}

// dir returns the folder of an experiment: of its page and, if the run is its own, of the seeds.
func (r Run) dir(e *Experiment, hash string) string {
	return filepath.Join(r.Out, filepath.FromSlash(e.ID), hash)
}

// machineRecord is the machine and the program that made a run.
type machineRecord struct {
	Version    string `json:"version"`
	Backend    string `json:"backend"`
	Device     string `json:"device,omitempty"` // of the backend gpu
	Threads    int    `json:"threads"`
	Processors int    `json:"processors"`
	Processor  string `json:"processor,omitempty"` // its model name, "" if not known
	System     string `json:"system"`
	Go         string `json:"go"`
}

// thisMachine returns this machine and program.
func thisMachine(threads int) machineRecord {
	return machineRecord{
		Version: record.Version(), Backend: input.BackendName(""), Device: input.DeviceName(""),
		Threads: cmp.Or(threads, runtime.GOMAXPROCS(0)), Processors: runtime.NumCPU(),
		Processor: record.ProcessorName(),
		System:    runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
	}
}

// The files of a run, besides its figures, tables and matrices.
const (
	RunFile     = "run.json"
	metricsFile = "metrics.csv"
)

// write writes the folder atomically.
func (f seedFolder) write(s *seedRecord) error {
	if f == "" {
		return nil
	}
	return atomicfile.WriteFolder(string(f), s.writeTo)
}

// writeTo writes the run into an existing folder. Numbers are written on one line, which halves the size of the file.
func (s *seedRecord) writeTo(dir string) error {
	for _, name := range slices.Sorted(maps.Keys(s.outcome.Matrices)) {
		if err := array.WriteNPY(filepath.Join(dir, name+".npy"), s.outcome.Matrices[name]); err != nil {
			return err
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return errors.Join(s.draw(dir), atomicfile.WriteBytes(filepath.Join(dir, RunFile), append(text, '\n')))
}

// draw writes the page of the run, with its figures, tables and metrics.
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

// writeMetrics writes a line for each value.
func (s *seedRecord) writeMetrics(path string) error {
	t := report.Table{Name: "metrics", Columns: record.NumericColumns("metric", "value")}
	for _, name := range slices.Sorted(maps.Keys(s.Values)) {
		t.Rows = append(t.Rows, []report.Cell{{Text: name}, {Value: s.Values[name]}})
	}
	return atomicfile.WriteFile(path, t.WriteCSV)
}

// read reads the run in the folder; nil if there is none. It checks that the record belongs to the folder, and that
// its tables and charts can be drawn.
func (f seedFolder) read() (*seedRecord, error) {
	if f == "" {
		return nil, nil
	}
	s, path := &seedRecord{}, filepath.Join(string(f), RunFile)
	err := jsonfile.Read(path, jsonfile.Large, s)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		if err = s.check(f); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	if err != nil {
		return nil, input.Errorf("%w: want a file as ansatz run wrote it; remove the folder, and run the "+
			"experiment again", err)
	}
	o := &Outcome{Values: s.Values, Units: s.Units, Statements: s.Statements, Tables: s.Tables, Charts: s.Charts, Notes: s.Notes,
		Data: s.Data, Matrices: map[string]*mat.Dense{}}
	for _, fig := range s.Figures {
		record.ReadPicture(&fig, string(f))
		o.Figures = append(o.Figures, fig)
	}
	s.outcome, s.folder = o, f
	return s, nil
}

// check returns an error if the record does not belong in the folder, or cannot be drawn. A copy of
// another seed would otherwise count as one more seed.
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
			if len(line.Y) != points || len(line.Low) != len(line.High) || len(line.Low) != 0 &&
				len(line.Low) != points {
				return fmt.Errorf("chart %q, series %q: %d, %d, %d and %d of x, y, low and high", c.Name, line.Label,
					points, len(line.Y), len(line.Low), len(line.High))
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
