package graph

// Norm holds the parameters of a batch norm, with one element per channel.
type Norm struct {
	Gamma, Beta *Node // scale and shift
	Mean, Var   *Node // running statistics, read in evaluation mode
	Eps         float64
}

// BatchNorm returns γ(x − μ)/√(σ² + ε) + β with the running statistics
// (evaluation mode).
func (g *Graph) BatchNorm(x *Node, n Norm) *Node {
	return g.normalise(x, n, n.Mean, n.Var)
}

// BatchNormTrain returns the batch norm of x with the mean and the variance of the rows of x (training mode), and these
// two. The variance is divided by the number of rows.
func (g *Graph) BatchNormTrain(x *Node, n Norm) (y, mean, variance *Node) {
	mean = g.MeanRows(x)
	variance = g.VarRows(x, mean)
	return g.normalise(x, n, mean, variance), mean, variance
}

func (g *Graph) normalise(x *Node, n Norm, mean, variance *Node) *Node {
	scale := g.Mul(n.Gamma, g.Rsqrt(g.Shift(n.Eps, variance)))
	return g.RowAffine(x, scale, g.Sub(n.Beta, g.Mul(mean, scale)))
}
