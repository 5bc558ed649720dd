package experiments

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/models"
)

// VerifySpec is what a verification of the ansatz is asked for: Arch, Weights,
// Data and Images at least. Other zero fields take the test split, all outputs
// and all layers.
type VerifySpec struct {
	DataSpec
	Arch        string  // a name or the path of a TOML file
	Width       float64 // a factor on the architecture's widths; 0 is 1
	Weights     string  // a file of weights
	InitWeights string  // one of the weights before training, if there is one
	Images      int     // how many; negative is [DefaultImages], or all if there are fewer
	Outputs     string  // all, or probes:N
	Layers      string  // a regular expression; "" is all
	MinusInit   bool    // the CNFM of W − W₀
	Groups      int     // of images, for the jackknife
	NullDraws   int     // 0 is [cnfa.DefaultNullDraws]
	Batch       int     // images at a time; 0 is what suits memory and caches
	Precision   int     // 32 or 64 bits; 0 is 32
	Backend     string  // native or go; "" is native where it is built in
	Threads     int     // 0 is all cores
}

// DefaultImages is how many images a verification takes unless told.
const DefaultImages = 200

// Verification is a verification that has its network and images.
type Verification struct {
	spec    VerifySpec
	arch    *models.Architecture
	net     *models.Network
	initial cnfa.Filters
	source  *source
	options cnfa.Options
	conv    Conventions
}

// NewVerification opens what the spec names. All its errors are the input's.
func NewVerification(s VerifySpec) (*Verification, error) {
	a, err := lookup(s.Arch)
	if err != nil {
		return nil, err
	}
	if a.Width = s.Width; !(s.Width >= 0) || math.IsInf(s.Width, 0) {
		return nil, badInput("--width %v: want a finite number above 0", s.Width)
	}
	src, err := openData(s.DataSpec, a)
	if err != nil {
		return nil, err
	}
	net, state, err := openWeights(a, s.Weights, src.shape())
	if err != nil {
		return nil, err
	}
	// Weights that were trained here say how their images were normalised.
	s.Normalise = cmp.Or(s.Normalise, state.Metadata()[normalisationMetadata])
	if err := src.normalise(s.DataSpec, net.Arch); err != nil {
		return nil, err
	}
	v, err := newVerification(s, net, src)
	if err != nil {
		return nil, err
	}
	v.conv.WeightsSHA256 = state.SHA256()
	return v, v.openInitial()
}

// newVerification prepares the verification of a network on images.
func newVerification(s VerifySpec, net *models.Network, src *source) (*Verification, error) {
	o, err := s.options()
	if err != nil {
		return nil, err
	}
	v := &Verification{spec: s, arch: net.Arch, net: net, source: src, options: o}
	if err := v.chooseImages(); err != nil {
		return nil, err
	}
	if err := v.checkLayers(); err != nil {
		return nil, err
	}
	return v, v.describe()
}

// options turns flags into options.
func (s VerifySpec) options() (o cnfa.Options, err error) {
	o = cnfa.Options{
		FromInitial: s.MinusInit, Groups: s.Groups, NullDraws: s.NullDraws, Batch: s.Batch,
		Seed: s.Seed, Backend: s.Backend, Threads: s.Threads,
	}
	if o.Probes, err = parseOutputs(s.Outputs); err != nil {
		return o, err
	}
	if s.Layers != "" {
		if o.Layers, err = regexp.Compile(s.Layers); err != nil {
			return o, badInput("--layers %q is not a regular expression: %v", s.Layers, err)
		}
	}
	if o.Precision, err = parsePrecision(s.Precision); err != nil {
		return o, err
	}
	if err := checkBackend(s.Backend); err != nil {
		return o, err
	}
	if min(s.Groups, s.NullDraws, s.Batch, s.Threads) < 0 {
		return o, badInput("--groups, --null-draws, --batch and --threads must be at least 0")
	}
	return o, nil
}

// parseOutputs reads all or probes:N, and returns N or 0.
func parseOutputs(s string) (probes int, err error) {
	switch n, found := strings.CutPrefix(s, "probes:"); {
	case s == "" || s == "all":
		return 0, nil
	case found:
		probes, err := strconv.Atoi(n)
		if err == nil && probes >= 1 && probes <= 1e6 {
			return probes, nil
		}
	}
	return 0, badInput("--outputs %q: want all, or probes:N with N between 1 and 1000000", s)
}

