//go:build native && cgo && !windows

#include "library.h"
#include <dlfcn.h>

enum {
	DEVICE_TYPE_ALL = 0xffffffff,  // CL_DEVICE_TYPE_ALL
	MEM_READ_WRITE = 1,            // CL_MEM_READ_WRITE
	PROGRAM_BUILD_LOG = 0x1183,    // CL_PROGRAM_BUILD_LOG
	DEVICE_NOT_FOUND = -1,         // CL_DEVICE_NOT_FOUND
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

int cl_library_open(void) {
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

int cl_devices_list(void **platforms, void **devices, int most, int *count) {
	void *all[32];
	uint32_t found = 0;
	*count = 0;
	status s = cl.platforms(32, all, &found);
	if (s) return s;
	for (uint32_t p = 0; p < found && p < 32; p++) {
		uint32_t more = 0;
		s = cl.devices(all[p], DEVICE_TYPE_ALL, most - *count, devices + *count, &more);
		if (s == DEVICE_NOT_FOUND) continue;
		if (s) return s;
		for (; more > 0 && *count < most; more--) platforms[(*count)++] = all[p];
	}
	return 0;
}

static int text(info_function info, void *of, uint32_t what, char *to, size_t size) {
	size_t written = 0;
	status s = info(of, what, size - 1, to, &written);
	to[s ? 0 : size - 1] = 0;
	return s;
}

int cl_platform_text(void *platform, uint32_t what, char *to, size_t size) {
	return text(cl.platform_info, platform, what, to, size);
}

int cl_device_text(void *device, uint32_t what, char *to, size_t size) {
	return text(cl.device_info, device, what, to, size);
}

int cl_device_number(void *device, uint32_t what, uint64_t *number) {
	*number = 0;
	return cl.device_info(device, what, sizeof *number, number, NULL);
}

int cl_context_new(void *device, void **context) {
	status s;
	*context = cl.context(NULL, 1, &device, NULL, NULL, &s);
	return s;
}

int cl_queue_new(void *context, void *device, void **queue) {
	status s;
	*queue = cl.queue(context, device, 0, &s);
	return s;
}

void cl_queue_free(void *queue) {
	cl.finish(queue);
	cl.release_queue(queue);
}

int cl_program_build(void *context, void *device, const char *source, size_t length, const char *options, void **program,
	char *log, size_t size) {
	status s;
	log[0] = 0;
	void *p = cl.program(context, 1, &source, &length, &s);
	if (s) return s;
	s = cl.build(p, 1, &device, options, NULL, NULL);
	if (s) {
		size_t written = 0;
		if (cl.build_info(p, device, PROGRAM_BUILD_LOG, size - 1, log, &written)) log[0] = 0;
		log[size - 1] = 0;
		cl.release_program(p);
		return s;
	}
	*program = p;
	return 0;
}

int cl_kernel_new(void *program, const char *name, void **kernel) {
	status s;
	*kernel = cl.kernel(program, name, &s);
	return s;
}

void cl_kernel_free(void *kernel) { cl.release_kernel(kernel); }

int cl_buffer_new(void *context, size_t size, void **buffer) {
	status s;
	*buffer = cl.buffer(context, MEM_READ_WRITE, size, NULL, &s);
	return s;
}

void cl_buffer_free(void *buffer) { cl.release_buffer(buffer); }

int cl_buffer_write(void *queue, void *buffer, size_t offset, size_t size, const void *from) {
	return cl.write(queue, buffer, 1, offset, size, from, 0, NULL, NULL);
}

int cl_buffer_read(void *queue, void *buffer, size_t offset, size_t size, void *to) {
	return cl.read(queue, buffer, 1, offset, size, to, 0, NULL, NULL);
}

int cl_kernel_run(void *queue, void *kernel, int count, const uint32_t *sizes, const unsigned char *arguments,
	const size_t *global, const size_t *local) {
	for (int i = 0; i < count; arguments += (sizes[i++] + 7) / 8 * 8) {
		status s = cl.argument(kernel, i, sizes[i], arguments);
		if (s) return s;
	}
	return cl.run(queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
}

int cl_queue_finish(void *queue) { return cl.finish(queue); }
