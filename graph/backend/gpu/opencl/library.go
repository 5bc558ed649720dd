//go:build native && cgo && !windows

package opencl

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "library.h"
*/
import "C"

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unsafe"
)

// open opens the library the first time that it is asked for.
var open = sync.OnceValue(func() bool { return C.cl_library_open() != 0 })

// OpenCL's numbers of what a device is asked for.
const (
	platformVersion     = 0x0901
	platformName        = 0x0902
	deviceType          = 0x1000
	deviceMaxWorkGroup  = 0x1004
	deviceMaxAllocation = 0x1010
	deviceGlobalMemory  = 0x101F
	deviceLocalMemory   = 0x1023
	deviceName          = 0x102B
	driverVersion       = 0x102D
	deviceExtensions    = 0x1030

	typeGPU, typeAccelerator = 1 << 2, 1 << 3
)

func failed(what string, status int) error {
	if status == 0 {
		return nil
	}
	return &Error{What: what, Status: status}
}

// Device is a device of OpenCL.
type Device struct {
	Info Info
	id   unsafe.Pointer
}

// Devices lists the devices of all drivers. It returns [ErrUnavailable] without the library, and an empty list without a
// driver.
func Devices() ([]*Device, error) {
	if !open() {
		return nil, ErrUnavailable
	}
	const most = 64
	var platforms, devices [most]unsafe.Pointer
	var count C.int
	const noPlatform = -1001
	if s := C.cl_devices_list(&platforms[0], &devices[0], most, &count); s != 0 && s != noPlatform {
		return nil, failed("list of devices", int(s))
	}
	var all []*Device
	for i := range int(count) {
		all = append(all, &Device{Info: describe(platforms[i], devices[i]), id: devices[i]})
	}
	return all, nil
}

func describe(platform, device unsafe.Pointer) Info {
	number := func(what C.uint32_t) int64 {
		var n C.uint64_t
		C.cl_device_number(device, what, &n)
		return int64(n)
	}
	text := func(what C.uint32_t, of unsafe.Pointer, info func(unsafe.Pointer, C.uint32_t, *C.char, C.size_t)) string {
		var b [1 << 14]byte
		info(of, what, (*C.char)(unsafe.Pointer(&b[0])), C.size_t(len(b)))
		end := bytes.IndexByte(b[:], 0)
		return strings.TrimSpace(string(b[:end]))
	}
	ofDevice := func(of unsafe.Pointer, what C.uint32_t, to *C.char, size C.size_t) {
		C.cl_device_text(of, what, to, size)
	}
	ofPlatform := func(of unsafe.Pointer, what C.uint32_t, to *C.char, size C.size_t) {
		C.cl_platform_text(of, what, to, size)
	}
	kind := Processor
	switch t := number(deviceType); {
	case t&typeGPU != 0:
		kind = GPU
	case t&typeAccelerator != 0:
		kind = Accelerator
	}
	return Info{
		Name:     text(deviceName, device, ofDevice),
		Platform: text(platformName, platform, ofPlatform),
		Version:  text(platformVersion, platform, ofPlatform),
		Driver:   text(driverVersion, device, ofDevice),
		Kind:     kind, Memory: number(deviceGlobalMemory), LargestBuffer: number(deviceMaxAllocation),
		LocalMemory: number(deviceLocalMemory), WorkGroup: int(number(deviceMaxWorkGroup)),
		Double: strings.Contains(text(deviceExtensions, device, ofDevice), "cl_khr_fp64"),
	}
}

// Context holds buffers and programs on a device. It lives as long as the process.
type Context struct {
	device *Device
	id     unsafe.Pointer
}

// Context returns a context on the device.
func (d *Device) Context() (*Context, error) {
	c := &Context{device: d}
	return c, failed("context on "+d.Info.Name, int(C.cl_context_new(d.id, &c.id)))
}

// Queue runs kernels and copies one after another.
type Queue struct{ id unsafe.Pointer }

