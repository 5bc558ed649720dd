//go:build !native || !cgo || windows

package device

// Device is a device of a library. There is none in this build.
type Device struct{ Info Info }

// Context holds buffers and programs on a device.
type Context struct{}

// Queue runs kernels and copies one after another.
type Queue struct{}

// Program is a compiled program.
type Program struct{}

// Kernel is a kernel of a program with the arguments of its next run.
type Kernel struct{}

// Buffer is memory of a device.
type Buffer struct{}

// Devices returns [ErrUnavailable].
func Devices() ([]*Device, error) { return nil, ErrUnavailable }

// Context returns [ErrUnavailable].
func (d *Device) Context() (*Context, error) { return nil, ErrUnavailable }

// Queue returns [ErrUnavailable].
func (c *Context) Queue() (*Queue, error) { return nil, ErrUnavailable }

// Build returns [ErrUnavailable].
func (c *Context) Build(source, options string) (*Program, error) { return nil, ErrUnavailable }

// Buffer returns [ErrUnavailable].
func (c *Context) Buffer(size int) (*Buffer, error) { return nil, ErrUnavailable }

// Pin returns nil.
func (c *Context) Pin([]byte) (unpin func()) { return nil }

// Kernel returns [ErrUnavailable].
func (p *Program) Kernel(name string) (*Kernel, error) { return nil, ErrUnavailable }

// Free does nothing.
func (k *Kernel) Free() {}

// Free does nothing.
func (b *Buffer) Free() {}

// Handle returns 0.
func (b *Buffer) Handle() uintptr { return 0 }

// Write returns [ErrUnavailable].
func (q *Queue) Write(b *Buffer, offset int, from []byte) error { return ErrUnavailable }

// Read returns [ErrUnavailable].
func (q *Queue) Read(b *Buffer, offset int, to []byte) error { return ErrUnavailable }

// Run returns [ErrUnavailable].
func (q *Queue) Run(k *Kernel, a *Arguments, groups, local [3]int) error { return ErrUnavailable }

// Finish returns [ErrUnavailable].
func (q *Queue) Finish() error { return ErrUnavailable }

// Free does nothing.
func (q *Queue) Free() {}
