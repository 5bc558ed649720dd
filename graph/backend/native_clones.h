#pragma once

// Compiled for several instruction sets, chosen when the program starts by what
// the processor supports. (Clones for a named processor, such as skylake-avx512,
// are used on that processor only.) The loop bodies are separate functions because
// GCC does not clone the functions that it outlines for OpenMP.
#if defined(__x86_64__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

// Everything is compiled with -ffast-math, only because it implies -fno-math-errno,
// without which no loop with a square root is vectorised. GCC accepts that flag on
// the command line only, where Go does not allow it by itself. The pragmas below
// undo the rest of -ffast-math, except what loops with comparisons need to be
// vectorised. Products are rounded before they are added, so that all processors agree.
#ifdef __clang__
#error "clang does not take back -ffast-math: build with GCC (CC=gcc)"
#endif
#pragma GCC optimize("no-fast-math", "no-trapping-math", "fp-contract=off")
