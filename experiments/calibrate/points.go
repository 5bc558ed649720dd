package calibrate

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/BurntSushi/toml"
	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// needPointsTOML lists the settings of the jobs to measure.
//
//go:embed points.toml
var needPointsTOML string

// pointSpecs holds the settings of jobs to measure, by kind.
type pointSpecs struct {
	Training, Linearized  []train.Spec
	Gradients, Comparison []verify.Spec
	RFM                   []kernelmachine.RFMSpec
	ConvRFM               []kernelmachine.ConvRFMSpec
	Tangent               []tangent.NTKSpec
	Table                 []tabular.Spec
}

// pointRuns returns all jobs to measure.
func pointRuns() ([]pointRun, error) {
	var specs struct{ Fit, Check pointSpecs }
	meta, err := toml.Decode(needPointsTOML, &specs)
	if err != nil {
		return nil, fmt.Errorf("points.toml: %w", err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("points.toml: there is no setting %v", unknown[0])
	}
	checks := specs.Check.runs()
	for i := range checks {
		checks[i].check = true
	}
	return append(specs.Fit.runs(), checks...), nil
}

// runs returns the jobs, kind by kind.
func (s pointSpecs) runs() []pointRun {
	return slices.Concat(mapAll(s.Training, trainingPoint), mapAll(s.Linearized, linearizedPoint),
		mapAll(s.Gradients, gatheringPoint), mapAll(s.Comparison, comparingPoint),
		mapAll(s.RFM, machinePoint), mapAll(s.ConvRFM, patchPoint), mapAll(s.Tangent, tangentPoint),
		mapAll(s.Table, tablePoint))
}

// mapAll returns f(x) for every element x.
func mapAll[A, B any](all []A, f func(A) B) []B {
	made := make([]B, len(all))
	for i, a := range all {
		made[i] = f(a)
	}
	return made
}

// linearizedPoint measures the training of a linearized network.
func linearizedPoint(s train.Spec) pointRun {
	s.Linearized, s.Loss = true, "mse"
	return trainingPoint(s)
}

// trainingPoint measures a training, with a learning rate so small that it cannot diverge.
func trainingPoint(s train.Spec) pointRun {
	what := "training of "
	if s.Linearized {
		what = "linearized training of "
	}
	name := fmt.Sprintf("%s, %d images, %d epochs of batches of %d",
		what+describeNetwork(s.Arch, s.Width, s.Data, s.Size),
		s.Train, s.Epochs, s.Batch)
	return pointRun{name: name, open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
		s.Dir, s.Threads = dir, 1
		s.LR = cmp.Or(s.LR, 1e-4)
		t, err := train.NewTraining(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		return t.Job(t.Network().Layers()), func(ctx context.Context) error {
			_, err := t.Run(ctx, train.Run{})
			return err
		}, nil
	}}
}

// describeNetwork names a network and its images.
func describeNetwork(arch string, width float64, set string, size int) string {
	if width > 0 {
		arch += fmt.Sprintf(" × %g", width)
	}
	return arch + " on " + describeImages(set, size)
}

// describeImages names images.
func describeImages(set string, size int) string {
	if size > 0 {
		set += fmt.Sprintf(" at %d", size)
	}
	return set
}

// machinePoint measures a recursive feature machine.
func machinePoint(s kernelmachine.RFMSpec) pointRun {
	name := fmt.Sprintf("RFM on %s, %d examples, %d iterations", describeImages(s.Data, s.Size), s.Train, s.Iterations)
	if s.Sample > 0 {
		name += fmt.Sprintf(", AGOP on %d", s.Sample)
	}
	if s.Classes != "" {
		name += ", " + s.Classes
	}
	if s.Diagonal {
		name += ", diagonal"
	}
	return pointRun{name: name, open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
		s.Dir, s.Threads, s.Select, s.Ridge = dir, 1, "last", 1e-3
		r, err := kernelmachine.NewRFM(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		return r.Job(), func(ctx context.Context) error {
			_, err := r.Run(ctx, nil)
			return err
		}, nil
	}}
}

// patchPoint measures a convolutional kernel machine.
func patchPoint(s kernelmachine.ConvRFMSpec) pointRun {
	name := fmt.Sprintf("ConvRFM on %s, %d images, kernel %s of depth %d, patches of %d, %d iterations, "+
		"AGOP on %d, %d layers",
		describeImages(s.Data, s.Size), s.Train, s.Kernel, s.Depth, s.Patch, s.Iterations, s.Sample, s.Layers)
	if s.Classes != "" {
		name += ", " + s.Classes
	}
	return pointRun{name: name, open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
		s.Dir, s.Threads, s.Select, s.Ridges = dir, 1, "last", []float64{1e-3}
		c, err := kernelmachine.NewConvRFM(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		return workload.Combine(c.Size().Jobs()), func(ctx context.Context) error {
			_, err := c.Run(ctx, nil)
			return err
		}, nil
	}}
}

// tangentPoint measures the tangent kernel of a network.
func tangentPoint(s tangent.NTKSpec) pointRun {
	name := fmt.Sprintf("tangent kernel of %s, %d images, outputs %d", describeNetwork(s.Arch, s.Width, s.Data, s.Size),
		s.Images, s.Outputs)
	return pointRun{name: name, open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
		s.Dir, s.Threads = dir, 1
		m, err := tangent.NewNTK(s)
		if err != nil {
			return nil, nil, err
		}
		return m.Job(), func(ctx context.Context) error {
			_, err := m.Run(ctx, nil)
			return err
		}, nil
	}}
}

