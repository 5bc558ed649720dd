#include "go_asm.h"
#include "textflag.h"

// The micro-kernel on AVX2 and FMA: 6 rows of 16 columns. General registers:
//
//	DI      the tile
//	R8-R13  the rows of A: where they start in memory
//	SI      the next tap
//	AX      where in the rows the next element of A is, in bytes
//	BX      the step from one element of A to the next, in bytes
//	CX      how many elements of A are left of this tap
//	DX      the next row of B
//	taps    how many taps are left
//
// and at the end:
//
//	Y12, Y13  which columns there are
//	R8        C
//	SI        where the next row of C starts in it
//	CX        how many rows are left

// The masks of n columns are the two registers from element 16−n on.
DATA columns<>+0x00(SB)/8, $-1
DATA columns<>+0x08(SB)/8, $-1
DATA columns<>+0x10(SB)/8, $-1
DATA columns<>+0x18(SB)/8, $-1
DATA columns<>+0x20(SB)/8, $-1
DATA columns<>+0x28(SB)/8, $-1
DATA columns<>+0x30(SB)/8, $-1
DATA columns<>+0x38(SB)/8, $-1
DATA columns<>+0x40(SB)/8, $0
DATA columns<>+0x48(SB)/8, $0
DATA columns<>+0x50(SB)/8, $0
DATA columns<>+0x58(SB)/8, $0
DATA columns<>+0x60(SB)/8, $0
DATA columns<>+0x68(SB)/8, $0
DATA columns<>+0x70(SB)/8, $0
DATA columns<>+0x78(SB)/8, $0
GLOBL columns<>(SB), RODATA|NOPTR, $128

#define ROW(i, row) \
	MOVQ (i*8)(BX), row    \
	LEAQ (AX)(row*4), row

// The 16 columns of a row of sums are in two registers, low and high.

#define MULTIPLY(row, low, high) \
	VBROADCASTSS (row)(AX*1), Y14  \
	VFMADD231PS  Y12, Y14, low     \
	VFMADD231PS  Y13, Y14, high

#define FIRST_ROW \
	MOVQ Tile_Out(DI), SI  \
	MOVQ Tile_M(DI), CX

// NEXT_ROW points R9 at the next row of C.
#define NEXT_ROW \
	MOVQ (SI), R9        \
	LEAQ (R8)(R9*4), R9  \
	ADDQ $8, SI

#define ADD(low, high) \
	NEXT_ROW                     \
	VMASKMOVPS (R9), Y12, Y14    \
	VMASKMOVPS 32(R9), Y13, Y15  \
	VADDPS     Y14, low, low     \
	VADDPS     Y15, high, high   \
	DECQ       CX                \
	JZ         added

#define BIAS(low, high) \
	VADDPS Y14, low, low    \
	VADDPS Y15, high, high

// MAXPS returns its first operand (in Go's order) where either is a NaN.
#define RELU(low, high) \
	VMAXPS low, Y14, low    \
	VMAXPS high, Y14, high

#define STORE(low, high) \
	NEXT_ROW                      \
	VMASKMOVPS low, Y12, (R9)     \
	VMASKMOVPS high, Y13, 32(R9)  \
	DECQ       CX                 \
	JZ         stored

// func avx2x16(t *Tile)
//
// Y0-Y11 are the sums, Y12 and Y13 a row of B, Y14 an element of A.
TEXT ·avx2x16(SB), NOSPLIT, $8-8
	MOVQ t+0(FP), DI
	CMPB Tile_Add(DI), $0
	JEQ  fetched
	MOVQ Tile_C(DI), R8
	FIRST_ROW

fetch: // the tile of C, which is needed at the end
	NEXT_ROW
	PREFETCHT0 (R9)
	PREFETCHT0 32(R9)
	DECQ CX
	JNZ  fetch

fetched:
	MOVQ Tile_A(DI), AX
	MOVQ Tile_Rows(DI), BX
	ROW(0, R8)
	ROW(1, R9)
	ROW(2, R10)
	ROW(3, R11)
	ROW(4, R12)
	ROW(5, R13)
	MOVQ Tile_Step(DI), BX
	SHLQ $2, BX
	MOVQ Tile_B(DI), DX
	MOVQ Tile_Taps(DI), SI
	MOVQ Tile_Taps+8(DI), AX
	MOVQ AX, taps-8(SP)
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	VXORPS Y8, Y8, Y8
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11

