package fromonnx

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/onnx"
	"github.com/ansatz-lab/ansatz/models/weights"
	"gorgonia.org/tensor"
)

// weight is a stored tensor that training may change.
type weight struct {
	tensor *onnx.Tensor
	role   models.Role
	// turned says that the file has the weights of a linear layer as (feature, unit). The parameter is (unit, feature).
	turned bool
	// sequence says that convolutions of sequences read the tensor, (filter, channel, position). The parameter is (filter,
	// channel, 1, position): sequences are images of one row.
	sequence bool
	// of is the name of the parameter: the tensor's name, or the name of the tensor that it repeats.
	of string
}

// findWeights returns the stored tensors that are weights: those of floating point numbers that a layer or a norm reads as
// weights, and all others but single numbers whose name the exporter made up, and those that set how an op works, such as
// the bounds of a Clip. Those are constants of the network.
func findWeights(g *onnx.Graph) (map[string]weight, error) {
	all := map[string]weight{}
	read, settings := map[string]bool{}, map[string]bool{}
	for _, n := range g.Nodes {
		for i, name := range n.Inputs {
			if _, ok := roleOf(n, i); ok {
				read[name] = true
			}
			if i > 0 && slices.Contains([]string{"Clip", "Dropout", "Pad", "Resize", "Range", "CastLike"}, n.Op) {
				settings[name] = true
			}
			if i > 4 && recurrent[n.Op].gates > 0 && anonymous(name) { // a state before the first step that is no parameter
				settings[name] = true
			}
		}
	}
	storeConstants(g, read)
	maps.Copy(settings, exponents(g))
	for _, n := range slices.Backward(g.Nodes) { // what a setting is computed from, as the cast of a bound in float16, is one
		for _, name := range n.Inputs {
			settings[name] = settings[name] || len(n.Outputs) > 0 && settings[n.Outputs[0]] && onnx.CanEvaluate(n.Op)
		}
	}
	for name, t := range g.Initializers {
		if t.IsFloat() && (read[name] || !settings[name] && (t.Size() > 1 || !anonymous(name) && !constantName.MatchString(name))) {
			all[name] = weight{tensor: t, role: models.OwnParam, of: name}
		}
	}
	repeatStored(g, all)
	// A use counts for the parameter, whichever of its names the node reads. Products read it as (feature, unit), layers as
	// it is stored.
	roles, products, layers := map[string]models.Role{}, map[string]bool{}, map[string]bool{}
	sequences := map[string]bool{}
	for _, n := range g.Nodes {
		for i, name := range n.Inputs {
			w := all[name]
			if w.tensor == nil {
				continue
			}
			if r, ok := roleOf(n, i); ok {
				roles[w.of] = r
			}
			if n.Op == "Conv" && i == 1 {
				sequences[w.of] = true
			}
			factor, turned := rightFactor(n, i)
			products[w.of] = products[w.of] || factor && !turned
			layers[w.of] = layers[w.of] || factor && turned || n.Op == "Transpose" || n.Op == "Conv"
		}
	}
	for name, role := range linearRoles(g) {
		if w := all[name]; w.tensor != nil && (role != models.LinearBias || len(w.tensor.Shape) == 1) {
			roles[w.of] = role
		}
	}
	for name, w := range all {
		if role, ok := roles[w.of]; ok {
			w.role = role
		}
		w.sequence = sequences[w.of] && len(w.tensor.Shape) == 3
		if w.turned = products[w.of] && !layers[w.of] && len(w.tensor.Shape) == 2; w.turned {
			w.role = models.LinearWeight
		}
		if w.role == models.OwnParam && w.masks() {
			w.role = models.Buffer
		}
		all[name] = w
	}
	return all, withoutTransposes(g, all)
}

// constantName matches the names that exporters and simplifiers give to numbers that are no parameters of a module, and not
// reconstruction.scale.
var constantName = regexp.MustCompile(`^/|(?i:(^|[^a-z])const(ant(folding)?)?([^a-z]|$))`)

// exponents returns the names of stored whole numbers to which tensors are raised that may be below 0, as those in a variance or
// in an approximate GELU. They are no parameters: a learned exponent needs a base above 0.
func exponents(g *onnx.Graph) map[string]bool {
	above, names := map[string]bool{}, map[string]bool{}
	for _, n := range g.Nodes {
		switch {
		case len(n.Outputs) == 0:
			continue // refused when it is built
		case slices.Contains([]string{"Clip", "Relu", "Abs", "Exp", "Sigmoid", "Softplus"}, n.Op):
			above[n.Outputs[0]] = true
		case slices.Contains([]string{"Add", "Mul", "ReduceMean", "Identity", "Cast"}, n.Op): // of a tensor and a small number
			above[n.Outputs[0]] = slices.ContainsFunc(n.Inputs, func(name string) bool { return above[name] })
		}
		if n.Op != "Pow" || len(n.Inputs) != 2 || above[n.Inputs[0]] {
			continue
		}
		t := g.Initializers[n.Inputs[1]]
		if t == nil || !t.IsFloat() || t.Size() != 1 {
			continue
		}
		v, err := t.Doubles() // an error is found again where the weights are read
		if err == nil && v[0] == math.Trunc(v[0]) {
			names[n.Inputs[1]] = true
		}
	}
	return names
}

