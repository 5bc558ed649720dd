//go:build native && cgo && !windows

// CUDA: the driver's libcuda.so.1 runs kernels, and NVRTC compiles them. NVRTC comes with the CUDA toolkit and with PyTorch.

#include "library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { // of cuda.h
	OUT_OF_MEMORY = 2, STREAM_NON_BLOCKING = 1,
	COMPUTE_CAPABILITY_MAJOR = 75, COMPUTE_CAPABILITY_MINOR = 76,
	// Of this file: NVRTC is not there, or its status is the rest.
	NO_COMPILER = 20000, OF_COMPILER = 10000,
};

typedef uint64_t address;

static struct {
	int (*init)(unsigned flags);
	int (*version)(int *version);
	int (*count)(int *count);
	int (*device)(int *device, int ordinal);
	int (*device_name)(char *name, int size, int device);
	int (*device_memory)(size_t *bytes, int device);
	int (*device_attribute)(int *value, int attribute, int device);
	int (*error_name)(int status, const char **name);
	int (*context)(void **context, int device);
	int (*set_context)(void *context);
	int (*stream)(void **stream, unsigned flags);
	int (*stream_destroy)(void *stream);
	int (*stream_synchronize)(void *stream);
	int (*module)(void **module, const void *image);
	int (*function)(void **function, void *module, const char *name);
	int (*allocate)(address *at, size_t size);
	int (*release)(address at);
	int (*pin)(void *host, size_t size, unsigned flags);
	int (*unpin)(void *host);
	int (*to_device)(address to, const void *from, size_t size, void *stream);
	int (*to_host)(void *to, address from, size_t size, void *stream);
	int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned lx, unsigned ly, unsigned lz, unsigned shared,
		void *stream, void **arguments, void **extra);
} cu;

static struct {
	int (*version)(int *major, int *minor);
	int (*create)(void **program, const char *source, const char *name, int headers, const char **texts, const char **names);
	int (*destroy)(void **program);
	int (*compile)(void *program, int count, const char *const *options);
	int (*log_size)(void *program, size_t *size);
	int (*log)(void *program, char *log);
	int (*code_size)(void *program, size_t *size);
	int (*code)(void *program, char *code);
} rtc;

typedef struct { void *at; const char *name; } symbol;

static int find(void *file, const symbol *symbols, size_t count) {
	for (size_t k = 0; file && k < count; k++)
		if (!(*(void **)symbols[k].at = dlsym(file, symbols[k].name))) return 0;
	return file != NULL;
}

static int load_driver(void) {
	static const symbol symbols[] = {
		{&cu.init, "cuInit"}, {&cu.version, "cuDriverGetVersion"}, {&cu.count, "cuDeviceGetCount"},
		{&cu.device, "cuDeviceGet"}, {&cu.device_name, "cuDeviceGetName"}, {&cu.device_memory, "cuDeviceTotalMem_v2"},
		{&cu.device_attribute, "cuDeviceGetAttribute"}, {&cu.error_name, "cuGetErrorName"},
		{&cu.context, "cuDevicePrimaryCtxRetain"}, {&cu.set_context, "cuCtxSetCurrent"}, {&cu.stream, "cuStreamCreate"},
		{&cu.stream_destroy, "cuStreamDestroy_v2"}, {&cu.stream_synchronize, "cuStreamSynchronize"},
		{&cu.module, "cuModuleLoadData"}, {&cu.function, "cuModuleGetFunction"}, {&cu.allocate, "cuMemAlloc_v2"},
		{&cu.release, "cuMemFree_v2"}, {&cu.pin, "cuMemHostRegister_v2"},
		{&cu.unpin, "cuMemHostUnregister"}, {&cu.to_device, "cuMemcpyHtoDAsync_v2"}, {&cu.to_host, "cuMemcpyDtoHAsync_v2"},
		{&cu.launch, "cuLaunchKernel"},
	};
	return find(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), symbols, sizeof symbols / sizeof *symbols);
}

