package profile

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Spec says which energy profile to measure. Arch, Weights and Data must be set; the zero values of
// the other fields stand for their defaults.
type Spec struct {
	input.DataSpec         // Split "" is the training split
	Arch           string  // a name or the path of a TOML file
	Width          float64 // a factor on the architecture's widths; 0 is 1
	Prefix         string  // of the names in files of weights; see [models.Architecture]
	Weights        string  // a file of weights
	InitWeights    string  // a file of the weights before training
	MinusInit      bool    // the profile of W − W₀

	// Against lists what the profile is compared with: files of weights, and "init" for fresh
	// initialisations of the network itself.
	Against            []string
	AgainstArch        string  // of those files; "" is Arch
	AgainstWidth       float64 // 0 is Width where AgainstArch is "", else 1
	AgainstInitWeights string  // the file's weights before training, for MinusInit

	Images    int // images whose patches give the components; 0 is [DefaultEnergyImages], or all if there are fewer
	InitSeeds int // fresh initialisations, whose seeds are drawn with Seed; 0 is [DefaultInitSeeds]
	NullDraws int // rotations and divisions into halves; 0 is [DefaultEnergyDraws]
}

// Defaults of a [Spec].
const (
	DefaultEnergyImages = 10000
	DefaultInitSeeds    = 10
	DefaultEnergyDraws  = 200
)

// againstInit names the comparison with fresh initialisations.
const againstInit = "init"

// Measurement is an energy profile to be measured, with its network and images open.
type Measurement struct {
	spec    Spec
	net     *profileNet
	layer   Layer
	against []*profileNet // nil stands for fresh initialisations
	source  *input.Source
	images  data.Dataset // whose patches give the components
	conv    Conventions
}

// profileNet is a network with the filters whose profile is measured.
type profileNet struct {
	name          string // the file of its weights
	net           *models.Network
	w             *mat.Dense         // the filters W, or W − W₀
	normalisation data.Normalisation // of the pixels that it reads
	sha           string
}

// New opens the networks and the images that the spec names. All its errors are input errors.
func New(s Spec) (*Measurement, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	s.Split = cmp.Or(s.Split, "train")
	a, err := s.architecture(s.Arch, s.Width, "--width")
	if err != nil {
		return nil, err
	}
	e := &Measurement{spec: s}
	if e.source, err = input.Open(s.DataSpec, a); err != nil {
		return nil, err
	}
	if e.net, err = e.open(a, s.Weights, s.InitWeights); err != nil {
		return nil, err
	}
	if e.layer, err = LayerOf(e.net.net); err != nil {
		return nil, err
	}
	if q := e.layer.Patch.Height; q > min(e.source.Shape().Height, e.source.Shape().Width) {
		return nil, input.Errorf("%s of %s reads patches of %v, the images of %s are %v: there are no such "+
			"patches within them", e.layer.Name, a.Name, e.layer.Patch, s.Data, e.source.Shape())
	}
	if err := e.openAgainst(); err != nil {
		return nil, err
	}
	return e, e.setConventions()
}

func (s Spec) check() error {
	for _, c := range []struct {
		flag  string
		value int
	}{{"images", s.Images}, {"init-seeds", s.InitSeeds}, {"null-draws", s.NullDraws}} {
		if c.value < 0 {
			return input.Errorf("--%s %d: want at least 1", c.flag, c.value)
		}
	}
	files := 0
	for _, a := range s.Against {
		if a != againstInit {
			files++
		}
	}
	switch {
	case s.NullDraws == 1:
		return input.Errorf("--null-draws 1: want at least 2 for a standard deviation")
	case s.MinusInit && s.InitWeights == "":
		return input.Errorf("--minus-init (W − W₀) needs the weights before training: give --init-weights")
	case !s.MinusInit && s.InitWeights != "":
		return input.Errorf("--init-weights is for --minus-init; to compare with an initialisation, give its " +
			"file as --against")
	case s.MinusInit && files > 1:
		return input.Errorf("--minus-init compares with one file of weights, but %d were given", files)
	case s.MinusInit && files == 1 && s.AgainstInitWeights == "":
		return input.Errorf("--minus-init needs the weights before training of --against too: give " +
			"--against-init-weights")
	case !s.MinusInit && s.AgainstInitWeights != "":
		return input.Errorf("--against-init-weights is for --minus-init")
	case files == 0 && (s.AgainstArch != "" || s.AgainstWidth != 0 || s.AgainstInitWeights != ""):
		return input.Errorf("--against-arch, --against-width and --against-init-weights describe the file of " +
			"--against, which is missing")
	}
	return nil
}

// architecture looks an architecture up and sets its width.
func (s Spec) architecture(name string, width float64, flag string) (*models.Architecture, error) {
	a, err := input.LookupArchitecture(name)
	if err != nil {
		return nil, err
	}
	a.Prefix = s.Prefix
	if err := a.SetWidth(width); err != nil {
		return nil, input.Errorf("%s %w", flag, err)
	}
	return a, nil
}

