//go:build native && cgo && !windows

// OpenCL 1.2.

#include "library.h"
#include <dlfcn.h>
#include <string.h>

enum { // of CL/cl.h
	DEVICE_TYPE_ALL = 0xffffffff, TYPE_GPU = 1 << 2, TYPE_ACCELERATOR = 1 << 3,
	PLATFORM_NAME = 0x0902, DEVICE_TYPE = 0x1000, DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010, DEVICE_GLOBAL_MEM_SIZE = 0x101F,
	DEVICE_NAME = 0x102B, DRIVER_VERSION = 0x102D, DEVICE_EXTENSIONS = 0x1030, DEVICE_PLATFORM = 0x1031,
	MEM_READ_WRITE = 1, PROGRAM_BUILD_LOG = 0x1183,
	DEVICE_NOT_FOUND = -1, MEM_OBJECT_ALLOCATION_FAILURE = -4, OUT_OF_RESOURCES = -5, INVALID_BUFFER_SIZE = -61,
	PLATFORM_NOT_FOUND = -1001,
};

typedef int32_t status;
typedef status (*info_function)(void *of, uint32_t what, size_t size, void *value, size_t *written);

static struct {
	status (*platforms)(uint32_t most, void **platforms, uint32_t *count);
	status (*devices)(void *platform, uint64_t type, uint32_t most, void **devices, uint32_t *count);
	info_function platform_info, device_info;
	void *(*context)(const intptr_t *properties, uint32_t count, void *const *devices, void *notify, void *data, status *s);
	void *(*queue)(void *context, void *device, uint64_t properties, status *s);
	status (*release_queue)(void *queue);
	void *(*program)(void *context, uint32_t count, const char **sources, const size_t *lengths, status *s);
	status (*build)(void *program, uint32_t count, void *const *devices, const char *options, void *notify, void *data);
	status (*build_info)(void *program, void *device, uint32_t what, size_t size, void *value, size_t *written);
	status (*release_program)(void *program);
	void *(*kernel)(void *program, const char *name, status *s);
	status (*release_kernel)(void *kernel);
	status (*argument)(void *kernel, uint32_t at, size_t size, const void *value);
	void *(*buffer)(void *context, uint64_t flags, size_t size, void *host, status *s);
	status (*release_buffer)(void *buffer);
	status (*read)(void *queue, void *buffer, uint32_t wait, size_t offset, size_t size, void *to, uint32_t count,
		const void *events, void *event);
	status (*write)(void *queue, void *buffer, uint32_t wait, size_t offset, size_t size, const void *from, uint32_t count,
		const void *events, void *event);
	status (*run)(void *queue, void *kernel, uint32_t dims, const size_t *first, const size_t *global, const size_t *local,
		uint32_t count, const void *events, void *event);
	status (*finish)(void *queue);
} cl;

static int load(void) {
	static const char *const names[] = {"libOpenCL.so.1", "/System/Library/Frameworks/OpenCL.framework/OpenCL"};
	static const struct { void *at; const char *name; } functions[] = {
		{&cl.platforms, "clGetPlatformIDs"}, {&cl.devices, "clGetDeviceIDs"},
		{&cl.platform_info, "clGetPlatformInfo"}, {&cl.device_info, "clGetDeviceInfo"},
		{&cl.context, "clCreateContext"}, {&cl.queue, "clCreateCommandQueue"},
		{&cl.release_queue, "clReleaseCommandQueue"}, {&cl.program, "clCreateProgramWithSource"},
		{&cl.build, "clBuildProgram"}, {&cl.build_info, "clGetProgramBuildInfo"},
		{&cl.release_program, "clReleaseProgram"}, {&cl.kernel, "clCreateKernel"},
		{&cl.release_kernel, "clReleaseKernel"}, {&cl.argument, "clSetKernelArg"}, {&cl.buffer, "clCreateBuffer"},
		{&cl.release_buffer, "clReleaseMemObject"}, {&cl.read, "clEnqueueReadBuffer"},
		{&cl.write, "clEnqueueWriteBuffer"}, {&cl.run, "clEnqueueNDRangeKernel"}, {&cl.finish, "clFinish"},
	};
	void *file = NULL;
	for (size_t k = 0; !file && k < sizeof names / sizeof *names; k++) file = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
	if (!file) return 0;
	for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
		if (!(*(void **)functions[k].at = dlsym(file, functions[k].name))) return 0;
	return 1;
}

static int list(void **devices, int most, int *count) {
	void *all[32];
	uint32_t found = 0;
	*count = 0;
	status s = cl.platforms(32, all, &found), failed = 0;
	if (s == PLATFORM_NOT_FOUND) return 0;
	if (s) return s;
	for (uint32_t p = 0; p < found && p < 32 && *count < most; p++) {
		uint32_t more = 0;
		s = cl.devices(all[p], DEVICE_TYPE_ALL, most - *count, devices + *count, &more);
		if (s && s != DEVICE_NOT_FOUND) failed = s; // the other platforms may have devices
		if (s) continue;
		*count += (int)more < most - *count ? (int)more : most - *count;
	}
	return *count ? 0 : failed;
}

static void text(info_function info, void *of, uint32_t what, char *to, size_t size) {
	size_t written = 0;
	status s = info(of, what, size - 1, to, &written);
	to[s ? 0 : size - 1] = 0;
}

static int64_t number(void *device, uint32_t what) {
	uint64_t n = 0;
	cl.device_info(device, what, sizeof n, &n, NULL);
	return n;
}

