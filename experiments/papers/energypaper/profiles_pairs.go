package energypaper

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/profile"
)

// ProfilePair names two networks, and the group over which claims average.
type ProfilePair struct {
	Group string `json:"group" toml:"group"`
	// Panel is the name of the chart that draws the pair, profiles-PANEL; "" is the group's.
	Panel string `json:"panel" toml:"panel"`
	A     string `json:"a" toml:"a"`
	B     string `json:"b" toml:"b"`
	// From and To are the first and the last component, counted from 1, of a range on which the two are compared as
	// well (Fig. 15); 0 means none.
	From int `json:"from" toml:"from"`
	To   int `json:"to" toml:"to"`
}

// newPair returns a pair that is compared on all components.
func newPair(group, a, b string) ProfilePair { return ProfilePair{Group: group, A: a, B: b} }

// onPanel returns the pair, to be drawn in the chart of that name instead of the group's.
func (pair ProfilePair) onPanel(panel string) ProfilePair {
	pair.Panel = panel
	return pair
}

// allPairs returns every pair of the named networks, in one group.
func allPairs(group string, names ...string) []ProfilePair {
	var pairs []ProfilePair
	for i, a := range names {
		for _, b := range names[i+1:] {
			pairs = append(pairs, newPair(group, a, b))
		}
	}
	return pairs
}

// setRange sets a range of components on which the pairs are compared as well, and returns them.
func setRange(from, to int, pairs ...ProfilePair) []ProfilePair {
	for i := range pairs {
		pairs[i].From, pairs[i].To = from, to
	}
	return pairs
}

// panel returns the name of the chart that draws the pair.
func (pair ProfilePair) panel() string { return cmp.Or(pair.Panel, pair.Group) }

// comparedPair holds the similarities of two networks' profiles.
type comparedPair struct {
	ProfilePair
	a, b     *profiledNet
	whole    agreement         // of the filters W
	change   agreement         // of W − W₀
	compared agreement         // of what the paper compares: whole or change
	before   float64           // Pearson of the profiles of the initial filters of both
	cross    float64           // mean Pearson of each one's compared profile with the other's initial one
	middle   energy.Similarity // of the compared profiles on the components From to To
}

// agreement is the similarity of the profiles of two filter banks, each on the components of the images that its own
// network learned.
type agreement struct {
	energy.Similarity
	ceiling float64 // the largest correlation for finitely many filters, see [energy.NoiseCeiling]
	common  float64 // Pearson on the components of both networks' images together
}

// comparePairs compares the pairs whose networks were found. Undefined similarities are NaN.
func (s *ProfilesSpec) comparePairs(found []*profiledNet) ([]comparedPair, error) {
	by := map[string]*profiledNet{}
	for _, p := range found {
		by[p.Name] = p
	}
	var all []comparedPair
	for _, pair := range s.Pairs {
		a, b := by[pair.A], by[pair.B]
		if a == nil || b == nil {
			continue
		}
		c := comparedPair{ProfilePair: pair, a: a, b: b}
		if err := c.compare(); err != nil {
			return nil, input.Errorf("%s and %s: %v", a.Name, b.Name, err)
		}
		if c.compared = c.whole; s.Change {
			c.compared = c.change
		}
		all = append(all, c)
	}
	return all, nil
}

// compare sets all similarities except for compared.
func (c *comparedPair) compare() error {
	common, err := profile.CommonBasis(c.a.basis, c.b.basis)
	if err != nil {
		return err
	}
	if c.whole, err = compareBanks(c.a.whole, c.b.whole, common); err != nil {
		return err
	}
	if c.change, err = compareBanks(c.a.change, c.b.change, common); err != nil {
		return err
	}
	before, err := profileSimilarity(c.a.initial.profile, c.b.initial.profile)
	if err != nil {
		return err
	}
	ab, _ := profileSimilarity(c.a.compared.profile, c.b.initial.profile) // the lengths agree, as above
	ba, _ := profileSimilarity(c.b.compared.profile, c.a.initial.profile)
	c.before, c.cross = before.Pearson, (ab.Pearson+ba.Pearson)/2
	c.middle, err = c.compareRange(c.a, c.b)
	return err
}

// compareBanks compares two filter banks; NaN where one is nil.
func compareBanks(p, q *filterBank, common *profile.Basis) (agreement, error) {
	if p == nil || q == nil {
		return agreement{undefinedSimilarity(), math.NaN(), math.NaN()}, nil
	}
	own, err := profileSimilarity(p.profile, q.profile)
	if err != nil {
		return agreement{}, err
	}
	a, err := common.Profile(p.filters, data.Normalisation{})
	if err != nil {
		return agreement{}, err
	}
	b, err := common.Profile(q.filters, data.Normalisation{})
	if err != nil {
		return agreement{}, err
	}
	pooled, err := profileSimilarity(a, b)
	return agreement{own, energy.NoiseCeiling(p.reliability, q.reliability), pooled.Pearson}, err
}

// onOneBasis reports whether the networks of the pair learned the same images, and so have the same components.
func (c comparedPair) onOneBasis() bool {
	return slices.Equal(c.a.basis.Variances, c.b.basis.Variances)
}

// compareRange compares two networks on the components From to To; NaN if the pair has no range.
func (pair ProfilePair) compareRange(a, b *profiledNet) (energy.Similarity, error) {
	if pair.From == 0 {
		return undefinedSimilarity(), nil
	}
	p, err := a.compared.profile.Range(pair.From, pair.To)
	if err != nil {
		return energy.Similarity{}, err
	}
	q, err := b.compared.profile.Range(pair.From, pair.To)
	if err != nil {
		return energy.Similarity{}, err
	}
	return profileSimilarity(p, q)
}

// profileSimilarity returns [energy.Compare] of two profiles, or NaN where it is undefined.
// Profiles of different lengths are an error.
func profileSimilarity(p, q *energy.Profile) (energy.Similarity, error) {
	s, err := energy.Compare(p, q)
	if errors.Is(err, cnfa.ErrZero) || errors.Is(err, energy.ErrFewComponents) {
		return undefinedSimilarity(), nil
	}
	return s, err
}

// undefinedSimilarity returns a similarity whose numbers are all NaN.
func undefinedSimilarity() energy.Similarity {
	nan := math.NaN()
	return energy.Similarity{Pearson: nan, NullSD: nan, Partial: nan, PartialNullSD: nan}
}
