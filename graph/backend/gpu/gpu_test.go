package gpu

import (
	"errors"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/device"
)

// opened returns a unit on the machine's device, or skips the test.
func opened(t *testing.T) *unit {
	t.Helper()
	c, err := first()
	if err != nil {
		if backend.Native() && (os.Getenv("CI") != "" || os.Getenv("ANSATZ_SHARED") != "") {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	u, err := c.open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(u.close)
	return u
}

// A program that does not compile gives an error with the compiler's message. The next program compiles.
func TestBuildError(t *testing.T) {
	u := opened(t)
	const options = "-DREAL=float -DWIDE=float"
	_, err := u.card.build(source("prelude.cl")+"KERNEL void broken(OUT(real, x)) { x_buffer[0] = undeclared_name; }", options)
	var failed *device.Error
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "undeclared_name") {
		t.Errorf("error %v, want one of the compiler", err)
	}
	if _, err := u.card.build(source("prelude.cl")+"KERNEL void whole(OUT(real, x)) { x_buffer[0] = 1; }", options); err != nil {
		t.Errorf("a program after a broken one: %v", err)
	}
}

// A slice that is too large for the device gives an error that says how much memory was asked for and recommends a
// smaller batch. The device can still be used afterwards.
func TestOutOfMemory(t *testing.T) {
	u := opened(t)
	// The memory is reserved and never touched. Go may clear a new slice of this size, and would then fill the
	// machine's memory.
	reserved, err := syscall.Mmap(-1, 0, int(u.card.info.Memory)+4, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(reserved)
	slice := unsafe.Slice((*float32)(unsafe.Pointer(&reserved[0])), len(reserved)/4)
	_, err = u.memory.Attach(slice)
	var memory *OutOfMemoryError
	if !errors.As(err, &memory) || memory.Asked != int64(4*len(slice)) || !strings.Contains(err.Error(), "a smaller batch") {
		t.Errorf("attaching: error %v", err)
	}
	e, err := newEngine[float32](u)
	if err != nil {
		t.Fatal(err)
	}
	sum := make([]float32, 1)
	if err := u.do(func() error { e.SumRows(slice, sum); return nil }); !errors.As(err, &memory) {
		t.Errorf("an operation: error %v", err)
	}
	if err := u.do(func() error { e.SumRows([]float32{1, 2, 4}, sum); return nil }); err != nil || sum[0] != 7 {
		t.Errorf("an operation afterwards: %v, error %v", sum, err)
	}
}

// In a window with NaNs ArgMax takes the last NaN, in a window without them the first of the largest numbers.
func TestArgMaxNaN(t *testing.T) {
	u := opened(t)
	e, err := newEngine[float32](u)
	if err != nil {
		t.Fatal(err)
	}
	nan := float32(math.NaN())
	w := &backend.Windows{N: 1, H: 1, W: 6, C: 1, Rows: []backend.Span{{Lo: 0, Hi: 1, Divisor: 1}},
		Cols: []backend.Span{{Lo: 0, Hi: 3, Divisor: 3}, {Lo: 3, Hi: 6, Divisor: 3}}}
	idx := make([]int32, 2)
	if err := u.do(func() error { e.ArgMax(w, []float32{nan, 7, nan, 2, 2, 1}, idx); return nil }); err != nil {
		t.Fatal(err)
	}
	if idx[0] != 2 || idx[1] != 3 {
		t.Errorf("the greatest are %v, want [2 3]", idx)
	}
}

// The memory of a slice that was released is not found under its address any more, because another slice may be there
// by then.
func TestRelease(t *testing.T) {
	u := opened(t)
	x := make([]float32, 100)
	release, err := u.memory.Attach(x)
	if err != nil {
		t.Fatal(err)
	}
	if r, offset := u.memory.find(bytesOf(x[10:20])); r == nil || offset != 40 {
		t.Errorf("a part of an attached slice is at %d of %v", offset, r)
	}
	release()
	release() // a second call does nothing
	if r, _ := u.memory.find(bytesOf(x)); r != nil {
		t.Error("a released slice has memory on the device")
	}
}

// A slice that is the same as in the owner's last loan is not copied again, unless there was a loan to another owner in
// between. A slice that is not lent any more is read from the program's memory.
func TestLoans(t *testing.T) {
	u := opened(t)
	e, err := newEngine[float32](u)
	if err != nil {
		t.Fatal(err)
	}
	x, y, sum := []float32{1, 2}, []float32{5, 7}, make([]float32, 1)
	lend := func(l backend.Loan, of []float32) float32 {
		t.Helper()
		if err := u.do(func() error {
			return u.memory.Lend(l, func() error { e.SumRows(of, sum); return nil })
		}); err != nil {
			t.Fatal(err)
		}
		return sum[0]
	}
	one, other := new(int), new(int)
	lend(backend.Loan{Owner: one, Changed: []any{x, y}}, x)
	x[0], y[0] = 10, 20
	if got := lend(backend.Loan{Owner: one, Changed: []any{y}, Same: []any{x}}, x); got != 3 {
		t.Errorf("the sum of what is the same is %v, want 3 as before", got)
	}
	if got := lend(backend.Loan{Owner: one, Changed: []any{y}, Same: []any{x}}, y); got != 27 {
		t.Errorf("the sum of what changed is %v, want 27", got)
	}
	lend(backend.Loan{Owner: other, Changed: []any{y}}, y)
	if got := lend(backend.Loan{Owner: one, Changed: []any{y}, Same: []any{x}}, x); got != 12 {
		t.Errorf("after another loan the sum is %v, want 12", got)
	}
	x[1] = 5
	if err := u.do(func() error { e.SumRows(x, sum); return nil }); err != nil || sum[0] != 15 {
		t.Errorf("the sum of what is not lent any more is %v, want 15 (error %v)", sum, err)
	}
}

// A buffer has a rounded size, unless the device has none so large while it has one for what was asked.
func TestSizeFor(t *testing.T) {
	const largest = 1<<20 + 100
	m := memory{card: &card{info: device.Info{LargestBuffer: largest}}}
	for n, want := range map[int]int{0: 256, 1000: 1024, 1 << 20: 1 << 20, largest - 4: largest - 4, largest + 4: 5 << 18} {
		if got := m.sizeFor(n); got != want {
			t.Errorf("a buffer for %d bytes has %d, want %d", n, got, want)
		}
	}
}

// Filters of one pixel are read where they lie, also where that is not at a multiple of four numbers.
func TestUnalignedFilters(t *testing.T) {
	u := opened(t)
	e, err := newEngine[float32](u)
	if err != nil {
		t.Fatal(err)
	}
	s := backend.ConvShape{N: 1, H: 2, W: 2, C: 8, Filters: 8, KH: 1, KW: 1}.Normal()
	held, x, y := make([]float32, 1+8*8), make([]float32, 4*8), make([]float32, 4*8)
	release, err := u.memory.Attach(held)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for i := range x {
		x[i] = float32(i)
	}
	one := make([]float32, 8*8)
	for i := range 8 {
		one[9*i] = 1
	}
	if err := u.do(func() error {
		e.Transpose(1, 8, 8, one, held[1:])
		if err := e.Convolve(s, x, held[1:], nil, false, y); err != nil {
			return err
		}
		return e.ConvolveData(s, held[1:], y, x)
	}); err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if x[i] != float32(i) || y[i] != float32(i) {
			t.Fatalf("the product with the identity is %v, and back %v", y, x)
		}
	}
}
