#include "go_asm.h"
#include "textflag.h"

// The micro-kernels on AVX-512, 8 rows each. General registers:
//
//	DI      the tile
//	R8-R15  the rows of A: where they start in memory
//	SI      the next tap
//	AX      where in the rows the next element of A is, in bytes
//	BX      the step from one element of A to the next, in bytes
//	CX      how many elements of A are left of this tap
//	DX      the next row of B
//	taps    how many taps are left
//
// and at the end:
//
//	K1, K2  which columns there are
//	R8      C
//	SI      where the next row of C starts in it
//	CX      how many rows are left

#define ROW(i, row) \
	MOVQ (i*8)(BX), row  \
	LEAQ (AX)(row*4), row

// FETCH asks for the tile of C, which is needed at the end, where it is a term
// of the sums.
#define FETCH \
	MOVQ t+0(FP), DI       \
	CMPB Tile_Add(DI), $0  \
	JEQ  fetched           \
	MOVQ Tile_C(DI), R8    \
	FIRST_ROW              \
fetch:                     \
	NEXT_ROW               \
	PREFETCHT0 (R9)        \
	PREFETCHT0 64(R9)      \
	DECQ CX                \
	JNZ  fetch             \
fetched:

// START points the registers at the operands.
#define START \
	MOVQ Tile_A(DI), AX         \
	MOVQ Tile_Rows(DI), BX      \
	ROW(0, R8)                  \
	ROW(1, R9)                  \
	ROW(2, R10)                 \
	ROW(3, R11)                 \
	ROW(4, R12)                 \
	ROW(5, R13)                 \
	ROW(6, R14)                 \
	ROW(7, R15)                 \
	MOVQ Tile_Step(DI), BX      \
	SHLQ $2, BX                 \
	MOVQ Tile_B(DI), DX         \
	MOVQ Tile_Taps(DI), SI      \
	MOVQ Tile_Taps+8(DI), AX    \
	MOVQ AX, taps-8(SP)

// TAP starts the next tap.
#define TAP \
	MOVQ (SI), AX        \
	SHLQ $2, AX          \
	ADDQ $8, SI          \
	MOVQ Tile_K(DI), CX

// COLUMNS sets the masks and points R8 at C.
#define COLUMNS \
	MOVQ  Tile_N(DI), CX  \
	MOVQ  $1, AX          \
	SHLQ  CX, AX          \
	DECQ  AX              \
	KMOVW AX, K1          \
	SHRQ  $16, AX         \
	KMOVW AX, K2          \
	MOVQ  Tile_C(DI), R8

#define FIRST_ROW \
	MOVQ Tile_Out(DI), SI  \
	MOVQ Tile_M(DI), CX

// NEXT_ROW points R9 at the next row of C.
#define NEXT_ROW \
	MOVQ (SI), R9        \
	LEAQ (R8)(R9*4), R9  \
	ADDQ $8, SI

// The 32 columns of a row of sums are in two registers, low and high.

#define MULTIPLY32(row, low, high) \
	VBROADCASTSS (row)(AX*1), Z18  \
	VFMADD231PS  Z16, Z18, low     \
	VFMADD231PS  Z17, Z18, high

#define ADD32(low, high) \
	NEXT_ROW                       \
	VADDPS (R9), low, K1, low      \
	VADDPS 64(R9), high, K2, high  \
	DECQ   CX                      \
	JZ     added

#define BIAS32(low, high) \
	VADDPS Z16, low, low    \
	VADDPS Z17, high, high

// MAXPS returns its first operand (in Go's order) where either is a NaN.
#define RELU32(low, high) \
	VMAXPS low, Z18, low    \
	VMAXPS high, Z18, high

#define STORE32(low, high) \
	NEXT_ROW                    \
	VMOVUPS low, K1, (R9)       \
	VMOVUPS high, K2, 64(R9)    \
	DECQ    CX                  \
	JZ      stored

// func avx512x32(t *Tile)
//
// Z0-Z15 are the sums, Z16 and Z17 a row of B, Z18 an element of A.
TEXT ·avx512x32(SB), NOSPLIT, $8-8
	FETCH
	START
	VPXORQ Z0, Z0, Z0
	VMOVAPS Z0, Z1
	VMOVAPS Z0, Z2
	VMOVAPS Z0, Z3
	VMOVAPS Z0, Z4
	VMOVAPS Z0, Z5
	VMOVAPS Z0, Z6
	VMOVAPS Z0, Z7
	VMOVAPS Z0, Z8
	VMOVAPS Z0, Z9
	VMOVAPS Z0, Z10
	VMOVAPS Z0, Z11
	VMOVAPS Z0, Z12
	VMOVAPS Z0, Z13
	VMOVAPS Z0, Z14
	VMOVAPS Z0, Z15

tap:
	TAP

element:
	VMOVUPS (DX), Z16
	VMOVUPS 64(DX), Z17
	MULTIPLY32(R8, Z0, Z1)
	MULTIPLY32(R9, Z2, Z3)
	MULTIPLY32(R10, Z4, Z5)
	MULTIPLY32(R11, Z6, Z7)
	MULTIPLY32(R12, Z8, Z9)
	MULTIPLY32(R13, Z10, Z11)
	MULTIPLY32(R14, Z12, Z13)
	MULTIPLY32(R15, Z14, Z15)
	ADDQ BX, AX
	ADDQ $128, DX
	DECQ CX
	JNZ  element
	DECQ taps-8(SP)
	JNZ  tap

	COLUMNS
	CMPB Tile_Add(DI), $0
	JEQ  added
	FIRST_ROW
	ADD32(Z0, Z1)
	ADD32(Z2, Z3)
	ADD32(Z4, Z5)
	ADD32(Z6, Z7)
	ADD32(Z8, Z9)
	ADD32(Z10, Z11)
	ADD32(Z12, Z13)
	ADD32(Z14, Z15)

