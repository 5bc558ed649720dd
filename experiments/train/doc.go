// Package train is the command train: it trains a network on images, tracks the ansatz during training if asked to,
// and resumes interrupted trainings from their checkpoints.
//
// Begin with [Spec] and [NewTraining]; [Training.Run] returns a [Record]. models.Loop takes the steps, as it does for
// the networks of all experiments.
package train
