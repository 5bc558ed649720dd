package search

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

var wholeSpace = Space{Base: Settings{Kernel: "laplace", Bandwidth: 10, Ridge: 1e-3, Power: 1, Transform: "standard"},
	Transforms: []string{"standard", "quantile", "blocks"}}

// Draws are all different, lie within bounds, are the same for the same seed, begin with the given settings, and cover
// the space.
func TestDraw(t *testing.T) {
	all := wholeSpace.Draw(400, 1)
	diagonal := wholeSpace.Base
	diagonal.Diagonal = true
	if len(all) != 400 || all[0] != wholeSpace.Base || all[1] != diagonal {
		t.Fatalf("%d draws, the first %v and %v", len(all), all[0], all[1])
	}
	start := time.Now()
	if long := wholeSpace.Draw(60000, 1); len(long) != 60000 || time.Since(start) > 5*time.Second {
		t.Errorf("%d draws in %v", len(long), time.Since(start))
	}
	if short := wholeSpace.Draw(30, 1); !slices.Equal(short, all[:30]) {
		t.Error("a short search is not the beginning of a long one")
	}
	if other := wholeSpace.Draw(30, 2); slices.Equal(other[2:], all[2:30]) {
		t.Error("another seed draws the same")
	}
	seen, counts := map[Settings]bool{}, map[string]int{}
	for _, s := range all {
		if seen[s] {
			t.Errorf("%v is there twice", s)
		}
		seen[s] = true
		m, err := s.Machine(rfm.Machine{})
		if err != nil || m.Kernel.String() != s.Kernel || rfm.Bandwidth(m.Kernel) != s.Bandwidth {
			t.Errorf("%v: %v", s, err)
		}
		least, most := 1., 200.
		if s.Adaptive {
			least, most = .1, 10
		}
		if s.Bandwidth < least || s.Bandwidth > most || s.Ridge < 1e-5 || s.Ridge > 10 {
			t.Errorf("out of bounds: %v", s)
		}
		for _, name := range []string{s.Kernel[:3], fmt.Sprint("adaptive ", s.Adaptive), fmt.Sprint("power ", s.Power),
			fmt.Sprint("diagonal ", s.Diagonal), s.Transform, fmt.Sprint("bandwidth above ", s.Bandwidth > math.Sqrt(least*most)),
			fmt.Sprint("ridge above ", s.Ridge > 1e-2)} {
			counts[name]++
		}
	}
	for name, n := range counts {
		if n < 60 {
			t.Errorf("%s: %d of 400", name, n)
		}
	}
	if len(counts) != 4+2+2+2+3+2+2 {
		t.Errorf("drawn: %v", counts)
	}
}

// A fixed setting has its value in all draws, and does not change the others.
func TestDrawFixed(t *testing.T) {
	free := wholeSpace.Draw(40, 3)
	for _, name := range []string{"kernel", "ridge", "agop-power", "transform"} {
		s := wholeSpace
		s.Fixed = []string{name}
		for i, d := range s.Draw(40, 3)[2:] {
			want := free[i+2]
			switch name {
			case "kernel":
				want.Kernel = "laplace"
			case "ridge":
				want.Ridge = 1e-3
			case "agop-power":
				want.Power = 1
			case "transform":
				want.Transform = "standard"
			}
			if d != want {
				t.Errorf("with %s fixed draw %d is %v, want %v", name, i+2, d, want)
			}
		}
	}
	s := wholeSpace
	s.Fixed = []string{"diag", "bandwidth"}
	for _, d := range s.Draw(40, 3) {
		if d.Diagonal || d.Bandwidth != 10 || d.Adaptive {
			t.Errorf("a full M and a bandwidth of 10 become %v", d)
		}
	}
	s.Fixed, s.Base.Adaptive, s.Base.Bandwidth = []string{"adaptive"}, true, 1
	for _, d := range s.Draw(40, 3) {
		if !d.Adaptive || d.Bandwidth > 10 {
			t.Errorf("an adaptive bandwidth becomes %v", d)
		}
	}
	s = Space{Base: Settings{Kernel: "ntk:2", Ridge: .1, Power: 1}, Fixed: Dimensions}
	if d := s.Draw(40, 3); len(d) != 1 || d[0] != s.Base {
		t.Errorf("with all fixed: %v", d)
	}
	s.Fixed = []string{"kernel", "ridge", "agop-power"}
	if d := s.Draw(40, 3); len(d) != 2 || d[1].Bandwidth != 0 || d[1].Adaptive {
		t.Errorf("of a kernel without a bandwidth: %v", d)
	}
}

