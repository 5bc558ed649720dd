package gpu

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"os"
	"slices"
	"sync"
	"unsafe"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/device"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// memory says which slices of the program have memory on the device, and gives out buffers. It implements backend.Memory.
type memory struct {
	card  *card
	queue *device.Queue

	mu       sync.Mutex
	attached []*region // by their addresses
	lent     []*region // likewise, while they are lent
	loaned   []*region // the last loan, whose owner may lend it again
	owner    any       // nil if what was copied is not known

	free      map[int][]*device.Buffer // that were used, by their size
	constants map[any]*device.Buffer   // what shapes and sets are to kernels
}

// region is a slice with memory on the device. The slice is referred to, so that its address remains its own.
type region struct {
	bytes  []byte
	buffer *device.Buffer
	lent   bool
}

func (r *region) address() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(r.bytes))) }

// bytesOf returns the memory of a slice of numbers.
func bytesOf(slice any) []byte {
	switch x := slice.(type) {
	case []float32:
		return asBytes(x)
	case []float64:
		return asBytes(x)
	case []int32:
		return asBytes(x)
	}
	panic(fmt.Sprintf("memory of a device for a %T", slice))
}

func asBytes[E any](x []E) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(E))))
}

// find returns the region that holds a slice, and where in it the slice begins.
func (m *memory) find(b []byte) (r *region, offset int) {
	if len(b) == 0 {
		return nil, 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	for _, regions := range [][]*region{m.attached, m.lent} {
		i, found := slices.BinarySearchFunc(regions, at, func(r *region, at uintptr) int { return cmp.Compare(r.address(), at) })
		if !found {
			i--
		}
		if i < 0 {
			continue
		}
		r := regions[i]
		if offset := int(at - r.address()); offset+len(b) <= len(r.bytes) {
			return r, offset
		}
	}
	return nil, 0
}

// insert adds a region to a list.
func insert(list []*region, r *region) []*region {
	i, _ := slices.BinarySearchFunc(list, r.address(), func(r *region, at uintptr) int { return cmp.Compare(r.address(), at) })
	return slices.Insert(list, i, r)
}

// Attach implements backend.Memory. With ANSATZ_GPU_POISON it fills the slice with NaN: whatever reads the slice without
// downloading it then shows.
func (m *memory) Attach(slice any) (release func(), err error) {
	r := &region{bytes: bytesOf(slice)}
	if len(r.bytes) == 0 {
		return func() {}, nil
	}
	if r.buffer, err = m.buffer(len(r.bytes)); err != nil {
		return nil, err
	}
	if os.Getenv("ANSATZ_GPU_POISON") != "" {
		poison(slice)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.attached = insert(m.attached, r)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if i := slices.Index(m.attached, r); i >= 0 {
			m.attached = slices.Delete(m.attached, i, i+1)
			r.buffer.Free()
		}
	}, nil
}

func poison(slice any) {
	switch x := slice.(type) {
	case []float32:
		for i := range x {
			x[i] = float32(math.NaN())
		}
	case []float64:
		for i := range x {
			x[i] = math.NaN()
		}
	}
}

// leastPinned is the least size of memory that is worth pinning. Go gives slices of this size pages of their own.
const leastPinned = 1 << 18

// Pin implements backend.Memory.
func (m *memory) Pin(slice any) (release func()) {
	b := bytesOf(slice)
	if len(b) < leastPinned {
		return nil
	}
	return m.card.context.Pin(b)
}

// Lend implements backend.Memory.
func (m *memory) Lend(l backend.Loan, f func() error) error {
	again := m.owner != nil && m.owner == l.Owner
	m.owner = nil
	if !again {
		m.endLoan()
	}
	defer m.setLent(nil)
	m.setLent(m.loaned)
	for i, slice := range slices.Concat(l.Changed, l.Same) {
		b := bytesOf(slice)
		r, _ := m.find(b)
		switch {
		case r == nil && len(b) > 0:
			r = &region{bytes: b, buffer: m.take(len(b)), lent: true}
			m.loaned = insert(m.loaned, r)
			m.setLent(m.loaned)
		case r == nil || !r.lent || i >= len(l.Changed):
			continue // nothing, attached, or on the device from the last time
		}
		check(m.explain(len(b), m.queue.Write(r.buffer, 0, r.bytes)))
	}
	if err := f(); err != nil {
		return err
	}
	m.owner = l.Owner
	return m.queue.Finish() // kernels that fail do so now
}

func (m *memory) setLent(regions []*region) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lent = regions
}

