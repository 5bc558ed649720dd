package backend

import "runtime"

// Driver describes a device of a backend in another package. Do runs functions that may use the engines, one after
// another, and turns panics into errors, as [Protect] does. Float64 may be nil.
type Driver struct {
	Name    string // of the backend
	Model   string // of the hardware
	Threads int
	Float32 Engine[float32]
	Float64 Engine[float64]
	Memory  Memory
	Do      func(f func() error) error
	Close   func()
}

// Memory is the memory of a device whose engines do not work in host memory. An engine accepts any slice: it copies its
// operands to the device and its results back. For slices with memory on the device it need not copy.
type Memory interface {
	// Attach gives a slice memory on the device, whose content is undefined. Engines then read and write only that
	// memory, and the slice is out of date until Download. Release frees it.
	Attach(slice any) (release func(), err error)
	// Pin speeds up copies between a slice and the device until release is called. Engines must then be given the slice
	// as a whole: a copy of a small part of it may go on after the call. release is nil if Pin does nothing.
	Pin(slice any) (release func())
	// Lend runs f, during which the slices of the loan are on the device, and only engines may write them. What engines
	// write is also copied to the slices.
	Lend(l Loan, f func() error) error
	// Download copies a slice with memory on the device, or a part of one, to the host. It does nothing for other slices.
	Download(slice any)
}

// Loan lists slices that are lent to a device. Slices in Same did not change since the owner's last loan; they are copied
// to the device only if there was another loan in between.
type Loan struct {
	Owner         any // identifies the lender
	Changed, Same []any
}

var drivers = map[string]func(threads int) (*Device, error){}

// Register makes a backend of another package known to [Open] by its name. Packages do it when they are initialised.
func Register(name string, open func(threads int) (*Device, error)) { drivers[name] = open }

// Workers returns how many devices to open for work that could use the given number of threads: one per thread, but at
// most two of a registered backend, which has its own memory: one computes while the other's results are copied.
func Workers(backend string, threads int) int {
	if backend == "" {
		backend = Default()
	}
	if drivers[backend] != nil {
		return min(2, threads)
	}
	return threads
}

// NewDevice returns the device of a driver.
func NewDevice(d Driver) *Device {
	return &Device{name: d.Name, model: d.Model, threads: d.Threads, f32: d.Float32, f64: d.Float64, memory: d.Memory,
		worker: driven{d.Do}, release: d.Close}
}

// driven is a worker whose driver runs functions.
type driven struct{ run func(func() error) error }

func (d driven) do(f func() error) error { return d.run(f) }

func (d driven) close() {}

// Protect runs f and turns a panic into a [*PanicError].
func Protect(f func() error) error { return protect(f) }

// Model returns the name of the hardware that computes, "" for the processor.
func (d *Device) Model() string { return d.model }

// Memory returns the memory of the device, nil if the engines work in host memory.
func (d *Device) Memory() Memory { return d.memory }

// Download copies what the engines wrote to a slice from the device's memory. It does nothing if engines work in host
// memory.
func (d *Device) Download(slice any) {
	if d.memory != nil {
		d.memory.Download(slice)
	}
}

// Attach gives a slice memory on the device for as long as its owner lives, see [Memory]. It does nothing if engines work
// in host memory.
func Attach[O any](d *Device, owner *O, slice any) error {
	if d == nil || d.memory == nil {
		return nil
	}
	release, err := d.memory.Attach(slice)
	if err != nil {
		return err
	}
	runtime.AddCleanup(owner, func(release func()) { release() }, release)
	return nil
}

// Pin speeds up copies between a slice and the device for as long as its owner lives, see [Memory].
func Pin[O any](d *Device, owner *O, slice any) {
	if d == nil || d.memory == nil {
		return
	}
	if release := d.memory.Pin(slice); release != nil {
		runtime.AddCleanup(owner, func(release func()) { release() }, release)
	}
}

// Lend runs f, during which the slices of the loan are on the device, see [Memory].
func (d *Device) Lend(l Loan, f func() error) error {
	if d.memory == nil {
		return f()
	}
	return d.memory.Lend(l, f)
}

// Axes returns the offsets of every axis of y. The caller must not change them.
func (v *View) Axes() [][]int { return v.axes }

// Distinct reports whether the view is known to read no element twice, and All whether it then reads every one.
func (v *View) Distinct() bool { return v.distinct }

// All reports whether a distinct view reads every element of x.
func (v *View) All() bool { return v.all }

// Lists returns the rows of all sets, one set after another, and where each set starts in them, followed by their number.
// The caller must not change them.
func (s *Sets) Lists() (starts, rows []int32) { return s.starts, s.rows }
