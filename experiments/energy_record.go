package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"gonum.org/v1/gonum/stat"
)

// EnergyRecord is an energy profile as scripts read it. What is not defined is
// absent.
type EnergyRecord struct {
	Arch    string `json:"arch"`
	Form    string `json:"form,omitempty"` // which of the networks of that name, where there are several
	Data    string `json:"data"`
	Layer   string `json:"layer"`
	Kind    string `json:"kind"` // conv or linear
	Filters int    `json:"filters"`
	Patch   []int  `json:"patch"`
	// Profile is ‖W pᵢ‖ by component, in descending order of variance; Components
	// is how many there are, LeftOut how many have no variance and are not among
	// them.
	Profile    []float64 `json:"profile"`
	Components int       `json:"components"`
	LeftOut    int       `json:"components_left_out"`
	Variances  []float64 `json:"variances"` // of the patches along the components
	// PearsonDeviations and PearsonRank are the profile's correlations with the
	// standard deviations of the patches along the components, and with 1, 2, ….
	PearsonDeviations *float64 `json:"pearson_deviations,omitempty"`
	PearsonRank       *float64 `json:"pearson_rank,omitempty"`
	// Spread is the profile's standard deviation over its root mean square, and
	// SpreadNull that of the filters rotated at random.
	Spread       float64 `json:"spread"`
	SpreadNull   float64 `json:"spread_null"`
	SpreadNullSD float64 `json:"spread_null_sd"`
	// PearsonAgainst is that of the first of Against.
	PearsonAgainst *float64          `json:"pearson_against,omitempty"`
	Against        []AgainstRecord   `json:"against,omitempty"`
	Notes          []string          `json:"notes,omitempty"`
	Images         int               `json:"images"`
	Seconds        float64           `json:"seconds"`
	Conventions    EnergyConventions `json:"conventions"`

	basis          *energyBasis
	profile        *cnfa.EnergyProfile
	level, levelSD float64 // of rotated filters' energies over their root mean square
}

// AgainstRecord is another profile beside the first. With fresh initialisations
// it is the means over them, with standard deviations.
type AgainstRecord struct {
	Name    string    `json:"name"` // the file of the weights, or init
	Arch    string    `json:"arch"`
	Seeds   int       `json:"seeds,omitempty"` // of fresh initialisations
	Profile []float64 `json:"profile"`
	Pearson *float64  `json:"pearson,omitempty"`
	// PearsonSD is over the seeds.
	PearsonSD *float64 `json:"pearson_sd,omitempty"`
	// NullSD is the standard deviation of Pearson, around 0, if one of the two
	// sets of filters were rotated at random.
	NullSD *float64 `json:"pearson_null_sd,omitempty"`
	// Partial is the correlation of what is left of either profile when the
	// standard deviations of the patches and the ranks are fitted to it.
	Partial           *float64 `json:"partial,omitempty"`
	PartialNullSD     *float64 `json:"partial_null_sd,omitempty"`
	PearsonDeviations *float64 `json:"pearson_deviations,omitempty"`
	PearsonRank       *float64 `json:"pearson_rank,omitempty"`
	Undefined         string   `json:"undefined,omitempty"`
	Normalise         string   `json:"normalise"`
	WeightsSHA256     string   `json:"weights_sha256,omitempty"`

	scaled, scaledSD []float64 // energies over their root mean square, over the seeds
}

// EnergyConventions is what a profile's values depend on besides the network.
type EnergyConventions struct {
	Profile       string `json:"profile"`
	Components    string `json:"components"`
	Similarity    string `json:"similarity"`
	Null          string `json:"null"`
	Partial       string `json:"partial"`
	SpreadNull    string `json:"spread_null"`
	Init          string `json:"init"`
	Images        string `json:"images"`
	Normalise     string `json:"normalise"`
	Precision     string `json:"precision"`
	Seed          uint64 `json:"seed"`
	WeightsSHA256 string `json:"weights_sha256"`
	DataSHA256    string `json:"data_sha256"`
	Version       string `json:"version"`
}

// describe chooses the images and writes down the conventions.
func (e *Energy) describe() error {
	set := e.source.set
	want := e.spec.Images
	if want > set.Len() {
		return badInput("--images %d: %s has %d", want, set.Name(), set.Len())
	}
	e.images, e.limit = set, min(cmp.Or(want, DefaultEnergyImages), set.Len())
	info, err := data.Describe(set)
	if err != nil {
		return &InputError{err}
	}
	c := &e.conv
	c.Profile = "‖W pᵢ‖ of the filters W of the layer that reads the images, patches in the order (channel, row, column)"
	if e.spec.MinusInit {
		c.Profile = "‖(W − W₀) pᵢ‖ of the filters W of the layer that reads the images, patches in the order (channel, row, column)"
	}
	c.Components = "principal components of all patches that lie within the images, without padding, less their mean; in descending order of variance"
	c.Similarity = "Pearson's correlation of two profiles, by component"
	c.Null = "one of the two sets of filters rotated at random in the space of patches: mean 0, standard deviation 1/√(m − 1) of m components, exactly"
	c.Partial = "correlation of the residuals when a constant, the standard deviations of the patches along the components and the components' ranks are fitted to either profile"
	c.SpreadNull = fmt.Sprintf("the filters rotated at random, %d draws", cmp.Or(e.spec.NullDraws, DefaultEnergyDraws))
	c.Init = fmt.Sprintf("%d fresh initialisations of the architecture, not the network's own", cmp.Or(e.spec.InitSeeds, DefaultInitSeeds))
	split := ""
	if info.Split != "" {
		split = " of the " + info.Split + " split"
	}
	c.Images = fmt.Sprintf("%d%s of %d, evenly spread, %s", e.limit, split, set.Len(), e.source.order)
	c.Normalise = normalisationText(e.net.normalisation) + "; filters of networks that read other pixels are rescaled to these"
	c.Precision = "float64"
	c.Seed, c.WeightsSHA256, c.DataSHA256, c.Version = e.spec.Seed, e.net.sha, info.SHA256, Version()
	return nil
}

