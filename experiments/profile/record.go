package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Record is an energy profile as scripts read it. Numbers that are not defined are absent.
type Record struct {
	Arch    string `json:"arch"`
	Form    string `json:"form,omitempty"` // which network this is, if Arch stands for several
	Data    string `json:"data"`
	Layer   string `json:"layer"`
	Kind    string `json:"kind"` // conv or linear
	Filters int    `json:"filters"`
	Patch   []int  `json:"patch"`
	// Profile is ‖W pᵢ‖ by component, in descending order of variance. Components is the number of
	// these components; LeftOut counts the components without variance, which the profile leaves out.
	Profile    []float64 `json:"profile"`
	Components int       `json:"components"`
	LeftOut    int       `json:"components_left_out"`
	Variances  []float64 `json:"variances"` // of the patches along the components
	// PearsonDeviations and PearsonRank are the profile's correlations with the standard deviations
	// of the patches along the components, and with 1, 2, ….
	PearsonDeviations *float64 `json:"pearson_deviations,omitempty"`
	PearsonRank       *float64 `json:"pearson_rank,omitempty"`
	// Spread is the profile's standard deviation over its root mean square, and SpreadNull the mean
	// of the same for filters that are rotated at random.
	Spread       float64 `json:"spread"`
	SpreadNull   float64 `json:"spread_null"`
	SpreadNullSD float64 `json:"spread_null_sd"`
	// Reliability is the expected correlation of the profiles of two such filter sets, estimated by split halves
	// (Spearman–Brown).
	Reliability *float64 `json:"reliability,omitempty"`
	// PearsonAgainst is the Pearson of Against[0].
	PearsonAgainst *float64        `json:"pearson_against,omitempty"`
	Against        []AgainstRecord `json:"against,omitempty"`
	Notes          []string        `json:"notes,omitempty"`
	Images         int             `json:"images"`
	Seconds        float64         `json:"seconds"`
	Conventions    Conventions     `json:"conventions"`

	page record.PageData
}

// Conventions says how a profile was measured.
type Conventions struct {
	Profile    string `json:"profile" fact:"profile"`
	Components string `json:"components" fact:"components"`
	Similarity string `json:"similarity" fact:"similarity"`
	Null       string `json:"null" fact:"null"`
	Ceiling    string `json:"ceiling" fact:"ceiling"`
	Partial    string `json:"partial" fact:"partial"`
	SpreadNull string `json:"spread_null" fact:"rotated"`
	Init       string `json:"init,omitempty" fact:"init"`
	Images     string `json:"images" fact:"images"`
	Normalise  string `json:"normalise" fact:"normalisation"`
	record.RunConventions
}

// setConventions chooses the images and writes down the conventions.
func (e *Measurement) setConventions() error {
	set := e.source.Dataset
	want := e.spec.Images
	if want > set.Len() {
		return input.Errorf("--images %d: %s has %d", want, set.Name(), set.Len())
	}
	n := min(cmp.Or(want, DefaultEnergyImages), set.Len())
	spread := make([]int, n)
	for i := range spread {
		spread[i] = i * set.Len() / n
	}
	var err error
	if e.images, err = data.Subset(set, spread); err != nil {
		return &input.Error{Err: err}
	}
	info, err := data.Describe(e.images)
	if err != nil {
		return &input.Error{Err: err}
	}
	c := &e.conv
	c.Profile = "‖W pᵢ‖"
	if e.spec.MinusInit {
		c.Profile = "‖(W − W₀) pᵢ‖"
	}
	c.Profile += " of the filters W of the layer that reads the images, patches in the order (channel, row, column)"
	c.Components = "principal components of all patches within the images, without padding, less their mean; in " +
		"descending order of variance"
	c.Similarity = "Pearson's correlation of two profiles, by component"
	c.Null = "one of the two sets of filters rotated at random in the space of patches: mean 0, standard deviation " +
		"1/√(m − 1) of m components, exactly"
	c.Partial = "correlation of the residuals when a constant, the standard deviations of the patches along the " +
		"components and the components' ranks are fitted to either profile"
	c.Ceiling = fmt.Sprintf("geometric mean of the reliabilities of both profiles: the correlation of the profiles of "+
		"halves of the filters, mean over %d divisions, for all of them by Spearman and Brown's formula",
		cmp.Or(e.spec.NullDraws, DefaultEnergyDraws))
	c.SpreadNull = fmt.Sprintf("the filters rotated at random, %d draws", cmp.Or(e.spec.NullDraws, DefaultEnergyDraws))
	if slices.Contains(e.spec.Against, againstInit) {
		c.Init = fmt.Sprintf("%d fresh initialisations of the architecture, not the network's own",
			cmp.Or(e.spec.InitSeeds, DefaultInitSeeds))
	}
	c.Images = fmt.Sprintf("%d%s of %d, evenly spread, %s", n, input.OfSplit(info.Split), set.Len(), e.source.Order)
	c.Normalise = input.NormalisationText(e.net.normalisation) + "; filters of networks that read differently " +
		"normalised pixels are rescaled to these"
	c.RunConventions = record.RunConventions{
		Precision: "float64", Seed: e.spec.Seed, WeightsSHA256: e.net.sha, DataSHA256: info.SHA256,
		Version: record.Version(),
	}
	return nil
}

