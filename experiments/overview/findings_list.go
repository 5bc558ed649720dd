package overview

// findings are the questions with which the results begin. They were chosen because the papers' arguments rest on them,
// whatever the verdicts are. No numbers are written here: {ours} and {null} in an answer stand for measured ones.
var findings = []finding{
	{
		name: "without-learning", title: "How much of the similarity is there without learning?",
		answer: "The similarity of trained networks is {ours}; {null} of it is above the null, and the rest is there without learning.",
		text: "The ansatz says that WᵀW of a layer is proportional to the average gradient outer product (AGOP) at the patches " +
			"that the layer reads. By the chain rule the AGOP is WᵀSW, with S of the layers above, so that both matrices " +
			"contain W and are alike whatever was learned. The null rotates S at random and keeps its spectrum: what is left " +
			"above it is alignment.",
		claims:   []string{"cnfa/fig1 pearson", "cnfa/fig1 excess", "cnfa/fig7 before_excess", "cnfa/fig7 normalised_gain", "cnfa/fig7 normalised_higher", "cnfa/fig8 excess"},
		pictures: []string{"cnfa/fig7 above-vgg13", "cnfa/fig1 similarity-resnet20"},
	},
	{
		name: "powers", title: "Which power of the AGOP, and which of the published statements, holds best?",
		answer: "The power ½ of the AGOP exceeds the AGOP by {ours} of the normalised excess.",
		text: "Later papers put another matrix in the place of the AGOP: a power α of it, that of the loss, products with the " +
			"gradients of the weights (FACT), the covariance of the input. Here they are compared in the same trained networks, " +
			"each as the share of the room above its null that it fills.",
		claims:   []string{"alignment/networks root_over_agop", "alignment/networks fitted_over_root", "alignment/networks nfa_excess", "alignment/networks covariance_less", "alignment/networks loss_like_outputs", "alignment/networks crh_excess", "cnfa/fig1 half_over_agop"},
		pictures: []string{"alignment/networks after-training"},
	},
	{
		name: "over-training", title: "Where does alignment rise and fall over training?",
		answer: "Early in training the change of the weights exceeds the weights by {ours} in the correlation with its AGOP.",
		text: "All statements are tracked while networks learn. Early in training most of W still is its initial value, which " +
			"is why a paper proposes to compare W − W₀ with the AGOP of the same part (C-NFA).",
		claims:   []string{"alignment/networks centred_early", "alignment/networks centred_early_excess", "cnfa/fig7 gain", "alignment/networks nfa_excess"},
		pictures: []string{"alignment/networks during-lenet", "alignment/networks during-vgg11"},
	},
	{
		name: "what-changes-it", title: "What do random labels, lazy training, weight decay and batch norm do to it?",
		answer: "Lazy training lowers the normalised excess by {ours}.",
		text: "The same networks are trained on random labels, with weight decay and without, with batch norm, and, for the lazy " +
			"regime, wide and with a small learning rate.",
		claims:   []string{"alignment/networks lazy_less", "alignment/networks random_labels", "alignment/networks fact_decay", "alignment/networks fact_normed", "alignment/exact stationary_fact", "alignment/exact undecayed_fact"},
		pictures: []string{"alignment/networks during-lenet-random-labels", "alignment/networks during-lenet-weight-decay"},
	},
	{
		name: "beyond-covariance", title: "Do kernel machines find a network's features beyond the covariance of the patches?",
		answer: "The correlation of M with what training changed in the first layer lies {ours} standard deviations above its null.",
		text: "The metric M that a convolutional RFM learns resembles the features of a network's first layer. So does the second " +
			"moment of the images' patches, which knows nothing of the labels. The controls ask by how much more M does.",
		claims:   []string{"cnfa/features change_laplace_sds", "cnfa/features change_laplace_over_moment", "cnfa/features change_cntk_over_moment", "cnfa/features agop_cntk_over_moment", "cnfa/fig3 cntk_coherence_over_images", "rfm/fig1 fig1_eigenvectors_over_images"},
		pictures: []string{"cnfa/features first-layer-eigenvectors", "cnfa/fig3 eigenvectors"},
	},
	{
		name: "digits-in-noise", title: "Digits in noise: does learning a metric of patches help?",
		answer: "ConvRFM gains {ours} in test accuracy over the CNTK, which weighs all patches alike.",
		text: "A digit lies at a random place of an image of noise. The convolutional tangent kernel (CNTK) weighs all patches " +
			"alike; ConvRFM learns which matter, and a convolutional network learns filters.",
		claims:   []string{"cnfa/fig5 digits_convrfm_gain", "cnfa/fig5 digits_iterations_gain", "cnfa/fig5 digits_net_gain", "cnfa/fig5 bars_convrfm_gain", "cnfa/fig5 bars_net_gain"},
		pictures: []string{"cnfa/fig5 digits-iterations", "cnfa/fig5 digits-noise"},
	},
	{
		name: "deep-convrfm", title: "Does Deep ConvRFM gain from learning features in more layers?",
		answer: "Deep ConvRFM gains {ours} in test accuracy over the CNTK, mean over the datasets.",
		text: "Deep ConvRFM learns a metric of patches layer by layer, and draws random features between them. It is compared with " +
			"the CNTK, with ConvRFM of one layer, and, layer by layer, with what a network's layers respond to.",
		claims:   []string{"cnfa/fig6 deep_gain_mean", "cnfa/fig6 convrfm_gain_mean", "cnfa/fig6 layers_gain_mean", "cnfa/fig5 bars_deep2_gain", "cnfa/fig4 digits_layer2_alike", "cnfa/fig4 digits_layer2_over_plain"},
		pictures: []string{"cnfa/fig6 sets", "cnfa/fig5 bars-noise"},
	},
	{
		name: "tables", title: "How much do tables gain from learning features?",
		answer: "The lead of RFM over kernels without features is {ours} in average accuracy.",
		text: "RFM is compared with the Laplace kernel, which is RFM without features, and with other kernels, on tables of the UCI " +
			"repository. RFM beside forests, boosting, networks and support vector machines on 20 tables is in tables.md.",
		claims:   []string{"rfm/fig4 a_average", "rfm/fig4 over_laplace", "rfm/fig4 over_laplace_many", "rfm/fig4 decrease_wide", "rfm/fig4 a_rank", "rfm/fig4 iteration_0"},
		pictures: []string{"rfm/fig4 errors"},
	},
	{
		name: "linearization", title: "Why is a network's linearization behind: not yet converged, or no features?",
		answer: "LeNet is {ours} points more accurate than its linearization in the limit of infinite time.",
		text: "A network is compared with its linearization at the initial weights, trained by SGD for as long, and in the limit of " +
			"infinite time, which is a kernel regression. Network less limit is what features are worth; limit less SGD is what " +
			"had not yet converged.",
		claims:   []string{"ntk/fig2 mnist_features_first", "ntk/fig2 mnist_features_shrink", "ntk/fig2 mnist_unconverged_first", "ntk/fig3 features_over_centred", "ntk/fig3 shifted_features_first", "ntk/fig4 cifar10_features_first"},
		pictures: []string{"ntk/fig2 mnist-parts", "ntk/fig3 shifted-parts"},
	},
	{
		name: "energy-profiles", title: "Do first layers of different networks learn the same energy profile?",
		answer: "Profiles of two networks with different initial weights correlate by {ours}, {null} of it above the null.",
		text: "The energy profile of a first layer says how strongly its filters respond to each principal component of the patches. " +
			"The paper compares profiles of W. What training changed, W − W₀, has none of the noise of the initial filters.",
		claims:   []string{"energy/table1 seeds_pearson", "energy/table1 seeds_change", "energy/table1 widths_change", "energy/table1 architectures_change", "energy/table1 datasets_pearson", "energy/table1 datasets_change_common", "energy/table2 cifar10_change"},
		pictures: []string{"energy/fig2 profiles-seeds", "energy/fig2 profiles-datasets"},
	},
	{
		name: "random-labels", title: "Do linear CNNs learn the same profile from true and from random labels?",
		answer: "The profiles from true and from random labels correlate by {ours}.",
		text: "A convolution of one layer with an average over positions is a linear network whose descent has a closed form. The " +
			"profiles for true and for random labels are compared with each other, with the optimum, and over widths and times.",
		claims:   []string{"energy/fig4 fig4_random", "energy/fig4 fig4_over_low", "energy/fig4 fig4_optimum", "energy/table3 widths", "energy/table3 random_any_time"},
		pictures: []string{"energy/fig4 profiles-dog_frog"},
	},
	{
		name: "star", title: "Does an RFM find a small part of an image that tells the class?",
		answer: "The RFM's test accuracy at the last iteration is {ours}.",
		text: "A star in a corner of a photograph tells the class. An RFM and a network fit the training images; the question is " +
			"whether they learn to look at the star, and whether their test accuracy rises with it.",
		claims:   []string{"rfm/fig7 rfm_test_last", "rfm/fig7 rfm_test_first", "rfm/fig7 rfm_share", "rfm/fig7 rfm_share_over_variance", "rfm/fig7 net_share_grows"},
		pictures: []string{"rfm/fig7 rfm-accuracy", "rfm/fig7 rfm-features"},
	},
	{
		name: "modular-addition", title: "Modular addition: does an RFM grok without gradient descent?",
		answer: "The RFM's test accuracy at the last iteration is {ours}.",
		text: "Pairs of numbers are added modulo a prime. An RFM, which takes no gradient steps, and a network are followed from the " +
			"level of chance on, beside a kernel machine on random circulant features, which learns none.",
		claims:   []string{"alignment/modular rfm_test_last", "alignment/modular rfm_test_first", "alignment/modular rfm_deviation", "alignment/modular circulant_test", "alignment/modular net_test_last", "alignment/modular net_root"},
		pictures: []string{"alignment/modular rfm-accuracy", "alignment/modular rfm-features"},
	},
	{
		name: "greedy", title: "Is the AGOP a greedy approximation of gradient descent?",
		answer: "The change of M by descent correlates by {ours} with the M that is learned from the AGOP.",
		text: "Hyper basis function networks learn M by gradient descent, or take their own AGOP for it. The paper says that descent " +
			"changes M in proportion to the AGOP. The control is the covariance of the images.",
		claims:   []string{"hyperbf/table1 cifar10_greedy", "hyperbf/table1 mnist_greedy", "hyperbf/table1 mnist_gd_own", "hyperbf/table1 mnist_gd_own_covariance_excess", "hyperbf/table1 cifar10_spread"},
		pictures: []string{"hyperbf/table1 cifar10-accuracy"},
	},
	{
		name: "false-as-printed", title: "Which statements of the papers are false as printed?",
		text: "The theorems, propositions and equations of the papers are checked numerically. Where one is false as printed, a line " +
			"that is corrected follows it in the table of all statements, and holds.",
		statements: true,
		pictures:   []string{"rfm/table1 widths"},
	},
}
