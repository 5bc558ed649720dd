//go:build native && cgo && !windows

package device

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "library.h"

// Go does not call pointers to functions.
static int list(const library *l, void **devices, int most, int *count) { return l->list(devices, most, count); }
static void describe(const library *l, void *device, description *d) { l->describe(device, d); }
static const char *status_name(const library *l, int status) { return l->status_name(status); }
static int out_of_memory(const library *l, int status) { return l->out_of_memory(status); }
static int context_new(const library *l, void *device, void **context) { return l->context_new(device, context); }
static int queue_new(const library *l, void *context, void *device, void **queue) {
	return l->queue_new(context, device, queue);
}
static void queue_free(const library *l, void *queue) { l->queue_free(queue); }
static int queue_finish(const library *l, void *queue) { return l->queue_finish(queue); }
static int compiles(const library *l) { return l->compile != NULL; }
static int compile(const library *l, void *device, const char *source, const char *options, char **code, size_t *size,
	char *log, size_t room) {
	return l->compile(device, source, options, code, size, log, room);
}
static void compiler(const library *l, void *device, char *text, size_t room) { l->compiler(device, text, room); }
static int program_new(const library *l, void *context, void *device, const char *code, size_t size, const char *options,
	void **program, char *log, size_t room) {
	return l->program_new(context, device, code, size, options, program, log, room);
}
static int kernel_new(const library *l, void *context, void *program, const char *name, void **kernel) {
	return l->kernel_new(context, program, name, kernel);
}
static void kernel_free(const library *l, void *kernel) { l->kernel_free(kernel); }
static int buffer_new(const library *l, void *context, size_t size, void **buffer) {
	return l->buffer_new(context, size, buffer);
}
static void buffer_free(const library *l, void *context, void *buffer) { l->buffer_free(context, buffer); }
static int pin(const library *l, void *context, void *host, size_t size) {
	return l->pin ? l->pin(context, host, size) : -1;
}
static void unpin(const library *l, void *context, void *host) { l->unpin(context, host); }
static int write_buffer(const library *l, void *queue, void *buffer, size_t offset, size_t size, const void *from) {
	return l->write(queue, buffer, offset, size, from);
}
static int read_buffer(const library *l, void *queue, void *buffer, size_t offset, size_t size, void *to) {
	return l->read(queue, buffer, offset, size, to);
}
static int run(const library *l, void *queue, void *kernel, int count, const uint32_t *sizes,
	const unsigned char *arguments, const size_t *groups, const size_t *local) {
	return l->run(queue, kernel, count, sizes, arguments, groups, local);
}
*/
import "C"

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"
)

// libraries opens the libraries the first time that they are asked for, the preferred one first.
var libraries = sync.OnceValue(func() (all []*C.library) {
	for _, l := range []*C.library{C.cuda_open(), C.opencl_open()} {
		if l != nil {
			all = append(all, l)
		}
	}
	return all
})

// failed returns an error for a status that is not 0.
func failed(l *C.library, status C.int, what string, args ...any) error {
	if status == 0 {
		return nil
	}
	return &Error{
		Library: C.GoString(l.name), What: fmt.Sprintf(what, args...), Status: int(status),
		Name: C.GoString(C.status_name(l, status)), outOfMemory: C.out_of_memory(l, status) != 0,
	}
}

// withLog calls f with room for a compiler's log, which it adds to the error.
func withLog(l *C.library, what string, f func(log *C.char, room C.size_t) C.int) error {
	log := make([]byte, 1<<16)
	err := failed(l, f((*C.char)(unsafe.Pointer(&log[0])), C.size_t(len(log))), "%s", what)
	if e, ok := err.(*Error); ok {
		e.Log = strings.TrimSpace(string(log[:max(0, bytes.IndexByte(log, 0))]))
	}
	return err
}

// Device is a device of a library.
type Device struct {
	Info    Info
	library *C.library
	id      unsafe.Pointer
}