// newRecord returns the record of the profile, without comparisons.
func (e *Measurement) newRecord(b *Basis, p *energy.Profile) *Result {
	l, arch := e.layer, e.net.net.Arch
	r := &Result{basis: b}
	r.Record = Record{
		Arch: arch.Name, Form: arch.Form, Data: e.source.Dataset.Name(), Layer: l.Name, Kind: l.kind,
		Filters: l.filters, Patch: []int{l.Patch.Channels, l.Patch.Height, l.Patch.Width},
		Profile: p.Energies, Components: b.Kept,
		LeftOut: len(b.Variances) - b.Kept, Variances: b.Variances[:b.Kept], Images: e.images.Len(),
		Conventions: e.conv, page: record.NewPageData(),
	}
	if note := b.LeftOut(); note != "" {
		r.Notes = append(r.Notes, note)
	}
	deviations, ranks := p.WithSpectrum()
	r.PearsonDeviations, r.PearsonRank = record.DefinedOrNil(deviations), record.DefinedOrNil(ranks)
	return r
}

// addSpread adds the spread of the profile, and its null: the filters rotated at random.
func (r *Record) addSpread(s energy.Spread) {
	r.Spread, r.SpreadNull, r.SpreadNullSD = s.Spread, s.Null, s.NullSD
	r.page.SetNumbers(rotatedCurve, s.Level, s.LevelSD)
}

// addComparison adds the record of [compareWith], and what the page shows of the other profiles.
func (r *Record) addComparison(p *energy.Profile, others []*energy.Profile, c AgainstRecord) error {
	c, err := compareWith(p, others, c)
	if err != nil {
		return err
	}
	k := len(r.Against)
	mean, sd := scaledStats(others)
	r.page.SetNumbers(againstCurve(k), mean...)
	r.page.SetNumbers(againstCurve(k)+"-sd", sd...)
	if r.Against = append(r.Against, c); k == 0 {
		r.PearsonAgainst = c.Pearson
	}
	return nil
}

// rotatedCurve names two numbers of a page: the energy of filters that are rotated at random, over its
// root mean square, and its standard deviation.
const rotatedCurve = "rotated"

// againstCurve names the numbers of a page that are the energies of another profile, over their root
// mean square; with -sd, their standard deviations over the seeds.
func againstCurve(k int) string { return fmt.Sprintf("against-%d", k) }

// profile returns the profile with the standard deviations along its components.
func (r *Record) profile() *energy.Profile {
	p := &energy.Profile{Energies: r.Profile}
	for _, v := range r.Variances {
		p.Deviations = append(p.Deviations, math.Sqrt(max(0, v)))
	}
	return p
}

// Summary returns a sentence or two with the result.
func (r *Record) Summary() string {
	text := fmt.Sprintf("The energy profile of %s (%s of %s, %s) has %s of patches of %s", r.Layer,
		r.Kind, r.Arch, words.Count(r.Filters, "filter"), words.Count(r.Components, "component"), record.PatchText(r.Patch))
	text += fmt.Sprintf("; its spread is %.3f, where the filters rotated at random have %.3f ± %.3f.", r.Spread,
		r.SpreadNull, r.SpreadNullSD)
	for _, c := range r.Against {
		text += " " + c.summary()
	}
	return strings.Join(append([]string{text}, r.Notes...), " ")
}

// RootMeanSquare returns the root of the mean of the squared values.
func RootMeanSquare(v []float64) float64 {
	square := 0.
	for _, x := range v {
		square += x * x
	}
	return math.Sqrt(square / float64(len(v)))
}
