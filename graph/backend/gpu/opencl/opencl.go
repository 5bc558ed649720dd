// Package opencl runs kernels on the devices of OpenCL: GPUs, and processors by way of POCL.
//
// The library, libOpenCL.so.1, is looked for when the program runs: nothing of it is needed to build. Programs that are
// built without the tag native or without cgo never have it, nor those on Windows; there [Devices] returns
// [ErrUnavailable].
package opencl

import (
	"errors"
	"fmt"
)

// ErrUnavailable says that the library was not found, or is not looked for.
var ErrUnavailable = errors.New(
	"opencl: libOpenCL.so.1 is not there, or this program was built without -tags native; on Debian: apt-get install " +
		"ocl-icd-libopencl1 and the driver of the GPU, or pocl-opencl-icd to compute on the processor")

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
	Name, Platform, Version, Driver string
	Kind                            Kind
	Memory                          int64 // in bytes
	LargestBuffer                   int64 // in bytes
	LocalMemory                     int64 // in bytes, of a work group
	WorkGroup                       int   // the most work items of a work group
	Double                          bool  // it computes with numbers of 64 bits
}

// Error is a failed call of OpenCL.
type Error struct {
	What   string // was tried
	Status int
	Log    string // of the compiler
}

// Error returns what was tried, the status with its name, and the compiler's log.
func (e *Error) Error() string {
	name := statusNames[e.Status]
	if name == "" {
		name = "status"
	}
	text := fmt.Sprintf("opencl: %s: %s (%d)", e.What, name, e.Status)
	if e.Log != "" {
		text += ":\n" + e.Log
	}
	return text
}

// OutOfMemory reports whether the device has not enough memory for what was tried.
func (e *Error) OutOfMemory() bool {
	return e.Status == memObjectAllocationFailure || e.Status == invalidBufferSize || e.Status == outOfResources
}

const (
	memObjectAllocationFailure = -4
	outOfResources             = -5
	invalidBufferSize          = -61
)

var statusNames = map[int]string{
	-1: "CL_DEVICE_NOT_FOUND", -2: "CL_DEVICE_NOT_AVAILABLE", -3: "CL_COMPILER_NOT_AVAILABLE",
	memObjectAllocationFailure: "CL_MEM_OBJECT_ALLOCATION_FAILURE", outOfResources: "CL_OUT_OF_RESOURCES",
	-6: "CL_OUT_OF_HOST_MEMORY", -11: "CL_BUILD_PROGRAM_FAILURE", -30: "CL_INVALID_VALUE", -33: "CL_INVALID_DEVICE",
	-34: "CL_INVALID_CONTEXT", -36: "CL_INVALID_COMMAND_QUEUE", -38: "CL_INVALID_MEM_OBJECT", -43: "CL_INVALID_BUILD_OPTIONS",
	-44: "CL_INVALID_PROGRAM", -45: "CL_INVALID_PROGRAM_EXECUTABLE", -46: "CL_INVALID_KERNEL_NAME", -48: "CL_INVALID_KERNEL",
	-49: "CL_INVALID_ARG_INDEX", -50: "CL_INVALID_ARG_VALUE", -51: "CL_INVALID_ARG_SIZE", -52: "CL_INVALID_KERNEL_ARGS",
	-54: "CL_INVALID_WORK_GROUP_SIZE", -55: "CL_INVALID_WORK_ITEM_SIZE", invalidBufferSize: "CL_INVALID_BUFFER_SIZE",
	-63: "CL_INVALID_GLOBAL_WORK_SIZE", -1001: "CL_PLATFORM_NOT_FOUND_KHR",
}
