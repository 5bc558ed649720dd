package calibrate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// openFreshVerification is a verification of a network with fresh weights, on one thread.
func openFreshVerification(s verify.Spec, dir string) (*verify.Verification, error) {
	s.Dir, s.Split, s.Threads = dir, "test", 1
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return nil, err
	}
	a.Width = s.Width
	src, err := input.Open(s.DataSpec, a)
	if err != nil {
		return nil, err
	}
	net, err := a.InitNetwork(src.Shape(), len(src.Dataset.Classes()), 0)
	if err != nil {
		return nil, err
	}
	if err := src.Normalise(s.DataSpec, net.Arch); err != nil {
		return nil, err
	}
	return verify.NewVerificationOf(s, net, src)
}

// pointName names a part of a verification.
func pointName(s verify.Spec, what string) string {
	name := fmt.Sprintf("%s of %s, %d images", what, atWidth(s.Arch, s.Width, s.Data, s.Size), s.Images)
	if s.Outputs != "" {
		name += ", " + s.Outputs
	}
	return name
}

// gatheringPoint measures the gradients of a verification.
func gatheringPoint(s verify.Spec) pointRun {
	return pointRun{name: pointName(s, "gradients"), open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
		v, err := openFreshVerification(s, dir)
		if err != nil {
			return nil, nil, err
		}
		groups, err := v.Options.Parts()
		return v.Size().Gathering(v.Net.Layers(), v.ChosenLayers(), groups), func(ctx context.Context) error {
			return cnfa.Gather(ctx, v.Net, v.Source.Loader, v.Options, 0, groups, func(int, *cnfa.Part) error { return nil })
		}, err
	}}
}

// comparingPoint measures the rest of a verification, with the gradients in files.
func comparingPoint(s verify.Spec) pointRun {
	var v *verify.Verification
	var parts string
	return pointRun{
		name: pointName(s, "comparison"),
		open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
			var err error
			if v, err = openFreshVerification(s, dir); err != nil {
				return nil, nil, err
			}
			return v.Size().Comparing(v.Net.Layers(), v.ChosenLayers()), func(ctx context.Context) error {
				defer os.RemoveAll(parts)
				_, err := cnfa.VerifyParts(ctx, v.Net, v.Options, func(k int) (*cnfa.Part, error) { return verify.ReadPart(verify.PartFolder(parts, k)) })
				return err
			}, nil
		},
		prepare: func(ctx context.Context) error {
			groups, err := v.Options.Parts()
			if err != nil {
				return err
			}
			if parts, err = os.MkdirTemp("", "ansatz-parts-"); err != nil {
				return err
			}
			return cnfa.Gather(ctx, v.Net, v.Source.Loader, v.Options, 0, groups, func(k int, p *cnfa.Part) error {
				fillMoments(p, models.Stream(uint64(k), "moments"))
				return verify.WritePart(verify.PartFolder(parts, k), p)
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
