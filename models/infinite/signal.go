package infinite

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
)

// signal describes the values of a layer: the covariances, over the initialisation, of one channel for images x with images
// z. Channels are independent and identically distributed. Maps have a row for each position of the layer or, if an average
// pool follows, for each pair of positions, and a column for each pair of images.
type signal struct {
	at    places
	pairs bool
	cross covariances // of b images x with n images z, a column for every pair
	x, z  covariances // of every image with itself
	// gaussian says that the values are Gaussian, as sums over many channels are: the outputs of convolutions and linear layers.
	gaussian bool
	// weightLayers counts the convolutions and linear layers up to here. A branch that raises it has fresh weights.
	weightLayers int
}

// covariances holds a map of covariances and the map of the tangent kernel Θ, which is nil if it is not needed.
type covariances struct{ k, theta *graph.Node }

func (s signal) checkOutput() error {
	switch {
	case !s.gaussian:
		return errors.New("its last layer is no convolution or linear layer")
	case s.at.size() != 1:
		return fmt.Errorf("its outputs are images of %d×%d", s.at.height, s.at.width)
	}
	return nil
}

// builder builds the expression of the kernels, layer by layer.
type builder struct {
	*graph.Graph
	*cache
	err             error
	images, others  int
	weights, biases float64 // σ_w², σ_b²
	pools           int     // average pools that follow
	constants       int
}

// fail records an error in the layer called name, if it is the first.
func (b *builder) fail(name, format string, args ...any) signal {
	if b.err == nil {
		b.err = fmt.Errorf("%s: %w", name, fmt.Errorf(format, args...))
	}
	return signal{}
}

// countAveragePools counts the average pools in a layer.
func countAveragePools(l models.Layer) (n int) {
	add := func(all models.Sequential) {
		for i := range all {
			n += countAveragePools(all[i].Layer)
		}
	}
	switch l := l.(type) {
	case models.AvgPool, models.AdaptiveAvgPool:
		return 1
	case models.Sequential:
		add(l)
	case models.Residual:
		add(l.Main)
		add(l.Shortcut)
	case models.Branches:
		add(l.Branches)
	}
	return n
}

// readImages returns the signal of the images, whose covariances are ⟨x(p), z(q)⟩/channels.
func (b *builder) readImages(x, z *graph.Node, in models.Shape, images, others int) signal {
	b.images, b.others = images, others
	c := in.Channels
	s := signal{at: places{in.Height, in.Width}, pairs: b.pools > 0}
	own := func(u *graph.Node, n int) *graph.Node {
		if !s.pairs {
			return b.Scale(1/float64(c), b.RowSquares(u, n, c))
		}
		rows := s.at.size() * s.at.size()
		first, second := b.spread(u, s, 0), b.spread(u, s, 1)
		if b.Err() != nil {
			return nil
		}
		dots := b.DotCols(b.Reshape(first, rows*n, c), b.Reshape(second, rows*n, c))
		return b.Scale(1/float64(c), b.Reshape(dots, rows, n))
	}
	s.x.k, s.z.k = own(x, images), own(z, others)
	u, v := b.spread(x, s, 0), b.spread(z, s, 1)
	s.cross.k = b.Scale(1/float64(c), b.RowMatMul(u, b.RowTranspose(v, others, c), images, c, others))
	return s
}

// spread repeats a map of positions for all pairs of positions: by the first of a pair for side 0, by the second for side 1.
func (b *builder) spread(x *graph.Node, s signal, side int) *graph.Node {
	if !s.pairs || b.Err() != nil {
		return x
	}
	rows := s.at.rows(true)
	return b.SumSets(x, b.sets(b.Graph, fmt.Sprint("spread ", s.at, side), rows, rows, func() (int, [][]int) {
		return s.at.size(), s.at.spread(side)
	}))
}

// variances returns the covariances of positions with themselves.
func (b *builder) variances(k *graph.Node, s signal) *graph.Node {
	if !s.pairs || b.Err() != nil {
		return k
	}
	n := s.at.size()
	return b.SumSets(k, b.sets(b.Graph, fmt.Sprint("diagonal ", s.at), n, n, func() (int, [][]int) {
		return n * n, s.at.diagonal()
	}))
}

