package cnfa_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/patches"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// The similarity of CNFM = WᵀW and AGOP = WᵀSW is high without any learning: with an isotropic S it is 1, and so is its
// null. What counts is how far the similarity exceeds its null.
func ExampleCompare() {
	rng := rand.New(rand.NewPCG(1, 2))
	w := mat.NewDense(8, 4, nil) // 8 filters of 4 elements
	for i := range 8 {
		for j := range 4 {
			w.Set(i, j, rng.NormFloat64())
		}
	}
	isotropic, aligned := mat.NewSymDense(8, nil), mat.NewSymDense(8, nil)
	for i := range 8 {
		isotropic.SetSym(i, i, 1)
	}
	aligned.SymOuterK(1, w) // S = WWᵀ: the gradients have the directions of the filters

	for _, s := range []*mat.SymDense{isotropic, aligned} {
		groups := []cnfa.Group{{Images: 1, Moment: moment.Of(s)}}
		r, err := cnfa.Compare(w, nil, groups, 1000, rng)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("similarity %.2f, null %.2f\n", r.Pearson, r.PearsonNull)
	}
	// Output:
	// similarity 1.00, null 1.00
	// similarity 0.98, null 0.79
}

// In a network that has learned nothing the CNFM and the AGOP are similar too, but not more so than under the null.
func ExampleVerify() {
	a, err := models.Lookup("lenet")
	if err != nil {
		log.Fatal(err)
	}
	net, err := a.InitNetwork(a.Input, 10, 1)
	if err != nil {
		log.Fatal(err)
	}
	digits, err := data.Open("glyphs", data.Options{})
	if err != nil {
		log.Fatal(err)
	}
	v, err := cnfa.Verify(context.Background(), net, &data.Loader{Dataset: digits}, cnfa.Options{Images: 100})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range v.Layers[:3] {
		fmt.Printf("%s %.2f, null %.2f\n", l.Name, l.Pearson, l.PearsonNull)
	}
	// Output:
	// conv1 0.67, null 0.74
	// conv2 0.85, null 0.85
	// fc1 0.29, null 0.29
}

// Training raises the similarity above its null. The example measures the ansatz of a network before and after an epoch
// on 4000 digits.
func ExampleTracker() {
	ctx, digits := context.Background(), glyphs()
	net := lenet(1)
	tracker, err := cnfa.NewTracker(ctx, net, &data.Loader{Dataset: digits},
		cnfa.Options{Images: 100, Initial: net.Clone()})
	if err != nil {
		log.Fatal(err)
	}
	defer tracker.Close()
	for _, when := range []string{"before", "after"} {
		if when == "after" {
			train(net, digits)
		}
		m, err := tracker.Measure(ctx)
		if err != nil {
			log.Fatal(err)
		}
		for _, l := range m.Layers[:3] {
			fmt.Printf("%-6s %-5s %.1f, null %.1f, above it by two standard deviations: %v\n", when, l.Name,
				l.Ansatz.Pearson, l.Ansatz.PearsonNull, l.Ansatz.Excess() > 2*math.Hypot(l.Ansatz.PearsonNullSD, l.Ansatz.PearsonStdErr))
		}
	}
	// Output:
	// before conv1 0.7, null 0.7, above it by two standard deviations: false
	// before conv2 0.9, null 0.9, above it by two standard deviations: false
	// before fc1   0.3, null 0.3, above it by two standard deviations: false
	// after  conv1 0.9, null 0.9, above it by two standard deviations: false
	// after  conv2 0.9, null 0.8, above it by two standard deviations: true
	// after  fc1   0.9, null 0.3, above it by two standard deviations: true
}

// Two networks with different initial weights respond to the principal components of their patches alike after
// training. But they only have in common that both follow the spectrum of the patches: without the spectrum no
// similarity is left.
func Example_energyProfiles() {
	digits := glyphs()
	patches, err := patches.FindComponents(context.Background(), digits, 5, 1000)
	if err != nil {
		log.Fatal(err)
	}
	k := patches.Rank()
	profile := func(net *models.Network) *energy.Profile {
		p, err := energy.ProfileOf(net.Filters("conv1"), patches.Vectors[:k], patches.Variances[:k])
		if err != nil {
			log.Fatal(err)
		}
		return p
	}
	one, other := lenet(0), lenet(1)
	for _, when := range []string{"before", "after"} {
		if when == "after" {
			train(one, digits)
			train(other, digits)
		}
		s, err := energy.Compare(profile(one), profile(other))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-6s training: similarity %.1f, null ± %.1f; without the spectrum %.1f, null ± %.1f\n",
			when, s.Pearson, s.NullSD, s.Partial, s.PartialNullSD)
	}
	// Output:
	// before training: similarity -0.1, null ± 0.2; without the spectrum -0.1, null ± 0.2
	// after  training: similarity 0.6, null ± 0.2; without the spectrum 0.0, null ± 0.2
}

// glyphs returns 4000 generated digits.
func glyphs() data.Dataset {
	digits, err := data.Open("glyphs", data.Options{Split: "train", Count: 4000})
	if err != nil {
		log.Fatal(err)
	}
	return digits
}

// lenet returns a LeNet for the generated digits with fresh weights.
func lenet(seed uint64) *models.Network {
	a, err := models.Lookup("lenet")
	if err != nil {
		log.Fatal(err)
	}
	net, err := a.InitNetwork(a.Input, 10, seed)
	if err != nil {
		log.Fatal(err)
	}
	return net
}

// train trains a network for one epoch.
func train(net *models.Network, images data.Dataset) {
	device, err := backend.Open(backend.Options{Threads: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	t, err := models.NewTrainer(net, device, models.TrainOptions{Batch: 32, Optimiser: models.Adam{LR: .001}})
	if err != nil {
		log.Fatal(err)
	}
	p := data.Pipeline{Dataset: images, Batch: 32}
	for batch, err := range p.Epoch(context.Background(), 0, 0) {
		if err != nil {
			log.Fatal(err)
		}
		if _, err := t.Step(context.Background(), batch.Pixels, batch.Labels); err != nil {
			log.Fatal(err)
		}
	}
}
