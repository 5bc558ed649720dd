package experiments

// rfmFig1 is the overview: the features of networks and of RFMs are the same,
// and serve a kernel machine better than the network.
func rfmFig1() *Experiment {
	return &Experiment{
		ID: "rfm/fig1", Paper: "rfm", Figure: "Fig. 1c", Title: "Top eigenvectors of networks' and RFMs' feature matrices, and RFM-T",
		About: featuresAbout,
		Claims: []Claim{
			{"eigenvectors_mean", "The top eigenvectors of the two feature matrices are highly correlated.", "0.999 in 6 tasks", atLeast(.99)},
			{"eigenvectors_over_images", "They are more alike than the RFM's is to a principal component of the images.", "not asked by the paper", atLeast(.05)},
			{"ticket_over_network", "A kernel machine on thresholded features (RFM-T) is more accurate than the network.", "+0.6 to +2.4 points", above(0)},
		},
		Specs: featureSpecs("Wearing_Lipstick", "Arched_Eyebrows", "5_o_Clock_Shadow", "Wearing_Necktie", "Smiling", "Rosy_Cheeks"),
	}
}

// rfmFig2 is the comparison of eigenvectors and diagonals.
func rfmFig2() *Experiment {
	return &Experiment{
		ID: "rfm/fig2", Paper: "rfm", Figure: "Fig. 2", Title: "Feature matrices of networks and RFMs: top eigenvectors and diagonals",
		About: featuresAbout,
		Claims: []Claim{
			{"eigenvectors_least", "The top eigenvectors have a Pearson correlation greater than 0.99 in every task.", "> 0.99", atLeast(.99)},
			{"diagonals_least", "The diagonals have a Pearson correlation greater than 0.8 in every task.", "0.815 to 0.982", atLeast(.8)},
			{"diagonals_crossed", "That is not because they are sparse: the diagonals of two tasks are hardly correlated.", "0.110", atMost(.5)},
			{"diagonals_over_images", "The diagonals are more alike than the RFM's is to the variance of the pixels.", "not asked by the paper", atLeast(.05)},
		},
		Specs: featureSpecs("Eyeglasses", "Mustache", "Goatee", "Wearing_Hat", "Blond_Hair", "Male"),
	}
}

// rfmFig15 is the spectra.
func rfmFig15() *Experiment {
	return &Experiment{
		ID: "rfm/fig15", Paper: "rfm", Figure: "Fig. 15", Title: "Top three eigenvectors and eigenvalues of both feature matrices",
		About: featuresAbout,
		Claims: []Claim{
			{"gap_rfm_least", "There is a large gap between the first and the second eigenvalue of the RFM's feature matrix.", "picture", atLeast(2)},
			{"gap_network_least", "There is a large gap between the first and the second eigenvalue of the network's feature matrix.", "picture", atLeast(2)},
			{"eigenvectors_mean", "The top eigenvectors of the two are similar.", "> 0.99", atLeast(.99)},
		},
		Specs: featureSpecs("Eyeglasses", "Mustache", "Goatee", "Wearing_Hat", "Blond_Hair", "Male"),
	}
}
