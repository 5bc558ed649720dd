package weights

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ansatz-lab/ansatz/internal/memory"
)

// maxRank is the largest number of dimensions of a tensor, NumPy's limit. Networks
// use at most five.
const maxRank = 32

// mul returns a×b for a, b ≥ 0, and whether it fits.
func mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(lo), hi == 0 && lo <= math.MaxInt64
}

// add returns a+b for a, b ≥ 0, and whether it fits.
func add(a, b int64) (int64, bool) {
	sum := a + b
	return sum, sum >= 0
}

// product returns the number of elements of a shape, and whether it fits. Every
// dimension must be ≥ 0. A dimension of zero makes the product zero, whatever the others.
func product(shape []int64) (n int64, ok bool) {
	n = 1
	for _, d := range shape {
		if d == 0 {
			return 0, true
		}
	}
	for _, d := range shape {
		if n, ok = mul(n, d); !ok {
			return 0, false
		}
	}
	return n, true
}

// reach returns the index after the last element that a non-empty tensor of the
// given offset, shape and strides touches, and whether it fits. All numbers must
// be ≥ 0.
func reach(offset int64, shape, strides []int64) (end int64, ok bool) {
	end = offset
	for i, d := range shape {
		step, ok := mul(d-1, strides[i])
		if !ok {
			return 0, false
		}
		if end, ok = add(end, step); !ok {
			return 0, false
		}
	}
	return add(end, 1)
}

// A budget is the number of bytes that reading a file may still allocate. With it, a small file with expanded tensors,
// overlapping records or compressed zeros cannot fill the memory.
type budget int64

const (
	// budgetTimes is the budget of a file as a multiple of its size: twice for float16,
	// which is widened, and a few times for tensors that share storages and for
	// archives that are compressed.
	budgetTimes = 16
	// budgetFloor is the least budget of a file, however small.
	budgetFloor = 16 << 20
)

// budgetFor returns the budget of a file of the given size.
func budgetFor(size int64) budget {
	if size > math.MaxInt64/budgetTimes {
		return math.MaxInt64
	}
	return max(budgetTimes*budget(size), budgetFloor)
}

// spend subtracts n bytes from the budget, and reports whether the budget had that many.
func (b *budget) spend(n int64) bool {
	if n < 0 || n > int64(*b) || n > math.MaxInt {
		return false
	}
	*b -= budget(n)
	return true
}

// checkMemory returns an error if tensors of the given number of bytes do not fit into the available memory.
func checkMemory(format string, bytes int64) error {
	room := memory.Available()
	if room == 0 || bytes <= room {
		return nil
	}
	return &FormatError{
		Format: format,
		Offset: noOffset,
		Want:   fmt.Sprintf("tensors of at most %d bytes, for which there is memory", room),
		Got:    fmt.Sprintf("tensors of %d bytes", bytes),
		Hint:   "give the process more memory, or save fewer tensors in the file",
	}
}