// Devices lists the devices of all drivers, those of CUDA first. It returns [ErrUnavailable] without a library, and an empty
// list without a driver. A driver that fails is an error only if no other one has a device.
func Devices() ([]*Device, error) {
	if len(libraries()) == 0 {
		return nil, ErrUnavailable
	}
	const most = 64
	var all []*Device
	var failures error
	for _, l := range libraries() {
		var devices [most]unsafe.Pointer
		var count C.int
		if err := failed(l, C.list(l, &devices[0], most, &count), "list of devices"); err != nil {
			failures = errors.Join(failures, err)
			continue
		}
		for _, id := range devices[:count] {
			all = append(all, &Device{Info: describe(l, id), library: l, id: id})
		}
	}
	if len(all) > 0 {
		return all, nil
	}
	return nil, failures
}

func describe(l *C.library, device unsafe.Pointer) Info {
	var d C.description
	C.describe(l, device, &d)
	kind := Processor
	switch d.kind {
	case C.KIND_GPU:
		kind = GPU
	case C.KIND_ACCELERATOR:
		kind = Accelerator
	}
	text := func(s *C.char) string { return strings.TrimSpace(C.GoString(s)) }
	return Info{
		Name: text(&d.name[0]), Platform: text(&d.platform[0]), Driver: text(&d.driver[0]), Kind: kind,
		Memory: int64(d.memory), LargestBuffer: int64(d.largest_buffer), Double: d.doubles != 0,
	}
}

// Context holds buffers and programs on a device. It lives as long as the process.
type Context struct {
	device  *Device
	library *C.library
	id      unsafe.Pointer
}

// Context returns a context on the device.
func (d *Device) Context() (*Context, error) {
	c := &Context{device: d, library: d.library}
	return c, failed(d.library, C.context_new(d.library, d.id, &c.id), "context on %s", d.Info.Name)
}

// Queue runs kernels and copies one after another.
type Queue struct {
	library *C.library
	id      unsafe.Pointer
}

// Queue returns a new queue.
func (c *Context) Queue() (*Queue, error) {
	q := &Queue{library: c.library}
	return q, failed(c.library, C.queue_new(c.library, c.id, c.device.id, &q.id), "queue on %s", c.device.Info.Name)
}

// Free waits for the queue and frees it.
func (q *Queue) Free() { C.queue_free(q.library, q.id) }

// Finish waits for the queue.
func (q *Queue) Finish() error { return failed(q.library, C.queue_finish(q.library, q.id), "kernels") }

// Program is a compiled program. It lives as long as the process.
type Program struct {
	context *Context
	id      unsafe.Pointer
}

// Build compiles a program, or loads the code of an earlier compilation from the user's cache. Its error has the compiler's
// log.
func (c *Context) Build(source, options string) (*Program, error) {
	if C.compiles(c.library) == 0 {
		return c.load([]byte(source), options)
	}
	var name [256]byte
	C.compiler(c.library, c.device.id, (*C.char)(unsafe.Pointer(&name[0])), C.size_t(len(name)))
	path := cachePath(string(name[:bytes.IndexByte(name[:], 0)]), options, source)
	if code := cached(path); code != nil {
		if p, err := c.load(code, options); err == nil {
			return p, nil
		}
	}
	code, err := c.compile(source, options)
	if err != nil {
		return nil, err
	}
	keep(path, code)
	return c.load(code, options)
}

// compile returns the code of a source for the device.
func (c *Context) compile(source, options string) ([]byte, error) {
	text, flags := C.CString(source), C.CString(options)
	defer C.free(unsafe.Pointer(text))
	defer C.free(unsafe.Pointer(flags))
	var code *C.char
	var size C.size_t
	err := withLog(c.library, "compiling kernels for "+c.device.Info.Name, func(log *C.char, room C.size_t) C.int {
		return C.compile(c.library, c.device.id, text, flags, &code, &size, log, room)
	})
	defer C.free(unsafe.Pointer(code))
	return C.GoBytes(unsafe.Pointer(code), C.int(size)), err
}

