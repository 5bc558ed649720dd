package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig9 is the ansatz over poolings and patch sizes.
func fig9() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig9", Paper: "cnfa", Figure: "Fig. 9", Title: "The ansatz over poolings, patch sizes and datasets",
		About: "Networks of four convolutions without biases, padded with zeros, without pooling (cnn-vec), with max poolings and with average poolings (cnn-max, cnn-avg), on patches of several sizes, learn several datasets by Adam from normal weights of standard deviations 5e-3 and 1e-2. " +
			"The measure is the paper's: the cosine of CNFM and AGOP, not centred, averaged over the datasets. Two positive matrices have a high cosine whatever they are, so that beside it stands its null, the same with S of AGOP = WᵀSW rotated at random. " +
			"Panels A to C are of the trained CNFM; D to F of the initial CNFM with the AGOP of the trained network, as the paper's code has it: their null is the cosine of one of the two rotated at random. " +
			"The networks are those after the last epoch; the published code took the best by test images. At scale small they have a quarter of the 64 filters, images are 16×16, few, and of CIFAR-10 and MNIST; datasets that are not in the data folder are left out.",
		Claims: []study.Claim{
			{Value: "trained_cosine", Sentence: "CNFM and AGOP are alike: cosine, on average.", Paper: "high bars", Holds: study.AtLeast(.8)},
			{Value: "trained_excess", Sentence: "More than with S rotated at random.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "trained_over_initial", Sentence: "The trained CNFM is more like the AGOP than the initial CNFM is.", Paper: "panels A–C above D–F", Holds: study.Above(0)},
			{Value: "trained_over_initial_excess", Sentence: "So it is in excess over either's null.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "max_over_vec", Sentence: "Max pooling leads to a higher cosine than no pooling: by how much.", Paper: "higher", Holds: study.Above(0)},
			{Value: "max_over_vec_excess", Sentence: "And to a higher excess over the null.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "max_over_avg", Sentence: "Max pooling leads to a higher cosine than average pooling: by how much.", Paper: "higher", Holds: study.Above(0)},
			{Value: "max_over_avg_excess", Sentence: "And to a higher excess over the null.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "patch_drop", Sentence: "Larger patches slightly reduce the cosine: of the smallest, less that of the largest.", Paper: "slightly lower", Holds: study.Above(0)},
			{Value: "patch_drop_excess", Sentence: "And the excess over the null.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "accuracy_over_chance", Sentence: "The networks learned: test accuracy above chance, on average.", Paper: "not asked by the paper", Holds: study.AtLeast(.1)},
		},
		Controls: map[string]string{
			"trained_cosine": "trained_excess", "trained_over_initial": "trained_over_initial_excess",
			"max_over_vec": "max_over_vec_excess", "max_over_avg": "max_over_avg_excess", "patch_drop": "patch_drop_excess",
		},
		Specs: map[study.Scale]study.Spec{study.Smoke: poolingSmoke(), study.Small: poolingSmall(), study.PaperScale: poolingPaper()},
	}
}

// poolings are those of the paper, in the order of its panels.
func poolings() []string { return []string{"cnn-vec", "cnn-max", "cnn-avg"} }

func poolingSmoke() *PoolingSpec {
	return &PoolingSpec{
		Poolings: poolings(), Patches: []int{1, 3}, Sets: []PoolingSet{{"leaves", "deadleaves", 8, leavesNormalisation}, {"none", "svhn", 8, ""}},
		Width: .1, Init: smallInit, Lessons: smokeLesson("adam"), Images: 10,
	}
}

func poolingSmall() *PoolingSpec {
	return &PoolingSpec{
		Poolings: poolings(), Patches: []int{3, 5, 7}, Sets: []PoolingSet{{"cifar10", "cifar10", 16, ""}, {"mnist", "mnist", 16, ""}},
		Width: .25, Init: smallInit, Lessons: NetworkLesson{Train: 500, Test: 500, Epochs: 40, Batch: 25, Optimiser: "adam", Rate: 1e-3}, Images: 50,
	}
}

func poolingPaper() *PoolingSpec {
	s := &PoolingSpec{
		Poolings: poolings(), Patches: []int{3, 5, 7},
		Init: smallInit, Lessons: NetworkLesson{Train: 2000, Test: 2000, Epochs: 500, Batch: 128, Optimiser: "adam", Rate: 2e-4}, Images: 2000,
	}
	for _, set := range []string{"aircraft", "pcam", "cifar10", "stl10", "gtsrb", "svhn", "caltech101", "dtd", "qmnist", "emnist"} {
		s.Sets = append(s.Sets, PoolingSet{set, set, 32, ""})
	}
	return s
}
