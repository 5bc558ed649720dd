package gpu

import (
	"unsafe"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/device"
)

// call is an operation of an engine: the arguments of a kernel, the buffers that are taken for it, and what to copy back
// when it is over.
type call[T backend.Float] struct {
	unit    *unit
	program *device.Program
	args    device.Arguments
	back    []written
}

type taken struct {
	size   int
	buffer *device.Buffer
}

// written is a slice that a kernel writes in a buffer.
type written struct {
	slice  []byte
	buffer *device.Buffer
	offset int
}

func (c *call[T]) operand(b *device.Buffer, from int) {
	c.args.Buffer(b)
	c.args.Long(from)
}

// place returns where a slice is on the device: in a buffer that is taken for the call, if the slice has no memory there.
func (c *call[T]) place(b []byte, read, write bool) (buffer *device.Buffer, offset int) {
	r, offset := c.unit.memory.find(b)
	if r == nil {
		buffer = c.take(len(b))
		if read && len(b) > 0 {
			check(c.unit.memory.explain(len(b), c.unit.queue.Write(buffer, 0, b)))
		}
	} else {
		buffer = r.buffer
	}
	if write && (r == nil || r.lent) {
		c.back = append(c.back, written{b, buffer, offset})
	}
	return buffer, offset
}

// add adds an operand, and returns the element of its buffer at which it begins.
func (c *call[T]) add(slice any, read, write bool) (from int) {
	size := 4
	if _, double := slice.([]float64); double {
		size = 8
	}
	buffer, offset := c.place(bytesOf(slice), read, write)
	c.operand(buffer, offset/size)
	return offset / size
}

// in, out and both add an operand that the kernel reads, writes all of, or reads and writes. In returns what add does.
func (c *call[T]) in(slice any) int { return c.add(slice, true, false) }
func (c *call[T]) out(slice any)    { c.add(slice, false, true) }
func (c *call[T]) both(slice any)   { c.add(slice, true, true) }

// constant adds numbers that belong to key.
func (c *call[T]) constant(key any, numbers func() []int32) {
	c.operand(c.unit.memory.constant(key, numbers), 0)
}

// optional adds an operand that may be nil, and whether it is there.
func (c *call[T]) optional(x []T) {
	c.in(x)
	there := int32(0)
	if x != nil {
		there = 1
	}
	c.args.Ints([]int32{there})
}

func (c *call[T]) flag(set bool) {
	v := int32(0)
	if set {
		v = 1
	}
	c.args.Ints([]int32{v})
}

func (c *call[T]) longs(vs ...int) {
	for _, v := range vs {
		c.args.Long(v)
	}
}

func (c *call[T]) reals(vs ...float64) {
	for _, v := range vs {
		if unsafe.Sizeof(T(0)) == 8 {
			c.args.Double(v)
		} else {
			c.args.Float(float32(v))
		}
	}
}

// take returns a buffer for the duration of the call.
func (c *call[T]) take(size int) *device.Buffer {
	b := c.unit.memory.take(size)
	c.unit.taken = append(c.unit.taken, taken{size, b})
	return b
}

// lane is the number of work items of a group along one axis, LANE of the kernels.
const lane = 64

// each runs a kernel with a work item for each of n elements.
func (c *call[T]) each(name string, n int) {
	c.run(name, [3]int{(n + lane - 1) / lane, 1, 1}, [3]int{lane, 1, 1})
}

// rows runs a kernel with a group for each of n rows.
func (c *call[T]) rows(name string, n int) { c.run(name, [3]int{n, 1, 1}, [3]int{lane, 1, 1}) }

func (c *call[T]) run(name string, groups, local [3]int) {
	if groups[0] == 0 || groups[1] == 0 || groups[2] == 0 {
		return
	}
	err := c.unit.queue.Run(c.unit.kernel(c.program, name), &c.args, groups, local)
	check(c.unit.memory.explain(c.size(), err))
}

func (c *call[T]) size() (sum int) {
	for _, t := range c.unit.taken {
		sum += t.size
	}
	return sum
}

// end copies back what was written to slices that are not on the device, and gives the buffers back.
func (c *call[T]) end() {
	for _, w := range c.back {
		if len(w.slice) > 0 {
			check(c.unit.memory.explain(len(w.slice), c.unit.queue.Read(w.buffer, w.offset, w.slice)))
		}
	}
	c.unit.giveBack()
}
