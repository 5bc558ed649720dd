// Package examples makes matrices of examples for kernel machines: of images, of tables and of
// polynomials, divided into training, validation and test examples.
//
// Begin with [Spec], which says what to open, and [Open]; [OpenImages] is for convolutional
// machines.
package examples
