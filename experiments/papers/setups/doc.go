// Package setups has what the experiments of several papers share: tasks on images, networks
// beside kernel machines, patches and how they are seen, sweeps over machines and networks, and
// networks whose energy profiles are compared.
//
// A type named …Spec or …Network is settings within the spec of an experiment. Begin with
// [PatchTask], [NetworkSpec], [SweepSpec] and [EnergyNetwork].
package setups
