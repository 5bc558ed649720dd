package experiments

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// verificationPoints are the gradients of verifications, and their comparison.
func verificationPoints() []pointRun {
	var all []pointRun
	for _, s := range []VerifySpec{
		{Arch: "lenet", DataSpec: DataSpec{Data: "mnist"}, Images: 3000},
		{Arch: "lenet", Width: 5, DataSpec: DataSpec{Data: "mnist"}, Images: 1000},
		{Arch: "mlp:512,512", DataSpec: DataSpec{Data: "mnist"}, Images: 10000},
		{Arch: "mlp:2048", DataSpec: DataSpec{Data: "cifar10"}, Images: 3000},
		{Arch: "mlp:1024,1024", DataSpec: DataSpec{Data: "mnist"}, Images: 3000},
		{Arch: "mlp:1536", DataSpec: DataSpec{Data: "cifar10"}, Images: 2000, Groups: 10},
		{Arch: "mlp:256,256", DataSpec: DataSpec{Data: "mnist"}, Images: 10000},
		{Arch: "mlp:600", DataSpec: DataSpec{Data: "cifar10"}, Images: 5000},
		{Arch: "lenet", Width: 2, DataSpec: DataSpec{Data: "cifar10"}, Images: 2000},
		{Arch: "lenet", Width: 1.5, DataSpec: DataSpec{Data: "mnist"}, Images: 5000},
		{Arch: "cnn3", DataSpec: DataSpec{Data: "cifar10"}, Images: 150},
		{Arch: "cnn-max", Width: .5, DataSpec: DataSpec{Data: "cifar10"}, Images: 200},
		{Arch: "resnet20", DataSpec: DataSpec{Data: "cifar10"}, Images: 400},
		{Arch: "resnet20", DataSpec: DataSpec{Data: "cifar10"}, Images: 1500, Outputs: "probes:4", Groups: 10},
		{Arch: "resnet20", Width: .5, DataSpec: DataSpec{Data: "cifar10"}, Images: 1000},
		{Arch: "resnet20", Width: 2, DataSpec: DataSpec{Data: "cifar10"}, Images: 150},
		{Arch: "resnet56", DataSpec: DataSpec{Data: "cifar10"}, Images: 150},
		{Arch: "vgg11_bn", Width: .125, DataSpec: DataSpec{Data: "cifar10"}, Images: 2000},
		{Arch: "vgg11", Width: .25, DataSpec: DataSpec{Data: "cifar10"}, Images: 600},
		{Arch: "vgg11", Width: .5, DataSpec: DataSpec{Data: "cifar10"}, Images: 200, Groups: 5},
		{Arch: "vgg11", DataSpec: DataSpec{Data: "cifar10"}, Images: 60, Groups: 5},
		{Arch: "vgg13_bn", Width: .125, DataSpec: DataSpec{Data: "cifar10"}, Images: 1000},
		{Arch: "vgg16_bn", Width: .25, DataSpec: DataSpec{Data: "cifar10"}, Images: 600, Outputs: "probes:6"},
		{Arch: "alexnet", Width: .25, DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 1000},
		{Arch: "alexnet", Width: .5, DataSpec: DataSpec{Data: "cifar10", Size: 96}, Images: 300, Groups: 5},
		{Arch: "simplenet", Width: .125, DataSpec: DataSpec{Data: "cifar10"}, Images: 600},
		{Arch: "simplenet", Width: .5, DataSpec: DataSpec{Data: "mnist"}, Images: 80, Groups: 5},
		{Arch: "resnet18", Width: .25, DataSpec: DataSpec{Data: "cifar10", Size: 96}, Images: 300},
		{Arch: "resnet18", DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 60, Groups: 5},
		{Arch: "alexnet", DataSpec: DataSpec{Data: "cifar10", Size: 224}, Images: 40, Groups: 4},
		{Arch: "vgg11", Width: .5, DataSpec: DataSpec{Data: "cifar10", Size: 224}, Images: 10, Groups: 2, Outputs: "probes:2"},
		{Arch: "vgg11_bn", Width: .375, DataSpec: DataSpec{Data: "cifar10"}, Images: 600},
		{Arch: "resnet32", DataSpec: DataSpec{Data: "cifar10"}, Images: 300},
		{Arch: "resnet20", Width: 1.5, DataSpec: DataSpec{Data: "cifar10"}, Images: 300},
		{Arch: "vgg16_bn", Width: .5, DataSpec: DataSpec{Data: "cifar10"}, Images: 200},
		{Arch: "cnn2", DataSpec: DataSpec{Data: "cifar10"}, Images: 300},
		{Arch: "simplenet", Width: .25, DataSpec: DataSpec{Data: "cifar10"}, Images: 400},
		{Arch: "lenet", Width: 3, DataSpec: DataSpec{Data: "mnist"}, Images: 2500},
		{Arch: "mlp:768,768", DataSpec: DataSpec{Data: "cifar10"}, Images: 4000},
		{Arch: "cnn-avg", Width: .5, DataSpec: DataSpec{Data: "cifar10"}, Images: 300},
		{Arch: "resnet44", DataSpec: DataSpec{Data: "cifar10"}, Images: 250},
		{Arch: "resnet20", Width: .75, DataSpec: DataSpec{Data: "cifar10"}, Images: 700, Groups: 10},
		{Arch: "vgg13_bn", Width: .25, DataSpec: DataSpec{Data: "cifar10"}, Images: 700},
		{Arch: "vgg11", Width: .375, DataSpec: DataSpec{Data: "cifar10"}, Images: 500, Groups: 10, Outputs: "probes:5"},
		{Arch: "alexnet", Width: .375, DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 600},
		{Arch: "simplenet", Width: .375, DataSpec: DataSpec{Data: "cifar10"}, Images: 200, Groups: 5},
		{Arch: "lenet", Width: 4, DataSpec: DataSpec{Data: "mnist"}, Images: 1500},
		{Arch: "mlp:900,400", DataSpec: DataSpec{Data: "cifar10"}, Images: 5000},
		{Arch: "cnn-vec", Width: .5, DataSpec: DataSpec{Data: "cifar10"}, Images: 250, Groups: 10},
		{Arch: "resnet32", Width: 1.5, DataSpec: DataSpec{Data: "cifar10"}, Images: 200},
		{Arch: "resnet20", Width: .625, DataSpec: DataSpec{Data: "cifar10"}, Images: 900, Groups: 15},
		{Arch: "vgg11_bn", Width: .625, DataSpec: DataSpec{Data: "cifar10"}, Images: 220},
		{Arch: "vgg13_bn", Width: .375, DataSpec: DataSpec{Data: "cifar10"}, Images: 500, Groups: 10, Outputs: "probes:5"},
		{Arch: "alexnet", Width: .625, DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 400},
		{Arch: "simplenet", Width: .3, DataSpec: DataSpec{Data: "cifar10"}, Images: 300, Groups: 6},
	} {
		all = append(all, gatheringPoint(s))
	}
	for _, s := range []VerifySpec{
		{Arch: "lenet", Width: 5, DataSpec: DataSpec{Data: "mnist"}, Images: 200},
		{Arch: "lenet", Width: 10, DataSpec: DataSpec{Data: "mnist"}, Images: 100},
		{Arch: "mlp:512,512", DataSpec: DataSpec{Data: "mnist"}, Images: 1000},
		{Arch: "mlp:1024", DataSpec: DataSpec{Data: "mnist"}, Images: 300},
		{Arch: "mlp:1536", DataSpec: DataSpec{Data: "cifar10"}, Images: 300},
		{Arch: "mlp:2048", DataSpec: DataSpec{Data: "cifar10"}, Images: 100},
		{Arch: "vgg11_bn", Width: .5, DataSpec: DataSpec{Data: "cifar10"}, Images: 40},
		{Arch: "vgg11_bn", DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "vgg16_bn", Width: .5, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "vgg13_bn", Width: .75, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "simplenet", Width: .5, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "simplenet", DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "resnet18", Width: .5, DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 20},
		{Arch: "resnet18", DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 20},
		{Arch: "resnet20", Width: 4, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "resnet56", Width: 2, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "vgg11_bn", Width: .75, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "resnet18", Width: .75, DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 20},
		{Arch: "vgg16_bn", Width: .75, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "mlp:2048", DataSpec: DataSpec{Data: "mnist"}, Images: 100},
		{Arch: "mlp:1024,256", DataSpec: DataSpec{Data: "cifar10"}, Images: 300},
		{Arch: "simplenet", Width: .75, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "resnet18", Width: .25, DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 40},
		{Arch: "vgg11_bn", Width: .375, DataSpec: DataSpec{Data: "cifar10"}, Images: 60},
		{Arch: "resnet32", Width: 3, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "lenet", Width: 7, DataSpec: DataSpec{Data: "mnist"}, Images: 150},
		{Arch: "mlp:768,768", DataSpec: DataSpec{Data: "mnist"}, Images: 400},
		{Arch: "vgg13_bn", Width: .625, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "vgg19", Width: .75, DataSpec: DataSpec{Data: "cifar10"}, Images: 40},
		{Arch: "resnet18", Width: .625, DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 20},
		{Arch: "resnet44", Width: 3, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
	} {
		all = append(all, comparingPoint(s))
	}
	return all
}

// openFresh is a verification of a network with fresh weights, on one thread.
func (s VerifySpec) openFresh(dir string) (*Verification, error) {
	s.Dir, s.Split, s.Threads = dir, "test", 1
	a, err := lookup(s.Arch)
	if err != nil {
		return nil, err
	}
	a.Width = s.Width
	src, err := openData(s.DataSpec, a)
	if err != nil {
		return nil, err
	}
	net, err := a.InitNetwork(src.shape(), len(src.set.Classes()), 0)
	if err != nil {
		return nil, err
	}
	if err := src.normalise(s.DataSpec, net.Arch); err != nil {
		return nil, err
	}
	return newVerification(s, net, src)
}

func (s VerifySpec) pointName(what string) string {
	name := fmt.Sprintf("%s of %s, %d images", what, atWidth(s.Arch, s.Width, s.Data, s.Size), s.Images)
	if s.Outputs != "" {
		name += ", " + s.Outputs
	}
	return name
}

func gatheringPoint(s VerifySpec) pointRun {
	return pointRun{name: s.pointName("gradients"), open: func(ctx context.Context, dir string) (need.Job, pointWork, error) {
		v, err := s.openFresh(dir)
		if err != nil {
			return nil, nil, err
		}
		groups, err := v.options.Parts()
		return v.size().gathering(v.net.Layers(), v.chosenLayers(), groups), func(ctx context.Context) error {
			return cnfa.Gather(ctx, v.net, v.source.loader, v.options, 0, groups, func(int, *cnfa.Part) error { return nil })
		}, err
	}}
}

// comparingPoint is what follows the gradients, which are in files.
func comparingPoint(s VerifySpec) pointRun {
	var v *Verification
	var parts string
	return pointRun{
		name: s.pointName("comparison"),
		open: func(ctx context.Context, dir string) (need.Job, pointWork, error) {
			var err error
			if v, err = s.openFresh(dir); err != nil {
				return nil, nil, err
			}
			return v.size().comparing(v.net.Layers(), v.chosenLayers()), func(ctx context.Context) error {
				defer os.RemoveAll(parts)
				_, err := cnfa.VerifyParts(ctx, v.net, v.options, func(k int) (*cnfa.Part, error) { return readPart(partFolder(parts, k)) })
				return err
			}, nil
		},
		prepare: func(ctx context.Context) error {
			groups, err := v.options.Parts()
			if err != nil {
				return err
			}
			if parts, err = os.MkdirTemp("", "ansatz-parts-"); err != nil {
				return err
			}
			return cnfa.Gather(ctx, v.net, v.source.loader, v.options, 0, groups, func(k int, p *cnfa.Part) error {
				fillMoments(p, models.Stream(uint64(k), "moments"))
				return writePart(partFolder(parts, k), p)
			})
		},
	}
}

// fillMoments gives the moments of a part as many directions as they can have, as those of
// a trained network do. Of a deep one with fresh weights most units are off for all
// images, so that the moments have few, and the comparison less to do.
func fillMoments(p *cnfa.Part, rng *rand.Rand) {
	for i, m := range p.Moments {
		if r, few := m.Factor(); few {
			raw := r.RawMatrix().Data
			for k := range raw {
				raw[k] = rng.NormFloat64()
			}
			continue
		}
		s := m.Sym()
		scale := mat.Trace(s) / float64(m.N())
		for k := range m.N() {
			s.SetSym(k, k, s.At(k, k)+scale*rng.Float64())
		}
		p.Moments[i] = graph.MomentOf(s)
	}
}
