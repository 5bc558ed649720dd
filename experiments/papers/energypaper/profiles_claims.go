package energypaper

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// likeness is the claim that the energy profiles of a group's pairs are similar: that their correlation is at least
// some number.
type likeness struct {
	group   string
	nets    string  // the networks of a pair, as after "in": "two VGG-11s with different initial weights"
	printed string  // the paper's number
	least   float64 // the correlation
	dataset string  // the paper's dataset, see [study.Claim.On]
	known   string  // see [study.Claim.Diagnosed]
}

// claims returns the paper's claim about the filters W, its null control, and the same about W − W₀ as a check. Random
// initial filters have a random profile that training does not remove. With few filters it keeps the correlation for W
// below 1 whatever was learned; W − W₀ does not contain it.
func (l likeness) claims() []study.Claim {
	return append(l.comparedClaims("the filters W"), l.check(changePearson, "what training changed, W − W₀,", ""))
}

// changeClaims returns the claim about W − W₀ for the pairs where the paper compares these (Table 4), and its null control.
func (l likeness) changeClaims() []study.Claim {
	return l.comparedClaims("what training changed, W − W₀,")
}

// commonClaims returns the claims of [likeness.claims], and both correlations on common components as checks.
func (l likeness) commonClaims() []study.Claim {
	const basis = " on the principal components of the patches of both datasets together"
	return append(l.claims(), l.check(common, "the filters W", basis), l.check(changeCommon, "W − W₀", basis))
}

// comparedClaims returns the paper's claim about some filters, with its null control, in which the filters of one
// network are rotated at random in the space of patches.
func (l likeness) comparedClaims(filters string) []study.Claim {
	control := fmt.Sprintf("In %s, the energy profiles of %s are more similar than if one network's filters were "+
		"rotated at random: their correlation less two standard deviations of that null.", l.nets, filters)
	return []study.Claim{
		pearson.Of(l.group).Claim(l.sentence(filters, ""), l.printed, study.AtLeast(l.least)).
			WithControl(overNull.Of(l.group)).On(l.dataset).Diagnosed(l.known).
			UpTo(ceiling.Of(l.group), "the largest correlation that the noise of so few filters allows, the noise ceiling,"),
		overNull.Of(l.group).Check(control, study.Above(0)).On(l.dataset),
	}
}

// check returns the same claim for other filters or other components, as a check that the paper does not make.
func (l likeness) check(m study.Measure, filters, basis string) study.Claim {
	return m.Of(l.group).Check(l.sentence(filters, basis), study.AtLeast(l.least)).On(l.dataset)
}

// sentence returns the sentence that the profiles of some filters are similar on some components.
func (l likeness) sentence(filters, basis string) string {
	return fmt.Sprintf("In %s, the energy profiles of %s are similar%s: their correlation.", l.nets, filters, basis)
}

// memorisedClaim returns the claim that the networks of a group have memorised random labels.
func memorisedClaim(group, nets string) study.Claim {
	return memorised.Of(group).Claim(fmt.Sprintf("%s is trained until it overfits random labels: accuracy on the "+
		"training images.", nets), "99 %", study.AtLeast(.99)).Diagnosed("In the epochs of this scale networks come close to 99 %, " +
		"and with some seeds reach it (table of networks). Twice as many would show whether all do: an hour of a core for a seed.")
}