tap:
	MOVQ (SI), AX
	SHLQ $2, AX
	ADDQ $8, SI
	MOVQ Tile_K(DI), CX

element:
	VMOVUPS (DX), Y12
	VMOVUPS 32(DX), Y13
	MULTIPLY(R8, Y0, Y1)
	MULTIPLY(R9, Y2, Y3)
	MULTIPLY(R10, Y4, Y5)
	MULTIPLY(R11, Y6, Y7)
	MULTIPLY(R12, Y8, Y9)
	MULTIPLY(R13, Y10, Y11)
	ADDQ BX, AX
	ADDQ $64, DX
	DECQ CX
	JNZ  element
	DECQ taps-8(SP)
	JNZ  tap

	MOVQ $16, CX
	SUBQ Tile_N(DI), CX
	LEAQ columns<>(SB), AX
	VMOVUPS (AX)(CX*4), Y12
	VMOVUPS 32(AX)(CX*4), Y13
	MOVQ Tile_C(DI), R8

	CMPB Tile_Add(DI), $0
	JEQ  added
	FIRST_ROW
	ADD(Y0, Y1)
	ADD(Y2, Y3)
	ADD(Y4, Y5)
	ADD(Y6, Y7)
	ADD(Y8, Y9)
	ADD(Y10, Y11)

added:
	MOVQ  Tile_Bias(DI), AX
	TESTQ AX, AX
	JZ    biased
	VMASKMOVPS (AX), Y12, Y14
	VMASKMOVPS 32(AX), Y13, Y15
	BIAS(Y0, Y1)
	BIAS(Y2, Y3)
	BIAS(Y4, Y5)
	BIAS(Y6, Y7)
	BIAS(Y8, Y9)
	BIAS(Y10, Y11)

biased:
	CMPB Tile_ReLU(DI), $0
	JEQ  rectified
	VXORPS Y14, Y14, Y14
	RELU(Y0, Y1)
	RELU(Y2, Y3)
	RELU(Y4, Y5)
	RELU(Y6, Y7)
	RELU(Y8, Y9)
	RELU(Y10, Y11)

rectified:
	FIRST_ROW
	STORE(Y0, Y1)
	STORE(Y2, Y3)
	STORE(Y4, Y5)
	STORE(Y6, Y7)
	STORE(Y8, Y9)
	STORE(Y10, Y11)

stored:
	VZEROUPPER
	RET

// The loops over elements. General registers:
//
//	DI          the result
//	SI, DX, BX  the operands
//	CX          how many elements are left
//	AX          where the next element is, in bytes
//
// Sixteen elements are done at a time, the last of them under the masks Y12
// and Y13. Y15 holds a constant.

// LAST sets the masks for the last CX elements.
#define LAST \
	MOVQ    $16, R8             \
	SUBQ    CX, R8              \
	LEAQ    columns<>(SB), R9   \
	VMOVUPS (R9)(R8*4), Y12     \
	VMOVUPS 32(R9)(R8*4), Y13

// BINARY computes result = op(SI, DX).
#define BINARY(op) \
	XORQ AX, AX                      \
next:                                \
	CMPQ CX, $16                     \
	JB   last                        \
	VMOVUPS (SI)(AX*1), Y0           \
	VMOVUPS 32(SI)(AX*1), Y1         \
	VMOVUPS (DX)(AX*1), Y2           \
	VMOVUPS 32(DX)(AX*1), Y3         \
	op(Y2, Y0)                       \
	op(Y3, Y1)                       \
	VMOVUPS Y0, (DI)(AX*1)           \
	VMOVUPS Y1, 32(DI)(AX*1)         \
	ADDQ $64, AX                     \
	SUBQ $16, CX                     \
	JMP  next                        \
