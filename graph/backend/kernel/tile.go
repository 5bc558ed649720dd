package kernel

// Tile is the work of one call of a micro-kernel: M rows and N columns of
//
//	C[i,j] = Σₜ Σₚ A[Rows[i] + Taps[t] + p·Step] · B[t,p,j]
//
// over the taps and 0 ≤ p < K. The rows of A and C lie wherever Rows and Out
// say, so that the patches of an image are read where they are. The assembly
// knows the fields by name.
type Tile struct {
	A    []float32
	Rows []int // where each row starts in A: as many as the kernel has, even if M is less
	Taps []int // at least one
	Step int
	K    int       // at least 1
	B    []float32 // taps × K × the columns of the kernel
	C    []float32
	Out  []int // where each of the M rows starts in C
	M, N int   // at least 1

	Add  bool      // C is a term of the sums
	Bias []float32 // another, the same in every row: N, or nil
	ReLU bool      // negative sums become 0
}

// Micro is a micro-kernel.
type Micro struct {
	Rows, Cols int // of its largest tile
	Run        func(*Tile)
}