// Queue returns a new queue.
func (c *Context) Queue() (*Queue, error) {
	q := &Queue{}
	return q, failed("queue on "+c.device.Info.Name, int(C.cl_queue_new(c.id, c.device.id, &q.id)))
}

// Free waits for the queue and frees it.
func (q *Queue) Free() { C.cl_queue_free(q.id) }

// Finish waits for the queue.
func (q *Queue) Finish() error { return failed("kernels", int(C.cl_queue_finish(q.id))) }

// Program is a compiled program. It lives as long as the process.
type Program struct{ id unsafe.Pointer }

// Build compiles a program. Its error has the compiler's log.
func (c *Context) Build(source, options string) (*Program, error) {
	p := &Program{}
	text, flags := C.CString(source), C.CString(options)
	defer C.free(unsafe.Pointer(text))
	defer C.free(unsafe.Pointer(flags))
	log := make([]byte, 1<<16)
	s := C.cl_program_build(c.id, c.device.id, text, C.size_t(len(source)), flags, &p.id, (*C.char)(unsafe.Pointer(&log[0])),
		C.size_t(len(log)))
	if s != 0 {
		end := bytes.IndexByte(log, 0)
		return nil, &Error{What: "compiling kernels for " + c.device.Info.Name, Status: int(s),
			Log: strings.TrimSpace(string(log[:end]))}
	}
	return p, nil
}

// Kernel is a kernel of a program with the arguments of its next run.
type Kernel struct {
	id   unsafe.Pointer
	name string
}

// Kernel returns a kernel of the program.
func (p *Program) Kernel(name string) (*Kernel, error) {
	k := &Kernel{name: name}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return k, failed("kernel "+name, int(C.cl_kernel_new(p.id, text, &k.id)))
}

// Free frees the kernel.
func (k *Kernel) Free() { C.cl_kernel_free(k.id) }

// Buffer is memory of a device.
type Buffer struct{ id unsafe.Pointer }

// Buffer returns a buffer of size bytes.
func (c *Context) Buffer(size int) (*Buffer, error) {
	b := &Buffer{}
	return b, failed(fmt.Sprintf("memory of %d bytes on %s", size, c.device.Info.Name),
		int(C.cl_buffer_new(c.id, C.size_t(size), &b.id)))
}

// Free frees the buffer when no kernel uses it any more.
func (b *Buffer) Free() { C.cl_buffer_free(b.id) }

// Handle returns what the buffer is as an argument of a kernel.
func (b *Buffer) Handle() uintptr { return uintptr(b.id) }

// Write copies bytes into the buffer from offset on.
func (q *Queue) Write(b *Buffer, offset int, from []byte) error {
	return failed(fmt.Sprintf("copying %d bytes to the device", len(from)), int(C.cl_buffer_write(q.id, b.id,
		C.size_t(offset), C.size_t(len(from)), unsafe.Pointer(unsafe.SliceData(from)))))
}

// Read copies bytes out of the buffer from offset on, after all that the queue was given before.
func (q *Queue) Read(b *Buffer, offset int, to []byte) error {
	return failed(fmt.Sprintf("copying %d bytes from the device", len(to)), int(C.cl_buffer_read(q.id, b.id,
		C.size_t(offset), C.size_t(len(to)), unsafe.Pointer(unsafe.SliceData(to)))))
}

// Run starts a kernel on groups of local work items.
func (q *Queue) Run(k *Kernel, a *Arguments, groups, local [3]int) error {
	var all, each [3]C.size_t
	for i := range all {
		all[i], each[i] = C.size_t(groups[i]*local[i]), C.size_t(local[i])
	}
	return failed("kernel "+k.name, int(C.cl_kernel_run(q.id, k.id, C.int(len(a.sizes)),
		(*C.uint32_t)(unsafe.Pointer(unsafe.SliceData(a.sizes))), (*C.uchar)(unsafe.Pointer(unsafe.SliceData(a.bytes))),
		&all[0], &each[0])))
}
