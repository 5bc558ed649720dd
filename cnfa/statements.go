package cnfa

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/suggest"
)

// Statement is a published statement about the matrices of a layer: that two of them are proportional. W = UΣVᵀ are the
// layer's filters, c×d, h what it reads, δ the gradient of an output, and δℓ that of an image's cross-entropy, in its
// pre-activation; S = Σδδᵀ, S_ℓ = Σδℓδℓᵀ, C = Σhhᵀ, and G is the gradient of the mean cross-entropy in W.
//
// Every null keeps Σ and all measured matrices. It replaces U by random directions among the filters, or V by random
// directions among the elements of a patch. So it keeps the singular values of W and the spectra of S, S_ℓ, C and G,
// and destroys the alignment of W with them. What similarity remains between the two matrices is due to their spectra,
// and to the W that both may contain.
type Statement struct {
	Name, Says, Source string
	// Turns says what the null replaces: "U" or "V".
	Turns string
	// SameAs is the name of an equivalent statement; "" if there is none.
	SameAs string
	needs  needs
}

// CanHold says in words at which layers the statement can hold.
func (s Statement) CanHold() string {
	switch s.Name {
	case FACT, BackFACT:
		return "in networks trained with weight decay, at layers without a batch norm after them"
	case CentredNFA:
		return "where the filters before training are known"
	}
	return "at every layer"
}

// needs says what a statement needs besides the similarity of the ansatz: S as a matrix, S_ℓ, C, G, or W₀.
type needs struct{ outputs, loss, inputs, gradient, initial bool }

// add adds the needs of another statement.
func (n *needs) add(m needs) {
	n.outputs, n.loss, n.inputs = n.outputs || m.outputs, n.loss || m.loss, n.inputs || m.inputs
	n.gradient, n.initial = n.gradient || m.gradient, n.initial || m.initial
}

// lossPass reports whether a [lossPass] is needed.
func (n needs) lossPass() bool { return n.inputs || n.gradient || n.loss }

// Names of statements; those about a fixed power of the AGOP have no constant.
const (
	NFA        = "nfa"
	FittedNFA  = "nfa^fit"
	CentredNFA = "c-nfa"
	LossAGOP   = "loss-agop"
	FACT       = "fact"
	BackFACT   = "bfact"
	InputCov   = "input-covariance"
	Commutator = "commutator"
	ForwardRGA = "crh-f-rga"
	ForwardRWA = "crh-f-rwa"
	ForwardGWA = "crh-f-gwa"
	BackRGA    = "crh-b-rga"
	BackRWA    = "crh-b-rwa"
	BackGWA    = "crh-b-gwa"
)

// powerPrefix begins the name of a statement about a power of the AGOP.
const powerPrefix = NFA + "^"

// Statements lists the statements that can be measured; those about powers of the AGOP with the exponents ¼ and ½.
func Statements() []Statement {
	loss, inputs, gradient := needs{loss: true}, needs{inputs: true}, needs{gradient: true}
	both := needs{loss: true, inputs: true}
	const power, centred, fact, crh = "arXiv 2510.15563", "arXiv 2402.05271", "arXiv 2507.05644", "arXiv 2410.03006"
	return []Statement{
		{Name: NFA, Says: "WᵀW ∝ AGOP = WᵀSW", Source: "arXiv 2309.00570, eq. 2", Turns: "U"},
		{Name: powerPrefix + "0.25", Says: "WᵀW ∝ AGOP^¼", Source: power, Turns: "U"},
		{Name: powerPrefix + "0.5", Says: "WᵀW ∝ AGOP^½", Source: power + "; the code of arXiv 2212.13881", Turns: "U"},
		{Name: FittedNFA, Says: "WᵀW ∝ AGOP^α, with the α that makes the two spectra most alike", Source: power, Turns: "U"},
		{Name: CentredNFA, Says: "DᵀD ∝ DᵀSD for D = W − W₀", Source: centred, Turns: "U", needs: needs{initial: true}},
		{Name: LossAGOP, Says: "WᵀW ∝ WᵀS_ℓW", Source: centred, Turns: "U", needs: loss},
		{Name: FACT, Says: "WᵀW ∝ −WᵀG", Source: fact, Turns: "U", needs: gradient},
		{Name: BackFACT, Says: "WWᵀ ∝ −GWᵀ", Source: fact, Turns: "V", needs: gradient},
		{Name: InputCov, Says: "WᵀW ∝ C", Source: "a control", Turns: "V", needs: inputs},
		{Name: Commutator, Says: "WᵀW and AGOP commute: ‖[WᵀW, AGOP]‖/(√2‖WᵀW‖‖AGOP‖) is 0", Source: "a control",
			Turns: "U", needs: needs{outputs: true}},
		{Name: ForwardRGA, Says: "WCWᵀ ∝ S_ℓ", Source: crh, Turns: "U", needs: both},
		{Name: ForwardRWA, Says: "WCWᵀ ∝ WWᵀ", Source: crh, Turns: "V", needs: inputs},
		{Name: ForwardGWA, Says: "S_ℓ ∝ WWᵀ", Source: crh, Turns: "U", needs: loss},
		{Name: BackRGA, Says: "C ∝ WᵀS_ℓW", Source: crh, Turns: "V", needs: both},
		{Name: BackRWA, Says: "C ∝ WᵀW", Source: crh, Turns: "V", SameAs: InputCov, needs: inputs},
		{Name: BackGWA, Says: "WᵀS_ℓW ∝ WᵀW", Source: crh, Turns: "U", SameAs: LossAGOP, needs: loss},
	}
}

