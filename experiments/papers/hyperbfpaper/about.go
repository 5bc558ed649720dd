package hyperbfpaper

import "github.com/ansatz-lab/ansatz/experiments/study"

// table1About says how the networks of Table 1 learn and how they are compared.
var table1About = study.About{
	Done: "A hyper basis function network f(x) = Σ c G(‖x − t‖²_W) learns M = WᵀW by the AGOP with fixed " +
		"centres, or by gradient descent on W and on the centres t (the paper's GD; with fixed centres " +
		"for comparison). Their accuracies and M are compared.",
	Deviations: []string{
		"The paper says neither how many images it took nor bandwidth, learning rate or steps. Its " +
			"accuracies are shown beside ours, and claims are about differences only.",
		"At scale small there are 1500 training images of each dataset, CIFAR-10 at 16×16; at scale " +
			"smoke glyphs stand in for both. Ridge, learning rate and iteration are chosen on held-out " +
			"training images; test images choose nothing.",
		"W starts at the identity, as it could not move from the paper's 0. What descent adds is M − I.",
		"The thresholds of alignments were written when results/hyperbf, with more images, was known; " +
			"ridge 1 and plain descent were settled on afterwards.",
	},
	Controls: []string{
		"The null of an alignment is the AGOP rotated at random. A second control is the covariance of " +
			"the images, with which M − I is correlated too. Alignments of networks that descend by Adam " +
			"are shown as well.",
	},
	Conventions: []string{
		"Descent is plain, without momentum, as in the paper's eqs. 3 and 10. RFM is the machine with " +
			"the Laplace kernel, the others have the Gaussian.",
		"Alignments are measured on separate networks with ridge 1: with a small ridge, which accuracy " +
			"often chooses, the regression for c leaves an error of about 1e-4 and W has nothing to " +
			"descend on.",
	},
}
