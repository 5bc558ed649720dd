package gpu

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/device"
)

// chain is a chain of elementwise instructions as a kernel of its own. The numbers of its instructions are arguments, so
// that chains that differ in them alone are one kernel.
type chain struct {
	program *device.Program
	numbers []float64
}

// mostChains is the number of chains whose kernels are remembered. The programs that made them may be gone.
const mostChains = 4096

// Elementwise implements backend.Engine.
func (e *engine[T]) Elementwise(instrs *backend.Chain, operands [][]T, cols int, dst []T) {
	k := e.chains[instrs]
	if k == nil {
		if len(e.chains) >= mostChains {
			clear(e.chains)
		}
		k = e.compile(instrs, len(operands))
		e.chains[instrs] = k
	}
	c := e.begin()
	for _, x := range operands {
		c.in(x)
	}
	c.out(dst)
	c.longs(len(dst), cols)
	c.reals(k.numbers...)
	c.program = k.program
	c.each("chain", len(dst))
	c.end()
}

// compile returns the kernel of a chain.
func (e *engine[T]) compile(instrs *backend.Chain, operands int) *chain {
	k := &chain{}
	var parameters, use, body strings.Builder
	for i := range operands {
		fmt.Fprintf(&parameters, "IN(real, x%d), ", i)
		fmt.Fprintf(&use, "\tUSE_IN(real, x%d);\n", i)
	}
	parameters.WriteString("OUT(real, dst), index size, index cols")
	vectors := false
	for i, in := range instrs.Instrs {
		_, v := in.Code.Operands()
		vectors = vectors || v > 0
		fmt.Fprintf(&parameters, ", real k%d", i)
		k.numbers = append(k.numbers, in.K)
		fmt.Fprintf(&body, "\treal r%d = %s;\n", i, expression(in, i))
	}
	place := ""
	if vectors {
		place = "\tindex row = at / cols, col = at % cols;\n"
	}
	text := fmt.Sprintf("%s\nKERNEL void chain(%s) {\n%s\tUSE_OUT(real, dst);\n\tindex at = LINEAR;\n"+
		"\tif (at >= size) return;\n%s%s\tdst[at] = r%d;\n}\n", source("prelude.cl"), parameters.String(), use.String(), place,
		body.String(), len(instrs.Instrs)-1)
	var err error
	k.program, err = e.unit.card.build(text, e.options)
	check(err)
	return k
}

// formulas are the instructions in C. In them a and b are elements, v and w vectors, and k the number.
var formulas = map[backend.Code]string{
	backend.Add: "a + b", backend.Sub: "a - b", backend.Mul: "a * b", backend.Mask: "a > 0 ? b : 0",
	backend.ReLU:  "a <= 0 ? 0 : a",                                    // a NaN passes
	backend.Tanh:  "a > SATURATED ? 1 : a < -SATURATED ? -1 : tanh(a)", // tanh may be off by its last bit
	backend.Scale: "k * a", backend.Shift: "a + k", backend.Rsqrt: "1 / sqrt(a)",
	backend.Exp: "exp(a)", backend.Power: "a <= 0 ? 0 : pow(a, k)",
	backend.Clamp:    "a >= 1 - k ? 1 : a <= k - 1 ? -1 : a",
	backend.ArcCos0:  "1 - acos(a) / (real)3.14159265358979323846",
	backend.ArcCos1:  "sqrt(1 - a * a > 0 ? 1 - a * a : 0) / (real)3.14159265358979323846 + a * b",
	backend.AtLeast:  "a < k * b ? 0 : a",
	backend.Sigmoid:  "1 / (1 + exp(-a))",
	backend.Softplus: "(a > 0 ? a : 0) + log1p(exp(-fabs(a)))",
	backend.Erf:      "erf(a)", backend.Log: "log(a)", backend.Sqrt: "sqrt(a)", backend.Inverse: "1 / a",
	backend.Pow: "pow(a, k)", backend.Sin: "sin(a)", backend.Cos: "cos(a)",
	backend.Greater: "a < k ? k : a", backend.Less: "a > k ? k : a", backend.Max: "a < b || b != b ? b : a",
	backend.RowFill: "v[col]", backend.RowAdd: "a + v[col]", backend.RowMul: "a * v[col]",
	backend.RowAffine: "a * v[col] + w[col]", backend.ScalarMul: "a * v[0]", backend.ScalarFill: "v[0]",
	backend.ColMul: "a * v[row]", backend.ColFill: "v[row]",
	backend.Distance: "v[row] + w[col] + a < k * (v[row] + w[col]) ? 0 : v[row] + w[col] + a",
}

// powers are the powers that have a formula of their own.
var powers = map[float64]string{
	.5: "sqrt(a)", -1: "1 / a", -2: "1 / (a * a)", -.5: "1 / sqrt(a)", -1.5: "1 / (a * sqrt(a))", 2: "a * a",
}

// expression returns the i-th instruction of a chain in C.
func expression(in backend.Instr, i int) string {
	formula := formulas[in.Code]
	if formula == "" {
		panic(fmt.Sprintf("no formula of instruction %d", in.Code))
	}
	if own := powers[in.K]; own != "" && in.Code == backend.Power {
		formula = "a <= 0 ? 0 : " + own
	} else if own != "" && in.Code == backend.Pow {
		formula = own
	}
	element := func(operand int32) string {
		if operand < 0 {
			return fmt.Sprintf("r%d", ^operand)
		}
		return fmt.Sprintf("x%d[at]", operand)
	}
	names := map[string]string{
		"a": element(in.A), "b": element(in.B), "k": fmt.Sprintf("k%d", i), "v": fmt.Sprintf("x%d", in.V),
		"w": fmt.Sprintf("x%d", in.W),
	}
	return replaceWords(formula, names)
}

// replaceWords replaces whole words of a text.
func replaceWords(text string, names map[string]string) string {
	var out strings.Builder
	for len(text) > 0 {
		n := strings.IndexFunc(text, func(r rune) bool { return !letter(r) })
		if n < 0 {
			n = len(text)
		}
		if word := text[:n]; names[word] != "" {
			out.WriteString(names[word])
		} else {
			out.WriteString(word)
		}
		if text = text[n:]; text != "" {
			out.WriteByte(text[0])
			text = text[1:]
		}
	}
	return out.String()
}

func letter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
}
