package cnfapaper

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Means over the convolutions, and differences of such means. Each difference has a second version, see [ofNormalised].
var (
	trainedCosine      = study.NewMeasure("trained_cosine") // of CNFM and AGOP
	trainedExcess      = study.NewMeasure("trained_excess") // of the cosine over its null
	trainedOverInitial = study.NewMeasure("trained_over_initial")
	trainedOverBefore  = study.NewMeasure("trained_over_before")
	maxOverVec         = study.NewMeasure("max_over_vec")
	maxOverAvg         = study.NewMeasure("max_over_avg")
	patchDrop          = study.NewMeasure("patch_drop")
)

// ofNormalised returns the measure of the same difference for the normalised excesses of the cosines over their nulls.
func ofNormalised(m study.Measure) study.Measure { return study.NewMeasure(m.Name() + "_normalised") }

// poolingSets are the paper's datasets, by the name that claims use.
const poolingSets = "the paper's ten datasets"

// PoolingSpec verifies the ansatz in small convolutional networks for several poolings, patch sizes and datasets (cnfa
// Fig. 9).
type PoolingSpec struct {
	Poolings []string        `json:"poolings" toml:"poolings"` // architectures; a patch size can be added to their names
	Patches  []int           `json:"patches" toml:"patches"`   // odd sides, ascending
	Sets     []PoolingSet    `json:"sets" toml:"sets"`
	Width    float64         `json:"width" toml:"width"` // a factor on the 64 filters; 0 is 1
	Init     string          `json:"init" toml:"init"`
	Lessons  NetworkTraining `json:"lessons" toml:"lessons"`
	Images   int             `json:"images" toml:"images"` // training images for the AGOPs
}

// PoolingSet is a dataset with the size to which its images are scaled; 0 leaves them unscaled.
type PoolingSet struct {
	Name      string `json:"name" toml:"name"`
	Data      string `json:"data" toml:"data"`
	Size      int    `json:"size" toml:"size"`
	Normalise string `json:"normalise" toml:"normalise"` // see [AnsatzNetwork]
}

// fig9 returns the ansatz over poolings and patch sizes.
func fig9() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig9", Paper: "cnfa", Figure: "Fig. 9", Title: "The ansatz over poolings, patch sizes and datasets",
		Panels: []string{"a-cnn-vec", "b-cnn-max", "c-cnn-avg", "d-cnn-vec", "e-cnn-max", "f-cnn-avg"},
		About: study.About{
			Done: "Networks of four convolutions without pooling (cnn-vec), with max pooling (cnn-max) and with " +
				"average pooling (cnn-avg), with patches of several sizes, learn several datasets. The measure is " +
				"the paper's: the cosine of CNFM and AGOP, not centred, averaged over the datasets.",
			Deviations: []string{
				"Panels D to F, of the initial CNFM, are shown in both ways in which they can be read: with the " +
					"AGOP of the trained network, whose null is the cosine with one of the two rotated at random, " +
					"and with that of the initial network, since the only published code with these networks does " +
					"not train them.",
				"The networks are those after the last epoch. The published code took the best epoch on test " +
					"images.",
				"At scale small pixels are normalised by mean and standard deviation of each dataset. At scale paper " +
					"colours are by the numbers of Appendix B, with their misprinted denominators put right, and grey " +
					"images are not normalised.",
				"At scale small the networks have a quarter of the 64 filters and learn few images, of 16×16, of " +
					"CIFAR-10 and MNIST. Datasets that are not in the data folder are left out.",
			},
			Controls: []string{
				"Two positive semidefinite matrices have a high cosine whatever they are. Beside it stands its " +
					"null, the same with S of AGOP = WᵀSW rotated at random.",
			},
			Conventions: []string{
				"Convolutions have no biases and zero padding. Training is by Adam from normal weights of " +
					"standard deviations 5e-3 and 1e-2.",
				"Panels A to C are of the trained CNFM. FGVC-Aircraft's classes are the 30 manufacturers and " +
					"EMNIST's are the letters, as published.",
				"Networks learn the first images of the training split, the same for every seed. Sets that are sorted by " +
					"class are shuffled first, for each network in another way.",
			},
		}.With(powersAbout),
		Claims:     fig9Claims(),
		SmallSeeds: 5,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: poolingSmoke(), study.Small: poolingSmall(), study.PaperScale: poolingPaper(),
		},
	}
}

