// Package calibrate implements the command estimates. It measures jobs and experiments, to which the models of package
// cost are fitted, and checks the estimates on jobs and settings that were not used for fitting.
//
// Begin with [MeasureNeeds], [WriteCosts] and [WriteScale].
package calibrate
