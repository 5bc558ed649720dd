package experiments

// rfmFig1 is the overview: the features of networks and of RFMs are the same,
// and serve a kernel machine better than the network.
func rfmFig1() *Experiment {
	return &Experiment{
		ID: "rfm/fig1", Paper: "rfm", Figure: "Fig. 1c", Title: "Top eigenvectors of networks' and RFMs' feature matrices, and RFM-T",
		About: "Six of the tasks of Fig. 15; all of those that stand in for them.",
		Claims: []Claim{
			{"fig1_eigenvectors_mean", "The top eigenvectors of the two feature matrices are highly correlated.", "0.999 in 6 tasks", atLeast(.99)},
			{"fig1_eigenvectors_over_images", "They are more alike than the RFM's is to a principal component of the images.", "not asked by the paper", atLeast(.05)},
			{"fig1_ticket_over_network", "A kernel machine on thresholded features (RFM-T) is more accurate than the network.", "+0.6 to +2.4 points", above(0)},
		},
		Controls: map[string]string{"fig1_eigenvectors_mean": "fig1_eigenvectors_over_images"},
		Of:       rfmFig15(), Shows: []string{"features", "correlations", "accuracies"},
	}
}

// rfmFig2 is the comparison of eigenvectors and diagonals.
func rfmFig2() *Experiment {
	return &Experiment{
		ID: "rfm/fig2", Paper: "rfm", Figure: "Fig. 2", Title: "Feature matrices of networks and RFMs: top eigenvectors and diagonals",
		About: "The other six of the tasks of Fig. 15; all of those that stand in for them.",
		Claims: []Claim{
			{"fig2_eigenvectors_least", "The top eigenvectors have a Pearson correlation greater than 0.99 in every task.", "> 0.99", atLeast(.99)},
			{"fig2_eigenvectors_over_images", "They are more alike than the RFM's is to a principal component of the images: mean over the tasks.", "not asked by the paper", atLeast(.05)},
			{"fig2_diagonals_least", "The diagonals have a Pearson correlation greater than 0.8 in every task.", "0.815 to 0.982", atLeast(.8)},
			{"fig2_diagonals_crossed", "That is not because they are sparse: the diagonals of two tasks are hardly correlated.", "0.110", atMost(.5)},
			{"fig2_diagonals_over_images", "The diagonals are more alike than the RFM's is to the variance of the pixels.", "not asked by the paper", atLeast(.05)},
		},
		Controls: map[string]string{"fig2_eigenvectors_least": "fig2_eigenvectors_over_images", "fig2_diagonals_least": "fig2_diagonals_over_images"},
		Of:       rfmFig15(), Shows: []string{"features", "correlations", "controls"},
	}
}

// rfmFig15 is the spectra, of the tasks of both others.
func rfmFig15() *Experiment {
	return &Experiment{
		ID: "rfm/fig15", Paper: "rfm", Figure: "Fig. 15", Title: "Top three eigenvectors and eigenvalues of both feature matrices",
		About: featuresAbout,
		Claims: []Claim{
			{"gap_rfm_least", "There is a large gap between the first and the second eigenvalue of the RFM's feature matrix.", "picture", atLeast(2)},
			{"gap_network_least", "There is a large gap between the first and the second eigenvalue of the network's feature matrix.", "picture", atLeast(2)},
			{"eigenvectors_mean", "The top eigenvectors of the two are similar.", "> 0.99", atLeast(.99)},
			{"eigenvectors_over_images", "They are more alike than the RFM's is to a principal component of the images.", "not asked by the paper", atLeast(.05)},
		},
		Controls: map[string]string{"eigenvectors_mean": "eigenvectors_over_images"},
		Specs:    featureSpecs(),
	}
}
