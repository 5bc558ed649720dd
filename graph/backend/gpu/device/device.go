// Package device runs kernels on the devices of CUDA and of OpenCL: GPUs, and processors by way of POCL.
//
// Their libraries, libcuda.so.1 with libnvrtc.so and libOpenCL.so.1, are looked for when the program runs: nothing of them
// is needed to build. Programs that are built without the tag native or without cgo never have them, nor those on Windows;
// there [Devices] returns [ErrUnavailable].
package device

import (
	"errors"
	"fmt"
)

// ErrUnavailable says that no library was found, or that none is looked for.
var ErrUnavailable = errors.New(
	"device: neither libcuda.so.1 nor libOpenCL.so.1 is there, or this program was built without -tags native; install " +
		"the driver of the GPU; on Debian, apt-get install ocl-icd-libopencl1 pocl-opencl-icd computes on the processor")

// Kind is the kind of a device.
type Kind string

// The kinds of devices.
const (
	GPU         Kind = "gpu"
	Accelerator Kind = "accelerator"
	Processor   Kind = "processor"
)

// Info describes a device.
type Info struct {
	Name          string
	Platform      string // CUDA, or a platform of OpenCL
	Driver        string // its version
	Kind          Kind
	Memory        int64 // in bytes
	LargestBuffer int64 // in bytes
	Double        bool  // it computes with numbers of 64 bits
}

// Error is a failed call of a library.
type Error struct {
	Library string
	What    string // was tried
	Status  int
	Name    string // of the status
	Log     string // of the compiler

	outOfMemory bool
}

// Error returns what was tried, the status with its name, and the compiler's log.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s: %s (%d)", e.Library, e.What, e.Name, e.Status)
	if e.Log != "" {
		text += ":\n" + e.Log
	}
	return text
}

// OutOfMemory reports whether the device has not enough memory for what was tried.
func (e *Error) OutOfMemory() bool { return e.outOfMemory }
