package data

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

func TestParseNormalisation(t *testing.T) {
	measured := Normalisation{Name: "dataset", Mean: []float32{.5}, Std: []float32{.25}}
	for _, test := range []struct {
		in   string
		want Normalisation
	}{
		{"none", Normalisation{Name: "none"}},
		{"imagenet", Normalisation{"imagenet", []float32{.485, .456, .406}, []float32{.229, .224, .225}}},
		{"dataset", measured},
		{"0.1307/0.3081", Normalisation{"given", []float32{.1307}, []float32{.3081}}},
		{"-1/2e-1", Normalisation{"given", []float32{-1}, []float32{.2}}},
		{".1, .2 ,.3/.4,.5,.6", Normalisation{"given", []float32{.1, .2, .3}, []float32{.4, .5, .6}}},
		{".1,.2,.3/1", Normalisation{"given", []float32{.1, .2, .3}, []float32{1, 1, 1}}},
		{"0/.4,.5,.6", Normalisation{"given", []float32{0, 0, 0}, []float32{.4, .5, .6}}},
	} {
		got, err := ParseNormalisation(test.in, func() (Normalisation, error) { return measured, nil })
		if err != nil {
			t.Errorf("%q: %v", test.in, err)
			continue
		}
		if !equalNormalisation(got, test.want) || got.Name != test.want.Name {
			t.Errorf("%q is %#v, want %#v", test.in, got, test.want)
		}
	}
}

func equalNormalisation(a, b Normalisation) bool {
	return slices.Equal(a.Mean, b.Mean) && slices.Equal(a.Std, b.Std)
}

func TestParseNormalisationBadInput(t *testing.T) {
	for in, offset := range map[string]int64{
		"":                    0,
		"ImageNet":            0,
		".5":                  0,
		"/":                   0,
		"./.":                 0,
		"x/1":                 0,
		".5/":                 3,
		".5/1/2":              3,
		".5,,.5/1":            3,
		".5,.5/1,y":           8,
		"1e99/1":              0,
		"dataset":             0, // this call has no dataset
		".5/0":                array.NoOffset,
		".5/-1":               array.NoOffset,
		".5/nan":              array.NoOffset,
		".5/inf":              array.NoOffset,
		"nan/1":               array.NoOffset,
		".1,.2/.1,.2,.3":      array.NoOffset,
		"0,0,0/.1,.2,.000e-9": array.NoOffset,
	} {
		_, err := ParseNormalisation(in, nil)
		t.Run(in, func(t *testing.T) { wantFormatError(t, err, offset) })
	}
}

func TestParseNormalisationPassesErrorsOn(t *testing.T) {
	want := errors.New("no training split")
	_, err := ParseNormalisation("dataset", func() (Normalisation, error) { return Normalisation{}, want })
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

// TestNormalisationRoundTrip checks that ParseNormalisation reads what String writes.
func TestNormalisationRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	all := []Normalisation{{}, {Name: "none"}, ImageNet()}
	for range 2000 {
		n := Normalisation{Name: "given"}
		for range 1 + rng.IntN(4) {
			n.Mean = append(n.Mean, randomFinite(rng))
			n.Std = append(n.Std, max(math.SmallestNonzeroFloat32, float32(math.Abs(float64(randomFinite(rng))))))
		}
		all = append(all, n)
	}
	for _, n := range all {
		got, err := ParseNormalisation(n.String(), nil)
		if err != nil || !equalNormalisation(got, n) || got.String() != n.String() {
			t.Fatalf("%v reads back as %v, %v", n, got, err)
		}
	}
}

// randomFinite returns a random finite number of any magnitude.
func randomFinite(rng *rand.Rand) float32 {
	for {
		if v := math.Float32frombits(rng.Uint32()); isFinite(v) {
			return v
		}
	}
}

func TestNormalisationApply(t *testing.T) {
	px := []float32{1, 2, 3, 4, 5, 6}
	Normalisation{Mean: []float32{1, 0, 1}, Std: []float32{1, 2, 4}}.Apply(px)
	if want := []float32{0, 1, .5, 3, 2.5, 1.25}; !slices.Equal(px, want) {
		t.Errorf("per channel: %v, want %v", px, want)
	}
	px = []float32{1, 2, 3, 4}
	Normalisation{Mean: []float32{1}, Std: []float32{2}}.Apply(px)
	if want := []float32{0, .5, 1, 1.5}; !slices.Equal(px, want) {
		t.Errorf("one for all: %v, want %v", px, want)
	}
	Normalisation{}.Apply(px)
	if want := []float32{0, .5, 1, 1.5}; !slices.Equal(px, want) {
		t.Errorf("none: %v, want %v", px, want)
	}
}

