// Package checkpoint keeps what a run has found so far, so that a run that is interrupted can go
// on: [Write] and [Read] keep any value in a file with a digest, and [InterruptedError] is the
// error of a run that was stopped and can go on, as [Interrupted] tells.
package checkpoint