// record is what is known of the profile itself.
func (e *Energy) record(b *energyBasis, p *cnfa.EnergyProfile) *EnergyRecord {
	l, arch := e.layer, e.net.net.Arch
	r := &EnergyRecord{
		Arch: arch.Name, Form: arch.Form, Data: e.source.set.Name(), Layer: l.name, Kind: l.kind, Filters: l.filters,
		Patch: []int{l.patch.Channels, l.patch.Height, l.patch.Width}, Profile: p.Energies, Components: b.rank,
		LeftOut: len(b.Variances) - b.rank, Variances: b.Variances[:b.rank], Images: e.limit, Conventions: e.conv, basis: b, profile: p,
	}
	if note := b.left(); note != "" {
		r.Notes = append(r.Notes, note)
	}
	deviations, ranks := p.WithSpectrum()
	r.PearsonDeviations, r.PearsonRank = finite(deviations), finite(ranks)
	return r
}

func (r *EnergyRecord) spread(s cnfa.ProfileSpread) {
	r.Spread, r.SpreadNull, r.SpreadNullSD, r.level, r.levelSD = s.Spread, s.Null, s.NullSD, s.Level, s.LevelSD
}

// newAgainst completes a record of others' profiles beside p: one, or those of
// several seeds.
func newAgainst(p *cnfa.EnergyProfile, others []*cnfa.EnergyProfile, c AgainstRecord) (AgainstRecord, error) {
	var pearson, partial, deviations, ranks []float64
	for _, q := range others {
		s, err := cnfa.CompareProfiles(p, q)
		if errors.Is(err, cnfa.ErrZero) || errors.Is(err, cnfa.ErrFewComponents) {
			c.Undefined = err.Error()
		} else if err != nil {
			return c, err
		} else {
			pearson, partial = append(pearson, s.Pearson), append(partial, s.Partial)
			c.NullSD, c.PartialNullSD = finite(s.NullSD), finite(s.PartialNullSD)
		}
		d, k := q.WithSpectrum()
		deviations, ranks = append(deviations, d), append(ranks, k)
	}
	c.Pearson, c.Partial = meanIfAny(pearson), meanIfAny(partial)
	c.PearsonDeviations, c.PearsonRank = meanIfAny(deviations), meanIfAny(ranks)
	if c.Name == againstInit {
		c.Seeds = len(others)
		if len(pearson) > 1 {
			c.PearsonSD = finite(stat.StdDev(pearson, nil))
		}
	}
	c.Profile = meanProfile(others)
	c.scaled, c.scaledSD = scaledOver(others)
	return c, nil
}

// meanIfAny is the mean of values, nil without any and where it is not defined.
func meanIfAny(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	return finite(stat.Mean(values, nil))
}

// meanProfile is the mean of profiles.
func meanProfile(all []*cnfa.EnergyProfile) []float64 {
	out := make([]float64, len(all[0].Energies))
	for _, p := range all {
		for i, v := range p.Energies {
			out[i] += v / float64(len(all))
		}
	}
	return out
}

// scaledOver is the mean and the standard deviation of scaled profiles, those of
// zeros left out; nil without any, and without a standard deviation of one.
func scaledOver(all []*cnfa.EnergyProfile) (mean, sd []float64) {
	var rows [][]float64
	for _, p := range all {
		if e, err := p.Scaled(); err == nil {
			rows = append(rows, e)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	for i := range rows[0] {
		var column []float64
		for _, row := range rows {
			column = append(column, row[i])
		}
		m, s := stat.MeanStdDev(column, nil)
		mean = append(mean, m)
		if !math.IsNaN(s) && len(rows) > 1 {
			sd = append(sd, s)
		}
	}
	return mean, sd
}

// Summary says in a sentence or two what came of it.
func (r *EnergyRecord) Summary() string {
	text := fmt.Sprintf("The energy profile of %s (%s of %s, %d filters) has %d components of patches of %s", r.Layer, r.Kind, r.Arch, r.Filters, r.Components, patchText(r.Patch))
	text += fmt.Sprintf("; its spread is %.3f, where the filters rotated at random have %.3f ± %.3f.", r.Spread, r.SpreadNull, r.SpreadNullSD)
	for _, c := range r.Against {
		text += " " + c.summary()
	}
	return strings.Join(append([]string{text}, r.Notes...), " ")
}

// summary says how alike the profile and the other are.
func (c AgainstRecord) summary() string {
	if c.Pearson == nil {
		return fmt.Sprintf("With %s: %s.", c.Name, c.Undefined)
	}
	text := fmt.Sprintf("With %s it has a correlation of %.3f", c.Name, *c.Pearson)
	if c.PearsonSD != nil {
		text += fmt.Sprintf(" (± %.3f over %d seeds)", *c.PearsonSD, c.Seeds)
	}
	text += fmt.Sprintf(" against a null of 0 ± %.3f", *c.NullSD)
	if c.Partial != nil {
		text += fmt.Sprintf(", and of %.3f beyond the spectrum of the patches", *c.Partial)
	}
	return text + "."
}

// rootMeanSquare of values.
func rootMeanSquare(v []float64) float64 {
	square := 0.
	for _, x := range v {
		square += x * x
	}
	return math.Sqrt(square / float64(len(v)))
}