func TestNormalisationCheck(t *testing.T) {
	if err := ImageNet().Check(1); err == nil {
		t.Error("ImageNet's constants fit one channel")
	} else {
		wantFormatError(t, err, array.NoOffset)
		for _, want := range []string{"imagenet", "3 channels", "images of 1"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q does not mention %q", err, want)
			}
		}
	}
	one := Normalisation{Mean: []float32{0}, Std: []float32{1}}
	for _, test := range []struct {
		n        Normalisation
		channels int
		ok       bool
	}{
		{Normalisation{}, 1, true},
		{ImageNet(), 3, true},
		{one, 1, true},
		{one, 3, true},
		{Normalisation{Mean: []float32{0, 0}, Std: []float32{1, 1}}, 3, false},
		{Normalisation{Mean: []float32{0, 0, 0}, Std: []float32{1}}, 3, false},
		{Normalisation{Mean: []float32{0}}, 1, false},
		{Normalisation{Mean: []float32{0}, Std: []float32{0}}, 1, false},
	} {
		if err := test.n.Check(test.channels); (err == nil) != test.ok {
			t.Errorf("%v for %d channels: %v", test.n, test.channels, err)
		}
	}
}

func TestMeasure(t *testing.T) {
	// Each of the four images has two pixels and three channels. The values of channel c are 0 and (c+1)/8, so that
	// their mean and standard deviation are both (c+1)/16.
	ds := &table{shape: Shape{3, 1, 2}}
	for range 4 {
		ds.images = append(ds.images, []float32{0, 0, 0, 1. / 8, 2. / 8, 3. / 8})
	}
	n, err := Measure(ds, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{1. / 16, 2. / 16, 3. / 16}; !slices.Equal(n.Mean, want) || !slices.Equal(n.Std, want) ||
		n.Name != "dataset" {
		t.Errorf("measured %v, want %v for both", n, want)
	}
}

// TestMeasureConstantChannel checks that a constant channel, as in fluorescence images of two colours, gets the
// standard deviation 1, so that normalisation makes it 0.
func TestMeasureConstantChannel(t *testing.T) {
	bytes := eightBit{&planes{shape: Shape{3, 2, 2},
		images: [][]uint8{{255, 0, 255, 0, 51, 51, 51, 51, 0, 1, 0, 1}}}, 0}
	if newHistogram(bytes) == nil {
		t.Fatal("the set does not store bytes")
	}
	for name, ds := range map[string]Dataset{"bytes": bytes,
		"floats": &table{shape: Shape{2, 1, 2}, images: [][]float32{{0, .2, 1, .2}}}} {
		n, err := Measure(ds, 0)
		if err != nil || n.Std[0] != .5 || n.Mean[1] != .2 || n.Std[1] != 1 {
			t.Errorf("%s: %v, %v", name, n, err)
		}
	}
}

func TestMeasureSpreads(t *testing.T) {
	// The images are sorted by brightness: only a sample that is spread evenly has about the mean of all.
	ds := &table{shape: Shape{1, 1, 1}}
	for i := range 1000 {
		ds.images = append(ds.images, []float32{float32(i) / 1000})
	}
	n, err := Measure(ds, 100)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(float64(n.Mean[0])-.495) > 1e-6 {
		t.Errorf("mean %v, want 0.495", n.Mean[0])
	}
	if ds.reads.Load() != 100 {
		t.Errorf("read %d images, want 100", ds.reads.Load())
	}
}

func TestMeasureErrors(t *testing.T) {
	even := &table{shape: Shape{1, 1, 2}, images: [][]float32{{.1, .1}, {.1, .1}}}
	_, err := Measure(even, 0)
	wantFormatError(t, err, array.NoOffset) // a standard deviation of exactly 0
	if _, err := Measure(&table{shape: Shape{1, 1, 2}}, 0); err == nil {
		t.Error("an empty dataset: no error")
	}
	bad := &table{shape: Shape{1, 1, 2}, images: [][]float32{{0, 1}, nil}}
	if _, err := Measure(bad, 0); !errors.Is(err, errTable) {
		t.Errorf("an image that cannot be read: %v", err)
	}
}

func ExampleNormalisation_String() {
	n, _ := ParseNormalisation(".1307/.3081", nil)
	fmt.Println(n, n.Name)
	fmt.Println(ImageNet(), ImageNet().Mean)
	// Output:
	// 0.1307/0.3081 given
	// imagenet [0.485 0.456 0.406]
}