func (v *Verification) chooseImages() error {
	have := v.source.set.Len()
	switch n := v.spec.Images; {
	case n < 0:
		v.options.Images = min(DefaultImages, have)
	case n == 0:
		return badInput("--images 0: want at least 1")
	case n > have:
		return badInput("--images %d: %s has %d", n, v.source.set.Name(), have)
	default:
		v.options.Images = n
	}
	return nil
}

// checkLayers says which layers there are if none is chosen.
func (v *Verification) checkLayers() error {
	var names []string
	for _, l := range v.net.Layers() {
		if v.options.Layers == nil || v.options.Layers.MatchString(l.Name) {
			return nil
		}
		names = append(names, l.Name)
	}
	if len(names) == 0 {
		return badInput("%s has no convolution or linear layer to verify", v.arch.Name)
	}
	return badInput("--layers %q matches none of the layers of %s: %s", v.spec.Layers, v.arch.Name, strings.Join(names, ", "))
}

// openInitial reads the weights before training, or draws fresh ones.
func (v *Verification) openInitial() error {
	in := v.source.shape()
	if v.spec.InitWeights == "" {
		if v.spec.MinusInit {
			return badInput("W − W₀ (--minus-init) needs the weights before training: give --init-weights")
		}
		fresh, err := v.arch.Fresh(in, v.net.Classes, v.spec.Seed)
		v.initial = fresh
		v.conv.Init = fmt.Sprintf("a fresh initialisation with seed %d, not the run's own", v.spec.Seed)
		return err
	}
	initial, _, err := openWeights(v.arch, v.spec.InitWeights, in)
	if err != nil {
		return err
	}
	if initial.Classes != v.net.Classes {
		return badInput("%s has %d classes, %s has %d", v.spec.InitWeights, initial.Classes, v.spec.Weights, v.net.Classes)
	}
	v.initial = initial
	v.conv.Init = "the weights in " + v.spec.InitWeights
	return nil
}

// Verified is a record with the network and the images that it is of at hand, of which
// [Verified.Save] shows pictures.
type Verified struct {
	VerifyRecord

	of     *Verification
	result *cnfa.Verification
}

// Run measures. Progress may be nil.
func (v *Verification) Run(ctx context.Context, progress func(cnfa.Progress)) (*Verified, error) {
	o := v.options
	o.Progress, o.Initial, o.Memory = progress, v.initial, availableMemory()
	start := time.Now()
	result, err := cnfa.Verify(ctx, v.net, v.source.loader, o)
	if err != nil {
		return nil, err
	}
	return v.record(result, time.Since(start).Seconds()), nil
}

// VerifyRecord is a verification as scripts read it.
type VerifyRecord struct {
	Arch        string        `json:"arch"`
	Form        string        `json:"form,omitempty"` // which of the networks of that name, where there are several
	Data        string        `json:"data"`
	Images      int           `json:"images"`
	Accuracy    *float64      `json:"accuracy,omitempty"` // of the labelled images, if their classes are as many as the network's
	Seconds     float64       `json:"seconds"`
	Conventions Conventions   `json:"conventions"`
	Layers      []LayerRecord `json:"layers"`

	page PageData
}

// LayerRecord is the ansatz at one layer.
type LayerRecord struct {
	Layer   string `json:"layer"`
	Kind    string `json:"kind"`
	Filters int    `json:"filters"`
	Patch   []int  `json:"patch"`
	AnsatzRecord
	PearsonInit *float64 `json:"pearson_init,omitempty"`
}

// AnsatzRecord is the ansatz for one CNFM. Measures that are not defined are
// absent, and Undefined says why.
type AnsatzRecord struct {
	Pearson       *float64 `json:"pearson,omitempty"`
	PearsonStdErr *float64 `json:"pearson_stderr,omitempty"`
	PearsonNull   *float64 `json:"pearson_null,omitempty"`
	PearsonNullSD *float64 `json:"pearson_null_sd,omitempty"`
	NullDraws     int      `json:"null_draws,omitempty"`
	Excess        *float64 `json:"excess,omitempty"`
	Cosine        *float64 `json:"cosine,omitempty"`
	PearsonSqrt   *float64 `json:"pearson_sqrt,omitempty"`
	CNFMTrace     *float64 `json:"cnfm_trace,omitempty"`
	AGOPTrace     *float64 `json:"agop_trace,omitempty"`
	Undefined     string   `json:"undefined,omitempty"`
}

