package ntkpaper

import "github.com/ansatz-lab/ansatz/experiments/study"

// gapAbout says how networks and linearizations are compared, and gapDeviations how this differs from the paper.
var (
	gapAbout = study.About{
		Done: "At several widths a network and its linearization at its initial weights are trained by SGD from " +
			"those weights, on the same mini-batches; the linearization's limit of infinite time is solved for. The " +
			"gap between network and linearization is the sum of two parts: what the linearization has not yet " +
			"learned, its limit less what SGD reached, and what it cannot learn for want of features, the network " +
			"less the limit.",
		Controls: []string{
			"The paper compares after a number of epochs. Its claims are judged so too, and are said to be about a " +
				"linearization that SGD trained for as long. What they say of features is judged on the limit.",
		},
		Conventions: []string{
			"The loss is the mean squared error on one-hot targets, the momentum 0.9. Accuracies, of training " +
				"images too, are those of the weights after the last epoch.",
			"The limit has the ridge λ = δ·rows/2 that the weight decay δ of SGD amounts to, with a row for every " +
				"output of every training image: SGD tends to it. A ridge of 0 would be the limit of another training, " +
				"without decay; it fits noise along the smallest eigenvalues of the kernel, and is shown beside it. " +
				"Nothing is chosen on test images.",
			"Network and linearization are compared at the same time, learning rate times steps, but for the " +
				"linearizations of AlexNet with a learning rate of their own, which have as many steps.",
		},
	}
	gapDeviations = study.About{
		Deviations: []string{
			"The loss is a mean over images and outputs; the paper does not say what it took. With the sum over " +
				"outputs of its eq. 3, descent at the learning rate 0.1 would be at the limit of stability at ×10 " +
				"already (learning rate times curvature is 3.8 there, with the largest singular value of " +
				"ntk/fig6), and the paper trains ×60 with it.",
			"The paper searched learning rates and weight decays at every width. We do not, at any scale: we " +
				"take its best ones, and no test image chose anything. Its repetition in double precision is the " +
				"setting precision = 64.",
			"The paper has no limits. They are of 1000 training images at all scales, since the kernel has ten rows " +
				"for every image; all curves of such a task are of these images.",
		},
	}
)

// allAtPaperScale says which tasks train on all images.
const allAtPaperScale = "All images are trained on at scale paper alone, in the tasks whose names end in all."

// gapSmall says how scale small differs from the paper.
var gapSmall = study.About{
	Deviations: []string{
		"At scale small the tasks with limits have 60 epochs instead of 100, after which LeNet classifies nearly all " +
			"training images correctly, and widths up to 3 or 4. There and at scale paper they have 5000 test images, and " +
			"every seed draws its images. A look at the standard width on MNIST and CIFAR-10 with one seed, to see what it " +
			"costs, preceded these settings; the thresholds are older.",
	},
}

// kernelsAbout says which Jacobians the spectra belong to.
var kernelsAbout = study.About{
	Done: "For networks at their initial weights, at several widths, the singular values and the effective rank " +
		"of the Jacobian J of all outputs at some images are computed.",
	Deviations: []string{
		"At scale small there are 300 images of 10 outputs instead of 600. AlexNets with about an eighth of the " +
			"filters, on CIFAR-10's photographs at 64×64, stand for AlexNet on snakes.",
	},
	Controls: []string{
		"The paper calls the ranks and singular values those of J in one place and those of the kernel matrix Θ " +
			"= JJᵀ in another. The eigenvalues of Θ are the squares of J's singular values; both are shown.",
	},
	Conventions: []string{
		"The effective rank is the exponential of the entropy of the singular values. Initial weights are " +
			"PyTorch's, images are standardised, and every seed draws images, weights and shifts.",
		"The images are test images, but for AlexNet's at scale paper: there are 500 snakes to test with, fewer than the " +
			"600 of the paper, so that training images are taken.",
	},
}

// binaryAbout says what is learned from one class against the rest, and how.
var binaryAbout = study.About{
	Done: "One digit against the rest is learned, with one output towards 1 and 0, by LeNet, by its " +
		"linearization at its initial weights with the same mini-batches, and by solving the linear system of the " +
		"linearization.",
	Deviations: []string{
		"The paper has one seed, here there are 5. At scale small there are 2000 training and 5000 test images, " +
			"different ones for every seed, and 30 epochs instead of 200.",
		"The paper's standard width has 61 thousand weights for 60 thousand images, with which the system can " +
			"just be solved. The corresponding smallest width here is ×0.22, with 3261 weights: the narrowest in " +
			"ntk/threshold whose kernel matrix has full rank, except for units that are dead in a seed's draw. " +
			"Claims about LeNet itself are about the standard width and more.",
		"At scale paper the kernel of 60 000 rows and its decomposition need 173 GB.",
	},
	Controls: []string{
		"The digit is 0, as in the paper. The same is done for the digit 8, since the paper says only that other " +
			"classes give qualitatively similar results; the setting classes names others.",
	},
	Conventions: []string{
		"The system is solved without a ridge, in double precision and in its dual form, which gives the u of " +
			"least norm. SGD has learning rate 0.01, momentum 0.9 and weight decay 5e-5.",
	},
}

// kernelChangeAbout says how the change of the kernel is measured.
var kernelChangeAbout = study.About{
	Done: "LeNets are trained as in Fig. 2. Before training and after some steps, evenly spaced in their logarithms, " +
		"the tangent kernel of the network on the first test images is compared with the kernel of the initial " +
		"weights, with that of the record before, and with the labels.",
	Deviations: []string{
		"The paper does not measure this. It is the quantity that by the theory does not change in the " +
			"limit of infinite width, with the theory's parameterisation and learning rates; here both " +
			"are PyTorch's.",
	},
	Controls: []string{
		"A kernel that only grows changes what is learned less than one that turns. The cosine ignores " +
			"growth.",
		"The distance between the kernel of other initial weights and that of these is shown beside it: " +
			"kernels of the same images are similar for that reason alone.",
		"The null of the alignment with the labels permutes them. Shifted digits and CIFAR-10's photographs, the " +
			"tasks of Figs. 3 and 4, are followed at the smallest width.",
	},
	Conventions: []string{
		"The kernel is the mean of the kernels of the outputs. Its velocity is the distance to the kernel of the " +
			"record before, relative to that kernel's norm and to the time between: learning rate times steps. The " +
			"alignment with the labels is that of the centred kernel with the centred matrix that is 1 for two images " +
			"of one class and else 0.",
		"Ratios are judged by their logarithms, since a few large ones would decide a mean. Every seed " +
			"draws images where a scale does not take all.",
	},
}

// trajectoriesAbout says what is recorded of trajectories, and how they are compared.
var trajectoriesAbout = study.About{
	Done: "LeNet and its linearization are trained as in Fig. 2. Their outputs on test images are " +
		"recorded every few steps and compared.",
	Deviations: []string{
		"The figure is in a supplement that we do not have, so images, outputs and times are our choice. " +
			"At scale small there are 2 epochs on all images instead of 100, and widths up to 5 instead " +
			"of 60.",
	},
	Conventions: []string{
		"The statistics of trajectories are, at every record, mean and standard deviation of the outputs " +
			"for the right classes and of those for the others. Their distance is the root mean square of " +
			"the differences of the four numbers between network and linearization.",
		"The distance of paths is that of the outputs, image by image, relative to how far the network's " +
			"outputs moved.",
	},
}
