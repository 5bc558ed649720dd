// Package setups contains what the experiments of several papers share: tasks on images, networks to compare with
// kernel machines, responses to patches, sweeps over machines and networks, and networks whose energy profiles are
// compared.
//
// Types named …Spec or …Task, and [EnergyNetwork] and [SweepNetwork], are settings within the spec of an experiment.
// Begin with [PatchTask], [NetworkSpec], [SweepSpec] and [EnergyNetwork].
package setups
