package rfm

import (
	"context"
	"fmt"
	"math"
)

// EigenPro solves without a kernel matrix in memory: every pass over the examples computes K again, tile by
// tile. A subsample of the examples gives the directions in which K is large, and these precondition the
// iteration (EigenPro 2: Ma and Belkin 2019, "Kernel machines that adapt to GPUs for effective large batch
// training"; paper rfm, Appendix B).
//
// The zero value chooses all settings by itself. It runs conjugate residuals instead of EigenPro 2's
// stochastic gradients, which are slow to approach the direct solution where K has small eigenvalues. On
// 5000 digits with λ = 1e-3, stochastic gradients leave a residual of 4e-3 after 20 passes with the Laplace
// kernel and of .18 with the Gaussian one. Conjugate residuals reach 1e-3 in 10 and 29 passes of half the
// work, since they use every tile twice.
type EigenPro struct {
	// Stochastic runs the published iteration: batches of examples in random order. It chooses their size,
	// the step and the number of directions from the spectrum.
	Stochastic bool
	// Subsample is the number of examples that give the directions, drawn by the machine's Seed; 0 is
	// 2000, or 12000 from 100000 examples on, or less where Memory does not hold their eigenvectors. If
	// there are no more examples than that, they are solved directly, by Cholesky.
	Subsample int
	// Tolerance is the relative residual ‖Y − (K + λI)α‖/‖Y‖ of every output at which to stop; 0 is
	// [DefaultTolerance]. Where the residual stops falling before, the Solution's Note says so.
	Tolerance float64
	// MaxEpochs is the largest number of passes over the examples, at least 2, of which the last measures
	// the residual; 0 is [DefaultEpochs].
	MaxEpochs int
	// EarlyStopping makes the solution the α of the pass that scores best on the machine's validation examples, if it
	// has any, instead of the last α (paper rfm, Appendix D). It takes a pass more, which measures the residual of that α.
	EarlyStopping bool
	// Memory bounds the bytes that the directions take; 0 is 2 GB.
	Memory int64
}

// Defaults of [EigenPro].
const (
	DefaultTolerance = 1e-3
	DefaultEpochs    = 100
	defaultMemory    = 2e9
)

// String is "eigenpro".
func (EigenPro) String() string { return "eigenpro" }

// withDefaults returns e with its zero values replaced by the defaults for n examples.
func (e EigenPro) withDefaults(n int) EigenPro {
	if e.Tolerance == 0 {
		e.Tolerance = DefaultTolerance
	}
	if e.MaxEpochs == 0 {
		e.MaxEpochs = DefaultEpochs
	}
	if e.Memory == 0 {
		e.Memory = defaultMemory
	}
	if e.Subsample == 0 {
		e.Subsample = fewSamples
		if n >= manyExamples {
			e.Subsample = manySamples
		}
	}
	fits := int(math.Sqrt(float64(e.Memory) / eigenBytes))
	e.Subsample = max(1, min(e.Subsample, fits))
	return e
}

// The sizes of subsamples are those of the authors' code. eigenBytes is the memory of a subsample's kernel matrix and its
// decomposition, in bytes per element.
const (
	fewSamples, manySamples = 2000, 12000
	manyExamples            = 100000
	eigenBytes              = 6 * 8
)

// directions returns the largest number of directions for n examples.
func (e EigenPro) directions(n int) int {
	return max(1, min(e.Subsample, int(e.Memory/(8*int64(n)))))
}

func (e EigenPro) bytes(n, outputs int) int64 {
	e = e.withDefaults(n)
	if n <= e.Subsample {
		return Cholesky{}.bytes(n, outputs)
	}
	s, q := int64(e.Subsample), int64(e.directions(n))
	return eigenBytes*s*s + 8*q*(int64(n)+s+q) + 8*states*int64(n)*int64(outputs)
}

func (e EigenPro) check() error {
	switch {
	case e.Subsample < 0:
		return badInput("EigenPro with a subsample of %d: want at least 1, or 0 for a number that suits", e.Subsample)
	case !(e.Tolerance >= 0 && e.Tolerance < 1):
		return badInput("EigenPro with a tolerance of %v: want one between 0 and 1", e.Tolerance)
	case e.MaxEpochs < 0 || e.MaxEpochs == 1:
		return badInput("EigenPro for at most %d epochs: want at least 2, or 0 for %d", e.MaxEpochs, DefaultEpochs)
	case e.Memory < 0:
		return badInput("EigenPro in %d bytes: want more, or 0 for %.0f", e.Memory, float64(defaultMemory))
	}
	return nil
}

func (e EigenPro) solve(ctx context.Context, p *problem) (*solved, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	n, _ := p.points.Dims()
	e = e.withDefaults(n)
	if n <= e.Subsample {
		s, err := Cholesky{}.solve(ctx, p)
		if err == nil && s.Note == "" {
			s.Note = fmt.Sprintf("%d examples are no more than EigenPro's subsample: solved directly", n)
		}
		return s, err
	}
	it, err := e.prepare(ctx, p)
	if err != nil {
		return nil, err
	}
	if e.Stochastic {
		err = it.descend(ctx)
	} else {
		err = it.conjugate(ctx)
	}
	if err == nil {
		err = it.restoreBest(ctx)
	}
	if err != nil {
		return nil, err
	}
	return it.solved(), nil
}
