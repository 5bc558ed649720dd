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

// layerWith returns a layer with the given similarity, the mean and the standard deviation of its null, and the
// similarity of its CNFMs before and after training.
func layerWith(name string, pearson, null, sd, initial float64) verify.LayerRecord {
	return verify.LayerRecord{
		Layer: name, PearsonInit: record.Ptr(initial),
		AnsatzRecord: similarity.AnsatzRecord{
			Pearson: record.Ptr(pearson), PearsonNull: record.Ptr(null), PearsonNullSD: record.Ptr(sd),
			Excess: record.Ptr(pearson - null),
			Powers: []similarity.PowerRecord{{Exponent: .5, Pearson: (1 + pearson) / 2, PearsonNull: (1 + null) / 2}},
		},
	}
}

// knownFinding returns the result of a network with three convolutions. The last one has no similarity after training,
// as a layer without gradients.
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

// Layers without a similarity are left out of the measures.
func TestAnsatzCounts(t *testing.T) {
	o := &study.Outcome{}
	setAnsatzMeasures([]*ansatzResult{knownFinding()}, o)
	for name, want := range map[string]float64{
		"pearson": .9, "least": .85, "excess": .125, "over_90": .5, "above": .5, "init_alike": .3,
		"before_pearson": .9, "before_excess": 0, "gain": 0, "higher": .5, "normalised_higher": 1,
		// This is (.2 + .05)/(.25 + .2), not the mean of the layers' own ratios .8 and .25.
		"normalised": .25 / .45, "before_normalised": 0, "normalised_gain": .25 / .45,
		"pearson_half": .95, "over_90_half": 1, "normalised_half": .25 / .45, "half_over_agop": 0,
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

// trainedNet returns a small network for images of 12×12 that stands in for a trained one.
func trainedNet(t *testing.T, arch string) *ansatzNet {
	t.Helper()
	a, err := input.LookupArchitecture(arch)
	if err != nil {
		t.Fatal(err)
	}
	a.Width = .1
	n := &ansatzNet{AnsatzNetwork: AnsatzNetwork{Name: "net", Arch: arch}}
	if n.net, err = a.InitNetwork(models.Shape{Channels: 3, Height: 12, Width: 12}, 2, 1); err != nil {
		t.Fatal(err)
	}
	n.initial = n.net.Clone()
	return n
}

// A form without biases is a copy of the network with biases 0. A form with other layers shares the network.
func TestFormWithoutBiases(t *testing.T) {
	n := trainedNet(t, "lenet")
	conv := n.net.Layers()[0].Name + ".bias"
	if n.net.Value(conv) == nil {
		t.Fatal("the network has no biases")
	}
	n.net.Value(conv).Float32s()[0] = 3
	other := n.withForm(AnsatzForm{NoBias: true})
	if b := other.net.Value(conv).Float32s()[0]; b != 0 || n.net.Value(conv).Float32s()[0] != 3 {
		t.Errorf("the bias is %v in the copy", b)
	}
	if other := n.withForm(AnsatzForm{Layers: "1"}); other.net != n.net || other.Form.Layers != "1" {
		t.Errorf("%+v", other.Form)
	}
}

// The paper takes the first convolution of each block of a ResNet. In ResNet-20 these are 9, and the first convolution
// of the network is chosen as well.
func TestBlockStarts(t *testing.T) {
	n := trainedNet(t, "resnet20").withForm(AnsatzForm{Layers: blockStarts})
	chosen, err := n.convolutions(n.net)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, l := range n.net.Layers() {
		if chosen.MatchString(l.Name) {
			count++
		}
	}
	if count != 10 {
		t.Errorf("%d convolutions: %v", count, chosen)
	}
	for _, layers := range []string{"(", "there is none"} {
		if _, err := n.withForm(AnsatzForm{Layers: layers}).convolutions(n.net); !input.IsError(err) {
			t.Errorf("%q: %v", layers, err)
		}
	}
}

// Claims name the dataset that replaces ImageNet, and none if ImageNet itself is used.
func TestAnsatzStandIns(t *testing.T) {
	if got := ansatzSmall().StandIns()[imageNet]; got != "cifar10" {
		t.Errorf("%q for ImageNet", got)
	}
	if got, there := ansatzPaper().StandIns()[imageNet]; there {
		t.Errorf("%q for ImageNet", got)
	}
	if got, there := simpleNetPaper().StandIns()[simpleNetSets]; there {
		t.Errorf("%q for the paper's sets", got)
	}
}

// A spec is refused unless the names of its networks and variants are unique and every variant refers to a network.
func TestAnsatzNames(t *testing.T) {
	for _, bad := range []*AnsatzSpec{
		{}, {Networks: []AnsatzNetwork{{}}}, {Networks: []AnsatzNetwork{{Name: "a"}, {Name: "a"}}},
		{Networks: []AnsatzNetwork{{Name: "a"}}, Variants: []AnsatzVariant{{Name: "a", Network: "a"}}},
		{Networks: []AnsatzNetwork{{Name: "a"}}, Variants: []AnsatzVariant{{Name: "b", Network: "c"}}},
	} {
		if err := bad.check(); !input.IsError(err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if err := ansatzSmall().check(); err != nil {
		t.Error(err)
	}
}

// withChange returns a copy of the network in which W − W₀ replaces the filters of one layer.
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
