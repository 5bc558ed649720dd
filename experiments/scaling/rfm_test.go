package scaling

import (
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

func TestRFMCost(t *testing.T) {
	spec := RFMCostSpec{Examples: []int{20, 50, 90}, Features: []int{3, 7}, Outputs: 2, Repeats: 2}
	c, err := NewRFMCost(spec)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	r, err := c.Run(context.Background(), func(done, total int) {
		if told++; done != told || total != 6 {
			t.Errorf("%d of %d after %d", done, total, told)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Points) != 6 || told != 6 || len(r.Exponents) != 4 {
		t.Fatalf("%d points, told %d times, %d exponents", len(r.Points), told, len(r.Exponents))
	}
	for i, p := range r.Points {
		if p.Examples != spec.Examples[i%3] || p.Features != spec.Features[i/3] {
			t.Errorf("point %d is %+v", i, p)
		}
		for _, part := range parts {
			if s := part.seconds(p.PartSeconds); !(s > 0) {
				t.Errorf("point %d: the %s took %v s", i, part.name, s)
			}
		}
		if i%3 > 0 && p.Bytes <= r.Points[i-1].Bytes {
			t.Errorf("point %d takes %d bytes, the one before %d", i, p.Bytes, r.Points[i-1].Bytes)
		}
	}
	dir := t.TempDir()
	if _, err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	checkCostTable(t, dir, r)
}

// checkCostTable reads the table of costs as another program would, and checks its times of the AGOP.
func checkCostTable(t *testing.T, dir string, r *RFMCostRecord) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "cost.csv"))
	if direct, _ := filepath.Glob(filepath.Join(dir, "cost.csv")); len(direct) > 0 {
		files = direct
	}
	if err != nil || len(files) != 1 {
		t.Fatalf("tables %v, %v", files, err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != len(r.Points)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, p := range r.Points {
		if v, err := strconv.ParseFloat(rows[i+1][4], 64); err != nil || v != p.AGOP {
			t.Errorf("row %d has an AGOP of %s s, not %v", i+1, rows[i+1][4], p.AGOP)
		}
	}
}

func TestRFMCostExponents(t *testing.T) {
	r := &RFMCostRecord{Spec: RFMCostSpec{Examples: []int{10, 20, 40}, Features: []int{3, 9}}}
	for _, d := range r.Spec.Features {
		for _, n := range r.Spec.Examples {
			x, z := float64(n), float64(d)
			r.Points = append(r.Points, RFMCostPoint{
				Examples: n, Features: d, PartSeconds: PartSeconds{x * x * z, x * x * x, x * z * z, x * z},
			})
		}
	}
	r.fitExponents()
	for i, want := range [][2]float64{{2, 1}, {3, 0}, {1, 2}, {1, 1}} {
		e := r.Exponents[i]
		if d := max(e.Examples-want[0], want[0]-e.Examples, e.Features-want[1], want[1]-e.Features); d > 1e-9 {
			t.Errorf("%+v, want %v", e, want)
		}
	}
}

func TestRFMCostRefuses(t *testing.T) {
	for _, s := range []RFMCostSpec{
		{Examples: []int{0}}, {Examples: []int{}}, {Features: []int{5, 3}}, {Outputs: -1}, {Repeats: -1},
		{Examples: []int{1 << 22}},
	} {
		if _, err := NewRFMCost(s); !input.IsError(err) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	c, err := NewRFMCost(RFMCostSpec{Examples: []int{20}, Features: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Run(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
