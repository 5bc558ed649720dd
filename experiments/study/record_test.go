package study

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/mat"
)

// The results of a toy experiment can be read by seed, over the seeds, and as files.
func TestRecordAccess(t *testing.T) {
	dir, ran := t.TempDir(), 0
	r, err := Run{
		Experiment: toy(&toySpec{ran: &ran}), Scale: Small, Seeds: 3, Setting: Setting{Seed: 5}, Out: dir,
	}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Values("level"); !slices.Equal(v, []float64{5, 6, 7}) {
		t.Errorf("levels %v", v)
	}
	if v := r.Values("nothing"); len(v) != 3 || !math.IsNaN(v[0]) {
		t.Errorf("what there is not: %v", v)
	}
	if o := r.Outcome(6); o == nil || o.Values["level"] != 6 || len(o.Figures) != 1 {
		t.Errorf("of seed 6: %+v", o)
	}
	if o := r.Outcome(8); o != nil {
		t.Errorf("of a seed that was not run: %+v", o)
	}
	c := r.Charts()
	if len(c) != 1 || c[0].Name != "c" || len(c[0].Series) != 1 {
		t.Fatalf("charts %+v", c)
	}
	if s := c[0].Series[0]; !slices.Equal(s.Y, []float64{0, 6}) || !slices.Equal(s.Low, []float64{0, 5}) ||
		!slices.Equal(s.High, []float64{0, 7}) {
		t.Errorf("over the seeds: %+v", s)
	}
	if s := r.Outcome(5).Charts[0].Series[0]; s.Y[1] != 5 || s.Low != nil {
		t.Errorf("seed 5 was changed: %+v", s)
	}
	m, err := r.Matrix(dir, 6, "m")
	if err != nil || !mat.Equal(m, mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})) {
		t.Errorf("%v, %v", m, err)
	}
	if _, err := r.Matrix(dir, 8, "m"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a seed that was not run: %v", err)
	}
}

// Matrix reads an array in column-major order, and refuses one that is empty or not two-dimensional.
func TestRecordMatrix(t *testing.T) {
	dir, ran := t.TempDir(), 0
	r, err := Run{Experiment: toy(&toySpec{ran: &ran}), Scale: Small, Seeds: 1, Out: dir}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write := func(header, body string) {
		t.Helper()
		pad := make([]byte, 118-len(header))
		for i := range pad {
			pad[i] = ' '
		}
		pad[len(pad)-1] = '\n'
		text := "\x93NUMPY\x01\x00\x76\x00" + header + string(pad) + body
		if err := os.WriteFile(filepath.Join(dir, "toys", "one", r.Hash, "seed-0", "m.npy"), []byte(text),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", "\x01\x02\x03\x04\x05\x06")
	if m, err := r.Matrix(dir, 0, "m"); err != nil || !mat.Equal(m, mat.NewDense(2, 3, []float64{1, 3, 5, 2, 4, 6})) {
		t.Errorf("%v, %v", m, err)
	}
	for _, shape := range []string{"(6,)", "(1, 2, 3)"} {
		write("{'descr': '|u1', 'fortran_order': False, 'shape': "+shape+", }", "\x01\x02\x03\x04\x05\x06")
		if _, err := r.Matrix(dir, 0, "m"); !input.IsError(err) {
			t.Errorf("shape %s: %v", shape, err)
		}
	}
	write("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 3), }", "")
	if _, err := r.Matrix(dir, 0, "m"); !input.IsError(err) {
		t.Errorf("an empty matrix: %v", err)
	}
}

// A chart is drawn as curves or, with labels, as bars, and keeps its name and its caption.
func TestChartFigure(t *testing.T) {
	series := []report.Series{{Label: "s", X: []float64{0, 1}, Y: []float64{1, 2}, Low: []float64{.5, 1},
		High: []float64{1.5, 3}}}
	curve := Chart{Name: "c", Caption: "Two points.", Series: series}
	bars := curve
	bars.Labels = []string{"a", "b"}
	for _, c := range []Chart{curve, bars} {
		f, err := c.Figure()
		if err != nil || f.Name != "c" || f.Caption != "Two points." || len(f.SVG) == 0 {
			t.Errorf("%q, %q, %d bytes, %v", f.Name, f.Caption, len(f.SVG), err)
		}
	}
}

// The record of an experiment that cannot be run is empty.
func TestNothingToAccess(t *testing.T) {
	r, err := Run{Experiment: &Experiment{ID: "toys/none", Absent: "there is no data"}}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome(0) != nil || r.Charts() != nil || len(r.Values("level")) != 0 {
		t.Errorf("%+v", r)
	}
}