// layer returns the signal after a layer.
func (b *builder) layer(name string, l models.Layer, s signal) signal {
	if b.err != nil || b.Err() != nil {
		return signal{}
	}
	b.At(name)
	switch l := l.(type) {
	case models.Sequential:
		for i := range l {
			s = b.layer(join(name, l[i].Name, i), l[i].Layer, s)
		}
		return s
	case models.Residual:
		main := b.layer(name, l.Main, s)
		out := b.sum(name, s, main, b.layer(name, l.Shortcut, s))
		if l.Linear {
			return out
		}
		return b.activate(name, out, b.relu)
	case models.Branches:
		if l.Join != models.Add || len(l.Branches) == 0 {
			return b.fail(name, "branches are concatenated or multiplied")
		}
		out := b.layer(join(name, l.Branches[0].Name, 0), l.Branches[0].Layer, s)
		for i, branch := range l.Branches[1:] {
			out = b.sum(name, s, out, b.layer(join(name, branch.Name, i+1), branch.Layer, s))
		}
		return out
	case models.Conv:
		return b.convolve(name, l, s)
	case models.Linear:
		return b.linear(l, s)
	case models.ReLU:
		return b.activate(name, s, b.relu)
	case layers.Activation:
		if l == layers.Erf {
			return b.activate(name, s, b.erf)
		}
	case models.AvgPool:
		return b.average(name, s, graph.Pool2D(l))
	case models.AdaptiveAvgPool:
		return b.adapt(name, s, l)
	case models.Flatten, models.Dropout:
		return s // Dropouts do nothing in evaluation, and linear layers flatten what they read
	}
	return b.fail(name, "a layer of type %s; convolutions, linear layers, ReLU, erf, average pools, flattening and sums of "+
		"branches have one", reflect.TypeOf(l).Name())
}

// join returns the name of the i-th layer of a container, for messages.
func join(parent, child string, i int) string {
	switch {
	case child == "":
		child = fmt.Sprint("layer ", i+1)
		if parent == "" {
			return child
		}
		return parent + ", " + child
	case parent == "":
		return child
	}
	return parent + "." + child
}

// each returns the signal with f applied to its maps.
func (s signal) each(f func(k *graph.Node) *graph.Node) signal {
	s.x.k, s.z.k, s.cross.k = f(s.x.k), f(s.z.k), f(s.cross.k)
	if s.cross.theta != nil {
		s.cross.theta = f(s.cross.theta)
	}
	return s
}

// applyWeights returns the signal after a layer with weights; read averages a map over the inputs of that layer. K becomes
// σ_w²·K + σ_b², and Θ becomes σ_w²·Θ plus the contribution of these weights and biases themselves, which is the new K.
func (b *builder) applyWeights(s signal, bias bool, read func(k *graph.Node) *graph.Node) signal {
	shift := 0.
	if bias {
		shift = b.biases
	}
	theta := s.cross.theta
	s.cross.theta = nil
	s = s.each(func(k *graph.Node) *graph.Node { return b.Shift(shift, b.Scale(b.weights, read(k))) })
	if s.cross.theta = s.cross.k; theta != nil {
		s.cross.theta = b.Add(s.cross.k, b.Scale(b.weights, read(theta)))
	}
	s.gaussian = true
	s.weightLayers++
	return s
}

// convolve averages over the windows of a convolution: at positions p and q it averages K(p + k, q + k) over k. Positions
// beyond the image count as 0.
func (b *builder) convolve(name string, c models.Conv, s signal) signal {
	if c.Depthwise || c.Geometry.Groups > 1 {
		return b.fail(name, "a convolution with groups")
	}
	shape := backend.ConvShape{
		N: 1, H: s.at.height, W: s.at.width, C: 1, Filters: 1, KH: c.Kernel[0], KW: c.Kernel[1],
		StrideH: c.Geometry.StrideH, StrideW: c.Geometry.StrideW, PadH: c.Geometry.PadH, PadW: c.Geometry.PadW,
		DilateH: c.Geometry.DilateH, DilateW: c.Geometry.DilateW,
	}.Normal()
	if err := shape.Check(); err != nil {
		return b.fail(name, "%w", err)
	}
	before, pairs := s.at, s.pairs
	s.at = places{shape.OutH(), shape.OutW()}
	taps, rows := shape.KH*shape.KW, s.at.rows(pairs)
	sets := b.sets(b.Graph, fmt.Sprint("windows ", shape, pairs), rows, rows*taps, func() (int, [][]int) {
		return before.rows(pairs), windowsOf(shape).sets(before, pairs)
	})
	return b.applyWeights(s, !c.NoBias, func(k *graph.Node) *graph.Node { return b.Scale(1/float64(taps), b.sumSets(k, sets)) })
}

