package profile

import (
	"errors"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"gonum.org/v1/gonum/stat"
)

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
			c.NullSD, c.PartialNullSD = record.DefinedOrNil(s.NullSD), record.DefinedOrNil(s.PartialNullSD)
		}
		d, k := q.WithSpectrum()
		deviations, ranks = append(deviations, d), append(ranks, k)
	}
	c.Pearson, c.Partial = meanIfAny(pearson), meanIfAny(partial)
	c.PearsonDeviations, c.PearsonRank = meanIfAny(deviations), meanIfAny(ranks)
	if c.Name == againstInit {
		c.Seeds = len(others)
		if len(pearson) > 1 {
			c.PearsonSD = record.DefinedOrNil(stat.StdDev(pearson, nil))
		}
	}
	c.Profile = meanProfile(others)
	return c, nil
}

// meanIfAny is the mean of values, nil without any and where it is not defined.
func meanIfAny(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	return record.DefinedOrNil(stat.Mean(values, nil))
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
