package graph

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// runner binds an op to the slices of its operands and result.
func runner[T backend.Float](o *op, operands []any, out any) func() error {
	c := &call[T]{engine: backend.EngineOf[T](o.g.device)}
	for _, v := range operands {
		x, _ := v.([]T)
		c.in = append(c.in, x)
		if idx, ok := v.([]int32); ok {
			c.index = idx
		}
	}
	c.out, _ = out.([]T)
	c.indices, _ = out.([]int32)
	switch {
	case o.view:
		return func() error { copy(c.out, c.in[0]); return nil }
	case o.instr != nil:
		chain := &backend.Chain{Instrs: []backend.Instr{*o.instr}}
		cols := o.shape[len(o.shape)-1]
		return func() error { c.engine.Elementwise(chain, c.in, cols, c.out); return nil }
	}
	f, ok := any(o.f32).(func(*call[T]) error)
	if !ok {
		f, ok = any(o.f64).(func(*call[T]) error)
	}
	if !ok {
		return func() error { return fmt.Errorf("%s has no value in this precision", o.name) }
	}
	return func() error { return f(c) }
}