last:                                \
	LAST                             \
	VMASKMOVPS (SI)(AX*1), Y12, Y0   \
	VMASKMOVPS 32(SI)(AX*1), Y13, Y1 \
	VMASKMOVPS (DX)(AX*1), Y12, Y2   \
	VMASKMOVPS 32(DX)(AX*1), Y13, Y3 \
	op(Y2, Y0)                       \
	op(Y3, Y1)                       \
	VMASKMOVPS Y0, Y12, (DI)(AX*1)   \
	VMASKMOVPS Y1, Y13, 32(DI)(AX*1) \
	VZEROUPPER                       \
	RET

#define ADDITION(b, a) VADDPS b, a, a
#define SUBTRACTION(b, a) VSUBPS b, a, a
#define MULTIPLICATION(b, a) VMULPS b, a, a

// 0x1e: greater than, false for a NaN.
#define MASK(b, a) \
	VCMPPS $0x1e, Y15, a, a \
	VANDPS b, a, a

// func avx2Add(out, a, b []float32)
TEXT ·avx2Add(SB), NOSPLIT, $0-72
	MOVQ out_base+0(FP), DI
	MOVQ out_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	MOVQ b_base+48(FP), DX
	BINARY(ADDITION)

// func avx2Sub(out, a, b []float32)
TEXT ·avx2Sub(SB), NOSPLIT, $0-72
	MOVQ out_base+0(FP), DI
	MOVQ out_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	MOVQ b_base+48(FP), DX
	BINARY(SUBTRACTION)

// func avx2Mul(out, a, b []float32)
TEXT ·avx2Mul(SB), NOSPLIT, $0-72
	MOVQ out_base+0(FP), DI
	MOVQ out_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	MOVQ b_base+48(FP), DX
	BINARY(MULTIPLICATION)

// func avx2Mask(out, a, b []float32)
TEXT ·avx2Mask(SB), NOSPLIT, $0-72
	MOVQ out_base+0(FP), DI
	MOVQ out_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	MOVQ b_base+48(FP), DX
	VXORPS Y15, Y15, Y15
	BINARY(MASK)

// UNARY computes result = op(SI).
#define UNARY(op) \
	XORQ AX, AX                      \
next:                                \
	CMPQ CX, $16                     \
	JB   last                        \
	VMOVUPS (SI)(AX*1), Y0           \
	VMOVUPS 32(SI)(AX*1), Y1         \
	op(Y0)                           \
	op(Y1)                           \
	VMOVUPS Y0, (DI)(AX*1)           \
	VMOVUPS Y1, 32(DI)(AX*1)         \
	ADDQ $64, AX                     \
	SUBQ $16, CX                     \
	JMP  next                        \
last:                                \
	LAST                             \
	VMASKMOVPS (SI)(AX*1), Y12, Y0   \
	VMASKMOVPS 32(SI)(AX*1), Y13, Y1 \
	op(Y0)                           \
	op(Y1)                           \
	VMASKMOVPS Y0, Y12, (DI)(AX*1)   \
	VMASKMOVPS Y1, Y13, 32(DI)(AX*1) \
	VZEROUPPER                       \
	RET

#define SCALING(a) VMULPS Y15, a, a
#define SHIFTING(a) VADDPS Y15, a, a
#define RECTIFYING(a) VMAXPS a, Y15, a

// func avx2Scale(out, a []float32, k float32)
TEXT ·avx2Scale(SB), NOSPLIT, $0-52
	MOVQ out_base+0(FP), DI
	MOVQ out_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	VBROADCASTSS k+48(FP), Y15
	UNARY(SCALING)

// func avx2Shift(out, a []float32, k float32)
TEXT ·avx2Shift(SB), NOSPLIT, $0-52
	MOVQ out_base+0(FP), DI
	MOVQ out_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	VBROADCASTSS k+48(FP), Y15
	UNARY(SHIFTING)

// func avx2ReLU(out, a []float32)
TEXT ·avx2ReLU(SB), NOSPLIT, $0-48
	MOVQ out_base+0(FP), DI
	MOVQ out_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	VXORPS Y15, Y15, Y15
	UNARY(RECTIFYING)

// func avx2Affine(out, a, b, c []float32)
TEXT ·avx2Affine(SB), NOSPLIT, $0-96
	MOVQ out_base+0(FP), DI
	MOVQ out_len+8(FP), CX
	MOVQ a_base+24(FP), SI
	MOVQ b_base+48(FP), DX
	MOVQ c_base+72(FP), BX
	XORQ AX, AX

