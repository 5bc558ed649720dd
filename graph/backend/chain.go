package backend

// Code is the operation of an instruction of a [Chain].
type Code int32

// In the comments a and b are elements of the operands A and B, v and w the
// elements of the row vectors V and W that belong to the column, and k is K.
const (
	Add        Code = iota // a + b
	Sub                    // a − b
	Mul                    // a·b
	Mask                   // b where a > 0, else 0
	ReLU                   // a where a > 0 or a is NaN, else 0
	Tanh                   // tanh a
	Scale                  // k·a
	Shift                  // a + k
	Rsqrt                  // 1/√a
	Exp                    // eᵃ
	Power                  // aᵏ where a > 0, else 0
	Clamp                  // a; 1 where a ≥ 1 − k, −1 where a ≤ k − 1
	ArcCos0                // 1 − arccos(a)/π
	ArcCos1                // √(1 − a²)/π + a·b
	AtLeast                // a where a ≥ k·b, else 0
	Sigmoid                // 1/(1 + e⁻ᵃ)
	Softplus               // log(1 + eᵃ)
	Erf                    // the error function of a
	Log                    // log a
	Sqrt                   // √a
	Inverse                // 1/a
	Pow                    // aᵏ
	Sin                    // sin a
	Cos                    // cos a
	Greater                // the greater of a and k
	Less                   // the smaller of a and k
	Max                    // the greater of a and b, NaN if one of them is
	RowFill                // v
	RowAdd                 // a + v
	RowMul                 // a·v
	RowAffine              // a·v + w
	ScalarMul              // a·V[0]
	ScalarFill             // V[0]
	ColMul                 // a·V[row]
	ColFill                // V[row]
	Distance               // a + V[row] + w, or 0 where that is below k·(V[row] + w)
	codes
)

// codeOperands holds, for every code, how many elementwise operands and how
// many vectors it reads.
var codeOperands = [codes]struct{ full, vectors int }{
	Add: {2, 0}, Sub: {2, 0}, Mul: {2, 0}, Mask: {2, 0}, ReLU: {1, 0}, Tanh: {1, 0},
	Scale: {1, 0}, Shift: {1, 0}, Rsqrt: {1, 0}, Exp: {1, 0}, Power: {1, 0}, Clamp: {1, 0}, ArcCos0: {1, 0},
	ArcCos1: {2, 0}, AtLeast: {2, 0},
	Sigmoid: {1, 0}, Softplus: {1, 0}, Erf: {1, 0}, Log: {1, 0}, Sqrt: {1, 0}, Inverse: {1, 0}, Pow: {1, 0},
	Sin: {1, 0}, Cos: {1, 0}, Greater: {1, 0}, Less: {1, 0}, Max: {2, 0},
	RowFill: {0, 1}, RowAdd: {1, 1}, RowMul: {1, 1}, RowAffine: {1, 2}, ScalarMul: {1, 1}, ScalarFill: {0, 1},
	ColMul: {1, 1}, ColFill: {0, 1}, Distance: {1, 2},
}

// Operands returns the number of elementwise operands and of vectors of c.
func (c Code) Operands() (full, vectors int) {
	return codeOperands[c].full, codeOperands[c].vectors
}

// Instr is one instruction of a chain. A and B are operands of the chain where
// they are at least 0, and the result of instruction ^A (^B) where they are
// negative. V and W are operands of the chain. The native backend's struct
// ew_instr has the same memory layout.
type Instr struct {
	Code       Code
	A, B, V, W int32
	K          float64
}

// Chain is a sequence of elementwise instructions that is computed block by block, so that the results of its
// instructions stay in the cache. The result of the last instruction is the result of the chain.
type Chain struct{ Instrs []Instr }

const (
	// MaxChain is the largest number of instructions in a chain: their results
	// for a block must fit in the first level cache.
	MaxChain = 8
	// MaxOperands is the largest number of operands of a chain.
	MaxOperands = 10
	// block is the number of elements that a chain processes at a time.
	block = 1024
)
