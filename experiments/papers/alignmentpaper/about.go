package alignmentpaper

import "github.com/ansatz-lab/ansatz/experiments/study"

// modularAbout says how modular addition is learned and what is measured.
var modularAbout = study.About{
	Done: "Grokking, as in arXiv 2407.20199: pairs (a, b) modulo p are one-hot, 2p inputs; the label is a + b modulo p. A " +
		"recursive feature machine (RFM) with a Gaussian kernel, M ← AGOP^½, and a network of one hidden layer of squares " +
		"learn half of the pairs and are tested on the others.",
	Deviations: []string{
		"Where the text and the code of the paper differ, the code is followed. The kernel is " +
			"exp(−‖x − z‖²_M/(2L²)), where the text has exp(−‖x − z‖²_M/L); the AGOP is centred, which the text does not say.",
		"Both learn half of the pairs, the default of the code for RFMs; that for networks is 30 %.",
		"The thresholds were written before any run of this program. One seed of a prototype in PyTorch was known, which " +
			"had no nulls, no random labels and no AGOP of the network. It had random circulant features of all three kinds.",
		"At scale small the RFM has 30 iterations and the network 100 epochs; the defaults of the code are 50 and 1000.",
	},
	Controls: []string{
		"The null of a circulant deviation is that of the same block with its rows and columns permuted at random.",
		"The null of the similarity of M with the last M renames the values of a and those of b at random in one of the " +
			"two: it keeps the spectrum and the blocks I and 11ᵀ.",
		"The null of an alignment of the first layer turns the singular vectors of W₁ at random, among the filters or among " +
			"the inputs, as `verify --alignments` does.",
		"Everything is done again with random labels, as many of each, on the same pairs.",
		"A random circulant metric is also tried with the values of a and of b renamed at random, which keeps its spectrum, " +
			"and one that is constant along a + b, which the paper calls circulant too.",
	},
	Conventions: []string{
		"The block is the lower left p×p part of M, or of W₁ᵀW₁: rows are values of b, columns those of a. Its circulant " +
			"deviation is the variation along wrapped diagonals over its sum of squares. As in the paper it counts as " +
			"circulant whether it is constant along a − b or along a + b: the lesser deviation is taken.",
		"There is no ridge. Where a kernel matrix is singular up to rounding in float64, the pseudo-inverse takes the place " +
			"of the inverse; the table of iterations says which was taken.",
		"The network has no biases and the initialisation of PyTorch. AdamW with batches of 32, learning rate 1e-3, β = (.9, " +
			".98) and weight decay 1 minimises the mean squared error. Its AGOP is that of all training pairs, not centred.",
		"Statements about a loss take the cross-entropy of the labels, as `verify --alignments` does, though the network " +
			"minimises the squared error. The statements fact and bfact are exact at stationary points of a loss with an " +
			"L2 penalty; nothing says so for another loss and the decay of AdamW.",
		"Random circulant features are (M*)^½ for M* with blocks I − 11ᵀ/p and a random circulant matrix of mean 0. M* has " +
			"negative eigenvalues, which count as 0, as in the code.",
		"The effective share of frequencies is (Σe)²/Σe² over their number, for the shares e of the nearest circulant block's " +
			"sum of squares in every frequency but 0.",
	},
}
