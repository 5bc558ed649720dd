// What this package uses of OpenCL 1.2. Its headers are not needed to build; the
// types and numbers are part of an ABI that has been stable since.

#include <stddef.h>
#include <stdint.h>

// library_open loads the library; it returns 0 without it.
int library_open(void);

// All functions but library_open need the library. They return OpenCL's status, 0 for success.

// devices_list writes up to most pairs of platforms and devices, and their number.
int devices_list(void **platforms, void **devices, int most, int *count);

// platform_text and device_text write a text of at most size bytes, with a 0 at its end.
int platform_text(void *platform, uint32_t what, char *text, size_t size);
int device_text(void *device, uint32_t what, char *text, size_t size);

// device_number writes a number of 4 or 8 bytes.
int device_number(void *device, uint32_t what, uint64_t *number);

int context_new(void *device, void **context);
int queue_new(void *context, void *device, void **queue);
void queue_free(void *queue);

// program_build builds a program. If that fails it writes the compiler's log, of at most size bytes.
int program_build(void *context, void *device, const char *source, size_t length, const char *options, void **program,
	char *log, size_t size);
int kernel_new(void *program, const char *name, void **kernel);
void kernel_free(void *kernel);

int buffer_new(void *context, size_t size, void **buffer);
void buffer_free(void *buffer);

// buffer_write and buffer_read copy size bytes and wait for the end of the copy.
int buffer_write(void *queue, void *buffer, size_t offset, size_t size, const void *from);
int buffer_read(void *queue, void *buffer, size_t offset, size_t size, void *to);

// kernel_run sets the arguments, which lie one after another, each at a multiple of 8 bytes, and starts the kernel.
int kernel_run(void *queue, void *kernel, int count, const uint32_t *sizes, const unsigned char *arguments,
	const size_t *global, const size_t *local);

int queue_finish(void *queue);
