package cnfapaper

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/profile"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// layerWith is a layer with a similarity, its null and that of the CNFMs.
func layerWith(name string, pearson, null, sd, initial float64) verify.LayerRecord {
	return verify.LayerRecord{
		Layer: name, PearsonInit: record.Ptr(initial),
		AnsatzRecord: similarity.AnsatzRecord{
			Pearson: record.Ptr(pearson), PearsonNull: record.Ptr(null), PearsonNullSD: record.Ptr(sd),
			Excess: record.Ptr(pearson - null),
		},
	}
}

// knownFinding has three convolutions, of which the last has no similarity after
// training, as that of a layer without gradients.
func knownFinding() *ansatzResult {
	dead := verify.LayerRecord{Layer: "c", AnsatzRecord: similarity.AnsatzRecord{Undefined: "zero"}}
	return &ansatzResult{
		ansatzNet: &ansatzNet{
			AnsatzNetwork: AnsatzNetwork{Name: "net"}, net: &models.Network{Classes: 4}, test: record.Ptr(.75),
		},
		trained: &verify.Verified{
			Record: verify.Record{
				Layers: []verify.LayerRecord{layerWith("a", .95, .75, .05, .2), layerWith("b", .85, .8, .05, .4), dead},
			},
		},
		before: &verify.Verified{
			Record: verify.Record{
				Layers: []verify.LayerRecord{
					layerWith("a", .9, .9, .01, 1), layerWith("b", .9, .9, .01, 1), layerWith("c", .9, .9, .01, 1),
				},
			},
		},
	}
}

// Layers without a similarity count for nothing.
func TestAnsatzCounts(t *testing.T) {
	o := &study.Outcome{}
	setAnsatzMeasures([]*ansatzResult{knownFinding()}, o)
	for name, want := range map[string]float64{
		"pearson": .9, "least": .85, "excess": .125, "over_90": .5, "above": .5, "init_alike": .3,
		"before_pearson": .9, "before_excess": 0, "gain": 0, "excess_gain": .125, "higher": .5, "excess_higher": 1,
		"net_least": .85, "net_accuracy": .75, "accuracy_over_chance": .5,
	} {
		if got, there := o.Values[name]; !there || !(math.Abs(got-want) < 1e-12) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	empty := &study.Outcome{}
	setLayerMeasures("", nil, empty)
	for name, v := range empty.Values {
		if !math.IsNaN(v) {
			t.Errorf("%s of no layer: %v", name, v)
		}
	}
}

func TestBarsOfDefinedLayers(t *testing.T) {
	c := knownFinding().barChart("similarity", "", layerBar{"trained", ansatzLayer.pearson},
		layerBar{"before", ansatzLayer.beforePearson})
	if !slices.Equal(c.Labels, []string{"a", "b"}) || !slices.Equal(c.Series[0].Y, []float64{.95, .85}) ||
		!slices.Equal(c.Series[1].X, []float64{0, 1}) {
		t.Errorf("%+v", c)
	}
}

// W − W₀ takes the place of one layer's filters, in a copy.
func TestChangedNetwork(t *testing.T) {
	a, err := input.LookupArchitecture("cnn2")
	if err != nil {
		t.Fatal(err)
	}
	a.Width = .05
	in := models.Shape{Channels: 1, Height: 6, Width: 6}
	n := &ansatzNet{}
	if n.net, err = a.InitNetwork(in, 2, 1); err != nil {
		t.Fatal(err)
	}
	if n.initial, err = a.InitNetwork(in, 2, 2); err != nil {
		t.Fatal(err)
	}
	first, second := n.net.Layers()[0].Name, n.net.Layers()[1].Name
	kept := mat.DenseCopyOf(n.net.Filters(first))
	got := n.withChange(first)
	if want := profile.Change(n.net.Filters(first), n.initial.Filters(first)); !mat.EqualApprox(got.Filters(first),
		want, 1e-6) {
		t.Errorf("%v, want %v", mat.Formatted(got.Filters(first)), mat.Formatted(want))
	}
	if !mat.Equal(n.net.Filters(first), kept) || !mat.Equal(got.Filters(second), n.net.Filters(second)) {
		t.Error("other filters changed")
	}
}
