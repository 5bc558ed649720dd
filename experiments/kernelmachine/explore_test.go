package kernelmachine

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report/explorer"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// TestExploreMetrics checks the principal angles between the eigenvectors of M and those of the M before. If one
// eigenvector is turned by 30 degrees towards a direction outside their span, the largest angle is 30 degrees.
// Iteration 0 has no AGOP, and a diagonal M has no eigenvectors. Pixels of eigenvectors are drawn channel by channel.
func TestExploreMetrics(t *testing.T) {
	const d = 12 // 2×2 pixels of 3 channels
	turned := func(angle float64) *rfm.Metric {
		m := mat.NewSymDense(d, nil)
		for i := range record.ShownVectors {
			v := mat.NewVecDense(d, nil)
			v.SetVec(i, 1)
			if i == 0 {
				v.SetVec(0, math.Cos(angle))
				v.SetVec(d-1, math.Sin(angle))
			}
			m.SymRankOne(m, float64(20-i), v)
		}
		return rfm.FullMetric(m)
	}
	score := func(v float64) IterationRecord { return IterationRecord{TrainAccuracy: record.Ptr(v)} }
	its := []IterationRecord{score(.5), score(.6), score(.7), score(.8)}
	for i := range its {
		its[i].Iteration = i
	}
	l := exploredLayer{Layer: explorer.Layer{Name: "M", Patch: []int{3, 2, 2}},
		shape:      &data.Shape{Height: 2, Width: 2, Channels: 3},
		metrics:    []*rfm.Metric{rfm.Identity(d), turned(0), turned(math.Pi / 6), rfm.Identity(d)},
		iterations: its}
	doc, err := exploreMetrics(1, l)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Check([]string{"M"}); err != nil {
		t.Fatal(err)
	}
	p := doc.Layers[0].Points
	if p[0].AGOP != nil || p[1].CNFM != nil || p[1].Cosines != nil || p[3].AGOP.Vectors != nil || p[3].Cosines != nil {
		t.Errorf("iterations 0, 1 or 3 have what is not defined: %+v", p)
	}
	if v := p[2].AGOP.Values[:2]; v[0] != 20 || v[1] != 19 || p[2].CNFM != p[1].AGOP {
		t.Errorf("eigenvalues %v", v)
	}
	n := len(p[2].Angles)
	if n != record.ShownVectors || math.Abs(float64(p[2].Angles[n-1])-30) > .1 || p[2].Angles[n-2] > .1 ||
		p[2].NullAngles[n-1] < 60 {
		t.Errorf("angles %v, of random directions %v", p[2].Angles, p[2].NullAngles)
	}
	// The second eigenvector is element 1, the second channel of the first pixel. Channel by channel this is element 4.
	if v := p[1].AGOP.Vectors[1]; v[4] != 255 || v[1] != 128 {
		t.Errorf("drawn eigenvector %v", v)
	}
	if got := *p[3].Values[0].Value; doc.Measures[0] != "training accuracy" || len(doc.Measures) != 1 || got != .8 {
		t.Errorf("%v, %v at the end", doc.Measures, got)
	}
}
