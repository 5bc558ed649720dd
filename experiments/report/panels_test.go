package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report/axes"
	"gonum.org/v1/plot/vg"
)

// panelFigures returns figures of several kinds.
func panelFigures(t *testing.T) []Figure {
	t.Helper()
	var all []Figure
	for _, name := range []string{"lines", "bars", "layers", "matrices", "images", "160 layers"} {
		f, err := charts()[name]("stem", "A. text")
		if err != nil {
			t.Fatal(err)
		}
		f.Name = strings.ReplaceAll(name, " ", "-")
		all = append(all, f)
	}
	return all
}

// Panels do not overlap and stay on the page. Each has its letter, which replaces a letter in its title.
func TestPanelsApart(t *testing.T) {
	for columns := 2; columns <= mostColumns; columns++ {
		panelsApart(t, newPanels(panelFigures(t), columns))
	}
}

func panelsApart(t *testing.T, p *panels) {
	t.Helper()
	for i, a := range p.all {
		if size := a.size(); a.x < 0 || a.x+size.X > textWidth+slack || a.y+size.Y > p.bottom+slack {
			t.Errorf("panel %s at %g, %g of %v leaves the page", a.letter, a.x, a.y, size)
		}
		for _, b := range p.all[:i] {
			apart := a.x >= b.x+b.size().X-slack || b.x >= a.x+a.size().X-slack || a.y >= b.y+b.size().Y-slack ||
				b.y >= a.y+a.size().Y-slack
			if !apart {
				t.Errorf("panels %s and %s overlap", b.letter, a.letter)
			}
		}
	}
	if p.all[0].y != p.all[1].y || p.all[1].x <= p.all[0].x {
		t.Error("two charts of half a page do not stand side by side")
	}
	var letters []string
	for _, text := range p.drawing().scene().Texts() {
		if len(text.String) == 1 && text.Face.Size == titleSize {
			letters = append(letters, text.String)
		}
		if text.String == "A. text" && text.Face.Size == titleSize {
			t.Error("a title has kept its letter")
		}
	}
	if got := strings.Join(letters, ""); got != "abcdef" {
		t.Errorf("letters %q", got)
	}
}

// A page with panels saves them together, as files with the same bytes each time. A page with a panel that was read
// from a file cannot be saved.
func TestPanelsSaved(t *testing.T) {
	all := panelFigures(t)
	page := &Page{Sections: []Section{{Figures: all}}, Panels: all[:3]}
	var first []byte
	for range 2 {
		dir := t.TempDir()
		if _, err := page.Save(dir); err != nil {
			t.Fatal(err)
		}
		for _, end := range []string{".svg", ".pdf", ".png"} {
			if _, err := os.Stat(filepath.Join(dir, "figures", "figure"+end)); err != nil {
				t.Error(err)
			}
		}
		pdf := read(t, dir, "figures", "figure.pdf")
		if first != nil && !bytes.Equal(first, []byte(pdf)) {
			t.Error("the PDF differs from one time to the next")
		}
		first = []byte(pdf)
	}
	page.Panels = []Figure{all[0], {Name: "old", SVG: []byte(dotSVG)}}
	if _, err := page.Save(t.TempDir()); err == nil || !strings.Contains(err.Error(), `"old" cannot be drawn again`) {
		t.Errorf("a panel without a description: %v", err)
	}
	page.Panels = all[:2]
	page.Sections[0].Figures[0].Name = Assembled
	if _, err := page.Save(t.TempDir()); err == nil || !strings.Contains(err.Error(), "reserved for the panels") {
		t.Errorf("a figure of the panels' name: %v", err)
	}
	if _, err := Assemble("f", slices.Repeat(all[1:2], MaxPanels+1)); err == nil {
		t.Error("more panels than letters")
	}
}

