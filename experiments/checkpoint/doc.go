// Package checkpoint stores the intermediate results of a run, so that an interrupted run can continue. [Write] and
// [Read] keep any value in a file with a digest. [InterruptedError] is the error of a run that was stopped and can
// continue; [Interrupted] recognises such errors.
package checkpoint
