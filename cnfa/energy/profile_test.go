package energy

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// basis returns d orthonormal components and falling variances.
func basis(t *testing.T, d int, rng *rand.Rand) (components [][]float64, variances []float64) {
	t.Helper()
	f, err := cnfa.RandomFrame(d, d, rng)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d {
		components = append(components, mat.Row(nil, i, f))
		variances = append(variances, 1/float64(i*i+1))
	}
	return components, variances
}

func gaussian(r, c int, rng *rand.Rand) *mat.Dense {
	m := mat.NewDense(r, c, nil)
	m.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, m)
	return m
}

func profileOf(t *testing.T, a *mat.Dense, components [][]float64, variances []float64) *Profile {
	t.Helper()
	p, err := ProfileOf(a, components, variances)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The profile is √Σⱼ(Aⱼᵀpᵢ)², as in eq. 1.
func TestProfileAgainstLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	components, variances := basis(t, 12, rng)
	a := gaussian(5, 12, rng)
	p := profileOf(t, a, components, variances)
	for i, c := range components {
		sum := 0.
		for j := range 5 {
			inner := 0.
			for k := range c {
				inner += a.At(j, k) * c[k]
			}
			sum += inner * inner
		}
		if math.Abs(p.Energies[i]-math.Sqrt(sum)) > 1e-12 ||
			math.Abs(p.Deviations[i]*p.Deviations[i]-variances[i]) > 1e-12 {
			t.Errorf("component %d: %v with σ %v, want %v, %v", i+1, p.Energies[i], p.Deviations[i], math.Sqrt(sum),
				math.Sqrt(variances[i]))
		}
	}
}

// A rotation matrix has a flat profile, for which no correlation is defined. A filter that equals a component has
// energy in that component only. Filters whose AᵀA is the covariance of the patches have the deviations as their
// profile.
func TestProfileOfKnownFilters(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const d = 9
	components, variances := basis(t, d, rng)
	rotation, err := cnfa.RandomFrame(d, d, rng)
	if err != nil {
		t.Fatal(err)
	}
	flat := profileOf(t, rotation, components, variances)
	for _, e := range flat.Energies {
		if math.Abs(e-1) > 1e-12 {
			t.Errorf("a rotation has %v", flat.Energies)
		}
	}
	other := profileOf(t, gaussian(4, d, rng), components, variances)
	if _, err := Compare(flat, other); !errors.Is(err, cnfa.ErrZero) {
		t.Errorf("a flat profile: %v", err)
	}
	spike := profileOf(t, mat.NewDense(1, d, components[3]), components, variances)
	for i, e := range spike.Energies {
		if want := map[bool]float64{true: 1}[i == 3]; math.Abs(e-want) > 1e-12 {
			t.Errorf("component 4 has %v", spike.Energies)
		}
	}
	patches := mat.NewDense(d, d, nil) // rows √λᵢ pᵢ: AᵀA is the covariance
	for i, c := range components {
		for k, v := range c {
			patches.Set(i, k, v*math.Sqrt(variances[i]))
		}
	}
	p := profileOf(t, patches, components, variances)
	if deviations, _ := p.WithSpectrum(); math.Abs(deviations-1) > 1e-12 {
		t.Errorf("random patches and their deviations: %v", deviations)
	}
}

