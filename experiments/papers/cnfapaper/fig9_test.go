package cnfapaper

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Max pooling has the highest null, and so the least room for an excess. Its excess is smaller than that of no pooling,
// but its normalised excess is larger.
func TestPoolingDifferencesAreNormalised(t *testing.T) {
	layer := func(pooling string, patch int, cosine, null float64) poolingLayer {
		r := similarity.Record{Cosine: record.Ptr(cosine), CosineNull: record.Ptr(null)}
		low := similarity.Record{Cosine: record.Ptr(.5), CosineNull: record.Ptr(.5)}
		return poolingLayer{pooling: pooling, patch: patch, trained: r, initial: low, before: low}
	}
	all := poolingLayers{
		layer("cnn-max", 3, .98, .9), layer("cnn-max", 7, .96, .9), // excesses of .08 and .06, .14 of .2
		layer("cnn-vec", 3, .8, .6), layer("cnn-vec", 7, .8, .6), // half of what is possible
		layer("cnn-avg", 3, .9, .5), layer("cnn-avg", 7, .9, .5), // .8 of what is possible
	}
	o := &study.Outcome{}
	(&PoolingSpec{Patches: []int{3, 7}}).setMeasures(all, o)
	for m, want := range map[study.Measure]float64{
		maxOverVec: .17, ofNormalised(maxOverVec): .2, maxOverAvg: .07, ofNormalised(maxOverAvg): -.1,
		patchDrop: .02 / 3, ofNormalised(patchDrop): .02, ofNormalised(trainedOverBefore): 1.34 / 2,
	} {
		if got := o.Value(m); !(math.Abs(got-want) < 1e-9) {
			t.Errorf("%s: %v, want %v", m.Name(), got, want)
		}
	}
}

// Claims name the datasets that replace the paper's ten.
func TestPoolingStandIns(t *testing.T) {
	if got := poolingSmall().StandIns()[poolingSets]; got != "cifar10, mnist" {
		t.Errorf("%q", got)
	}
	if got := poolingPaper().StandIns(); got != nil {
		t.Errorf("%q", got)
	}
}

// The same images are recorded once, whatever the names of the networks that learn them.
func TestImagesAreRecordedOnce(t *testing.T) {
	o := &study.Outcome{}
	for _, d := range []struct {
		name string
		seed uint64
	}{{"first", 1}, {"second", 1}, {"third", 2}} {
		set, err := data.Open("glyphs", data.Options{Seed: d.seed, Count: 5})
		if err != nil {
			t.Fatal(err)
		}
		if err := addImages(o, d.name, set); err != nil {
			t.Fatal(err)
		}
	}
	if len(o.Data) != 2 || o.Data[0].Name != "first" || o.Data[1].Name != "third" {
		t.Errorf("%+v", o.Data)
	}
}

// At scale paper colour images have the normalisation of Appendix B, and grey ones none.
func TestPaperColours(t *testing.T) {
	for _, set := range poolingPaper().Sets {
		channels := 3
		if set.Name == "qmnist" || set.Name == "emnist" {
			channels = 1
		}
		n, err := data.ParseNormalisation(set.Normalise, nil)
		if err == nil {
			err = n.Check(channels)
		}
		if err != nil || (channels == 3) != (set.Normalise == paperColours) {
			t.Errorf("%s: %q, %v", set.Name, set.Normalise, err)
		}
	}
}
