package gpu

import (
	"embed"
	"fmt"
	"regexp"
	"unsafe"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/device"
)

//go:embed kernels
var kernels embed.FS

// files are the sources of the kernels in their order.
var files = []string{"prelude", "products", "convolve", "reduce", "layout", "pool", "difference", "descend"}

var include = regexp.MustCompile(`(?m)^#include "(.*)"$`)

// source returns a file of kernels with what it includes.
func source(name string) string {
	text, err := kernels.ReadFile("kernels/" + name)
	if err != nil {
		panic(err) // all are embedded
	}
	return include.ReplaceAllStringFunc(string(text), func(line string) string {
		return source(include.FindStringSubmatch(line)[1])
	})
}

// engine implements backend.Engine on a device.
type engine[T backend.Float] struct {
	unit    *unit
	program *device.Program
	options string
	wide    int // bytes of the numbers in which sums are added up
	chains  map[*backend.Chain]*chain
	spare   call[T]
	packing call[T] // of filters, while spare is the convolution
}

var (
	_ backend.Engine[float32] = (*engine[float32])(nil)
	_ backend.Engine[float64] = (*engine[float64])(nil)
)

func newEngine[T backend.Float](u *unit) (*engine[T], error) {
	e := &engine[T]{unit: u, wide: 4, chains: map[*backend.Chain]*chain{}}
	real, wide := "float", "float"
	if unsafe.Sizeof(T(0)) == 8 {
		real = "double"
	}
	if u.card.info.Double {
		wide, e.wide = "double", 8
	}
	e.options = fmt.Sprintf("-DREAL=%s -DWIDE=%s", real, wide)
	text := ""
	for _, f := range files {
		text += source(f + ".cl")
	}
	var err error
	e.program, err = u.card.build(text, e.options)
	return e, err
}

// begin returns a call without arguments. There is one at a time.
func (e *engine[T]) begin() *call[T] {
	if m := &e.unit.memory; len(m.constants) >= mostConstants { // here, since no call uses one
		m.freeConstants()
	}
	c := &e.spare
	c.unit, c.program = e.unit, e.program
	c.args.Reset()
	c.back = c.back[:0]
	return c
}
