package verify

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/models"
)

// Spec holds the settings of a verification. Arch, Weights, Data and Images are required. By default, the test split,
// all outputs and all layers are used.
type Spec struct {
	input.DataSpec
	Arch        string  // a name or the path of a TOML file
	Width       float64 // a factor on the architecture's widths; 0 is 1
	Prefix      string  // of names in files of weights; see [models.Architecture]
	Weights     string  // a file of weights
	InitWeights string  // the file of the weights before training, "" for none
	Images      int     // number of images; negative is [DefaultImages], or all if there are fewer
	Outputs     string  // all, or probes:N
	Layers      string  // a regular expression; "" is all
	MinusInit   bool    // use the CNFM of W − W₀
	Alignments  string  // names of statements to measure, or all; "" is none
	Groups      int     // of images, for the jackknife
	NullDraws   int     // 0 is [cnfa.DefaultNullDraws]
	Batch       int     // images at a time; 0 chooses it by memory and caches
	Precision   int     // 32 or 64 bits; 0 is 32
	Backend     string  // native, go or gpu; "" is $ANSATZ_BACKEND, else native where it is built in
	Threads     int     // 0 is all cores
}

// DefaultImages is the number of images where Spec.Images is negative.
const DefaultImages = 200

// Verification is a verification with its network and images open. [NewVerification] opens one.
type Verification struct {
	spec    Spec
	arch    *models.Architecture
	Net     *models.Network
	Source  *input.Source
	Options cnfa.Options
	Conv    Conventions
}

// NewVerification opens the network and the images that the spec names. All its errors are
// input errors.
func NewVerification(s Spec) (*Verification, error) {
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return nil, err
	}
	a.Prefix = s.Prefix
	if err := a.SetWidth(s.Width); err != nil {
		return nil, input.Errorf("--width %w", err)
	}
	src, err := input.Open(s.DataSpec, a)
	if err != nil {
		return nil, err
	}
	net, state, err := input.OpenWeights(a, s.Weights, src.Shape())
	if err != nil {
		return nil, err
	}
	// Weights that ansatz trained record how their images were normalised.
	s.Normalise = cmp.Or(s.Normalise, state.Metadata()[input.NormalisationMetadata])
	labelled, err := src.MatchWeights(state.Metadata())
	if err != nil {
		return nil, err
	}
	if err := src.Normalise(s.DataSpec, net.Arch); err != nil {
		return nil, err
	}
	v, err := NewVerificationOf(s, net, src)
	if err != nil {
		return nil, err
	}
	v.Conv.WeightsSHA256 = state.SHA256()
	v.Options.IgnoreLabels = v.Options.IgnoreLabels || !labelled
	if decay, err := strconv.ParseFloat(state.Metadata()[input.WeightDecayMetadata], 64); err == nil {
		v.Options.WeightDecay = &decay
	}
	return v, v.openInitial(state.Metadata())
}

// NewVerificationOf prepares the verification of a network on images.
func NewVerificationOf(s Spec, net *models.Network, src *input.Source) (*Verification, error) {
	o, err := s.Options()
	if err != nil {
		return nil, err
	}
	v := &Verification{spec: s, arch: net.Arch, Net: net, Source: src, Options: o}
	v.Options.IgnoreLabels = len(src.Dataset.Classes()) != net.Classes
	if err := v.chooseImages(); err != nil {
		return nil, err
	}
	if err := v.checkLayers(); err != nil {
		return nil, err
	}
	return v, v.setConventions()
}

// Options returns the options of package cnfa. It returns an [*input.Error] for a bad value.
func (s Spec) Options() (o cnfa.Options, err error) {
	o = cnfa.Options{
		FromInitial: s.MinusInit, Groups: s.Groups, NullDraws: s.NullDraws, Batch: s.Batch,
		Seed: s.Seed, Backend: s.Backend, Threads: s.Threads,
	}
	if o.Probes, err = ParseOutputs(s.Outputs); err != nil {
		return o, err
	}
	if s.Layers != "" {
		if o.Layers, err = regexp.Compile(s.Layers); err != nil {
			return o, input.Errorf("--layers %q is not a regular expression: %v", s.Layers, err)
		}
	}
	if o.Precision, err = input.ParsePrecision(s.Precision); err != nil {
		return o, err
	}
	if err := input.CheckBackend(s.Backend); err != nil {
		return o, err
	}
	if o.Alignments, err = similarity.ParseStatements("alignments", s.Alignments); err != nil {
		return o, err
	}
	if min(s.Groups, s.NullDraws, s.Batch, s.Threads) < 0 {
		return o, input.Errorf("--groups, --null-draws, --batch and --threads must be at least 0")
	}
	return o, nil
}

// ParseOutputs parses "all", for which it returns 0, or "probes:N", for which it returns N.
func ParseOutputs(s string) (probes int, err error) {
	switch n, found := strings.CutPrefix(s, "probes:"); {
	case s == "" || s == "all":
		return 0, nil
	case found:
		probes, err := strconv.Atoi(n)
		if err == nil && probes >= 1 && probes <= 1e6 {
			return probes, nil
		}
	}
	return 0, input.Errorf("--outputs %q: want all, or probes:N with N between 1 and 1000000", s)
}

func (v *Verification) chooseImages() error {
	have := v.Source.Dataset.Len()
	switch n := v.spec.Images; {
	case n < 0:
		v.Options.Images = min(DefaultImages, have)
	case n == 0:
		return input.Errorf("--images 0: want at least 1")
	case n > have:
		return input.Errorf("--images %d: %s has %d", n, v.Source.Dataset.Name(), have)
	default:
		v.Options.Images = n
	}
	return nil
}

// checkLayers returns an error that lists the layers if the option Layers matches none.
func (v *Verification) checkLayers() error {
	if len(v.Options.Chosen(v.Net)) > 0 {
		return nil
	}
	var names []string
	for _, l := range v.Net.Layers() {
		names = append(names, l.Name)
	}
	if len(names) == 0 {
		return input.Errorf("%s has no convolution or linear layer to verify", v.arch.Name)
	}
	return input.Errorf("--layers %q matches none of the layers of %s: %s", v.spec.Layers, v.arch.Name,
		strings.Join(names, ", "))
}

// openInitial reads the weights before training, or draws fresh ones. The metadata belong to the trained weights.
func (v *Verification) openInitial(metadata map[string]string) error {
	in := v.Source.Shape()
	if v.spec.InitWeights == "" {
		if v.spec.MinusInit {
			return input.Errorf("--minus-init (W − W₀) needs the weights before training: give --init-weights")
		}
		if slices.Contains(strings.Split(strings.ReplaceAll(v.spec.Alignments, " ", ""), ","), cnfa.CentredNFA) {
			return input.Errorf("--alignments %s: %s (of W − W₀) needs the weights before training: give --init-weights",
				v.spec.Alignments, cnfa.CentredNFA)
		}
		fresh, err := v.arch.Fresh(in, v.Net.Classes, v.spec.Seed)
		if err != nil {
			return err
		}
		v.Options.Initial, v.Options.FreshInitial = fresh, true
		v.Conv.Init = fmt.Sprintf("a fresh initialisation with seed %d, not the run's own", v.spec.Seed)
		return nil
	}
	trained := input.Trained{Path: v.spec.Weights, Network: v.Net, Metadata: metadata}
	initial, err := trained.OpenInitial(v.arch, v.spec.InitWeights, in)
	if err != nil {
		return err
	}
	v.Options.Initial = initial
	v.Conv.Init = "the weights in " + v.spec.InitWeights
	return nil
}
