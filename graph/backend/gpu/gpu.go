// Package gpu is the backend gpu of package backend: its engines run kernels on a device of CUDA or OpenCL, a GPU or, by
// way of POCL, the processor. Importing it makes the backend known to [backend.Open].
//
// The kernels are in the folder kernels, in one source for both precisions. It is written in what OpenCL C and CUDA C have
// in common and in the macros of prelude.cl. Sums are taken in an order that depends on shapes alone and nothing is added
// up atomically, so that the same work gives the same bytes.
package gpu

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/device"
)

func init() { backend.Register("gpu", open) }

// card is a device of the machine with its programs, which all devices opened on it share.
type card struct {
	info    device.Info
	context *device.Context
	tested  func() error

	mu       sync.Mutex
	programs map[string]*device.Program // by their source and options
}

// cards lists the devices of the machine: GPUs first, processors last. They are looked for once.
var cards = sync.OnceValues(func() ([]*card, error) {
	devices, err := device.Devices()
	if err != nil {
		return nil, err
	}
	order := []device.Kind{device.GPU, device.Accelerator, device.Processor}
	slices.SortStableFunc(devices, func(a, b *device.Device) int {
		return slices.Index(order, a.Info.Kind) - slices.Index(order, b.Info.Kind)
	})
	var all []*card
	for _, d := range devices {
		c := &card{info: d.Info, programs: map[string]*device.Program{}}
		c.tested = sync.OnceValue(func() (err error) {
			if c.context, err = d.Context(); err != nil {
				return err
			}
			return c.test()
		})
		all = append(all, c)
	}
	return all, nil
})

// Found is a device of the machine. Err is not nil if it failed its test.
type Found struct {
	device.Info
	Err error
}

// Devices lists the devices of the machine, of which the backend takes the first that passes its test. It returns
// [device.ErrUnavailable] without CUDA and OpenCL.
func Devices() ([]Found, error) {
	all, err := cards()
	var found []Found
	for _, c := range all {
		found = append(found, Found{c.info, c.tested()})
	}
	return found, err
}

// first returns the first device that passes its test.
func first() (*card, error) {
	all, err := cards()
	if err != nil {
		return nil, fmt.Errorf("backend gpu: %w", err)
	}
	if len(all) == 0 {
		return nil, errors.New(
			"backend gpu: CUDA or OpenCL is there, but no device: install the driver of your GPU, or pocl-opencl-icd to compute " +
				"on the processor")
	}
	var failures []error
	for _, c := range all {
		if err := c.tested(); err != nil {
			failures = append(failures, fmt.Errorf("backend gpu: %s fails its test: %w", c.info.Name, err))
			continue
		}
		return c, nil
	}
	return nil, errors.Join(failures...)
}

// Available reports whether there is a device that passes its test, with the reason if not.
func Available() error {
	_, err := first()
	return err
}

// DeviceName returns the name of the device that the backend takes, "" without one.
func DeviceName() string {
	c, err := first()
	if err != nil {
		return ""
	}
	return c.info.Name
}

// unit is an opened device: a queue with its kernels and memory. Its functions panic with a failure, which do returns as an
// error.
type unit struct {
	card    *card
	queue   *device.Queue
	memory  memory
	mu      sync.Mutex // held by do
	kernels map[kernelKey]*device.Kernel
	taken   []taken // buffers of the current call
}

type kernelKey struct {
	program *device.Program
	name    string
}

// failure is an error of the device that passes through an engine as a panic.
type failure struct{ err error }

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func open(threads int) (*backend.Device, error) {
	c, err := first()
	if err != nil {
		return nil, err
	}
	u, err := c.open()
	if err != nil {
		return nil, err
	}
	single, err := newEngine[float32](u)
	if err != nil {
		return nil, err
	}
	d := backend.Driver{Name: "gpu", Model: c.info.Name, Threads: threads, Float32: single, Memory: &u.memory, Do: u.do,
		Close: u.close}
	if c.info.Double {
		double, err := newEngine[float64](u)
		if err != nil {
			return nil, err
		}
		d.Float64 = double
	}
	return backend.NewDevice(d), nil
}

func (c *card) open() (*unit, error) {
	queue, err := c.context.Queue()
	if err != nil {
		return nil, err
	}
	u := &unit{card: c, queue: queue, kernels: map[kernelKey]*device.Kernel{}}
	u.memory = memory{card: c, queue: queue, free: map[int][]*device.Buffer{}, constants: map[any]*device.Buffer{}}
	return u, nil
}

// do runs f and returns failures of the device as errors.
func (u *unit) do(f func() error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	err := backend.Protect(f)
	u.giveBack() // after a call that failed
	var p *backend.PanicError
	if errors.As(err, &p) {
		if failed, ok := p.Value.(failure); ok {
			return failed.err
		}
	}
	return err
}

func (u *unit) close() {
	u.queue.Free()
	for _, k := range u.kernels {
		k.Free()
	}
	u.memory.close()
}

// giveBack ends the use of the buffers of a call.
func (u *unit) giveBack() {
	for _, t := range u.taken {
		u.memory.give(t.size, t.buffer)
	}
	u.taken = u.taken[:0]
}

// build returns the program of a source, which is compiled once.
func (c *card) build(source, options string) (*device.Program, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := options + "\n" + source
	if p := c.programs[key]; p != nil {
		return p, nil
	}
	p, err := c.context.Build(source, options)
	if err != nil {
		return nil, err
	}
	c.programs[key] = p
	return p, nil
}

// kernel returns a kernel of a program.
func (u *unit) kernel(p *device.Program, name string) *device.Kernel {
	key := kernelKey{p, name}
	k := u.kernels[key]
	if k == nil {
		var err error
		k, err = p.Kernel(name)
		check(err)
		u.kernels[key] = k
	}
	return k
}
