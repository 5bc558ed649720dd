// Package theory checks the statements of the five papers (theorems, propositions and equations) numerically: as
// printed, and corrected if they are false as printed.
//
// Begin with [Experiments]; PAPER*.go has the statements of a paper.
package theory