// tablePoint measures a table of the UCI benchmark.
func tablePoint(s tabular.Spec) pointRun {
	name := fmt.Sprintf("table %s, %v, paper mode %t, protocol %s, rows %d", s.Datasets, s.Methods, s.PaperMode,
		s.Protocol, s.Rows)
	return pointRun{name: name, open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
		s := s
		s.Dir, s.Threads, s.Benchmark = dir, 1, filepath.Join(dir, "uci")
		s.Datasets = "^" + regexp.QuoteMeta(s.Datasets) + "$"
		t, err := tabular.OpenBenchmark(s)
		if err != nil {
			return nil, nil, err
		}
		sizes, err := t.TableSizes(ctx)
		if err != nil {
			return nil, nil, err
		}
		return s.Job(sizes[0]), func(ctx context.Context) error {
			_, err := t.Run(ctx, tabular.Run{})
			return err
		}, nil
	}}
}

// openFreshVerification opens the verification of a network with initial weights, on one thread.
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
	name := fmt.Sprintf("%s of %s, %d images", what, describeNetwork(s.Arch, s.Width, s.Data, s.Size), s.Images)
	if s.Outputs != "" {
		name += ", " + s.Outputs
	}
	return name
}

// gatheringPoint measures the gradients of a verification.
func gatheringPoint(s verify.Spec) pointRun {
	return pointRun{name: pointName(s, "gradients"),
		open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
			v, err := openFreshVerification(s, dir)
			if err != nil {
				return nil, nil, err
			}
			groups, err := v.Options.Parts()
			return v.Size().Gathering(v.Net.Layers(), v.Options.Chosen(v.Net), groups), func(ctx context.Context) error {
				return cnfa.Gather(ctx, v.Net, v.Source.Loader, v.Options, 0, groups, func(int, *cnfa.Part) error {
					return nil
				})
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
			return v.Size().Comparing(v.Net.Layers(), v.Options.Chosen(v.Net)), func(ctx context.Context) error {
				defer os.RemoveAll(parts)
				_, err := cnfa.VerifyParts(ctx, v.Net, v.Options, func(k int) (*cnfa.Part, error) {
					return verify.ReadPart(verify.PartFolder(parts, k))
				})
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

// fillMoments gives the moments of a part full rank, as in a trained network. In a deep network with initial weights
// most units are off for all images, so that the moments have a low rank, and comparing them is faster.
func fillMoments(p *cnfa.Part, rng *rand.Rand) {
	for i, m := range p.Moments {
		if r, few := m.Factor(); few {
			raw := r.RawMatrix().Data
			for k := range raw {
				raw[k] = rng.NormFloat64()
			}
			continue
		}
		var blocks []moment.Moment
		for _, b := range m.Blocks() {
			s := b.Sym()
			scale := mat.Trace(s) / float64(b.N())
			for k := range b.N() {
				s.SetSym(k, k, s.At(k, k)+scale*rng.Float64())
			}
			blocks = append(blocks, moment.Of(s))
		}
		p.Moments[i] = moment.OfBlocks(blocks)
	}
}