// linear averages the covariances of each position with itself over all positions of flattened images.
func (b *builder) linear(l models.Linear, s signal) signal {
	if l.PerPosition || s.at.size() == 1 {
		return b.applyWeights(s, !l.NoBias, func(k *graph.Node) *graph.Node { return k })
	}
	before, pairs := s.at, s.pairs
	sets := b.sets(b.Graph, fmt.Sprint("all ", before, pairs), 1, before.size(), func() (int, [][]int) {
		all := make([]int, before.size())
		for i := range all {
			if all[i] = i; pairs {
				all[i] = i*len(all) + i
			}
		}
		return before.rows(pairs), [][]int{all}
	})
	s.at = places{1, 1}
	return b.applyWeights(s, !l.NoBias, func(k *graph.Node) *graph.Node {
		return b.Scale(1/float64(before.size()), b.sumSets(k, sets))
	})
}

// dual computes, for a nonlinearity φ and Gaussian values u and v with variances p and q and covariance k, E φ(u)φ(v) and, if
// slope is set, E φ′(u)φ′(v).
type dual func(k, p, q *graph.Node, slope bool) (value, slopes *graph.Node)

// activate returns the signal after a nonlinearity: K becomes E φ(u)φ(v), and Θ is multiplied by E φ′(u)φ′(v).
func (b *builder) activate(name string, s signal, phi dual) signal {
	if b.err != nil || b.Err() != nil {
		return signal{}
	}
	if !s.gaussian {
		return b.fail(name, "the input of a nonlinearity is not Gaussian: it must be what a convolution, a linear layer, "+
			"or a sum of such computes")
	}
	u, v := b.variances(s.x.k, s), b.variances(s.z.k, s)
	own := func(k, variances *graph.Node) *graph.Node {
		value, _ := phi(k, b.spread(variances, s, 0), b.spread(variances, s, 1), false)
		return value
	}
	// of repeats a map with a column for each image for all pairs of images.
	of := func(x *graph.Node, images, others int, first bool) *graph.Node {
		if b.Err() != nil {
			return nil
		}
		if rows := x.Shape()[0]; first {
			return b.RowMatMul(x, b.ones(rows, others), images, 1, others)
		} else {
			return b.RowMatMul(b.ones(rows, images), x, images, 1, others)
		}
	}
	p, q := of(b.spread(u, s, 0), b.images, b.others, true), of(b.spread(v, s, 1), b.images, b.others, false)
	k, slopes := phi(s.cross.k, p, q, true)
	s.x.k, s.z.k = own(s.x.k, u), own(s.z.k, v)
	s.cross = covariances{k, b.Mul(s.cross.theta, slopes)}
	s.gaussian = false
	return s
}

// ones returns a matrix of ones.
func (b *builder) ones(rows, columns int) *graph.Node {
	name := fmt.Sprintf("ones %d×%d", rows, columns)
	if n := b.Named(name); n != nil || b.Err() != nil {
		return n
	}
	n := b.Param(name, rows, columns)
	if err := b.Let(n, onesTensor(rows, columns)); err != nil {
		return b.Fail("%w", err)
	}
	return n
}

// relu is the dual of max(u, 0): √(pq)·κ₁(t)/2 and κ₀(t)/2, with t = k/√(pq).
func (b *builder) relu(k, p, q *graph.Node, slope bool) (value, slopes *graph.Node) {
	norms := b.Power(.5, b.Mul(p, q))
	t := b.CosinesOf(k, norms)
	value = b.Scale(.5, b.Mul(norms, b.ArcCosine1(t)))
	if slope {
		slopes = b.Scale(.5, b.Mask(norms, b.ArcCosine0(t))) // the gradient of a ReLU at 0 counts as 0
	}
	return value, slopes
}