func fig9Claims() []study.Claim {
	return []study.Claim{
		trainedCosine.Claim("CNFM and AGOP of networks of four convolutions are similar: cosine, mean over "+
			"poolings, patch sizes and datasets.",
			"high bars", study.AtLeast(.8)).On(poolingSets).WithControl(trainedExcess),
		control(trainedExcess, "CNFM and AGOP = WᵀSW of networks of four convolutions are more similar than with "+
			"S rotated at random: excess of the cosine."),
		trainedOverInitial.Claim("In networks of four convolutions the trained CNFM resembles the AGOP of the "+
			"trained network more than the initial CNFM does: difference of the cosines.",
			"panels A–C above D–F", study.Above(0)).On(poolingSets).WithControl(ofNormalised(trainedOverInitial)),
		control(ofNormalised(trainedOverInitial), "In networks of four convolutions the trained CNFM resembles "+
			"the AGOP of the trained network more than the initial CNFM does: difference of the normalised "+
			"excesses, each over its own null."),
		trainedOverBefore.Check("In networks of four convolutions CNFM and AGOP are more similar after training "+
			"than before (the other reading of panels D to F): difference of the cosines.",
			study.Above(0)).WithControl(ofNormalised(trainedOverBefore)),
		control(ofNormalised(trainedOverBefore), "In networks of four convolutions CNFM and AGOP are more "+
			"similar after training than before: difference of the normalised excesses."),
		maxOverVec.Claim("In networks of four convolutions max pooling leads to a higher cosine of CNFM and AGOP "+
			"than no pooling: difference.",
			"higher", study.Above(0)).On(poolingSets).WithControl(ofNormalised(maxOverVec)),
		control(ofNormalised(maxOverVec), "In networks of four convolutions max pooling leads to a higher "+
			"normalised excess of the cosine of CNFM and AGOP than no pooling: difference."),
		maxOverAvg.Claim("In networks of four convolutions max pooling leads to a higher cosine of CNFM and AGOP "+
			"than average pooling: difference.",
			"higher", study.Above(0)).On(poolingSets).WithControl(ofNormalised(maxOverAvg)),
		control(ofNormalised(maxOverAvg), "In networks of four convolutions max pooling leads to a higher "+
			"normalised excess of the cosine of CNFM and AGOP than average pooling: difference."),
		patchDrop.Claim("In networks of four convolutions larger patches slightly reduce the cosine of CNFM and "+
			"AGOP: that with the smallest patches less that with the largest.",
			"slightly lower", study.Above(0)).On(poolingSets).WithControl(ofNormalised(patchDrop)),
		control(ofNormalised(patchDrop), "In networks of four convolutions larger patches reduce the normalised "+
			"excess of the cosine of CNFM and AGOP: that with the smallest patches less that with the largest."),
		control(half.measure(normalised), "In networks of four convolutions the correlation of the trained CNFM "+
			"and AGOP^½ exceeds its null, that with S of AGOP = WᵀSW rotated at random: normalised excess of "+
			"Pearson's correlation."),
		accuracyOverChance.Check("The networks of four convolutions classify test images better than chance: "+
			"test accuracy above chance, mean over the networks.",
			study.AtLeast(.1)),
	}
}

// StandIns implements [study.Substituter].
func (s *PoolingSpec) StandIns() map[string]string {
	var used []string
	for _, set := range s.Sets {
		used = append(used, set.Data)
	}
	if slices.Equal(used, poolingData()) {
		return nil
	}
	return map[string]string{poolingSets: strings.Join(used, ", ")}
}

// poolings returns the paper's poolings, in the order of its panels.
func poolings() []string { return []string{"cnn-vec", "cnn-max", "cnn-avg"} }

func poolingSmoke() *PoolingSpec {
	return &PoolingSpec{
		Poolings: poolings(), Patches: []int{1, 3},
		Sets:  []PoolingSet{{"leaves", "deadleaves", 8, leavesNormalisation}, {"svhn", "svhn", 8, ""}},
		Width: .1, Init: smallInit, Lessons: smokeTraining("adam"), Images: 10,
	}
}

func poolingSmall() *PoolingSpec {
	return &PoolingSpec{
		Poolings: poolings(), Patches: []int{3, 5, 7},
		Sets:  []PoolingSet{{"cifar10", "cifar10", 16, ""}, {"mnist", "mnist", 16, ""}},
		Width: .25, Init: smallInit, Lessons: NetworkTraining{
			Train: 500, Test: 500, Epochs: 150, Batch: 25, Optimiser: "adam", Rate: 1e-3,
		}, Images: 50,
	}
}

func poolingPaper() *PoolingSpec {
	s := &PoolingSpec{
		Poolings: poolings(), Patches: []int{3, 5, 7},
		Init: smallInit, Lessons: NetworkTraining{
			Train: 2000, Test: 2000, Epochs: 500, Batch: 128, Optimiser: "adam", Rate: 2e-4,
		}, Images: 2000,
	}
	for _, set := range poolingData() {
		name, _, _ := strings.Cut(set, ":")
		normalise := paperColours
		if name == "qmnist" || name == "emnist" { // grey
			normalise = "none"
		}
		s.Sets = append(s.Sets, PoolingSet{name, set, 32, normalise})
	}
	return s
}

