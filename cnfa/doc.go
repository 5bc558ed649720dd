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
// [LayerResult.AGOP] return the matrices; [CNFMFeatures],
// [LayerResult.AGOPFeatures] and [Responses] show what is in them.
//
// [Statements] lists what else has been published about a layer's features;
// [Options.Alignments] measures it beside the ansatz, each statement with a null of
// its own. Package cnfa/energy has the energy profiles of first layers.
package cnfa
