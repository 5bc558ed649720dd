package draw

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/plot/vg"
)

// A thinned line keeps its ends, and all points of the original lie within thinBy of it. Lines without noise are left
// with few points.
func TestThinned(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	curves := map[string]func(x float64) float64{
		"straight": func(x float64) float64 { return x / 2 },
		"smooth":   func(x float64) float64 { return 40 * math.Sin(x/30) },
		"noise":    func(float64) float64 { return 20 * random.Float64() },
		"steps":    func(x float64) float64 { return 10 * math.Floor(x/50) },
		"spike": func(x float64) float64 {
			if x > 100 && x < 100.2 {
				return 30
			}
			return 0
		},
	}
	for name, y := range curves {
		var line vg.Path
		for i := range 3000 {
			x := float64(i) / 10
			AddPoint(&line, vg.Point{X: vg.Length(x), Y: vg.Length(y(x))}, i == 0)
		}
		got := thinned(line)
		if got[0].Pos != line[0].Pos || got[0].Type != vg.MoveComp || got[len(got)-1].Pos != line[len(line)-1].Pos {
			t.Errorf("%s: the ends are %v and %v", name, got[0], got[len(got)-1])
		}
		k, worst := 1, vg.Length(0)
		for _, c := range line {
			for k < len(got)-1 && got[k].Pos.X < c.Pos.X {
				k++
			}
			worst = max(worst, fromSegment(c.Pos, got[k-1].Pos, got[k].Pos))
		}
		if worst > thinBy {
			t.Errorf("%s: a point is %v from the line", name, worst)
		}
		if most := map[string]int{"straight": 2, "smooth": 200, "steps": 20, "spike": 10}[name]; most > 0 && len(got) > most {
			t.Errorf("%s: %d points are left, want at most %d", name, len(got), most)
		}
	}
}

// Thinning leaves short lines, rectangles and discs as they are, also in a path of many parts.
func TestThinnedKeepsMarks(t *testing.T) {
	var p vg.Path
	for i := range 100 {
		at := vg.Point{X: vg.Length(i), Y: 1}
		AddDisc(&p, at, 1)
		AddRect(&p, Box(at.X, 0, 1, 1))
		AddSegment(&p, at, vg.Point{})
	}
	got := thinned(p)
	if len(got) != len(p) {
		t.Fatalf("%d of %d parts are left", len(got), len(p))
	}
	for i := range p {
		if got[i].Type != p[i].Type || got[i].Pos != p[i].Pos {
			t.Fatalf("part %d is %v, was %v", i, got[i], p[i])
		}
	}
}
