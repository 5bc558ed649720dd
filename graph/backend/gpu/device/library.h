// A library that runs kernels on devices, CUDA or OpenCL, which is opened when the program runs. Headers of neither are
// needed to build: the types and numbers that this package uses are part of ABIs that have been stable for years.

#include <stddef.h>
#include <stdint.h>

enum kind { KIND_GPU, KIND_ACCELERATOR, KIND_PROCESSOR };

typedef struct {
	char name[256], platform[256], driver[256];
	int kind, doubles;
	int64_t memory, largest_buffer;
} description;

// Functions return the status of the library, 0 for success.
typedef struct library {
	const char *name;

	// list writes up to most devices, and their number.
	int (*list)(void **devices, int most, int *count);
	void (*describe)(void *device, description *d);
	// status_name returns the library's name of a status.
	const char *(*status_name)(int status);
	int (*out_of_memory)(int status);

	int (*context_new)(void *device, void **context);
	int (*queue_new)(void *context, void *device, void **queue);
	void (*queue_free)(void *queue);
	int (*queue_finish)(void *queue);

	// compile makes code for a device, which the caller frees. It is NULL where program_new takes the source itself. Both
	// write the compiler's log, of at most room bytes, if they fail.
	int (*compile)(void *device, const char *source, const char *options, char **code, size_t *size, char *log, size_t room);
	// compiler writes what identifies the compiler and the kind of device, of at most room bytes.
	void (*compiler)(void *device, char *text, size_t room);
	int (*program_new)(void *context, void *device, const char *code, size_t size, const char *options, void **program,
		char *log, size_t room);
	int (*kernel_new)(void *context, void *program, const char *name, void **kernel);
	void (*kernel_free)(void *kernel);

	int (*buffer_new)(void *context, size_t size, void **buffer);
	void (*buffer_free)(void *context, void *buffer);
	// pin lets the device copy memory of the host by itself until unpin, which is several times faster. They are NULL where
	// there is no such thing.
	int (*pin)(void *context, void *host, size_t size);
	void (*unpin)(void *context, void *host);
	// write and read copy size bytes. The host's memory is free for other use when they return.
	int (*write)(void *queue, void *buffer, size_t offset, size_t size, const void *from);
	int (*read)(void *queue, void *buffer, size_t offset, size_t size, void *to);
	// run starts a kernel on groups of local work items. Its arguments lie one after another, each at a multiple of 8 bytes.
	int (*run)(void *queue, void *kernel, int count, const uint32_t *sizes, const unsigned char *arguments,
		const size_t *groups, const size_t *local);
} library;

// These open a library; they return NULL if it is not there.
const library *cuda_open(void);
const library *opencl_open(void);