// load returns the program of code, or of a source where the library compiles it itself.
func (c *Context) load(code []byte, options string) (*Program, error) {
	p := &Program{context: c}
	flags := C.CString(options)
	defer C.free(unsafe.Pointer(flags))
	return p, withLog(c.library, "compiling kernels for "+c.device.Info.Name, func(log *C.char, room C.size_t) C.int {
		return C.program_new(c.library, c.id, c.device.id, (*C.char)(unsafe.Pointer(unsafe.SliceData(code))),
			C.size_t(len(code)), flags, &p.id, log, room)
	})
}

// Kernel is a kernel of a program with the arguments of its next run.
type Kernel struct {
	library *C.library
	id      unsafe.Pointer
	name    string
}

// Kernel returns a kernel of the program.
func (p *Program) Kernel(name string) (*Kernel, error) {
	l := p.context.library
	k := &Kernel{library: l, name: name}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return k, failed(l, C.kernel_new(l, p.context.id, p.id, text, &k.id), "kernel %s", name)
}

// Free frees the kernel.
func (k *Kernel) Free() { C.kernel_free(k.library, k.id) }

// Pin lets the device copy memory of the program by itself, which is several times faster, until unpin is called. Unpin is
// nil if it cannot. The memory must not move. It is not freed as long as unpin is kept, or
// else other memory at its place would be pinned.
func (c *Context) Pin(host []byte) (unpin func()) {
	at := unsafe.Pointer(unsafe.SliceData(host))
	if C.pin(c.library, c.id, at, C.size_t(len(host))) != 0 {
		return nil
	}
	return func() { C.unpin(c.library, c.id, at) }
}

// Buffer is memory of a device.
type Buffer struct {
	context *Context
	id      unsafe.Pointer
}

// Buffer returns a buffer of size bytes.
func (c *Context) Buffer(size int) (*Buffer, error) {
	b := &Buffer{context: c}
	return b, failed(c.library, C.buffer_new(c.library, c.id, C.size_t(size), &b.id), "memory of %d bytes on %s", size,
		c.device.Info.Name)
}

// Free frees the buffer when no kernel uses it any more.
func (b *Buffer) Free() { C.buffer_free(b.context.library, b.context.id, b.id) }

// Handle returns what the buffer is as an argument of a kernel.
func (b *Buffer) Handle() uintptr { return uintptr(b.id) }

// Write copies bytes into the buffer from offset on.
func (q *Queue) Write(b *Buffer, offset int, from []byte) error {
	return failed(q.library, C.write_buffer(q.library, q.id, b.id, C.size_t(offset), C.size_t(len(from)),
		unsafe.Pointer(unsafe.SliceData(from))), "copying %d bytes to the device", len(from))
}

// Read copies bytes out of the buffer from offset on, after all that the queue was given before.
func (q *Queue) Read(b *Buffer, offset int, to []byte) error {
	return failed(q.library, C.read_buffer(q.library, q.id, b.id, C.size_t(offset), C.size_t(len(to)),
		unsafe.Pointer(unsafe.SliceData(to))), "copying %d bytes from the device", len(to))
}

// Run starts a kernel on groups of local work items.
func (q *Queue) Run(k *Kernel, a *Arguments, groups, local [3]int) error {
	var all, each [3]C.size_t
	for i := range all {
		all[i], each[i] = C.size_t(groups[i]), C.size_t(local[i])
	}
	return failed(q.library, C.run(q.library, q.id, k.id, C.int(len(a.sizes)),
		(*C.uint32_t)(unsafe.Pointer(unsafe.SliceData(a.sizes))), (*C.uchar)(unsafe.Pointer(unsafe.SliceData(a.bytes))),
		&all[0], &each[0]), "kernel %s", k.name)
}
