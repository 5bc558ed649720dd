// Package verify is the command verify: the neural feature ansatz in a network, layer by layer,
// each similarity with its null and error bar.
//
// Begin with [Spec] and [NewVerification]; [Verification.Run] returns a [Record]. Measuring is
// done by package cnfa.
package verify