// Conventions is what a similarity's value depends on besides the network.
type Conventions struct {
	Similarity string `json:"similarity" fact:"similarity"`
	CNFM       string `json:"cnfm" fact:"CNFM"`
	AGOP       string `json:"agop" fact:"AGOP"`
	Outputs    string `json:"outputs" fact:"outputs"`
	Null       string `json:"null" fact:"null"`
	StdErr     string `json:"stderr" fact:"standard error"`
	Init       string `json:"pearson_init" fact:"initial"`
	Images     string `json:"images" fact:"images"`
	Normalise  string `json:"normalise" fact:"normalisation"`
	Mode       string `json:"mode" fact:"mode"`
	RunConventions
}

// describe writes down the conventions.
func (v *Verification) describe() error {
	set := data.Head(v.source.set, v.options.Images)
	info, err := data.Describe(set)
	if err != nil {
		return &InputError{err}
	}
	c := &v.conv
	c.RunConventions = runConventions(precisionText(v.options.Precision), v.spec.Backend, v.options.Threads, v.spec.Seed)
	c.DataSHA256 = info.SHA256
	c.Similarity = "Pearson's correlation of all d² elements; cosine is not centred; pearson_sqrt takes AGOP^(1/2)"
	c.CNFM = "WᵀW, patches in the order (channel, row, column)"
	if v.spec.MinusInit {
		c.CNFM = "(W − W₀)ᵀ(W − W₀), patches in the order (channel, row, column)"
	}
	c.AGOP = "(1/images) Σ over images, positions and outputs of ggᵀ; patches at the border are padded with zeros; outputs are logits"
	c.Outputs = fmt.Sprintf("all %d", v.net.Classes)
	if p := v.options.Probes; p > 0 {
		c.Outputs = fmt.Sprintf("%d Gaussian probes an image for %d outputs", p, v.net.Classes)
	}
	c.Null = fmt.Sprintf("S replaced by QSQᵀ, Q a random rotation, over %d draws; at most %d in layers with %d or more filters and patch elements",
		cmp.Or(v.options.NullDraws, cnfa.DefaultNullDraws), cnfa.WideDraws, cnfa.WideLayer)
	split := ""
	if info.Split != "" {
		split = " of the " + info.Split + " split"
	}
	c.Images = fmt.Sprintf("the first %d%s, %s", v.options.Images, split, v.source.order)
	c.Normalise = normalisationText(v.source.loader.Normalisation)
	c.Mode = "evaluation: batch norms by running statistics, no dropout"
	return nil
}

func normalisationText(n data.Normalisation) string {
	if n.Name == "" || n.Name == n.String() {
		return n.String()
	}
	return fmt.Sprintf("%s (%s)", n.Name, n)
}

func (v *Verification) record(r *cnfa.Verification, seconds float64) *Verified {
	out := &Verified{of: v, result: r}
	out.VerifyRecord = VerifyRecord{
		Arch: v.arch.Name, Form: v.arch.Form, Data: v.source.set.Name(), Images: r.Images, Seconds: seconds, Conventions: v.conv,
		page: newPageData(),
	}
	if r.Labelled > 0 && len(v.source.set.Classes()) == v.net.Classes { // or labels are of something else
		out.Accuracy = ptr(float64(r.Correct) / float64(r.Labelled))
	}
	out.Conventions.Backend = r.Backend
	out.Conventions.Batch = r.Batch
	out.Conventions.StdErr = fmt.Sprintf("jackknife over %d groups of images", r.Groups)
	for _, l := range r.Layers {
		out.Layers = append(out.Layers, layerRecord(l))
	}
	return out
}

func layerRecord(l cnfa.LayerResult) LayerRecord {
	return LayerRecord{
		Layer: l.Name, Kind: l.Kind, Filters: l.Filters, Patch: l.Patch,
		AnsatzRecord: ansatzRecord(l.Ansatz), PearsonInit: l.PearsonInit,
	}
}

func ansatzRecord(a cnfa.Ansatz) AnsatzRecord {
	if a.Err != nil {
		return AnsatzRecord{Undefined: a.Err.Error()}
	}
	r := AnsatzRecord{
		Pearson: ptr(a.Pearson), Cosine: ptr(a.Cosine), PearsonSqrt: ptr(a.PearsonSqrt),
		PearsonNull: ptr(a.PearsonNull), PearsonNullSD: ptr(a.PearsonNullSD), NullDraws: a.NullDraws, Excess: ptr(a.Excess()),
		CNFMTrace: ptr(a.CNFMTrace), AGOPTrace: ptr(a.AGOPTrace),
	}
	if !math.IsNaN(a.PearsonStdErr) {
		r.PearsonStdErr = ptr(a.PearsonStdErr)
	}
	return r
}

func ptr(v float64) *float64 { return &v }