// endLoan gives back the buffers of the last loan.
func (m *memory) endLoan() {
	for _, r := range m.loaned {
		m.give(len(r.bytes), r.buffer)
	}
	m.loaned = nil
}

// Download implements backend.Memory.
func (m *memory) Download(slice any) {
	b := bytesOf(slice)
	if r, offset := m.find(b); r != nil && !r.lent {
		check(m.explain(len(b), m.queue.Read(r.buffer, offset, b)))
	}
}

// buffer returns a new buffer. If there is no room it first frees those that are not in use.
func (m *memory) buffer(size int) (*device.Buffer, error) {
	b, err := m.card.context.Buffer(size)
	if err != nil {
		m.freeUnused()
		b, err = m.card.context.Buffer(size)
	}
	return b, m.explain(size, err)
}

// OutOfMemoryError says that the device has not enough memory.
type OutOfMemoryError struct {
	Device                   string
	Asked, Has, LargestBlock int64
	Err                      error
}

// Error returns what was asked for, what the device has, and what to do.
func (e *OutOfMemoryError) Error() string {
	return fmt.Sprintf("backend gpu: %s has no room for %s more: it has %s, and at most %s in one piece; a "+
		"smaller batch takes less (%v)", e.Device, words.Bytes(e.Asked), words.Bytes(e.Has), words.Bytes(e.LargestBlock), e.Err)
}

// Unwrap returns the error of the library.
func (e *OutOfMemoryError) Unwrap() error { return e.Err }

// InputError returns true: the request exceeds the memory.
func (e *OutOfMemoryError) InputError() bool { return true }

// explain returns an [*OutOfMemoryError] for an error about size bytes of memory, and other errors as they are.
func (m *memory) explain(size int, err error) error {
	if e, ok := err.(*device.Error); ok && e.OutOfMemory() {
		i := m.card.info
		return &OutOfMemoryError{Device: i.Name, Asked: int64(size), Has: i.Memory, LargestBlock: i.LargestBuffer, Err: err}
	}
	return err
}

// rounded returns a size of at least n bytes of which there are few: four for every power of two.
func rounded(n int) int {
	step := 1 << max(8, bits.Len(uint(n-1))-3)
	return (n + step - 1) / step * step
}

// sizeFor returns the size of a buffer that take returns for n bytes: rounded, unless the device has none so large.
func (m *memory) sizeFor(n int) int {
	n = max(n, 1)
	if size := rounded(n); int64(size) <= m.card.info.LargestBuffer || int64(n) > m.card.info.LargestBuffer {
		return size
	}
	return n
}

// take returns a buffer for the duration of a call. The queue runs one kernel after another, so that the buffer may be
// given back as soon as its last kernel was started.
func (m *memory) take(n int) *device.Buffer {
	size := m.sizeFor(n)
	m.mu.Lock()
	if unused := m.free[size]; len(unused) > 0 {
		b := unused[len(unused)-1]
		m.free[size] = unused[:len(unused)-1]
		m.mu.Unlock()
		return b
	}
	m.mu.Unlock()
	b, err := m.buffer(size)
	check(err)
	return b
}

// give takes a buffer back that take returned for n bytes.
func (m *memory) give(n int, b *device.Buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	size := m.sizeFor(n)
	m.free[size] = append(m.free[size], b)
}

func (m *memory) freeUnused() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for size, unused := range m.free {
		for _, b := range unused {
			b.Free()
		}
		delete(m.free, size)
	}
}

// mostConstants is the number of constants that are kept. A program has a few; a process may make many programs.
const mostConstants = 1024

// constant returns a buffer of numbers that belong to key, which are never changed.
func (m *memory) constant(key any, numbers func() []int32) *device.Buffer {
	if b := m.constants[key]; b != nil {
		return b
	}
	list := numbers()
	b, err := m.buffer(max(4*len(list), 4))
	check(err)
	if len(list) > 0 {
		check(m.queue.Write(b, 0, asBytes(list)))
	}
	m.constants[key] = b
	return b
}

func (m *memory) freeConstants() {
	for key, b := range m.constants {
		b.Free()
		delete(m.constants, key)
	}
}

// close frees all buffers but those of attached slices, whose owners release them.
func (m *memory) close() {
	m.endLoan()
	m.freeUnused()
	m.freeConstants()
}