next:
	CMPQ CX, $16
	JB   last
	VMOVUPS (SI)(AX*1), Y0
	VMOVUPS 32(SI)(AX*1), Y1
	VMOVUPS (BX)(AX*1), Y2
	VMOVUPS 32(BX)(AX*1), Y3
	VFMADD231PS (DX)(AX*1), Y0, Y2
	VFMADD231PS 32(DX)(AX*1), Y1, Y3
	VMOVUPS Y2, (DI)(AX*1)
	VMOVUPS Y3, 32(DI)(AX*1)
	ADDQ $64, AX
	SUBQ $16, CX
	JMP  next

last:
	LAST
	VMASKMOVPS (SI)(AX*1), Y12, Y0
	VMASKMOVPS 32(SI)(AX*1), Y13, Y1
	VMASKMOVPS (DX)(AX*1), Y12, Y2
	VMASKMOVPS 32(DX)(AX*1), Y13, Y3
	VMASKMOVPS (BX)(AX*1), Y12, Y4
	VMASKMOVPS 32(BX)(AX*1), Y13, Y5
	VFMADD231PS Y2, Y0, Y4
	VFMADD231PS Y3, Y1, Y5
	VMASKMOVPS Y4, Y12, (DI)(AX*1)
	VMASKMOVPS Y5, Y13, 32(DI)(AX*1)
	VZEROUPPER
	RET

DATA counting<>+0x00(SB)/8, $0x0000000100000000
DATA counting<>+0x08(SB)/8, $0x0000000300000002
DATA counting<>+0x10(SB)/8, $0x0000000500000004
DATA counting<>+0x18(SB)/8, $0x0000000700000006
DATA counting<>+0x20(SB)/8, $0x0000000800000008
DATA counting<>+0x28(SB)/8, $0x0000000800000008
DATA counting<>+0x30(SB)/8, $0x0000000800000008
DATA counting<>+0x38(SB)/8, $0x0000000800000008
GLOBL counting<>(SB), RODATA|NOPTR, $64

// LARGER puts elements of Y0 that win over those of Y1 there, and where they
// are, Y14, into Y2. 0x1e: greater than, false for a NaN; 3: one is a NaN.
#define LARGER \
	VCMPPS    $0x1e, Y1, Y0, Y3  \
	VCMPPS    $3, Y0, Y0, Y4     \
	VORPS     Y4, Y3, Y3         \
	VBLENDVPS Y3, Y0, Y1, Y1     \
	VBLENDVPS Y3, Y14, Y2, Y2

// func avx2Largest(best []float32, idx []int32, x []float32, at int32)
//
// Eight elements are done at a time. Y14 is where they are, Y15 eights.
TEXT ·avx2Largest(SB), NOSPLIT, $0-76
	MOVQ best_base+0(FP), DI
	MOVQ best_len+8(FP), CX
	MOVQ idx_base+24(FP), DX
	MOVQ x_base+48(FP), SI
	MOVL at+72(FP), R8
	VMOVD R8, X14
	VPBROADCASTD X14, Y14
	LEAQ counting<>(SB), R8
	VPADDD (R8), Y14, Y14
	VMOVDQU 32(R8), Y15
	XORQ AX, AX

next:
	CMPQ CX, $8
	JB   last
	VMOVUPS (SI)(AX*1), Y0
	VMOVUPS (DI)(AX*1), Y1
	VMOVUPS (DX)(AX*1), Y2
	LARGER
	VMOVUPS Y1, (DI)(AX*1)
	VMOVUPS Y2, (DX)(AX*1)
	VPADDD  Y15, Y14, Y14
	ADDQ $32, AX
	SUBQ $8, CX
	JMP  next

last:
	LAST
	VMASKMOVPS (SI)(AX*1), Y12, Y0
	VMASKMOVPS (DI)(AX*1), Y12, Y1
	VMASKMOVPS (DX)(AX*1), Y12, Y2
	LARGER
	VMASKMOVPS Y1, Y12, (DI)(AX*1)
	VMASKMOVPS Y2, Y12, (DX)(AX*1)
	VZEROUPPER
	RET
