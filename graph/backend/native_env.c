//go:build native && cgo && linux

// The environment has variables that libgomp and OpenBLAS read when they are loaded, and whose defaults are bad: how long
// a thread that waits spins, and for which processor OpenBLAS multiplies. A variable that the program sets after that has no
// effect, and one that it sets before is lost when the C library takes over the environment. So the program is executed again,
// with the variables that the user has not set. It keeps its process, arguments and files.
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

extern char *openblas_get_corename(void);

static char spins[] = "GOMP_SPINCOUNT=2000", // some microseconds
	policy[] = "OMP_WAIT_POLICY=", timeout[] = "OPENBLAS_THREAD_TIMEOUT=14", // 2^14 cycles
	avx512[] = "OPENBLAS_CORETYPE=skylakex", avx2[] = "OPENBLAS_CORETYPE=haswell"; // see forgetProcessor

// is_set reports whether the environment has a variable of the name that the assignment is for.
static int is_set(char **env, const char *assignment) {
	size_t name = strcspn(assignment, "=") + 1;
	for (; *env; env++)
		if (!strncmp(*env, assignment, name)) return 1;
	return 0;
}

// execute_with executes the program again with one or two more assignments in its environment. The second may be null. If
// the first is, it does nothing.
static void execute_with(char **argv, char **env, char *first, char *second) {
	size_t n = 0;
	while (env[n]) n++;
	char *with[n + 3];
	memcpy(with, env, n * sizeof *env);
	with[n] = first;
	with[n + 1] = first ? second : NULL;
	with[n + 2] = NULL;
	int by_loader = !getauxval(AT_BASE); // ld.so was called with the program as its argument, which argv does not show
	if (first && !by_loader && !getauxval(AT_SECURE)) execve((char *)getauxval(AT_EXECFN), argv, with);
}

// A thread of OpenMP or OpenBLAS that has nothing to do spins for milliseconds before it sleeps. On a machine that others
// use too, the threads that spin keep those that work from running: a training step takes five times as long, a regression
// half as long again. limit_spinning runs before the libraries start their threads.
static void limit_spinning(int argc, char **argv, char **env) {
	char *spin = is_set(env, spins) || is_set(env, policy) ? NULL : spins;
	char *wait = is_set(env, timeout) ? NULL : timeout;
	execute_with(argv, env, spin ? spin : wait, spin ? wait : NULL);
}

// OpenBLAS treats a processor that is newer than itself as a Prescott of 2004, which has SSE3 and no AVX: products take 1.5
// times as long, and their last bits depend on where the matrices lie in memory. choose_processor runs after OpenBLAS has
// detected the processor, and has it use the code for one with the same vector instructions.
static void choose_processor(int argc, char **argv, char **env) {
#ifdef __x86_64__
	if (is_set(env, avx2) || strcmp(openblas_get_corename(), "Prescott")) return;
	__builtin_cpu_init();
#define supports __builtin_cpu_supports
	if (supports("avx512f") && supports("avx512cd") && supports("avx512dq") && supports("avx512bw") && supports("avx512vl"))
		execute_with(argv, env, avx512, NULL);
	else if (supports("avx2") && supports("fma"))
		execute_with(argv, env, avx2, NULL);
#undef supports
#endif
}

__attribute__((section(".preinit_array"), used)) static void (*const before_all)(int, char **, char **) = limit_spinning;
__attribute__((section(".init_array"), used)) static void (*const after_libraries)(int, char **, char **) = choose_processor;
