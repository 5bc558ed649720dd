#pragma once
#include <stdint.h>
#include <string.h>

// bf16_unpack_block converts n numbers from bfloat16 to float32.
static inline __attribute__((always_inline)) void bf16_unpack_block(int64_t n, const uint16_t *restrict y, float *restrict x) {
	for (int64_t i = 0; i < n; i++) {
		uint32_t bits = (uint32_t)y[i] << 16;
		memcpy(x + i, &bits, 4);
	}
}
