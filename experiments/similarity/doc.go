// Package similarity compares symmetric positive matrices, such as a CNFM and an AGOP, and puts
// beside every similarity its null: what random rotations give.
//
// Begin with [Compare], whose null is known in closed form, and [Align], which draws it.
// [AnsatzRecord] is the ansatz at one layer as records have it.
package similarity
