// What this package uses of OpenCL 1.2. Its headers are not needed to build; the
// types and numbers are part of an ABI that has been stable since.

#include <stddef.h>
#include <stdint.h>

// cl_library_open loads the library; it returns 0 without it.
int cl_library_open(void);

// All functions but cl_library_open need the library. They return OpenCL's status, 0 for success.

// cl_devices_list writes up to most pairs of platforms and devices, and their number.
int cl_devices_list(void **platforms, void **devices, int most, int *count);

// cl_platform_text and cl_device_text write a text of at most size bytes, with a 0 at its end.
int cl_platform_text(void *platform, uint32_t what, char *text, size_t size);
int cl_device_text(void *device, uint32_t what, char *text, size_t size);

// cl_device_number writes a number of 4 or 8 bytes.
int cl_device_number(void *device, uint32_t what, uint64_t *number);

int cl_context_new(void *device, void **context);
int cl_queue_new(void *context, void *device, void **queue);
void cl_queue_free(void *queue);

// cl_program_build builds a program. If that fails it writes the compiler's log, of at most size bytes.
int cl_program_build(void *context, void *device, const char *source, size_t length, const char *options, void **program,
	char *log, size_t size);
int cl_kernel_new(void *program, const char *name, void **kernel);
void cl_kernel_free(void *kernel);

int cl_buffer_new(void *context, size_t size, void **buffer);
void cl_buffer_free(void *buffer);

// cl_buffer_write and cl_buffer_read copy size bytes and wait for the end of the copy.
int cl_buffer_write(void *queue, void *buffer, size_t offset, size_t size, const void *from);
int cl_buffer_read(void *queue, void *buffer, size_t offset, size_t size, void *to);

// cl_kernel_run sets the arguments, which lie one after another, each at a multiple of 8 bytes, and starts the kernel.
int cl_kernel_run(void *queue, void *kernel, int count, const uint32_t *sizes, const unsigned char *arguments,
	const size_t *global, const size_t *local);

int cl_queue_finish(void *queue);
