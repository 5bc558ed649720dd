#pragma once

// Compiled for several instruction sets, chosen when the program starts by what
// the processor can do. (The names of processors, as skylake-avx512, are taken
// only on those very processors.) The bodies stand in functions of their own
// because OpenMP's outlined ones are not cloned.
#if defined(__x86_64__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

// The flag -ffast-math, under which all is compiled, is there for its part
// -fno-math-errno alone: without that, which GCC takes from the command line only
// (and Go lets pass in no other dress), no loop with a root in it is vectorised.
// The rest of it is taken back here. Loops with a comparison are not vectorised
// else; and a product is rounded before it is added, on every processor, so that
// they compute the same.
#ifdef __clang__
#error "clang does not take back -ffast-math: build with GCC (CC=gcc)"
#endif
#pragma GCC optimize("no-fast-math", "no-trapping-math", "fp-contract=off")
