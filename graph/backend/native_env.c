//go:build native && cgo && linux

// A thread of OpenMP or OpenBLAS that has nothing to do spins for milliseconds before it sleeps. On a machine that others
// use too, the threads that spin keep those that work from running: a training step takes five times as long, a regression
// half as long again. How long to spin is a variable of the environment, which the libraries read when they are loaded,
// before any code of a program runs except what stands in the section below. A variable that is set there is lost,
// since the C library takes over the environment later. So the program is executed again, with the variables that the
// user has not set. It keeps its process, arguments and files.
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static char spins[] = "GOMP_SPINCOUNT=2000", // some microseconds
	policy[] = "OMP_WAIT_POLICY=", timeout[] = "OPENBLAS_THREAD_TIMEOUT=14"; // 2^14 cycles

// is_set reports whether the environment has a variable of the name that the assignment is for.
static int is_set(char **env, const char *assignment) {
	size_t name = strcspn(assignment, "=") + 1;
	for (; *env; env++)
		if (!strncmp(*env, assignment, name)) return 1;
	return 0;
}

static void limit_spinning(int argc, char **argv, char **env) {
	size_t n = 0, all = 0;
	while (env[n]) n++;
	char *with[n + 3];
	memcpy(with, env, n * sizeof *env);
	all = n;
	if (!is_set(env, spins) && !is_set(env, policy)) with[all++] = spins;
	if (!is_set(env, timeout)) with[all++] = timeout;
	with[all] = NULL;
	int by_loader = !getauxval(AT_BASE); // ld.so was called with the program as its argument, which argv does not show
	if (all > n && !by_loader && !getauxval(AT_SECURE)) execve((char *)getauxval(AT_EXECFN), argv, with);
}

__attribute__((section(".preinit_array"), used)) static void (*const before_all)(int, char **, char **) = limit_spinning;
