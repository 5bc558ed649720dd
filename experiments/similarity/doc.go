// Package similarity compares symmetric positive semi-definite matrices, such as a CNFM and an AGOP. It gives every
// similarity with its null, the similarity under random rotations.
//
// Begin with [Compare], whose null is known in closed form, and [Align], which estimates the null by draws.
// [AnsatzRecord] is the ansatz at one layer as records store it.
package similarity
