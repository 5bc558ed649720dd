// Package cnfa verifies the convolutional neural feature ansatz (paper cnfa) and
// its fully connected form (paper rfm) on networks: layer by layer, the
// similarity of the filters' covariance WᵀW, the CNFM, with the average gradient
// outer product of the network's outputs in the patches that the layer reads,
// the AGOP.
//
// AGOP = WᵀSW contains W, so that its similarity with WᵀW is high wherever S is
// near isotropic, for random networks too. Every similarity comes with its null:
// the same measure with S rotated at random. What counts is the excess over it.
//
// # Where to begin
//
// [Verify] measures a network once, a [Tracker] one that is being trained.
// [Compare] is the measure itself, from filters and moments of gradients, [CNFM] and
// [LayerResult.AGOP] are the matrices, [Eigenvectors] and [Responses] what can be
// shown of them.
//
// [Profile] is the energy profile of first-layer filters (paper energy),
// [CompareProfiles] their similarity, its null and what is left of it beyond the
// spectrum of the patches; [LinearCNN] is that paper's linear network in closed
// form.
package cnfa