// open opens weights of an architecture and, for W − W₀, the weights before training in the file before.
func (e *Measurement) open(a *models.Architecture, path, before string) (*profileNet, error) {
	net, state, err := input.OpenWeights(a, path, e.source.Shape())
	if err != nil {
		return nil, err
	}
	n := &profileNet{name: path, net: net, sha: state.SHA256()}
	spec := e.spec.DataSpec
	spec.Normalise = cmp.Or(spec.Normalise, state.Metadata()[input.NormalisationMetadata])
	if n.normalisation, err = e.source.Normalisation(spec, net.Arch); err != nil {
		return nil, err
	}
	l, err := LayerOf(net)
	if err != nil {
		return nil, err
	}
	n.w = net.Filters(l.Name)
	if before == "" {
		return n, nil
	}
	trained := input.Trained{Path: path, Network: net, Metadata: state.Metadata()}
	initial, err := trained.OpenInitial(a, before, e.source.Shape())
	if err != nil {
		return nil, err
	}
	n.w = Change(n.w, initial.Filters(l.Name))
	return n, nil
}

// openAgainst opens the networks whose profiles are compared with the profile.
func (e *Measurement) openAgainst() error {
	s := e.spec
	for _, path := range s.Against {
		if path == againstInit {
			e.against = append(e.against, nil)
			continue
		}
		width := s.AgainstWidth
		if s.AgainstArch == "" && width == 0 {
			width = s.Width
		}
		a, err := s.architecture(cmp.Or(s.AgainstArch, s.Arch), width, "--against-width")
		if err != nil {
			return err
		}
		n, err := e.open(a, path, s.AgainstInitWeights)
		if err != nil {
			return fmt.Errorf("--against: %w", err)
		}
		l, err := LayerOf(n.net)
		if err == nil {
			err = e.layer.checkSamePatch(l, e.net.net.Arch.Name, n.net.Arch.Name)
		}
		if err != nil {
			return err
		}
		e.against = append(e.against, n)
	}
	return nil
}

// Result is a record with its components, of which [Result.Save] draws pictures.
type Result struct {
	Record

	basis *Basis
}

// Run measures the profile and compares it with the others.
func (e *Measurement) Run(ctx context.Context) (*Result, error) {
	start := time.Now()
	basis, err := OpenBasis(ctx, e.images, e.layer.Patch.Height, 0, e.net.normalisation)
	if err != nil {
		return nil, err
	}
	profile, err := basis.Profile(e.net.w, e.net.normalisation)
	if err != nil {
		return nil, err
	}
	r := e.newRecord(basis, profile)
	draws := cmp.Or(e.spec.NullDraws, DefaultEnergyDraws)
	spread, err := energy.SpreadOf(profile, basis.RescaleFilters(e.net.w, e.net.normalisation), draws,
		models.Stream(e.spec.Seed, "rotations"))
	if err != nil {
		return nil, input.Errorf("%s: %w: the filters of %s respond to no component", e.spec.Weights, err,
			e.layer.Name)
	}
	r.addSpread(spread)
	reliability := e.reliability(basis, e.net.w, e.net.normalisation)
	r.Reliability = record.DefinedOrNil(reliability)
	for _, n := range e.against {
		open := e.freshFilters
		if n != nil {
			open = n.otherNetwork
		}
		c, filters, err := open()
		if err != nil {
			return nil, err
		}
		if err := e.compare(r, profile, reliability, filters, c, basis); err != nil {
			return nil, err
		}
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// reliability is [Basis.Reliability] for filters that read pixels normalised by n.
func (e *Measurement) reliability(b *Basis, w *mat.Dense, n data.Normalisation) float64 {
	return b.Reliability(b.RescaleFilters(w, n), cmp.Or(e.spec.NullDraws, DefaultEnergyDraws),
		models.Stream(e.spec.Seed, "halves"))
}

// otherFilters are the filters of a network or of a fresh initialisation, with which the profile is compared.
type otherFilters struct {
	w             *mat.Dense
	normalisation data.Normalisation
}

// compare adds to r the comparison of the profile p, which has the given reliability, with the profiles of other filters.
func (e *Measurement) compare(r *Result, p *energy.Profile, reliability float64, others []otherFilters,
	c AgainstRecord, b *Basis) error {
	var profiles []*energy.Profile
	var ceilings []float64
	for _, o := range others {
		q, err := b.Profile(o.w, o.normalisation)
		if err != nil {
			return err
		}
		profiles = append(profiles, q)
		ceilings = append(ceilings, energy.NoiseCeiling(reliability, e.reliability(b, o.w, o.normalisation)))
	}
	c.Ceiling = record.DefinedOrNil(stat.Mean(ceilings, nil))
	return r.addComparison(p, profiles, c)
}

// otherNetwork returns the filters of the network, and a record that describes the network.
func (n *profileNet) otherNetwork() (AgainstRecord, []otherFilters, error) {
	c := AgainstRecord{
		Name: n.name, Arch: n.net.Arch.Name, WeightsSHA256: n.sha, Normalise: input.NormalisationText(n.normalisation),
	}
	return c, []otherFilters{{n.w, n.normalisation}}, nil
}

// freshFilters returns the filters of fresh initialisations of the network, and a record that describes them.
func (e *Measurement) freshFilters() (c AgainstRecord, all []otherFilters, err error) {
	net := e.net.net
	seeds := models.Stream(e.spec.Seed, "fresh initialisations") // not the seed itself, which may be the training's
	for range cmp.Or(e.spec.InitSeeds, DefaultInitSeeds) {
		fresh, err := net.Arch.Fresh(net.Input, net.Classes, seeds.Uint64())
		if err != nil {
			return c, nil, &input.Error{Err: err}
		}
		all = append(all, otherFilters{fresh.Filters(e.layer.Name), e.net.normalisation})
	}
	return AgainstRecord{
		Name: againstInit, Arch: net.Arch.Name, Normalise: input.NormalisationText(e.net.normalisation),
	}, all, nil
}