// Scaling, permuting and rotating the filters among themselves changes no similarity.
func TestProfileInvariances(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const k, d = 6, 10
	components, variances := basis(t, d, rng)
	a, b := gaussian(k, d, rng), gaussian(4, d, rng)
	p, q := profileOf(t, a, components, variances), profileOf(t, b, components, variances)
	want, err := Compare(p, q)
	if err != nil {
		t.Fatal(err)
	}
	var scaled, permuted, rotated mat.Dense
	scaled.Scale(-3.5, a)
	permuted.CloneFrom(a)
	for i := range k {
		permuted.SetRow(i, a.RawRowView((i*5+2)%k))
	}
	u, err := cnfa.RandomFrame(k, k, rng)
	if err != nil {
		t.Fatal(err)
	}
	rotated.Mul(u, a)
	for name, m := range map[string]*mat.Dense{"scaled": &scaled, "permuted": &permuted, "rotated": &rotated} {
		got, err := Compare(profileOf(t, m, components, variances), q)
		if err != nil || math.Abs(got.Pearson-want.Pearson) > 1e-12 || math.Abs(got.Partial-want.Partial) > 1e-10 {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
	if got := stat.Correlation(p.Energies, q.Energies, nil); math.Abs(got-want.Pearson) > 1e-12 {
		t.Errorf("Pearson %v, gonum has %v", want.Pearson, got)
	}
}

// Two profiles that both follow the spectrum, and have nothing else in common, are correlated, but their partial
// correlation is 0 within its null. Whatever else two profiles have in common is in their partial correlation.
func TestPartialCorrelation(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	const m = 400
	p, q := &Profile{}, &Profile{}
	shared, sharing := &Profile{}, &Profile{}
	for i := range m {
		sigma := 1 / (1 + float64(i)/20)
		spectrum := 2*sigma + float64(i)/m
		common := .1 * rng.NormFloat64()
		for _, x := range []struct {
			p      *Profile
			common float64
		}{{p, 0}, {q, 0}, {shared, common}, {sharing, common}} {
			x.p.Energies = append(x.p.Energies, 5+spectrum+x.common+.03*rng.NormFloat64())
			x.p.Deviations = append(x.p.Deviations, sigma)
		}
	}
	s, err := Compare(p, q)
	if err != nil || s.Pearson < .9 || math.Abs(s.Partial) > 3*s.PartialNullSD {
		t.Errorf("the spectrum alone: %+v, %v", s, err)
	}
	if s, err = Compare(shared, sharing); err != nil || s.Partial < .8 {
		t.Errorf("more than the spectrum: %+v, %v", s, err)
	}
	// The residuals are those of a regression: they are orthogonal to the regressors.
	r := p.residuals()
	for name, x := range map[string][]float64{"1": make([]float64, m), "σ": p.Deviations, "rank": p.ranks()} {
		if name == "1" {
			for i := range x {
				x[i] = 1
			}
		}
		if c := floats.Dot(r, x) / math.Sqrt(floats.Dot(r, r)*floats.Dot(x, x)); math.Abs(c) > 1e-10 {
			t.Errorf("residuals have %v of %s", c, name)
		}
	}
}

// The closed form of the null agrees with random rotations.
func TestProfileNull(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const d, draws = 9, 4000
	components, variances := basis(t, d, rng)
	a, b := gaussian(3, d, rng), gaussian(5, d, rng)
	a.SetRow(0, components[2]) // not isotropic
	q := profileOf(t, b, components, variances)
	rotated, err := rotations(a)
	if err != nil {
		t.Fatal(err)
	}
	var drawn, direct []float64
	for range draws {
		p, err := rotated(d, rng)
		if err != nil {
			t.Fatal(err)
		}
		f, err := cnfa.RandomFrame(d, d, rng)
		if err != nil {
			t.Fatal(err)
		}
		var af mat.Dense
		af.Mul(a, f)
		drawn = append(drawn, stat.Correlation(p.Energies, q.Energies, nil))
		direct = append(direct, stat.Correlation(profileOf(t, &af, components, variances).Energies, q.Energies, nil))
	}
	s, err := Compare(profileOf(t, a, components, variances), q)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string][]float64{"singular values in a frame": drawn, "AQ": direct} {
		mean, sd := stat.MeanStdDev(x, nil)
		if math.Abs(mean) > 4*s.NullSD/math.Sqrt(draws) || math.Abs(sd/s.NullSD-1) > .05 {
			t.Errorf("%s: %v ± %v, want 0 ± %v", name, mean, sd, s.NullSD)
		}
	}
}

// Filters in random directions have the spread of the null. Filters along three components have more.
func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	const d = 27
	components, variances := basis(t, d, rng)
	a := gaussian(16, d, rng)
	s, err := SpreadOf(profileOf(t, a, components, variances), a, 200, rng)
	if err != nil || math.Abs(s.Spread-s.Null) > 4*s.NullSD || math.Abs(s.Level*s.Level+s.LevelSD*s.LevelSD-1) > 1e-9 {
		t.Errorf("random filters: %+v, %v", s, err)
	}
	for i := range 16 {
		for k, v := range components[i%3] {
			a.Set(i, k, v)
		}
	}
	if s, err = SpreadOf(profileOf(t, a, components, variances), a, 200, rng); err != nil ||
		s.Spread < s.Null+4*s.NullSD {
		t.Errorf("three components: %+v, %v", s, err)
	}
}

func TestBadProfiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	components, variances := basis(t, 4, rng)
	a := gaussian(3, 4, rng)
	if _, err := ProfileOf(gaussian(3, 5, rng), components, variances); err == nil {
		t.Error("filters of 5 elements on components of 4")
	}
	if _, err := ProfileOf(a, components, variances[:3]); err == nil {
		t.Error("4 components with 3 variances")
	}
	p := profileOf(t, a, components, variances)
	for _, r := range [][2]int{{0, 3}, {2, 5}, {3, 2}} {
		if _, err := p.Range(r[0], r[1]); err == nil {
			t.Errorf("components %d to %d of 4", r[0], r[1])
		}
	}
	two, err := p.Range(2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compare(two, two); !errors.Is(err, ErrFewComponents) {
		t.Errorf("two components: %v", err)
	}
	if _, err := Compare(p, two); err == nil {
		t.Error("profiles of 4 and 2 components")
	}
	three, err := p.Range(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Compare(three, three); err != nil || math.Abs(s.Pearson-1) > 1e-12 || !math.IsNaN(s.Partial) {
		t.Errorf("three components: %+v, %v", s, err)
	}
	zero := profileOf(t, mat.NewDense(2, 4, nil), components, variances)
	if _, err := zero.Scaled(); !errors.Is(err, cnfa.ErrZero) {
		t.Errorf("filters of zeros: %v", err)
	}
	if _, err := SpreadOf(zero, mat.NewDense(2, 4, nil), 10, rng); !errors.Is(err, cnfa.ErrZero) {
		t.Errorf("their spread: %v", err)
	}
	if _, err := SpreadOf(p, a, 1, rng); err == nil {
		t.Error("one draw")
	}
}
