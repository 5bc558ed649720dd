// Package cnfa verifies the convolutional neural feature ansatz (paper cnfa) and
// its fully connected form (paper rfm) on networks: layer by layer, the
// similarity of the filters' covariance WᵀW, the CNFM, with the average gradient
// outer product of the network's outputs in the patches that the layer reads,
// the AGOP.
//
// AGOP = WᵀSW contains W. So its similarity with WᵀW is high wherever S is nearly
// isotropic, for random networks too. Every similarity therefore comes with its
// null, the same measure with S rotated at random; what counts is the excess over
// the null.
//
// # Where to begin
//
// [Verify] measures a network once, a [Tracker] again and again during training.
// [Compare] measures one layer, from filters and moments of gradients. [CNFM] and
// [LayerResult.AGOP] return the matrices; [Eigenvectors] and [Responses] show what
// is in them.
//
// For paper energy, [Profile] returns the energy profile of first-layer filters.
// [CompareProfiles] returns the similarity of two profiles, with its null and with
// the part that the spectrum of the patches does not explain. [LinearCNN] is that
// paper's linear network in closed form.
package cnfa