// storeConstants makes stored tensors of the lists of floating point numbers in Constant nodes, and of those that a layer reads
// as weights, if the file stores no such list otherwise. Files of Paddle2ONNX have all weights in such nodes.
func storeConstants(g *onnx.Graph, read map[string]bool) {
	for _, t := range g.Initializers {
		if t.IsFloat() && t.Size() > 1 {
			return
		}
	}
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n *onnx.Node) bool {
		t := n.Tensor("value")
		if n.Op != "Constant" || t == nil || len(n.Outputs) != 1 || !t.IsFloat() || t.Size() < 2 && !read[n.Outputs[0]] {
			return false
		}
		g.Initializers[n.Outputs[0]] = t
		return true
	})
}

// masks reports whether a tensor has infinities, or has 0 and one number of at most −100 and no others: it is a mask, which
// training must not change.
func (w weight) masks() bool {
	v, err := w.tensor.Doubles() // an error is found again where the weights are read
	if err != nil || len(v) == 0 {
		return false
	}
	least := slices.Min(v)
	return slices.ContainsFunc(v, func(x float64) bool { return math.IsInf(x, 0) }) ||
		least <= -100 && slices.Contains(v, 0) && !slices.ContainsFunc(v, func(x float64) bool { return x != 0 && x != least })
}

// linearRoles returns the roles of tensors in matrix products: weights that are transposed and multiply from the right,
// and vectors that are added to products.
func linearRoles(g *onnx.Graph) map[string]models.Role {
	roles := map[string]models.Role{}
	turned, products := map[string]string{}, map[string]bool{}
	rows := rowsCut(g)
	stored := func(name string) string { return cmp.Or(rows[name], name) }
	for _, n := range g.Nodes {
		if len(n.Inputs) == 0 || n.Op == "MatMul" && len(n.Inputs) != 2 {
			continue // refused when it is built
		}
		switch n.Op {
		case "Transpose":
			turned[n.Outputs[0]] = stored(n.Inputs[0])
		case "MatMul":
			products[n.Outputs[0]] = true
			if name := turned[n.Inputs[1]]; name != "" {
				roles[name] = models.LinearWeight
			}
		case "Add":
			for i, name := range n.Inputs {
				if len(n.Inputs) == 2 && products[n.Inputs[1-i]] {
					roles[stored(name)] = models.LinearBias
				}
			}
		}
	}
	return roles
}

// roleOf returns the role of a node's i-th input, if it has one.
func roleOf(n *onnx.Node, i int) (models.Role, bool) {
	var roles []models.Role
	switch n.Op {
	case "Conv", "ConvTranspose":
		roles = []models.Role{models.ConvWeight, models.ConvBias}
	case "Gemm":
		roles = []models.Role{models.LinearWeight, models.LinearBias}
	case "BatchNormalization":
		roles = []models.Role{models.NormScale, models.NormShift, models.NormMean, models.NormVar}
	case "LayerNormalization", "InstanceNormalization", "GroupNormalization":
		roles = []models.Role{models.NormScale, models.NormShift}
	}
	if i < 1 || i > len(roles) {
		return 0, false
	}
	return roles[i-1], true
}

// shape returns the shape of the parameter in the expression.
func (w weight) shape() []int {
	switch s := w.tensor.Shape; {
	case w.sequence:
		return []int{s[0], s[1], 1, s[2]}
	case len(s) == 0:
		return []int{1}
	}
	return w.stored()
}

// stored returns the shape of the parameter in files of weights, which is PyTorch's.
func (w weight) stored() []int {
	if s := w.tensor.Shape; w.turned {
		return []int{s[1], s[0]}
	}
	return w.tensor.Shape
}

// value returns the parameter in the shape that stored returns, as float64 if the file has float64 and else as float32.
func (w weight) value() (*tensor.Dense, error) {
	if w.tensor.IsDouble() {
		v, err := w.tensor.Doubles()
		return dense(w, v, err)
	}
	v, err := w.tensor.Floats()
	return dense(w, v, err)
}

