package layers

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
)

// Tokens turns the positions of images into tokens, (image, token, feature), row by row.
type Tokens struct{}

// Build implements [models.Layer].
func (Tokens) Build(b *models.Builder, _ string, x *graph.Node) *graph.Node {
	if b.Err() != nil || x.Dims() == 3 {
		return x
	}
	s := x.Shape()
	if len(s) != 4 {
		return b.Fail("tokens are made of images, not of an input of shape %v", s)
	}
	return b.Reshape(x, s[0], s[1]*s[2], s[3])
}

// tokens returns the shape of an input of tokens.
func tokens(b *models.Builder, x *graph.Node) (images, count, features int, ok bool) {
	if b.Err() != nil {
		return 0, 0, 0, false
	}
	s := x.Shape()
	if len(s) != 3 {
		b.Fail("it reads tokens (image, token, feature), not an input of shape %v", s)
		return 0, 0, 0, false
	}
	return s[0], s[1], s[2], true
}

// ClassToken puts a learned token, (1, 1, feature), before those of every image. The parameter has the name of the layer.
type ClassToken struct{}

// Build implements [models.Layer].
func (ClassToken) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	n, _, d, ok := tokens(b, x)
	if !ok {
		return nil
	}
	token := b.Declare(name, models.OwnParam, models.Constant(0), 1, 1, d)
	return b.Concat(1, b.Expand(token, n, 1, d), x)
}

// PositionEmbedding adds a learned vector to every token; they are (1, token, feature). The parameter has the layer's name.
type PositionEmbedding struct{}

// Build implements [models.Layer].
func (PositionEmbedding) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	_, t, d, ok := tokens(b, x)
	if !ok {
		return nil
	}
	return b.AddBroadcast(x, b.Declare(name, models.OwnParam, models.Normal{.02}, 1, t, d))
}

// FirstToken returns the features of the first token of every image.
type FirstToken struct{}

// Build implements [models.Layer].
func (FirstToken) Build(b *models.Builder, _ string, x *graph.Node) *graph.Node {
	n, _, d, ok := tokens(b, x)
	if !ok {
		return nil
	}
	return b.Reshape(b.Slice(x, 1, 0, 1, 1), n, d)
}

// MeanToken returns the mean of the tokens of every image.
type MeanToken struct{}

// Build implements [models.Layer].
func (MeanToken) Build(b *models.Builder, _ string, x *graph.Node) *graph.Node {
	n, _, d, ok := tokens(b, x)
	if !ok {
		return nil
	}
	return b.Reshape(b.MeanAxes(x, 1), n, d)
}

// Attention is PyTorch's nn.MultiheadAttention as self-attention. One projection, in_proj_weight, computes the queries, keys
// and values; [models.Network.Layers] lists them as the layers NAME/query, NAME/key and NAME/value, each with its heads.
// The layer NAME.out_proj projects the result.
type Attention struct{ Heads int }

// Build implements [models.Layer].
func (a Attention) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	n, t, d, ok := tokens(b, x)
	if !ok {
		return nil
	}
	if a.Heads < 1 || d%a.Heads != 0 {
		return b.Fail("%d heads do not divide %d features", a.Heads, d)
	}
	in := b.Declare(name+".in_proj_weight", models.LinearWeight, nil, 3*d, d)
	inBias := b.Declare(name+".in_proj_bias", models.LinearBias, nil, 3*d)
	out := b.Declare(name+".out_proj.weight", models.LinearWeight, nil, d, d)
	outBias := b.Declare(name+".out_proj.bias", models.LinearBias, nil, d)
	qkv := b.LinearLayer(name, x, in, inBias)
	b.Parts(name, graph.QueryKeyValue(d, a.Heads)...)
	if b.Err() != nil {
		return nil
	}
	var heads [3]*graph.Node // (image, head, token, feature)
	for i, part := range b.Split(qkv, 2, d, d, d) {
		if b.Err() != nil {
			return nil
		}
		heads[i] = b.Permute(b.Reshape(part, n, t, a.Heads, d/a.Heads), 0, 2, 1, 3)
	}
	scores := b.BatchMatMul(b.Scale(1/math.Sqrt(float64(d/a.Heads)), heads[0]), heads[1], false, true)
	if b.Err() != nil {
		return nil
	}
	mixed := b.Permute(b.BatchMatMul(b.Softmax(scores), heads[2], false, false), 0, 2, 1, 3)
	if b.Err() != nil {
		return nil
	}
	y := b.LinearLayer(name+".out_proj", b.Reshape(mixed, n, t, d), out, outBias)
	b.Parts(name+".out_proj", graph.Part{Heads: a.Heads, HeadColumns: true})
	return y
}
