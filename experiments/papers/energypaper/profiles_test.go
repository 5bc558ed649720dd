package energypaper

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// profileAll trains the networks of a spec and returns their profiles.
func profileAll(t *testing.T, s *ProfilesSpec, in study.Setting) (all []*profiledNet, o *study.Outcome) {
	t.Helper()
	o = &study.Outcome{}
	for _, n := range s.Networks {
		p, err := s.profileNetwork(t.Context(), in, n, o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all, o
}

// TestAgreement computes the correlations of pairs from the weights, filter by filter, and compares them with those of
// comparePairs.
func TestAgreement(t *testing.T) {
	s := table1Smoke()
	s.Networks = append(s.Networks[:2], smokeNet("other"))
	s.Networks[2].Data = "deadleaves:leaves,textured"
	s.Pairs = []ProfilePair{newPair("seeds", "net", "again"), newPair("datasets", "net", "other")}
	nets, _ := profileAll(t, s, study.Setting{Seed: 3})
	pairs, err := s.comparePairs(nets)
	if err != nil {
		t.Fatal(err)
	}
	energies := func(p *profiledNet, components [][]float64, change bool) []float64 {
		name := p.Net.Layers()[0].Name
		w, w0 := p.Net.Filters(name), p.Initial.Filters(name)
		var e []float64
		for _, c := range components {
			sum := 0.
			for j := range w.RawMatrix().Rows {
				inner := 0.
				for k, v := range c {
					x := w.At(j, k)
					if change {
						x -= w0.At(j, k)
					}
					inner += x * v
				}
				sum += inner * inner
			}
			e = append(e, math.Sqrt(sum))
		}
		return e
	}
	for _, c := range pairs {
		for _, of := range []struct {
			agreement
			change bool
		}{{c.whole, false}, {c.change, true}} {
			p, q := energies(c.a, c.a.basis.Vectors, of.change), energies(c.b, c.b.basis.Vectors, of.change)
			if want := stat.Correlation(p, q, nil); math.Abs(of.Pearson-want) > 1e-9 {
				t.Errorf("%s, change %v: %v, want %v", c.Group, of.change, of.Pearson, want)
			}
			components := commonByHand(c.a, c.b)
			p, q = energies(c.a, components, of.change), energies(c.b, components, of.change)
			if want := stat.Correlation(p, q, nil); math.Abs(of.common-want) > 1e-6 {
				t.Errorf("%s, change %v, on common components: %v, want %v", c.Group, of.change, of.common, want)
			}
		}
		same := c.Group == "seeds"
		if c.onOneBasis() != same || (math.Abs(c.whole.common-c.whole.Pearson) < 1e-9) != same {
			t.Errorf("%s: on one basis %v, %v and %v", c.Group, c.onOneBasis(), c.whole.common, c.whole.Pearson)
		}
		want := math.Sqrt(c.a.change.reliability * c.b.change.reliability)
		if c.change.ceiling != want || !(want <= 1) {
			t.Errorf("%s: a ceiling of %v, want %v", c.Group, c.change.ceiling, want)
		}
		if c.compared != c.whole {
			t.Errorf("%s: W − W₀ is compared", c.Group)
		}
	}
}

// commonByHand returns the principal components of two sets of patches together, from the mean of their second moments.
func commonByHand(a, b *profiledNet) [][]float64 {
	d := len(a.basis.Mean)
	covariance := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			second, means := 0., [2]float64{}
			for _, p := range []*profiledNet{a, b} {
				second += p.basis.Mean[i] * p.basis.Mean[j] / 2
				means[0], means[1] = means[0]+p.basis.Mean[i]/2, means[1]+p.basis.Mean[j]/2
				for k, v := range p.basis.Vectors {
					second += p.basis.Variances[k] * v[i] * v[j] / 2
				}
			}
			covariance.SetSym(i, j, second-means[0]*means[1])
		}
	}
	var eig mat.EigenSym
	eig.Factorize(covariance, true)
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	var all [][]float64
	for k := d - 1; k >= 0; k-- {
		all = append(all, mat.Col(nil, k, &vectors))
	}
	return all
}

// All networks of a run learn the same images. A run with another seed has other images.
func TestSeedsDrawImages(t *testing.T) {
	s := table1Smoke()
	s.Networks = []setups.EnergyNetwork{smokeNet("net"), smokeNet("again")}
	for i := range s.Networks {
		s.Networks[i].Data = "glyphs"
	}
	_, first := profileAll(t, s, study.Setting{Seed: 1})
	_, second := profileAll(t, s, study.Setting{Seed: 2})
	if first.Data[0].SHA256 != first.Data[1].SHA256 || first.Data[0].SHA256 == second.Data[0].SHA256 {
		t.Errorf("images %v and %v", first.Data, second.Data)
	}
}

// Labels by the signed projection are nearly a linear function of it, and labels by its magnitude are not. The measure
// of memorisation is the training accuracy, and the lowest spike similarity is that of the pair.
func TestMeasuresOfLabels(t *testing.T) {
	s := compareComponents(smokeEnergy, smokeNet(""), 3, 10, 2)
	for i, n := range s.Networks { // as many classes as the labels have
		n.Data = "glyphs"
		s.Networks[i] = n
	}
	nets, _ := profileAll(t, s, study.Setting{Seed: 1})
	if r := nets[3].withProjection; !(r < -.9) { // the largest are the first class
		t.Errorf("signed labels have a correlation of %v with the projections", r)
	}
	if r := nets[2].withProjection; !(math.Abs(r) < .9) {
		t.Errorf("labels by magnitude have a correlation of %v with the projections", r)
	}
	if !math.IsNaN(nets[1].withProjection) {
		t.Error("true labels are by a component")
	}
	pairs, err := s.comparePairs(nets)
	if err != nil {
		t.Fatal(err)
	}
	o := &study.Outcome{}
	setProfileMeasures(nets, pairs, o)
	if got, want := o.Value(memorised.Of("true")), nets[0].lastEpoch().TrainAccuracy; got != want {
		t.Errorf("%v memorised, want %v", got, want)
	}
	if got, want := o.Value(spikeLowest.Of(bySigned)), pairs[2].whole.Pearson; got != want {
		t.Errorf("lowest %v, want %v", got, want)
	}
}

// At scale small the stand-ins for the paper's datasets are named. At scale paper there are none.
func TestStandIns(t *testing.T) {
	used := table2Small().StandIns()
	if used[celebFaces] != "cifar10 of "+animalClasses+" against the rest" || used[hundredClasses] != "cifar10 with "+
		"every class in 10 parts" {
		t.Errorf("%v", used)
	}
	for _, s := range []*ProfilesSpec{table1Paper(), table2Paper(), table4Paper(), fig10Paper(), fig11Paper()} {
		if used := s.StandIns(); len(used) > 0 {
			t.Errorf("%v at scale paper", used)
		}
	}
}