added:
	MOVQ  Tile_Bias(DI), AX
	TESTQ AX, AX
	JZ    biased
	VMOVUPS.Z (AX), K1, Z16
	VMOVUPS.Z 64(AX), K2, Z17
	BIAS32(Z0, Z1)
	BIAS32(Z2, Z3)
	BIAS32(Z4, Z5)
	BIAS32(Z6, Z7)
	BIAS32(Z8, Z9)
	BIAS32(Z10, Z11)
	BIAS32(Z12, Z13)
	BIAS32(Z14, Z15)

biased:
	CMPB Tile_ReLU(DI), $0
	JEQ  rectified
	VPXORQ Z18, Z18, Z18
	RELU32(Z0, Z1)
	RELU32(Z2, Z3)
	RELU32(Z4, Z5)
	RELU32(Z6, Z7)
	RELU32(Z8, Z9)
	RELU32(Z10, Z11)
	RELU32(Z12, Z13)
	RELU32(Z14, Z15)

rectified:
	FIRST_ROW
	STORE32(Z0, Z1)
	STORE32(Z2, Z3)
	STORE32(Z4, Z5)
	STORE32(Z6, Z7)
	STORE32(Z8, Z9)
	STORE32(Z10, Z11)
	STORE32(Z12, Z13)
	STORE32(Z14, Z15)

stored:
	VZEROUPPER
	RET

// The 16 columns of a row of sums are in one register. Eight sums are too few
// to keep the multipliers busy, so that elements of A go to two sets of sums
// in turn.

#define MULTIPLY16(row, sum) \
	VFMADD231PS.BCST (row)(AX*1), Z16, sum

#define MULTIPLY16X8(s0, s1, s2, s3, s4, s5, s6, s7) \
	VMOVUPS (DX), Z16    \
	MULTIPLY16(R8, s0)   \
	MULTIPLY16(R9, s1)   \
	MULTIPLY16(R10, s2)  \
	MULTIPLY16(R11, s3)  \
	MULTIPLY16(R12, s4)  \
	MULTIPLY16(R13, s5)  \
	MULTIPLY16(R14, s6)  \
	MULTIPLY16(R15, s7)  \
	ADDQ BX, AX          \
	ADDQ $64, DX         \
	DECQ CX

#define ADD16(sum) \
	NEXT_ROW                   \
	VADDPS (R9), sum, K1, sum  \
	DECQ   CX                  \
	JZ     added

#define STORE16(sum) \
	NEXT_ROW                \
	VMOVUPS sum, K1, (R9)   \
	DECQ    CX              \
	JZ      stored

// func avx512x16(t *Tile)
//
// Z0-Z7 and Z8-Z15 are the sums, Z16 is a row of B.
TEXT ·avx512x16(SB), NOSPLIT, $8-8
	FETCH
	START
	VPXORQ Z0, Z0, Z0
	VMOVAPS Z0, Z1
	VMOVAPS Z0, Z2
	VMOVAPS Z0, Z3
	VMOVAPS Z0, Z4
	VMOVAPS Z0, Z5
	VMOVAPS Z0, Z6
	VMOVAPS Z0, Z7
	VMOVAPS Z0, Z8
	VMOVAPS Z0, Z9
	VMOVAPS Z0, Z10
	VMOVAPS Z0, Z11
	VMOVAPS Z0, Z12
	VMOVAPS Z0, Z13
	VMOVAPS Z0, Z14
	VMOVAPS Z0, Z15

tap:
	TAP

element:
	MULTIPLY16X8(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	JZ   tapped
	MULTIPLY16X8(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)
	JNZ  element

tapped:
	DECQ taps-8(SP)
	JNZ  tap

	VADDPS Z8, Z0, Z0
	VADDPS Z9, Z1, Z1
	VADDPS Z10, Z2, Z2
	VADDPS Z11, Z3, Z3
	VADDPS Z12, Z4, Z4
	VADDPS Z13, Z5, Z5
	VADDPS Z14, Z6, Z6
	VADDPS Z15, Z7, Z7

	COLUMNS
	CMPB Tile_Add(DI), $0
	JEQ  added
	FIRST_ROW
	ADD16(Z0)
	ADD16(Z1)
	ADD16(Z2)
	ADD16(Z3)
	ADD16(Z4)
	ADD16(Z5)
	ADD16(Z6)
	ADD16(Z7)

added:
	MOVQ  Tile_Bias(DI), AX
	TESTQ AX, AX
	JZ    biased
	VMOVUPS.Z (AX), K1, Z16
	VADDPS Z16, Z0, Z0
	VADDPS Z16, Z1, Z1
	VADDPS Z16, Z2, Z2
	VADDPS Z16, Z3, Z3
	VADDPS Z16, Z4, Z4
	VADDPS Z16, Z5, Z5
	VADDPS Z16, Z6, Z6
	VADDPS Z16, Z7, Z7

biased:
	CMPB Tile_ReLU(DI), $0
	JEQ  rectified
	VPXORQ Z18, Z18, Z18
	RELU32(Z0, Z1)
	RELU32(Z2, Z3)
	RELU32(Z4, Z5)
	RELU32(Z6, Z7)

rectified:
	FIRST_ROW
	STORE16(Z0)
	STORE16(Z1)
	STORE16(Z2)
	STORE16(Z3)
	STORE16(Z4)
	STORE16(Z5)
	STORE16(Z6)
	STORE16(Z7)

stored:
	VZEROUPPER
	RET