static int load_compiler(void) {
	static const symbol symbols[] = {
		{&rtc.version, "nvrtcVersion"}, {&rtc.create, "nvrtcCreateProgram"}, {&rtc.destroy, "nvrtcDestroyProgram"},
		{&rtc.compile, "nvrtcCompileProgram"}, {&rtc.log_size, "nvrtcGetProgramLogSize"}, {&rtc.log, "nvrtcGetProgramLog"},
		{&rtc.code_size, "nvrtcGetCUBINSize"}, {&rtc.code, "nvrtcGetCUBIN"},
	};
	static const char *const folders[] = {"", "/usr/local/cuda/lib64/", "/opt/cuda/lib64/"};
	static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
	for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
		for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
			char path[256];
			snprintf(path, sizeof path, "%s%s", folders[f], names[n]);
			if (find(dlopen(path, RTLD_NOW | RTLD_LOCAL), symbols, sizeof symbols / sizeof *symbols)) return 1;
		}
	}
	return 0;
}

static int has_compiler;

// A device is the address of its number here: Go's garbage collector stops at pointers that are small numbers.
static int numbers[64];

static int number(void *device) { return *(int *)device; }

static int list(void **devices, int most, int *count) {
	int found = 0;
	*count = 0;
	if (cu.init(0) || cu.count(&found)) return 0; // a driver without a device fails here
	for (int k = 0; k < found && k < most && k < (int)(sizeof numbers / sizeof *numbers); k++) {
		int s = cu.device(&numbers[k], k);
		if (s) return s;
		devices[(*count)++] = &numbers[k];
	}
	return 0;
}

static int attribute(void *device, int which) {
	int v = 0;
	cu.device_attribute(&v, which, number(device));
	return v;
}

static void describe(void *device, description *d) {
	size_t memory = 0;
	int version = 0;
	cu.device_name(d->name, sizeof d->name, number(device));
	cu.device_memory(&memory, number(device));
	cu.version(&version);
	strcpy(d->platform, "CUDA");
	snprintf(d->driver, sizeof d->driver, "%d.%d", version / 1000, version % 1000 / 10);
	d->kind = KIND_GPU;
	d->doubles = 1;
	d->memory = d->largest_buffer = memory;
}

static const char *status_name(int s) {
	const char *name = NULL;
	if (s == NO_COMPILER)
		return "libnvrtc.so is not there: install the CUDA toolkit's NVRTC, or add the folder that holds it (PyTorch's "
			   "nvidia/cu13/lib, say) to LD_LIBRARY_PATH";
	if (s >= OF_COMPILER) return "NVRTC refuses it";
	return cu.error_name(s, &name) ? "status" : name;
}

static int out_of_memory(int s) { return s == OUT_OF_MEMORY; }

static int context_new(void *device, void **context) {
	return has_compiler ? cu.context(context, number(device)) : NO_COMPILER;
}

// Contexts belong to threads, and Go moves between threads: every call sets its own.
typedef struct { void *context, *stream; } queue;

static int queue_new(void *context, void *device, void **to) {
	int s = cu.set_context(context);
	queue *q = calloc(1, sizeof *q);
	q->context = context;
	if (!s) s = cu.stream(&q->stream, STREAM_NON_BLOCKING);
	*to = q;
	return s;
}

static int queue_finish(void *of) {
	queue *q = of;
	int s = cu.set_context(q->context);
	return s ? s : cu.stream_synchronize(q->stream);
}

static void queue_free(void *of) {
	queue *q = of;
	queue_finish(q);
	cu.stream_destroy(q->stream);
	free(q);
}

static void compiler(void *device, char *text, size_t room) {
	int major = 0, minor = 0;
	rtc.version(&major, &minor);
	snprintf(text, room, "nvrtc %d.%d sm_%d%d", major, minor, attribute(device, COMPUTE_CAPABILITY_MAJOR),
		attribute(device, COMPUTE_CAPABILITY_MINOR));
}

