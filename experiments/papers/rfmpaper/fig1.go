package rfmpaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig1 is the overview: the features of networks and of RFMs are the same,
// and serve a kernel machine better than the network.
func fig1() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig1", Paper: "rfm", Figure: "Fig. 1c", Title: "Top eigenvectors of networks' and RFMs' feature matrices, and RFM-T",
		About: "Six of the tasks of Fig. 15; all of those that stand in for them.",
		Claims: []study.Claim{
			{Value: "fig1_eigenvectors_mean", Sentence: "The top eigenvectors of the two feature matrices are highly correlated.", Paper: "0.999 in 6 tasks", Holds: study.AtLeast(.99)},
			{Value: "fig1_eigenvectors_over_images", Sentence: "They are more alike than the RFM's is to a principal component of the images.", Paper: "not asked by the paper", Holds: study.AtLeast(.05)},
			{Value: "fig1_ticket_over_network", Sentence: "A kernel machine on thresholded features (RFM-T) is more accurate than the network.", Paper: "+0.6 to +2.4 points", Holds: study.Above(0)},
		},
		Controls: map[string]string{"fig1_eigenvectors_mean": "fig1_eigenvectors_over_images"},
		Of:       fig15(), Shows: []string{"features", "correlations", "accuracies"},
	}
}

// fig2 is the comparison of eigenvectors and diagonals.
func fig2() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig2", Paper: "rfm", Figure: "Fig. 2", Title: "Feature matrices of networks and RFMs: top eigenvectors and diagonals",
		About: "The other six of the tasks of Fig. 15; all of those that stand in for them.",
		Claims: []study.Claim{
			{Value: "fig2_eigenvectors_least", Sentence: "The top eigenvectors have a Pearson correlation greater than 0.99 in every task.", Paper: "> 0.99", Holds: study.AtLeast(.99)},
			{Value: "fig2_eigenvectors_over_images", Sentence: "They are more alike than the RFM's is to a principal component of the images: mean over the tasks.", Paper: "not asked by the paper", Holds: study.AtLeast(.05)},
			{Value: "fig2_diagonals_least", Sentence: "The diagonals have a Pearson correlation greater than 0.8 in every task.", Paper: "0.815 to 0.982", Holds: study.AtLeast(.8)},
			{Value: "fig2_diagonals_crossed", Sentence: "That is not because they are sparse: the diagonals of two tasks are hardly correlated.", Paper: "0.110", Holds: study.AtMost(.5)},
			{Value: "fig2_diagonals_over_images", Sentence: "The diagonals are more alike than the RFM's is to the variance of the pixels.", Paper: "not asked by the paper", Holds: study.AtLeast(.05)},
		},
		Controls: map[string]string{"fig2_eigenvectors_least": "fig2_eigenvectors_over_images", "fig2_diagonals_least": "fig2_diagonals_over_images"},
		Of:       fig15(), Shows: []string{"features", "correlations", "controls"},
	}
}

// fig15 is the spectra, of the tasks of both others.
func fig15() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig15", Paper: "rfm", Figure: "Fig. 15", Title: "Top three eigenvectors and eigenvalues of both feature matrices",
		About: featuresAbout,
		Claims: []study.Claim{
			{Value: "gap_rfm_least", Sentence: "There is a large gap between the first and the second eigenvalue of the RFM's feature matrix.", Paper: "picture", Holds: study.AtLeast(2)},
			{Value: "gap_network_least", Sentence: "There is a large gap between the first and the second eigenvalue of the network's feature matrix.", Paper: "picture", Holds: study.AtLeast(2)},
			{Value: "eigenvectors_mean", Sentence: "The top eigenvectors of the two are similar.", Paper: "> 0.99", Holds: study.AtLeast(.99)},
			{Value: "eigenvectors_over_images", Sentence: "They are more alike than the RFM's is to a principal component of the images.", Paper: "not asked by the paper", Holds: study.AtLeast(.05)},
		},
		Controls: map[string]string{"eigenvectors_mean": "eigenvectors_over_images"},
		Specs:    featureSpecs(),
	}
}
