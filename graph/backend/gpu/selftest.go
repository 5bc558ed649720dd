package gpu

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// test runs a few operations on a device and compares them with what they must give. It catches drivers that cannot
// compile for their device, and those that compute wrongly.
func (c *card) test() error {
	u, err := c.open()
	if err != nil {
		return err
	}
	defer u.close()
	if err := testEngine[float32](u, 1e-5); err != nil || !c.info.Double {
		return err
	}
	return testEngine[float64](u, 1e-13)
}

// testEngine tests a matrix product, a sum over rows and a chain of instructions.
func testEngine[T backend.Float](u *unit, tolerance float64) error {
	e, err := newEngine[T](u)
	if err != nil {
		return err
	}
	const m, n, k = 70, 19, 600
	a, b, product, sums, chained := make([]T, m*k), make([]T, k*n), make([]T, m*n), make([]T, n), make([]T, m*n)
	for i := range a {
		a[i] = T(i%7) - 3
	}
	for i := range b {
		b[i] = T(i%5) - 1
	}
	if err := u.do(func() error {
		e.Gemm(false, false, m, n, k, a, b, 0, product)
		e.SumRows(product, sums)
		e.Elementwise(&backend.Chain{Instrs: []backend.Instr{{Code: backend.RowAdd, V: 1}, {Code: backend.Exp, A: ^0}}},
			[][]T{make([]T, m*n), b[:n]}, n, chained)
		return nil
	}); err != nil {
		return err
	}
	for j := range n {
		sum := 0.
		for i := range m {
			want := 0.
			for l := range k {
				want += float64(a[i*k+l]) * float64(b[l*n+j])
			}
			sum += want
			if err := agrees("a matrix product", float64(product[i*n+j]), want, tolerance); err != nil {
				return err
			}
			if err := agrees("an exponential", float64(chained[i*n+j]), math.Exp(float64(b[j])), tolerance); err != nil {
				return err
			}
		}
		if err := agrees("a sum", float64(sums[j]), sum, tolerance); err != nil {
			return err
		}
	}
	return nil
}

func agrees(what string, got, want, tolerance float64) error {
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		return fmt.Errorf("%s is %v, not %v", what, got, want)
	}
	return nil
}
