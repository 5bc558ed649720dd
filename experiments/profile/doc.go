// Package profile implements the command energy: the energy profile of a network's first layer, which
// says how strongly its filters respond along the principal components of the patches.
//
// Begin with [Spec] and [New].
package profile