// paperColours are means and standard deviations of the colours (Appendix B, [125.3, 123, 113.9]/255 and [63, 62.1,
// 66.7]/255; some denominators are misprinted).
const paperColours = ".4913725,.4823529,.4466667/.2470588,.2435294,.2615686"

// poolingData returns the datasets of [poolingSets].
func poolingData() []string {
	return []string{
		"aircraft:manufacturer", "pcam", "cifar10", "stl10", "gtsrb", "svhn", "caltech101", "dtd", "qmnist",
		"emnist:letters",
	}
}

// Run implements Spec.
func (s *PoolingSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Poolings) == 0 || len(s.Patches) < 2 || s.Images < 1 {
		return nil, input.Errorf("%d poolings, %d patch sizes and %d images: want at least 1, 2 and 1", len(s.Poolings),
			len(s.Patches), s.Images)
	}
	o := &study.Outcome{}
	var found []*poolingNet
	for _, set := range s.Sets {
		of, err := s.trainNetworks(ctx, in, set, o)
		if note := input.LeftOut("the networks on "+set.Name, err); note != "" {
			o.Notes = append(o.Notes, note)
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, of...)
	}
	if in.Dry() {
		return o, nil
	}
	if len(found) == 0 {
		return nil, input.Errorf("none of the datasets can be had: %v", o.Notes)
	}
	var all poolingLayers
	for _, p := range found {
		all = append(all, p.layers...)
	}
	s.setMeasures(all, o)
	o.Set(accuracyOverChance, meanOf(found, func(p *poolingNet) float64 { return p.overChance }))
	s.addTables(all, len(found[0].layers), o)
	o.Tables = append(o.Tables, poolingAccuracies(found))
	return o, nil
}

// network returns the network of a pooling and a patch size on a dataset.
func (s *PoolingSpec) network(pooling string, patch int, set PoolingSet) AnsatzNetwork {
	return AnsatzNetwork{
		Name: fmt.Sprintf("%s of %d×%d on %s", pooling, patch, patch, set.Name),
		Arch: fmt.Sprintf("%s:%d", pooling, patch), Width: s.Width, Init: s.Init,
		Data: set.Data, Size: set.Size, Normalise: set.Normalise, Lessons: s.Lessons,
	}
}

// poolingNet holds the measures of one network after training.
type poolingNet struct {
	name           string
	training, test float64 // accuracies
	overChance     float64 // the test accuracy minus that of guessing
	layers         []poolingLayer
}

// trainNetworks trains and measures all networks on one dataset.
func (s *PoolingSpec) trainNetworks(
	ctx context.Context, in study.Setting, set PoolingSet, o *study.Outcome,
) ([]*poolingNet, error) {
	var all []*poolingNet
	for _, pooling := range s.Poolings {
		for _, patch := range s.Patches {
			n, err := s.network(pooling, patch, set).trainOrLoad(ctx, in)
			if err != nil {
				return nil, err
			}
			v, err := n.verify(ctx, in, s.Images, 0, false)
			if err != nil {
				return nil, err
			}
			before, err := n.verify(ctx, in, s.Images, 0, true)
			if err != nil {
				return nil, err
			}
			if in.Dry() {
				continue
			}
			what := set.Name
			if len(all) > 0 {
				what = n.Name
			}
			if err := addImages(o, what, n.images); err != nil {
				return nil, err
			}
			p := &poolingNet{
				name:     fmt.Sprintf("%s %d×%d, %s", pooling, patch, patch, set.Name),
				training: record.ValueOrNaN(n.training), test: record.ValueOrNaN(n.test),
			}
			p.overChance = p.test - 1/float64(n.net.Classes)
			for k, l := range v.Result.Layers {
				initial := similarity.Compare(cnfa.CNFM(n.initial.Filters(l.Name)), l.AGOP(n.net.Filters(l.Name)))
				p.layers = append(p.layers, poolingLayer{
					pooling: pooling, patch: patch, index: k, ansatz: v.Layers[k].AnsatzRecord,
					trained: ansatzSimilarity(l.Ansatz), initial: initial,
					before: ansatzSimilarity(before.Result.Layers[k].Ansatz),
				})
			}
			all = append(all, p)
		}
	}
	return all, nil
}

// addImages records a dataset, unless the same images are recorded under another name. Networks on a set learn the same
// ones unless it is generated or sorted by class.
func addImages(o *study.Outcome, what string, set data.Dataset) error {
	before := slices.Clone(o.Data)
	if err := o.AddDataset(what, set); err != nil {
		return err
	}
	added := o.Data[len(before)]
	if slices.ContainsFunc(before, func(d study.DataUsed) bool { return d.SHA256 == added.SHA256 }) {
		o.Data = before
	}
	return nil
}
