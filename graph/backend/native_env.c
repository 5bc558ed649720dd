//go:build native && cgo

// By default an OpenMP thread that has nothing to do spins for milliseconds
// before it sleeps. On a machine that others use too, the threads that spin keep
// those that work from running, and a step takes ten times as long. libgomp
// reads how long to spin when it is loaded, before any code of a program runs
// except what stands in this section.
#include <stdlib.h>

static void limit_spinning(void) {
	if (!getenv("OMP_WAIT_POLICY")) setenv("GOMP_SPINCOUNT", "2000", 0);
}

__attribute__((section(".preinit_array"), used)) static void (*const before_all)(void) = limit_spinning;