// Axes end at the bounds of a quantity, even if bands or errors go beyond them.
func TestBoundedAxes(t *testing.T) {
	x := []float64{0, 1}
	for _, c := range []struct {
		label  string
		y      []float64
		lo, hi float64
	}{
		{"accuracy", []float64{.7, .99}, .4, 1}, {"correlation", []float64{-.9, .9}, -1, 1},
		{"accuracy, %", []float64{70, 99}, 60, 100}, {"loss", []float64{.7, .99}, .4, 1.4},
	} {
		s := Series{X: x, Y: c.y, Low: []float64{c.y[0] - .3, c.y[1] - .3}, High: []float64{c.y[0] + .3, c.y[1] + .3}}
		l := newLineChart(&Description{YLabel: c.label, Lines: []Series{s}}, onPage)
		if l.y.Lo < c.lo-1e-9 && c.hi <= 1 || l.y.Hi > c.hi+1e-9 {
			t.Errorf("%s: the axis is %g to %g", c.label, l.y.Lo, l.y.Hi)
		}
		if c.label == "loss" && (l.y.Lo > .4 || l.y.Hi < 1.29) {
			t.Errorf("the axis of losses from .4 to 1.29 is %g to %g", l.y.Lo, l.y.Hi)
		}
	}
	bars := []Bars{{Values: []float64{.97}, Errors: []float64{.2}}}
	if a := barAxis(bars, axes.QuantityOf("share")); a.Hi != 1 {
		t.Errorf("bars of a share end at %g", a.Hi)
	}
}

func TestLogAxis(t *testing.T) {
	for _, c := range []struct {
		lo, hi, base float64
		want         string
	}{
		{-2, 3, 2, "1/4 1/2 1 2 4 8"},
		{-2, 2, 10, "0.01 0.1 1 10 100"},
		{-6, 0, 10, "10⁻⁶ 10⁻⁵ 10⁻⁴ 10⁻³ 10⁻² 10⁻¹ 10⁰"},
		{0, 1, 10, "1 2 5 10"},
		{math.Log10(300), math.Log10(400), 10, "300 350 400"},
	} {
		var s axes.Span
		s.Add(c.lo, c.hi)
		a := axes.NewLog(s, 7, c.base)
		if got := strings.Join(a.Labels(), " "); got != c.want {
			t.Errorf("%g to %g: %s, want %s", c.lo, c.hi, got, c.want)
		}
		for _, v := range a.Ticks() {
			if f := (v - a.Lo) / (a.Hi - a.Lo); f < 0 || f > 1 {
				t.Errorf("%g to %g: tick %g is at %g", c.lo, c.hi, v, f)
			}
		}
	}
}

func TestRoles(t *testing.T) {
	labels := []string{"trained", "before training", "null, trained", "null of before", "null", "paper: trained", "nullify",
		"reference: trained"}
	want := []axes.Role{axes.Measured, axes.Measured, axes.NullLevel, axes.NullLevel, axes.NullLevel, axes.PaperValue, axes.Measured, axes.Reference}
	owners := []int{-1, -1, 0, 1, 1, 0, -1, 0}
	for i, label := range labels {
		if got := axes.RoleOf(label); got != want[i] {
			t.Errorf("%q has role %d", label, got)
		}
		if got := axes.OwnerOf(labels, i); want[i] != axes.Measured && got != owners[i] {
			t.Errorf("%q belongs to %d, want %d", label, got, owners[i])
		}
	}
	if axes.RoleOf("−null") != axes.NullLevel || axes.LookOf(labels, 6) != 2 {
		t.Error("the third measured series is not the third of its look")
	}
	l := newLineChart(&Description{Lines: []Series{{Label: "a", X: []float64{0}, Y: []float64{1}},
		{Label: "null", X: []float64{0}, Y: []float64{0}, Dots: true}, {Label: "null of a", X: []float64{0}, Y: []float64{0}}}},
		onPage)
	var texts []string
	for _, item := range l.keys() {
		texts = append(texts, item.text)
	}
	if fmt.Sprint(texts) != "[a null]" {
		t.Errorf("legend %q", texts)
	}
}