static int compile(void *device, const char *source, const char *options, char **code, size_t *size, char *log, size_t room) {
	enum { most = 32 };
	const char *flags[most];
	char architecture[64];
	int count = 0;
	snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d%d", attribute(device, COMPUTE_CAPABILITY_MAJOR),
		attribute(device, COMPUTE_CAPABILITY_MINOR));
	flags[count++] = architecture;
	char *words = strdup(options), *rest = NULL;
	for (char *w = strtok_r(words, " ", &rest); w && count < most; w = strtok_r(NULL, " ", &rest)) flags[count++] = w;
	void *program = NULL;
	log[0] = 0;
	*code = NULL;
	int s = rtc.create(&program, source, "kernels.cu", 0, NULL, NULL);
	if (!s) {
		s = rtc.compile(program, count, flags);
		size_t length = 0;
		if (s && !rtc.log_size(program, &length)) {
			char *whole = malloc(length + 1);
			whole[length] = 0;
			if (!rtc.log(program, whole)) snprintf(log, room, "%s", whole);
			free(whole);
		}
	}
	if (!s) s = rtc.code_size(program, size);
	if (!s) {
		*code = malloc(*size);
		s = rtc.code(program, *code);
	}
	if (program) rtc.destroy(&program);
	free(words);
	return s ? OF_COMPILER + s : 0;
}

static int program_new(void *context, void *device, const char *code, size_t size, const char *options, void **program,
	char *log, size_t room) {
	log[0] = 0;
	int s = cu.set_context(context);
	return s ? s : cu.module(program, code);
}

static int kernel_new(void *context, void *program, const char *name, void **kernel) {
	int s = cu.set_context(context);
	return s ? s : cu.function(kernel, program, name);
}

static void kernel_free(void *kernel) {} // it belongs to its program

static int buffer_new(void *context, size_t size, void **buffer) {
	address at = 0;
	int s = cu.set_context(context);
	if (!s) s = cu.allocate(&at, size);
	*buffer = (void *)at;
	return s;
}

static void buffer_free(void *context, void *buffer) {
	if (!cu.set_context(context)) cu.release((address)buffer);
}

static int pin(void *context, void *host, size_t size) {
	int s = cu.set_context(context);
	return s ? s : cu.pin(host, size, 0);
}

static void unpin(void *context, void *host) {
	if (!cu.set_context(context)) cu.unpin(host);
}

// The driver is free to read more than 64 KB after it returns.
static int write_buffer(void *to, void *buffer, size_t offset, size_t size, const void *from) {
	queue *q = to;
	int s = cu.set_context(q->context);
	if (!s) s = cu.to_device((address)buffer + offset, from, size, q->stream);
	return s || size <= 1 << 16 ? s : cu.stream_synchronize(q->stream);
}

static int read_buffer(void *from, void *buffer, size_t offset, size_t size, void *to) {
	queue *q = from;
	int s = cu.set_context(q->context);
	if (!s) s = cu.to_host(to, (address)buffer + offset, size, q->stream);
	return s ? s : cu.stream_synchronize(q->stream);
}

static int run(void *on, void *kernel, int count, const uint32_t *sizes, const unsigned char *arguments,
	const size_t *groups, const size_t *local) {
	queue *q = on;
	void *pointers[count + 1];
	for (int i = 0; i < count; arguments += (sizes[i++] + 7) / 8 * 8) pointers[i] = (void *)arguments;
	int s = cu.set_context(q->context);
	return s ? s : cu.launch(kernel, groups[0], groups[1], groups[2], local[0], local[1], local[2], 0, q->stream, pointers, NULL);
}

const library *cuda_open(void) {
	static const library cuda = {
		.name = "CUDA", .list = list, .describe = describe, .status_name = status_name, .out_of_memory = out_of_memory,
		.context_new = context_new, .queue_new = queue_new, .queue_free = queue_free, .queue_finish = queue_finish,
		.compile = compile, .compiler = compiler, .program_new = program_new, .kernel_new = kernel_new,
		.kernel_free = kernel_free, .buffer_new = buffer_new, .buffer_free = buffer_free, .pin = pin, .unpin = unpin, .write = write_buffer,
		.read = read_buffer, .run = run,
	};
	if (!load_driver()) return NULL;
	has_compiler = load_compiler();
	return &cuda;
}