static void describe(void *device, description *d) {
	void *platform = NULL;
	char extensions[1 << 14];
	cl.device_info(device, DEVICE_PLATFORM, sizeof platform, &platform, NULL);
	text(cl.platform_info, platform, PLATFORM_NAME, d->platform, sizeof d->platform);
	text(cl.device_info, device, DEVICE_NAME, d->name, sizeof d->name);
	text(cl.device_info, device, DRIVER_VERSION, d->driver, sizeof d->driver);
	text(cl.device_info, device, DEVICE_EXTENSIONS, extensions, sizeof extensions);
	int64_t type = number(device, DEVICE_TYPE);
	d->kind = type & TYPE_GPU ? KIND_GPU : type & TYPE_ACCELERATOR ? KIND_ACCELERATOR : KIND_PROCESSOR;
	d->doubles = strstr(extensions, "cl_khr_fp64") != NULL;
	d->memory = number(device, DEVICE_GLOBAL_MEM_SIZE);
	d->largest_buffer = number(device, DEVICE_MAX_MEM_ALLOC_SIZE);
}

static const char *status_name(int s) {
	static const struct { int status; const char *name; } names[] = {
		{-1, "CL_DEVICE_NOT_FOUND"}, {-2, "CL_DEVICE_NOT_AVAILABLE"}, {-3, "CL_COMPILER_NOT_AVAILABLE"},
		{MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"}, {OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
		{-6, "CL_OUT_OF_HOST_MEMORY"}, {-11, "CL_BUILD_PROGRAM_FAILURE"}, {-30, "CL_INVALID_VALUE"},
		{-33, "CL_INVALID_DEVICE"}, {-34, "CL_INVALID_CONTEXT"}, {-36, "CL_INVALID_COMMAND_QUEUE"},
		{-38, "CL_INVALID_MEM_OBJECT"}, {-43, "CL_INVALID_BUILD_OPTIONS"}, {-44, "CL_INVALID_PROGRAM"},
		{-45, "CL_INVALID_PROGRAM_EXECUTABLE"}, {-46, "CL_INVALID_KERNEL_NAME"}, {-48, "CL_INVALID_KERNEL"},
		{-49, "CL_INVALID_ARG_INDEX"}, {-50, "CL_INVALID_ARG_VALUE"}, {-51, "CL_INVALID_ARG_SIZE"},
		{-52, "CL_INVALID_KERNEL_ARGS"}, {-54, "CL_INVALID_WORK_GROUP_SIZE"}, {-55, "CL_INVALID_WORK_ITEM_SIZE"},
		{INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"}, {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
	};
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (names[k].status == s) return names[k].name;
	return "status";
}

static int out_of_memory(int s) {
	return s == MEM_OBJECT_ALLOCATION_FAILURE || s == INVALID_BUFFER_SIZE || s == OUT_OF_RESOURCES;
}

static int context_new(void *device, void **context) {
	status s;
	*context = cl.context(NULL, 1, &device, NULL, NULL, &s);
	return s;
}

static int queue_new(void *context, void *device, void **queue) {
	status s;
	*queue = cl.queue(context, device, 0, &s);
	return s;
}

static void queue_free(void *queue) {
	cl.finish(queue);
	cl.release_queue(queue);
}

static int queue_finish(void *queue) { return cl.finish(queue); }

static int program_new(void *context, void *device, const char *code, size_t size, const char *options, void **program,
	char *log, size_t room) {
	status s;
	log[0] = 0;
	void *p = cl.program(context, 1, &code, &size, &s);
	if (s) return s;
	s = cl.build(p, 1, &device, options, NULL, NULL);
	if (s) {
		size_t written = 0;
		if (cl.build_info(p, device, PROGRAM_BUILD_LOG, room - 1, log, &written)) log[0] = 0;
		log[room - 1] = 0;
		cl.release_program(p);
		return s;
	}
	*program = p;
	return 0;
}

static int kernel_new(void *context, void *program, const char *name, void **kernel) {
	status s;
	*kernel = cl.kernel(program, name, &s);
	return s;
}

static void kernel_free(void *kernel) { cl.release_kernel(kernel); }

static int buffer_new(void *context, size_t size, void **buffer) {
	status s;
	*buffer = cl.buffer(context, MEM_READ_WRITE, size, NULL, &s);
	return s;
}

static void buffer_free(void *context, void *buffer) { cl.release_buffer(buffer); }

static int write_buffer(void *queue, void *buffer, size_t offset, size_t size, const void *from) {
	return cl.write(queue, buffer, 1, offset, size, from, 0, NULL, NULL);
}

static int read_buffer(void *queue, void *buffer, size_t offset, size_t size, void *to) {
	return cl.read(queue, buffer, 1, offset, size, to, 0, NULL, NULL);
}

static int run(void *queue, void *kernel, int count, const uint32_t *sizes, const unsigned char *arguments,
	const size_t *groups, const size_t *local) {
	for (int i = 0; i < count; arguments += (sizes[i++] + 7) / 8 * 8) {
		status s = cl.argument(kernel, i, sizes[i], arguments);
		if (s) return s;
	}
	size_t all[3] = {groups[0] * local[0], groups[1] * local[1], groups[2] * local[2]};
	return cl.run(queue, kernel, 3, NULL, all, local, 0, NULL, NULL);
}

const library *opencl_open(void) {
	static const library opencl = {
		.name = "OpenCL", .list = list, .describe = describe, .status_name = status_name, .out_of_memory = out_of_memory,
		.context_new = context_new, .queue_new = queue_new, .queue_free = queue_free, .queue_finish = queue_finish,
		.program_new = program_new, .kernel_new = kernel_new, .kernel_free = kernel_free, .buffer_new = buffer_new,
		.buffer_free = buffer_free, .write = write_buffer, .read = read_buffer, .run = run,
	};
	return load() ? &opencl : NULL;
}