// Dots at the same x are moved sideways, so that they stand beside each other, and so are curves of few points with
// whiskers. Other marks, and all marks on a logarithmic axis, stay at their numbers.
func TestBeside(t *testing.T) {
	dots := Series{X: []float64{1, 1, 1, 2}, Y: []float64{0, 0, 0, 0}, Dots: true}
	l := newLineChart(&Description{Lines: []Series{dots}}, onPage)
	if a, b, c, d := l.jitter(0, 0), l.jitter(0, 1), l.jitter(0, 2), l.jitter(0, 3); !(a < b && b == 0 && c == -a && d == 0) {
		t.Errorf("moved by %g, %g, %g and %g", a, b, c, d)
	}
	two := Series{Label: "x", X: []float64{0, 1}, Y: []float64{0, 1}, Low: []float64{0, 0}, High: []float64{1, 2}}
	bare := Series{Label: "y", X: two.X, Y: two.Y}
	l = newLineChart(&Description{Lines: []Series{two, two, {Label: "null", X: two.X, Y: two.Y}}}, onPage)
	f := frame{Rectangle: vg.Rectangle{Max: vg.Point{X: 400, Y: 100}}}
	if a, b, c := l.sideShift(f, 0), l.sideShift(f, 1), l.sideShift(f, 2); !(a < 0 && b == -a && c == 0) {
		t.Errorf("moved by %g, %g and %g", a, b, c)
	}
	l = newLineChart(&Description{Lines: []Series{bare, two, {Label: "reference: 1/k", X: two.X, Y: two.Y}}}, onPage)
	if a, b, c := l.sideShift(f, 0), l.sideShift(f, 1), l.sideShift(f, 2); a != 0 || b != 0 || c != 0 {
		t.Errorf("a curve without whiskers, one alone with them and a reference are moved by %g, %g and %g", a, b, c)
	}
	l = newLineChart(&Description{XLabel: "log₁₀ width", Lines: []Series{two, two, dots}}, onPage)
	if a, b, c := l.sideShift(f, 0), l.sideShift(f, 1), l.jitter(2, 0); a != 0 || b != 0 || c != 0 {
		t.Errorf("on a logarithmic axis moved by %g, %g and %g", a, b, c)
	}
	six := slices.Repeat([]Series{two}, 6)
	l = newLineChart(&Description{Lines: six}, room{width: columnWidth(2)})
	f.Max.X = l.width - margin - tickRoom(l.y) - l.right
	if left, right := l.place(f, 0, 0).X+l.sideShift(f, 0), l.place(f, 1, 0).X+l.sideShift(f, 5); left < 0 || right > f.Max.X ||
		l.sideShift(f, 5) > mostAside || l.sideShift(f, 0) < -mostAside {
		t.Errorf("the outermost of six curves are at %g and %g of a plot of %g", left, right, f.Max.X)
	}
}

// A panel draws curves like those of the same labels in the panel with most curves, if that has all of its labels.
// Otherwise it chooses the looks itself.
func TestSharedLooks(t *testing.T) {
	curve := func(label string) Series { return Series{Label: label, X: []float64{0, 1}, Y: []float64{0, 1}} }
	most := Description{Chart: lines, Lines: []Series{curve("a"), curve("b"), curve("c")}}
	r := room{width: columnWidth(2), most: textWidth, labels: most.measured()}
	few := newLineChart(&Description{Lines: []Series{curve("a"), curve("null"), curve("c")}}, r)
	other := newLineChart(&Description{Lines: []Series{curve("c"), curve("d")}}, r)
	if few.look(0) != 0 || few.look(2) != 2 || other.look(0) != 0 || other.look(1) != 1 {
		t.Errorf("looks %d, %d, %d, %d", few.look(0), few.look(2), other.look(0), other.look(1))
	}
}
