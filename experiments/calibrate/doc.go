// Package calibrate measures jobs and experiments for the estimates of package cost, and checks
// the estimates on jobs and settings that were held back. It is the command estimates.
//
// Begin with [MeasureNeeds], [WriteCosts] and [WriteScale].
package calibrate
