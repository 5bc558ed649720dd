package totoml

import (
	"errors"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

func keep(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	l.set(n, x)
	return err
}

func dropout(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	p := n.Float("ratio", .5)
	if len(n.Inputs) > 1 && n.Inputs[1] != "" {
		var ok bool
		if p, ok = l.number(n.Inputs[1]); !ok {
			return errors.New("its ratio is not a constant")
		}
	}
	if p = short(p); p == 0 {
		return keep(l, n)
	}
	l.after(n, x, op{what: isLayer, layer: models.Dropout{P: p}})
	return nil
}

// activation returns the lowering of an op that is a layer and acts on each element.
func activation(a models.Layer) func(*lowering, *onnx.Node) error {
	return func(l *lowering, n *onnx.Node) error {
		x, err := l.input(n, 0)
		if err == nil {
			l.after(n, x, op{what: isLayer, layer: a})
		}
		return err
	}
}

// part returns the lowering of an op that acts on each element and is only a part of a layer.
func part(what string, a float64) func(*lowering, *onnx.Node) error {
	return func(l *lowering, n *onnx.Node) error {
		x, err := l.input(n, 0)
		if err == nil {
			l.after(n, x, op{what: what, a: a})
		}
		return err
	}
}

// short returns the number with the fewest digits that rounds to v in float32, in which exporters store numbers.
func short(v float64) float64 {
	if f := float32(v); float64(f) == v {
		var out float64
		if _, err := fmt.Sscan(fmt.Sprint(f), &out); err == nil {
			return out
		}
	}
	return v
}

// near reports whether two numbers are equal up to rounding to float32.
func near(a, b float64) bool { return math.Abs(a-b) <= 2e-6*math.Abs(b) }

func hardSigmoid(l *lowering, n *onnx.Node) error {
	if !near(n.Float("alpha", .2), 1./6) || !near(n.Float("beta", .5), .5) {
		return fmt.Errorf("its alpha and beta are %v and %v: the layer hardsigmoid has 1/6 and 1/2",
			short(n.Float("alpha", .2)), short(n.Float("beta", .5)))
	}
	return activation(layers.HardSigmoid)(l, n)
}

func leakyReLU(l *lowering, n *onnx.Node) error {
	return activation(layers.LeakyReLU(short(n.Float("alpha", .01))))(l, n)
}

func elu(l *lowering, n *onnx.Node) error {
	return activation(layers.ELU(short(n.Float("alpha", 1))))(l, n)
}

func gelu(l *lowering, n *onnx.Node) error {
	if n.String("approximate", "none") == "tanh" {
		return activation(layers.GELUTanh)(l, n)
	}
	return activation(layers.GELU)(l, n)
}

func clip(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	bounds := [2]float64{n.Float("min", math.Inf(-1)), n.Float("max", math.Inf(1))}
	for i := range bounds {
		if len(n.Inputs) > 1+i && n.Inputs[1+i] != "" {
			var ok bool
			if bounds[i], ok = l.number(n.Inputs[1+i]); !ok {
				return errors.New("its bounds are not constants")
			}
		}
	}
	o := op{what: isClip, a: bounds[0], b: bounds[1]}
	switch {
	case o.a == 0 && o.b == 6:
		o = op{what: isLayer, layer: layers.ReLU6}
	case o.a == 0 && o.b > math.MaxFloat32/2:
		o = op{what: isLayer, layer: models.ReLU{}}
	}
	l.after(n, x, o)
	return nil
}