// erf is the dual of the error function: (2/π)·arcsin(s), with s = 2k/√((1 + 2p)(1 + 2q)) and arcsin s = π(κ₀(s) − ½),
// and (4/π)/√((1 + 2p)(1 + 2q) − 4k²).
func (b *builder) erf(k, p, q *graph.Node, slope bool) (value, slopes *graph.Node) {
	squares := b.Mul(b.Shift(1, b.Scale(2, p)), b.Shift(1, b.Scale(2, q)))
	s := b.CosinesOf(b.Scale(2, k), b.Power(.5, squares))
	value = b.Shift(-1, b.Scale(2, b.ArcCosine0(s)))
	if slope {
		slopes = b.Scale(4/math.Pi, b.Power(-.5, b.Sub(squares, b.Scale(4, b.Mul(k, k)))))
	}
	return value, slopes
}

// sum adds two branches that read the same signal. Their covariances add up if the branches are independent and one
// of them has mean 0.
func (b *builder) sum(name string, before, one, other signal) signal {
	if b.err != nil || b.Err() != nil {
		return signal{}
	}
	fresh := func(s signal) bool { return s.gaussian && s.weightLayers > before.weightLayers }
	switch {
	case one.at != other.at:
		return b.fail(name, "branches of %d×%d and %d×%d positions", one.at.height, one.at.width, other.at.height, other.at.width)
	case !fresh(one) && !fresh(other):
		return b.fail(name, "the sum of branches is not Gaussian: all but one must end with a convolution or linear layer")
	}
	if one.pairs != other.pairs {
		one, other = b.dropPairs(one), b.dropPairs(other)
	}
	add := func(x, y *graph.Node) *graph.Node {
		switch {
		case x == nil:
			return y
		case y == nil:
			return x
		}
		return b.Add(x, y)
	}
	one.x.k, one.z.k, one.cross.k = add(one.x.k, other.x.k), add(one.z.k, other.z.k), add(one.cross.k, other.cross.k)
	one.cross.theta = add(one.cross.theta, other.cross.theta)
	one.gaussian = one.gaussian && other.gaussian
	one.weightLayers = max(one.weightLayers, other.weightLayers)
	return one
}

// dropPairs keeps only the covariances of positions with themselves.
func (b *builder) dropPairs(s signal) signal {
	if !s.pairs {
		return s
	}
	with := s
	s = s.each(func(k *graph.Node) *graph.Node { return b.variances(k, with) })
	s.pairs = false
	return s
}

// average averages over the windows of a pool.
func (b *builder) average(name string, s signal, p graph.Pool2D) signal {
	of := func(size, stride, pad, n int) ([]backend.Span, error) {
		return backend.Pooling{Size: size, Stride: stride, Pad: pad, Ceil: p.Ceil, CountPad: p.CountPad}.Spans(n)
	}
	rows, err := of(p.SizeH, p.StrideH, p.PadH, s.at.height)
	columns, err2 := of(p.SizeW, p.StrideW, p.PadW, s.at.width)
	return b.pool(name, s, rows, columns, errors.Join(err, err2))
}

// adapt averages over windows that cover the image.
func (b *builder) adapt(name string, s signal, p models.AdaptiveAvgPool) signal {
	rows, err := backend.AdaptiveSpans(s.at.height, p.H)
	columns, err2 := backend.AdaptiveSpans(s.at.width, p.W)
	return b.pool(name, s, rows, columns, errors.Join(err, err2))
}

// pool averages over windows along rows and columns: for windows P and Q it averages K(p, q) over all p in P and q in Q.
// After the last pool only pairs of a position with itself are needed.
func (b *builder) pool(name string, s signal, rows, columns []backend.Span, err error) signal {
	if err != nil {
		return b.fail(name, "%w", err)
	}
	b.pools--
	w := pooled(s.at, rows, columns)
	before := s.at
	s.at = places{len(rows), len(columns)}
	read := 0
	for _, at := range w.at {
		read += len(at)
	}
	sets := b.sets(b.Graph, fmt.Sprint("pool ", before, rows, columns), s.at.rows(true), read*read, func() (int, [][]int) {
		return before.rows(true), w.meetings(before)
	})
	shares := b.shares(w)
	out := s.each(func(k *graph.Node) *graph.Node { return b.ColMul(b.sumSets(k, sets), shares) })
	if b.pools == 0 {
		return b.dropPairs(out)
	}
	return out
}

// sumSets sums sets of rows of a map.
func (b *builder) sumSets(k *graph.Node, sets *backend.Sets) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	return b.SumSets(k, sets)
}
