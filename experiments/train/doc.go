// Package train is the command train: it trains a network on images, measures the ansatz while it
// learns if asked to, and goes on from its checkpoint when it was interrupted.
//
// Begin with [Spec] and [NewTraining]; [Training.Run] returns a [Record]. The steps are taken by
// models.Loop, through which the networks of all experiments are trained too.
package train