// LookupStatement returns a statement by its name: one of [Statements], or nfa^α for a number 0 < α ≤ 4. For any other
// name it returns an error that lists the known names.
func LookupStatement(name string) (Statement, error) {
	var names []string
	for _, s := range Statements() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	if text, ok := strings.CutPrefix(name, powerPrefix); ok {
		alpha, err := strconv.ParseFloat(text, 64)
		if err != nil || !(alpha > 0 && alpha <= maxExponent) {
			return Statement{}, fmt.Errorf("cnfa: statement %q: want an exponent above 0 and at most %v", name, maxExponent)
		}
		return Statement{Name: name, Says: "WᵀW ∝ AGOP^" + text, Source: "arXiv 2510.15563", Turns: "U"}, nil
	}
	return Statement{}, fmt.Errorf("cnfa: no statement %q: want %s, or nfa^α%s", name, strings.Join(names, ", "),
		suggest.Hint(name, names))
}

// exponent returns α of a statement about a power of the AGOP, 0 for a fitted one.
func (s Statement) exponent() (alpha float64, ok bool) {
	text, ok := strings.CutPrefix(s.Name, powerPrefix)
	if !ok || s.Name == FittedNFA {
		return 0, ok
	}
	alpha, err := strconv.ParseFloat(text, 64)
	return alpha, err == nil
}

// Alignment is how far a statement holds at a layer: Pearson's correlation of all elements of its two matrices, and for
// [Commutator] the norm that it defines. A layer with groups counts all elements of all its blocks.
type Alignment struct {
	Name string
	// Value has the standard error StdErr, by the jackknife over groups of images; NaN with one group.
	Value, StdErr float64
	// Null and NullSD are the mean and the standard deviation of the value under the statement's null.
	Null, NullSD float64
	Draws        []float64 // of the null, one by one
	// Exponent is α of a statement about a power of the AGOP.
	Exponent float64
	// CannotHold says why the statement cannot be expected to hold at this layer; "" if nothing speaks against it.
	CannotHold string
	// Err is set if the value is not defined; the other numbers are then meaningless.
	Err error
}

// Excess returns how far the value lies above its null or, for [Commutator], which is small for aligned matrices, below
// it.
func (a Alignment) Excess() float64 {
	if a.Name == Commutator {
		return a.Null - a.Value
	}
	return a.Value - a.Null
}

// NormalisedExcess returns the excess relative to the largest possible one, (value − null)/(1 − null), or (null −
// value)/null for [Commutator]; NaN if the null leaves no room for an excess.
func (a Alignment) NormalisedExcess() float64 {
	room := 1 - a.Null
	if a.Name == Commutator {
		room = a.Null
	}
	if !(room > 1e-9) {
		return math.NaN()
	}
	return a.Excess() / room
}

// statements returns the statements of Options.Alignments.
func (o *Options) statements() ([]Statement, error) {
	var all []Statement
	for i, name := range o.Alignments {
		s, err := LookupStatement(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(o.Alignments[:i], name) {
			return nil, fmt.Errorf("cnfa: statement %q is listed twice", name)
		}
		all = append(all, s)
	}
	return all, nil
}

// LossPass reports whether the statements need a backward pass of the loss, and whether that sums the moments of the
// layers' inputs and the gradients in the weights.
func (o Options) LossPass() (needed, inputs, gradients bool) {
	n := o.needs()
	return n.lossPass(), n.inputs, n.gradient
}

// needs returns what the statements of Options.Alignments need. Their names must have been checked.
func (o *Options) needs() (n needs) {
	all, _ := o.statements()
	for _, s := range all {
		n.add(s.needs)
	}
	return n
}
