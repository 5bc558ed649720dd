package profile

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/internal/words"
	"gonum.org/v1/gonum/stat"
)

// AgainstRecord compares the profile with the profile of another network, or with the profiles of fresh
// initialisations: then its numbers are means over the initialisations.
type AgainstRecord struct {
	Name    string    `json:"name"` // the file of the weights, or init
	Arch    string    `json:"arch"`
	Seeds   int       `json:"seeds,omitempty"` // the number of fresh initialisations
	Profile []float64 `json:"profile"`
	Pearson *float64  `json:"pearson,omitempty"`
	// PearsonSD is over the seeds.
	PearsonSD *float64 `json:"pearson_sd,omitempty"`
	// NullSD is the standard deviation of Pearson, around 0, if one of the two sets of filters were
	// rotated at random.
	NullSD *float64 `json:"pearson_null_sd,omitempty"`
	// Ceiling is what the noise of finitely many filters leaves of a correlation of 1, see [energy.NoiseCeiling].
	Ceiling *float64 `json:"pearson_ceiling,omitempty"`
	// Partial is the correlation of the residuals of both profiles, after a fit of the standard
	// deviations of the patches and of the ranks.
	Partial           *float64 `json:"partial,omitempty"`
	PartialNullSD     *float64 `json:"partial_null_sd,omitempty"`
	PearsonDeviations *float64 `json:"pearson_deviations,omitempty"`
	PearsonRank       *float64 `json:"pearson_rank,omitempty"`
	Undefined         string   `json:"undefined,omitempty"`
	Normalise         string   `json:"normalise"`
	WeightsSHA256     string   `json:"weights_sha256,omitempty"`
}

// compareWith returns the record c with the comparison of the profile p with others: one profile of a
// network, or profiles of several seeds.
func compareWith(p *energy.Profile, others []*energy.Profile, c AgainstRecord) (AgainstRecord, error) {
	var pearson, partial, deviations, ranks []float64
	for _, q := range others {
		s, err := energy.Compare(p, q)
		if errors.Is(err, cnfa.ErrZero) || errors.Is(err, energy.ErrFewComponents) {
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
	mean := func(v []float64) *float64 { return record.DefinedOrNil(stat.Mean(v, nil)) }
	c.Pearson, c.Partial = mean(pearson), mean(partial)
	c.PearsonDeviations, c.PearsonRank = mean(deviations), mean(ranks)
	if c.Name == againstInit {
		c.Seeds, c.PearsonSD = len(others), record.DefinedOrNil(stat.StdDev(pearson, nil))
	}
	c.Profile = meanProfile(others)
	return c, nil
}

// meanProfile returns the mean of profiles.
func meanProfile(all []*energy.Profile) []float64 {
	out := make([]float64, len(all[0].Energies))
	for _, p := range all {
		for i, v := range p.Energies {
			out[i] += v / float64(len(all))
		}
	}
	return out
}

// scaledStats returns the mean and the standard deviation of profiles that are scaled to a root mean
// square of 1. It leaves out profiles of zeros. The mean is nil if no others remain, the standard
// deviation if fewer than two remain.
func scaledStats(all []*energy.Profile) (mean, sd []float64) {
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
		if len(rows) > 1 {
			sd = append(sd, s)
		}
	}
	return mean, sd
}

// label names the other network.
func (c AgainstRecord) label() string {
	switch c.Name {
	case "":
		return c.Arch
	case againstInit:
		return "init, " + words.Count(c.Seeds, "seed")
	}
	return fmt.Sprintf("%s, %s", c.Arch, filepath.Base(c.Name))
}

// summary says in a sentence how similar the two profiles are.
func (c AgainstRecord) summary() string {
	if c.Pearson == nil {
		return fmt.Sprintf("With %s: %s.", c.Name, c.Undefined)
	}
	text := fmt.Sprintf("With %s it has a correlation of %.3f", c.Name, *c.Pearson)
	if c.PearsonSD != nil {
		text += fmt.Sprintf(" (± %.3f over %s)", *c.PearsonSD, words.Count(c.Seeds, "seed"))
	}
	text += fmt.Sprintf(" against a null of 0 ± %.3f", *c.NullSD)
	if c.Partial != nil {
		text += fmt.Sprintf(", and of %.3f beyond the spectrum of the patches", *c.Partial)
	}
	return text + "."
}
