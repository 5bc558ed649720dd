package models

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/values"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Linearized is the linearization of a network at its weights w₀ (ntk eq. 2),
//
//	f_lin(u, x) = f(w₀, x) + ∇f(w₀, x)·u,
//
// in evaluation mode. u has an element for every trained weight, and starts at zero. A Linearized is not safe for concurrent
// use. To train it by stochastic gradient descent, set Linearized in [TrainOptions].
type Linearized struct {
	net *Network
	f   *graph.Function
	d   *graph.Differential
	u   []float64 // one weight tensor after another

	precision graph.Precision
}

// Linearize returns the linearization of n for batches of at most batch images.
func (n *Network) Linearize(d *backend.Device, batch int, p graph.Precision) (*Linearized, error) {
	f, err := n.Function(d, batch, p)
	if err != nil {
		return nil, err
	}
	l := &Linearized{net: n, f: f, precision: p}
	if l.d, err = f.Differential(n.trained(f)...); err != nil {
		return nil, err
	}
	l.u = make([]float64, l.d.Columns())
	return l, nil
}

// Tangents returns a copy of u, of float32, under the names of the weights, in the network's parameterisation.
func (l *Linearized) Tangents() *weights.StateDict {
	d := new(weights.StateDict)
	u := l.u
	for _, p := range l.net.params {
		if !p.Trained {
			continue
		}
		v := make([]float32, tensor.Shape(p.Shape).TotalSize())
		values.Convert(v, u)
		d.Set(p.Name, tensor.New(tensor.WithShape(p.Shape...), tensor.WithBacking(v)))
		u = u[len(v):]
	}
	return d
}

// Norm returns ‖u‖.
func (l *Linearized) Norm() float64 { return floats.Norm(l.u, 2) }

// Predict returns f_lin(u, x) of images, (image, row, column, channel), as
// images × outputs.
func (l *Linearized) Predict(ctx context.Context, px []float32) (*mat.Dense, error) {
	return l.push(ctx, px, l.u, true)
}

// push returns the product J·v for images or, if affine, f(w₀, x) + J·v.
func (l *Linearized) push(ctx context.Context, px []float32, v []float64, affine bool) (*mat.Dense, error) {
	for i := range l.d.Parts() {
		v = v[values.CopyFrom(l.d.Tangent(i), v):]
	}
	images := len(px) / l.net.Input.Size()
	var out *mat.Dense
	err := EachBatch(l.f, px, func(lo, hi int) error {
		along, err := l.d.Push(ctx, false)
		if err != nil {
			return err
		}
		if out == nil {
			out = mat.NewDense(images, l.net.Classes, nil)
		}
		at, base := values.Reader(along), values.Reader(l.d.Output())
		for i := range (hi - lo) * l.net.Classes {
			value := at(i)
			if affine {
				value += base(i)
			}
			out.RawMatrix().Data[lo*l.net.Classes+i] = value
		}
		return nil
	})
	return out, err
}

// pull adds Jᵀ·r for images to sum; r is images × outputs.
func (l *Linearized) pull(ctx context.Context, px []float32, r *mat.Dense, sum []float64) error {
	return EachBatch(l.f, px, func(lo, hi int) error {
		cot := l.d.Cotangent()
		cot.Zero()
		values.CopyFrom(cot, r.RawMatrix().Data[lo*l.net.Classes:hi*l.net.Classes])
		parts, err := l.d.Pull(ctx, false)
		if err != nil {
			return err
		}
		rest := sum
		for _, p := range parts {
			values.AddTo(rest[:p.Size()], p, 0)
			rest = rest[p.Size():]
		}
		return nil
	})
}

// checkTargets returns an error unless targets are images × outputs.
func (l *Linearized) checkTargets(px []float32, targets *mat.Dense) error {
	n, c := targets.Dims()
	if images := len(px) / l.net.Input.Size(); n != images || c != l.net.Classes {
		return fmt.Errorf("models: targets of %d×%d for %d images and %d outputs", n, c, images, l.net.Classes)
	}
	return nil
}
