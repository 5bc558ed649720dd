package patches

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
)

// TestAverages compares the rows of K with the means of all patches of an image.
func TestAverages(t *testing.T) {
	for _, s := range []data.Shape{shape(1, 5, 4), shape(3, 6, 8)} {
		for q := 1; q <= min(s.Height, s.Width); q++ {
			ds := noise(7, s)
			k, err := Averages(t.Context(), ds, q)
			if err != nil {
				t.Fatal(err)
			}
			if r, c := k.Dims(); r != 7 || c != s.Channels*q*q {
				t.Fatalf("%v, q = %d: %d×%d", s, q, r, c)
			}
			for i, px := range ds.images {
				for j, want := range meanOf(allPatches(px, s, q)) {
					if got := k.At(i, j); math.Abs(got-want) > 1e-12 {
						t.Fatalf("%v, q = %d, image %d, place %d: %v, want %v", s, q, i, j, got, want)
					}
				}
			}
		}
	}
}

// TestAveragesProject checks that projecting the rows of K onto a component gives what Components.Projections returns.
func TestAveragesProject(t *testing.T) {
	ds := noise(9, shape(3, 6, 6))
	c := mustComponents(t, ds, 3, 0)
	k, err := Averages(t.Context(), ds, 3)
	if err != nil {
		t.Fatal(err)
	}
	for component := 1; component <= len(c.Vectors); component++ {
		p, err := c.Projections(t.Context(), ds, component)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p {
			want := dot(k.RawRowView(i), c.Vectors[component-1]) - dot(c.Mean, c.Vectors[component-1])
			if math.Abs(p[i]-want) > 1e-12 {
				t.Fatalf("component %d, image %d: %v, want %v", component, i, p[i], want)
			}
		}
	}
}

func TestAveragesErrors(t *testing.T) {
	s := shape(1, 5, 4)
	for _, q := range []int{-1, 0, 5} {
		if _, err := Averages(t.Context(), noise(3, s), q); err == nil {
			t.Errorf("patches of %d", q)
		}
	}
	if _, err := Averages(t.Context(), noise(0, s), 2); err == nil {
		t.Error("no images")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Averages(ctx, noise(3, s), 2); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
