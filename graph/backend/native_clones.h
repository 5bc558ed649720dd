#pragma once

// Compiled for several instruction sets, chosen when the program starts. The
// bodies stand in functions of their own because OpenMP's outlined ones are
// not cloned.
#if defined(__x86_64__)
#define CLONES __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define CLONES
#endif