// dense returns a parameter from the numbers v of its tensor, or the error err of reading them.
func dense[T float32 | float64](w weight, v []T, err error) (*tensor.Dense, error) {
	if err != nil {
		return nil, err
	}
	if w.turned {
		v = turn(v, w.tensor.Shape)
	}
	if len(w.stored()) == 0 {
		return tensor.New(tensor.FromScalar(v[0])), nil
	}
	return tensor.New(tensor.WithShape(w.stored()...), tensor.WithBacking(v)), nil
}

// turn returns the transpose of a matrix.
func turn[T float32 | float64](v []T, shape []int) []T {
	out := make([]T, len(v))
	for i := range shape[0] {
		for j := range shape[1] {
			out[j*shape[0]+i] = v[i*shape[1]+j]
		}
	}
	return out
}

// stateDict returns the weights with the given names, as the file has them. It returns an error for empty tensors.
func stateDict(names []string, all map[string]weight) (*weights.StateDict, error) {
	d := new(weights.StateDict)
	for _, name := range names {
		if all[name].tensor.Size() < 1 {
			return nil, &Error{fmt.Sprintf("the weights %q have the shape %v, without elements", name, all[name].tensor.Shape)}
		}
		v, err := all[name].value()
		if err != nil {
			return nil, err
		}
		d.Set(name, v)
	}
	return d, nil
}

// declare declares a stored tensor as a parameter, or a constant of the network as a buffer.
func (b *builder) declare(name string) value {
	if b.Err() != nil {
		return value{}
	}
	if w := b.weights[name]; w.tensor != nil {
		if w.of != name {
			return value{b.named(w.of).node, order(w)}
		}
		var start models.Scheme
		if w.role == models.OwnParam || w.role == models.Buffer {
			v, err := w.tensor.Floats()
			if err != nil {
				b.Fail("%w", err)
				return value{}
			}
			start = given(v)
		}
		n := b.Declare(name, w.role, start, w.shape()...)
		b.StoredAs(n, w.stored()...)
		return value{n, order(w)}
	}
	t := b.constant(name)
	switch {
	case t == nil:
		b.Fail("it reads %q, which no node makes", name)
		return value{}
	case t.Size() > mostElements:
		b.Fail("the constant %q has %d elements: want at most %d", name, t.Size(), mostElements)
		return value{}
	case !t.IsFloat():
		b.Fail("it computes with %q, whole numbers of type %v: want floating point numbers; networks of quantised weights "+
			"are not supported", name, t.Type)
		return value{}
	}
	v, err := t.Floats()
	if err != nil {
		b.Fail("the constant %q: %w", name, err)
		return value{}
	}
	shape := t.Shape
	if len(shape) == 0 {
		shape = []int{1}
	}
	return plain(b.Declare(bufferPrefix+name, models.Buffer, given(v), shape...))
}

// order returns the order in which the parameter holds the axes of a stored tensor.
func order(w weight) []int {
	if w.turned {
		return []int{1, 0}
	}
	return identity(len(w.shape()))
}

// bufferPrefix begins the names of parameters that hold constants of the network.
const bufferPrefix = "constant:"

// mostElements is the largest number of elements of a constant of the network, and of an axis that an op makes longer.
const mostElements = 1 << 26

// given is the initialisation scheme of a tensor that starts with its values in the file.
type given []float32

// Draw implements [models.Scheme].
func (g given) Draw(_ *rand.Rand, dst []float32, _ models.Place) { copy(dst, g) }

// String implements [models.Scheme].
func (g given) String() string { return "as in the ONNX file" }

// layerName returns the name of the layer of a node with a weight: the weight's name without its last part or, if the
// exporter made that name up, the path of modules in the node's name.
func layerName(n *onnx.Node, weight string) string {
	if !anonymous(weight) {
		for _, end := range []string{".weight", ".in_proj_weight", "/weight", ".w_0"} {
			if name, ok := strings.CutSuffix(weight, end); ok && name != "" {
				return name
			}
		}
		return weight
	}
	if name := modulePath(n.Name); name != "" {
		return name
	}
	return weight
}

// anonymous reports whether a name is one that an exporter made up: digits, or onnx::OP_DIGITS.
func anonymous(name string) bool {
	return strings.HasPrefix(name, "onnx::") || strings.Trim(name, "0123456789") == ""
}

// modulePath returns the path of modules in a node's name: layer1.0.conv1 for /layer1/layer1.0/conv1/Conv. It is empty
// if the name has no path.
func modulePath(node string) string {
	parts := strings.Split(strings.Trim(node, "/"), "/")
	if len(parts) < 2 {
		return ""
	}
	path := ""
	for _, p := range parts[:len(parts)-1] {
		switch {
		case path == "" || strings.HasPrefix(p, path+"."):
			path = p
		default:
			path += "." + p
		}
	}
	return path
}