// Folds are a partition of the examples. Their sizes, and their numbers of examples of a class, differ by at most one.
// Another seed gives other folds.
func TestFolds(t *testing.T) {
	labels := make([]int, 100)
	for i := range labels {
		if i%7 == 0 {
			labels[i] = 1
		}
	}
	y := rfm.OneHot(labels, 2)
	e := &examples.Set{Description: examples.Description{Task: rfm.Classification}, Train: rfm.Examples{Y: y}}
	folds, err := Folds(e, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for k, f := range folds {
		rare := 0
		for _, i := range f {
			rare += labels[i]
		}
		if !slices.IsSorted(f) || len(f) < 33 || len(f) > 34 || rare < 5 || rare > 6 {
			t.Errorf("a fold of %d with %d of the rare class", len(f), rare)
		}
		rest := append(others(folds, k), f...)
		if slices.Sort(rest); len(rest) != 100 || rest[99] != 99 || len(slices.Compact(rest)) != 100 {
			t.Errorf("fold %d and the others are not all", k)
		}
		all = append(all, f...)
	}
	if slices.Sort(all); len(slices.Compact(all)) != 100 {
		t.Error("folds overlap")
	}
	other, _ := Folds(e, 3, 2)
	if slices.Equal(other[0], folds[0]) {
		t.Error("another seed makes the same folds")
	}
	for _, k := range []int{1, 101} {
		if _, err := Folds(&examples.Set{Train: rfm.Examples{Y: mat.NewDense(100, 1, nil)}}, k, 1); err == nil || !err.(*input.Error).InputError() {
			t.Errorf("%d folds: %v", k, err)
		}
	}
}

// The examples of a cluster stay in one fold, and the folds have equally many examples. In order, each fold is an
// interval of clusters.
func TestClusterFolds(t *testing.T) {
	clusters := make([]int, 90)
	for i := range clusters {
		clusters[i] = (i * 7) % 30 / 2 // 15 clusters of 6, in no order
	}
	for _, inOrder := range []bool{false, true} {
		folds, err := clusterFolds(clusters, inOrder, 3, models.Stream(1, "test"))
		if err != nil {
			t.Fatal(err)
		}
		of := map[int]int{}
		last := -1
		for k, f := range folds {
			if len(f) != 30 || !slices.IsSorted(f) {
				t.Errorf("in order %v: fold %d has %d examples", inOrder, k, len(f))
			}
			least, most := 99, -1
			for _, i := range f {
				if before, seen := of[clusters[i]]; seen && before != k {
					t.Errorf("in order %v: cluster %d is in folds %d and %d", inOrder, clusters[i], before, k)
				}
				of[clusters[i]] = k
				least, most = min(least, clusters[i]), max(most, clusters[i])
			}
			if inOrder && least <= last {
				t.Errorf("fold %d begins with cluster %d, the one before ends with %d", k, least, last)
			}
			last = most
		}
	}
	// If one cluster has most examples, each of the other folds still gets a cluster.
	folds, err := clusterFolds([]int{0, 0, 0, 0, 0, 0, 0, 1, 2}, true, 3, nil)
	if err != nil || len(folds[0]) != 7 || len(folds[1]) != 1 || len(folds[2]) != 1 {
		t.Errorf("%v, %v", folds, err)
	}
	if _, err := clusterFolds([]int{0, 1, 1}, true, 3, nil); !input.IsError(err) {
		t.Errorf("two clusters in three folds: %v", err)
	}
}
